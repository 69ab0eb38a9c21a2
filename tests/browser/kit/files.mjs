// What files that the page saves hold.

import assert from "node:assert/strict";

/** Comma-separated values as objects; fields in quotes may hold anything. */
export function csvOf(content) {
  const text = content.toString("utf8");
  const lines = [];
  let line = [];
  let field = "";
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (isQuoted) {
      if (sign !== '"') field += sign;
      else if (text[at + 1] === '"') field += text[(at += 1)];
      else isQuoted = false;
    } else if (sign === '"') {
      assert.equal(field, "", "a quote inside a field");
      isQuoted = true;
    } else if (sign === "," || sign === "\n") {
      line.push(field);
      field = "";
      if (sign === "\n") {
        lines.push(line);
        line = [];
      }
    } else field += sign;
  }
  assert.ok(!isQuoted && field === "" && line.length === 0, "the last line is whole");
  const [head, ...rows] = lines;
  assert.equal(new Set(head).size, head.length, "two columns have one name");
  return rows.map((row) => {
    assert.equal(row.length, head.length, `fields in ${row}`);
    return Object.fromEntries(head.map((name, column) => [name, row[column]]));
  });
}

/** Width and height, after a look at the signature and the first chunk. */
export function pngOf(content) {
  assert.equal(content.subarray(0, 8).toString("latin1"), "\x89PNG\r\n\x1a\n");
  assert.equal(content.subarray(12, 16).toString("latin1"), "IHDR");
  const [width, height] = [content.readUInt32BE(16), content.readUInt32BE(20)];
  assert.ok(width > 100 && height > 50, `${width} x ${height}`);
  return { width, height };
}

/** Parses with the browser's own reader of XML: names of elements with how often each is
    there, and all texts. */
export async function svgOf(page, content) {
  const parsed = await page.evaluate((text) => {
    const root = new DOMParser().parseFromString(text, "image/svg+xml");
    const elements = [...root.querySelectorAll("*")];
    const attributes = elements.flatMap((element) => [...element.attributes].map((one) => one.name));
    const words = elements.filter((one) => one.children.length === 0).map((one) => one.textContent).filter(Boolean);
    return { root: root.documentElement.localName, names: elements.map((one) => one.localName), attributes, words };
  }, content.toString("utf8"));
  assert.equal(parsed.root, "svg", "it is well formed");
  assert.ok(!parsed.names.includes("parsererror"), parsed.words.join(" "));
  for (const name of ["script", "foreignObject", "img", "image", "iframe"]) assert.ok(!parsed.names.includes(name), name);
  assert.deepEqual(parsed.attributes.filter((name) => /^on/i.test(name)), []);
  return parsed;
}
