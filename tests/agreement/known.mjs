// Disagreements that are known and not yet settled: what their lines look like, and why they
// are there. One that is not seen any more has to go from here.

export const KNOWN = [
  {
    line: /^thinned \| .* of a gap /,
    why: "where an event was not kept the page widens the range to those that were, and the command refuses",
  },
];
