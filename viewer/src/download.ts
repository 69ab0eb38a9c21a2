// What a view shows, as a file: a table as CSV, a drawing as SVG, a canvas as PNG.

function save(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export type Cell = string | number | null | undefined;

/** One line of comma-separated values; a text that a spreadsheet would take for a formula
    gets a quote in front. */
export function csvLine(cells: Cell[]): string {
  const cell = (value: Cell): string => {
    if (value === null || value === undefined) return "";
    if (typeof value === "number") return String(value);
    const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return cells.map(cell).join(",");
}

export function saveCsv(name: string, head: string[], rows: Cell[][]): void {
  const text = [head, ...rows].map(csvLine).join("\n") + "\n";
  save(name, new Blob([text], { type: "text/csv" }));
}

export function saveSvg(name: string, svg: string): void {
  save(name, new Blob([svg], { type: "image/svg+xml" }));
}

/** Text that stays text inside an SVG that is written as a string. */
export function escapeXml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&apos;")
    // What XML 1.0 cannot hold at all.
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd");
}

export function savePng(name: string, canvas: HTMLCanvasElement): void {
  canvas.toBlob((content) => {
    if (content) save(name, content);
  }, "image/png");
}
