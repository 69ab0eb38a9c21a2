import { expect, test } from "vitest";
import { foldedName } from "./foldedname";

test("what stands between angle brackets is left out of long names alone", () => {
  const argument = "std::basic_string<char, std::char_traits<char>, std::allocator<char> >";
  expect(foldedName("std::vector<int>::push_back")).toBe("std::vector<int>::push_back");
  expect(foldedName(`std::map<${argument}, int>::find(${argument} const&)`)).toBe("std::map<\u2026>::find(std::basic_string<\u2026> const&)");
  expect(foldedName(`std::vector<int>::insert(std::pair<${argument}, ${argument}>)`)).toBe("std::vector<int>::insert(std::pair<\u2026>)");
});

test("operators are no brackets", () => {
  const argument = "std::basic_ostream<char, std::char_traits<char> >";
  expect(foldedName(`std::operator<< <std::char_traits<char> >(${argument}&, char const*, unsigned long)`)).toBe(
    "std::operator<< <\u2026>(std::basic_ostream<\u2026>&, char const*, unsigned long)",
  );
  expect(foldedName(`Handle<${argument}>::operator->() const, which is long enough to be folded`)).toBe(
    "Handle<\u2026>::operator->() const, which is long enough to be folded",
  );
  const open = `a < b and ${"much ".repeat(20)}more`;
  expect(foldedName(open)).toBe(open);
});
