// What the reader chose once, kept by the browser.

const PREFIX = "residue-";

// Storage may be forbidden, as in a file that was opened from disk.
export function kept(name: string): string | null {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

export function keep(name: string, text: string): void {
  try {
    localStorage.setItem(PREFIX + name, text);
  } catch {
    // Then it lasts as long as the page.
  }
}
