// What one surface says to one question, in rows and columns, so that what two surfaces say
// can be laid side by side. A value is exact, or text that a surface shows of it.

/** Text that stands for a number: exact values are formatted by the same rule to compare. */
export class Shown {
  constructor(text, rule) {
    this.text = text;
    this.rule = rule;
  }

  toString() {
    return `"${this.text}"`;
  }
}

export const shown = (text, rule) => new Shown(text, rule);

export class Sheet {
  /** By name, each a map of values by column. */
  rows = new Map();
  /** Whether others may have rows that are not here. */
  isPartial = false;

  set(row, columns) {
    const known = this.rows.get(row) ?? new Map();
    for (const [column, value] of Object.entries(columns)) if (value !== undefined) known.set(column, value);
    this.rows.set(row, known);
    return this;
  }

  /** Adds to what a row holds already: rows of the same name are one. */
  add(row, columns) {
    const known = this.rows.get(row);
    if (known === undefined) return this.set(row, columns);
    for (const [column, value] of Object.entries(columns)) {
      const before = known.get(column);
      const isSum = typeof before === "number" && typeof value === "number";
      // What has no sum is known of single rows only.
      if (isSum) known.set(column, before + value);
      else if (before !== value) known.delete(column);
    }
    return this;
  }

  /** A question that a surface does not answer, and why. */
  static refused(why) {
    return new Sheet().set("refused", { isRefused: true, why: why ? firstClause(why) : undefined });
  }
}

/** Surfaces add what to do next, each in its own words. */
function firstClause(sentence) {
  return sentence.split(/[;\n]/)[0].trim();
}

/** What surfaces say, side by side: where one says another thing than the first, and how many
    values of each were compared. Columns are those that at least two of them have. */
export function compare(sheets) {
  const complaints = [];
  const compared = new Map([...sheets.keys()].map((surface) => [surface, 0]));
  const count = (surface) => compared.set(surface, compared.get(surface) + 1);
  const all = [...sheets];
  for (const row of new Set(all.flatMap(([, sheet]) => [...sheet.rows.keys()]))) {
    const [known, unknown] = [all.filter(([, { rows }]) => rows.has(row)), all.filter(([, { rows }]) => !rows.has(row))];
    const [first, { rows }] = known[0];
    for (const [surface] of unknown.filter(([, { isPartial }]) => !isPartial)) {
      complaints.push({ place: row, one: [first, wholeRow(rows.get(row))], other: [surface, "no such row"] });
    }
    for (const column of new Set(known.flatMap(([, { rows }]) => [...rows.get(row).keys()]))) {
      const values = known.flatMap(([surface, { rows }]) =>
        rows.get(row).has(column) ? [[surface, rows.get(row).get(column)]] : [],
      );
      // An exact value is the one to measure text by.
      const [reference] = values.splice(Math.max(0, values.findIndex(([, value]) => !(value instanceof Shown))), 1);
      for (const other of values) {
        count(reference[0]);
        count(other[0]);
        if (isSame(reference[1], other[1])) continue;
        complaints.push({ place: `${row}: ${column}`, one: reference, other: told(other, reference) });
      }
    }
  }
  return { complaints, compared };
}

function isSame(reference, value) {
  if (!(value instanceof Shown)) return reference === value;
  return value.text === (reference instanceof Shown ? reference.text : value.rule(reference));
}

const wholeRow = (columns) => [...columns].map(([column, value]) => `${column} ${value}`).join(", ");

/** With what the text would have to be. */
function told([surface, value], [, reference]) {
  const isText = value instanceof Shown && !(reference instanceof Shown);
  return [surface, isText ? `${value} (that would be "${value.rule(reference)}")` : value];
}
