// Call stacks as text.

import type { FrameDetail } from "../answers";

/** One line of a call stack: a frame's own function, or one that was inlined into it. */
export interface FrameLine {
  function: string;
  library: string | null;
  file: string | null;
  fileId: number | null;
  line: number | null;
  isInlined: boolean;
  isFramework: boolean;
  byFramePointer: boolean;
}

/** All functions of these frames, leaf first, inlined ones as lines of their own. */
export function frameLines(frames: readonly FrameDetail[]): FrameLine[] {
  return frames.flatMap((frame) => {
    const common = { library: frame.library, isFramework: frame.framework, byFramePointer: frame.by_frame_pointer };
    if (frame.places.length === 0) {
      return [{ ...common, function: frame.function, file: null, fileId: null, line: null, isInlined: false }];
    }
    return frame.places.map((place, i) => ({
      ...common,
      function: place.function,
      file: place.file,
      fileId: place.file_id,
      line: place.line,
      isInlined: i < frame.places.length - 1,
    }));
  });
}

/** `store.cpp:15`, with the file's folders or without. */
export function placeText(file: string | null, line: number | null, withFolders = false): string {
  if (file === null) return "";
  const name = withFolders ? file : file.slice(file.lastIndexOf("/") + 1);
  return line === null ? name : `${name}:${line}`;
}

/** `libG4run.so` of a whole path. */
export function libraryText(library: string | null): string {
  return library === null ? "" : library.slice(library.lastIndexOf("/") + 1);
}

/** The innermost function and, from it outwards, those that called it. */
export function innermost(path: readonly string[]): { name: string; callers: string[] } {
  return { name: path[path.length - 1] ?? "", callers: path.slice(0, -1).reverse() };
}

/** A call stack to be pasted into a message, leaf first, one function a line. */
export function stackText(lines: readonly FrameLine[]): string {
  return lines
    .map((line, i) => {
      const place = placeText(line.file, line.line, true);
      const where = [place, libraryText(line.library)].filter(Boolean).join("  ");
      const inlined = line.isInlined ? " (inlined)" : "";
      const how = line.byFramePointer ? " (by frame pointer)" : "";
      return `#${i} ${line.function}${inlined}${how}${where ? `  ${where}` : ""}`;
    })
    .join("\n");
}

/** A regular expression that matches this name and no other; of a name that was cut in the
    middle what is left of it. */
export function exactPattern(name: string): string {
  return `^${name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll("\u2026", ".*")}$`;
}

/** `photon` of the counter `photons`. */
export function singular(name: string): string {
  return name.length > 2 && name.endsWith("s") && !name.endsWith("ss") ? name.slice(0, -1) : name;
}
