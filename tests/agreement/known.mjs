// Disagreements that are known and not yet settled: what their lines look like, and why they
// are there. One that is not seen any more has to go from here.

export const KNOWN = [
  {
    line: /^(threads|freed_at_exit) \| (stacks|changes)\b/,
    why:
      "a row of the page is of stacks through the same functions, inlined ones not counted, under the path of the " +
      "largest; reports and comparisons tell paths apart that differ in inlined functions. Judged apart, the parts of " +
      "one leak would look like caches",
  },
];
