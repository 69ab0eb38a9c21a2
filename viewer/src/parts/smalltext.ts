// The size of small text, for what is drawn on a canvas: it grows with the reader's letters.

/** In CSS pixels. */
export function smallTextPx(): number {
  const style = getComputedStyle(document.documentElement);
  const rem = Number.parseFloat(style.fontSize) || 14;
  return Math.round(rem * (Number.parseFloat(style.getPropertyValue("--small")) || 0.857));
}
