// The way from a row to its stack.

import { go } from "../address";
import { reveal } from "../parts/reveal";

/** Opens a stack in the table of stacks. The panel takes the focus, since the row is gone. */
export function openStack(stack: number): void {
  reveal(`stack ${stack}`, "click");
  go({ view: "stacks", stack: String(stack), at: "", sort: "", ascending: "", offset: "", shape: "" });
}
