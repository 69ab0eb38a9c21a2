// The way from one stack to another that holds it, or that it holds.

import { go } from "../address";
import { reveal } from "../parts/reveal";

export function openHolder(stack: number): void {
  reveal(`holder ${stack}`, "click");
  go({ stack: String(stack) });
}
