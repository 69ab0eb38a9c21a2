// Long names of templates, folded: what stands between angle brackets is left out.

/** Shorter names are shown whole. */
const LONGEST = 72;
/** Arguments that are no longer say more than a sign for them. */
const SHORT_ARGUMENTS = 12;
/** Where a bracket is no bracket. */
const OPERATOR = /^operator(?:<=>|<<=?|>>=?|<=?|>=?|->\*?)/;

/** `std::map<…>::find(key const&)`; the same name where nothing is to be left out. */
export function foldedName(name: string): string {
  if (name.length <= LONGEST) return name;
  let folded = "";
  let depth = 0;
  let from = 0;
  for (let at = 0; at < name.length; at += 1) {
    const operator = name[at] === "o" ? OPERATOR.exec(name.slice(at, at + 12))?.[0] : undefined;
    if (operator || name.startsWith("->", at)) {
      const word = operator ?? "->";
      if (depth === 0) folded += word;
      at += word.length - 1;
    } else if (name[at] === "<") {
      if (depth === 0) from = at + 1;
      depth += 1;
    } else if (name[at] === ">" && depth > 0) {
      depth -= 1;
      const inside = name.slice(from, at);
      if (depth === 0) folded += inside.length > SHORT_ARGUMENTS ? "<\u2026>" : `<${inside}>`;
    } else if (depth === 0) {
      folded += name[at];
    }
  }
  // A bracket that is never closed was none.
  return depth === 0 ? folded : name;
}
