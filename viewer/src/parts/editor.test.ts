import { expect, test } from "vitest";
import { editorLink } from "./editor";

test("a link names the file and the line, and nothing else", () => {
  expect(editorLink("/home/me/a b.cpp", 12, "VS Code")).toBe("vscode://file/home/me/a%20b.cpp:12");
  expect(editorLink("/x/y.cpp", null, "Sublime Text")).toBe("subl://open?url=file:///x/y.cpp&line=1");
  expect(editorLink("/x/&line=9#?.cpp", 3, "Emacs")).toBe("emacs://open?url=file:///x/%26line%3D9%23%3F.cpp&line=3");
});

test("there is none without an editor or an absolute path", () => {
  expect(editorLink("/x/y.cpp", 3, "")).toBeNull();
  expect(editorLink("javascript:alert(1)", 3, "VS Code")).toBeNull();
  expect(editorLink("src/y.cpp", 3, "VS Code")).toBeNull();
  expect(editorLink(null, 3, "VS Code")).toBeNull();
});
