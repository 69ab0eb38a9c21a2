import { describe, expect, it } from "vitest";
import type { FrameDetail } from "../answers";
import { exactPattern, frameLines, innermost, libraryText, placeText, singular, stackText } from "./path";

const FRAMES: FrameDetail[] = [
  {
    function: "simulate", symbol: "_Z8simulatev", library: "/opt/lib/libsim.so", address: "0x10", framework: false,
    places: [
      { function: "push", file: "/src/store.hpp", file_id: 3, line: 15 },
      { function: "simulate", file: "/src/sim.cpp", file_id: 4, line: 21 },
    ],
    by_frame_pointer: false,
  },
  {
    function: "_start", symbol: null, library: null, address: "0x20", framework: true, places: [],
    by_frame_pointer: true,
  },
];

describe("frameLines", () => {
  it("gives inlined functions lines of their own, leaf first", () => {
    const lines = frameLines(FRAMES);
    expect(lines.map((line) => [line.function, line.isInlined, line.fileId, line.line, line.isFramework])).toEqual([
      ["push", true, 3, 15, false],
      ["simulate", false, 4, 21, false],
      ["_start", false, null, null, true],
    ]);
  });
});

describe("stackText", () => {
  it("is a line for each function, with what is known of its place", () => {
    expect(stackText(frameLines(FRAMES))).toBe(
      "#0 push (inlined)  /src/store.hpp:15  libsim.so\n#1 simulate  /src/sim.cpp:21  libsim.so\n#2 _start (by frame pointer)",
    );
  });
});

describe("placeText and libraryText", () => {
  it("leave folders out unless they are asked for", () => {
    expect(placeText("/src/a.cpp", 7)).toBe("a.cpp:7");
    expect(placeText("/src/a.cpp", 7, true)).toBe("/src/a.cpp:7");
    expect(placeText("a.cpp", null)).toBe("a.cpp");
    expect(placeText(null, 7)).toBe("");
    expect(libraryText("/usr/lib/libc.so.6")).toBe("libc.so.6");
    expect(libraryText(null)).toBe("");
  });
});

describe("innermost", () => {
  it("is the last of a path that begins at the root, with its callers outwards", () => {
    expect(innermost(["main", "run", "new"])).toEqual({ name: "new", callers: ["run", "main"] });
    expect(innermost([])).toEqual({ name: "", callers: [] });
  });
});

describe("exactPattern", () => {
  it("matches the name and nothing else", () => {
    const name = "std::vector<int*>::operator[](size_t) const+";
    expect(exactPattern("a(b)*")).toBe("^a\\(b\\)\\*$");
    expect(new RegExp(exactPattern(name)).test(name)).toBe(true);
    expect(new RegExp(exactPattern(name)).test(`${name}x`)).toBe(false);
  });
});

describe("singular", () => {
  it("takes the s of one counted thing off", () => {
    expect(["photons", "mass", "s", "hit", "as"].map(singular)).toEqual(["photon", "mass", "s", "hit", "as"]);
  });
});
