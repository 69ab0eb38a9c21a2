import { expect, test } from "vitest";
import { cut, innermost } from "./shortpath";

test("a path is told by its end", () => {
  expect(innermost(["main", "process", "simulate", "leave_hit"])).toEqual(["process", "simulate", "leave_hit"]);
  expect(innermost(["_start", "__libc_start_call_main", "main", "f"])).toEqual(["main", "f"]);
});

test("the allocator's own functions say nothing", () => {
  const allocating = ["main", "SEvt::add", "std::__new_allocator<Hit>::allocate", "operator new", "malloc"];
  expect(innermost(allocating)).toEqual(["main", "SEvt::add"]);
  expect(innermost(["main", "operator new(unsigned long)"])).toEqual(["main"]);
  // Names that only look like it.
  expect(innermost(["main", "mallocator", "my::allocate"])).toEqual(["main", "mallocator", "my::allocate"]);
  expect(innermost(["std::allocator_traits<A>::allocate", "std::vector<A, std::allocator<A> >::push_back"])).toHaveLength(2);
});

test("a path of nothing else is shown as it is", () => {
  expect(innermost(["_start", "malloc"])).toEqual(["_start", "malloc"]);
  expect(innermost([])).toEqual([]);
});

test("a long name keeps its end", () => {
  expect(cut("leave_hit", 9)).toBe("leave_hit");
  expect(cut("boost::spirit::qi::parse", 13)).toBe("boos…i::parse");
  expect(cut("x".repeat(5000), 60)).toHaveLength(60);
});
