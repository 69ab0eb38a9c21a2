// What all questions of these views share, as it stands in the address.

import { parameter } from "../address";
import type { Parameters } from "../ask";

/** Parameters of the selection; reading them follows the address. */
export function selection(): Parameters {
  return { ...allStacks(), focus: parameter("focus") };
}

/** The same where a search only finds names, and does not choose what is counted. */
export function allStacks(): Parameters {
  return { side: parameter("side"), events: parameter("events"), kind: parameter("kind", "heap"), ignore: parameter("ignore") };
}
