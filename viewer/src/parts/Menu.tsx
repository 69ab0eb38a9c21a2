// A menu at a place of the window: arrows move, Enter chooses, Escape and a press elsewhere
// close it.

import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

export interface MenuItem {
  words: string;
  act: () => void;
  /** Why it cannot be chosen. */
  whyNot?: string | null;
  /** The key that does the same, where there is one. */
  key?: string;
}

export interface MenuPlace {
  x: number;
  y: number;
}

const MARGIN = 6;

export function Menu(props: { at: MenuPlace; label: string; items: MenuItem[]; onClose: () => void }) {
  const menu = useRef<HTMLDivElement>(null);
  const { at, onClose } = props;
  useLayoutEffect(() => {
    const element = menu.current!;
    const left = Math.min(at.x, innerWidth - element.offsetWidth - MARGIN);
    const top = Math.min(at.y, innerHeight - element.offsetHeight - MARGIN);
    element.style.transform = `translate(${Math.max(MARGIN, left)}px, ${Math.max(MARGIN, top)}px)`;
  }, [at.x, at.y]);
  useEffect(() => {
    const before = document.activeElement;
    menu.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
    const outside = (event: Event) => {
      if (!menu.current?.contains(event.target as Node)) onClose();
    };
    document.addEventListener("pointerdown", outside, true);
    document.addEventListener("wheel", outside, { capture: true, passive: true });
    return () => {
      document.removeEventListener("pointerdown", outside, true);
      document.removeEventListener("wheel", outside, true);
      if (document.activeElement === document.body || menu.current?.contains(document.activeElement)) {
        (before as HTMLElement | null)?.focus?.({ preventScroll: true });
      }
    };
  }, []);
  const press = (event: KeyboardEvent) => {
    const items = [...menu.current!.querySelectorAll<HTMLElement>("[role=menuitem]")];
    const from = items.indexOf(document.activeElement as HTMLElement);
    const next: Record<string, number> = {
      ArrowDown: (from + 1) % items.length,
      ArrowUp: (from + items.length - 1) % items.length,
      Home: 0,
      End: items.length - 1,
    };
    event.stopPropagation();
    if (event.key === "Escape" || event.key === "Tab") onClose();
    else if (next[event.key] !== undefined) items[next[event.key]!]?.focus();
    else return;
    event.preventDefault();
  };
  return (
    <div class="menu" role="menu" aria-label={props.label} ref={menu} onKeyDown={press}>
      <div class="menu-title" aria-hidden="true">
        {props.label}
      </div>
      {props.items.map(({ words, act, whyNot, key }) => (
        <button
          key={words}
          type="button"
          role="menuitem"
          tabIndex={-1}
          aria-disabled={Boolean(whyNot)}
          title={whyNot ?? undefined}
          onClick={() => {
            if (whyNot) return;
            onClose();
            act();
          }}
        >
          {words}
          {key && <kbd aria-hidden="true">{key}</kbd>}
        </button>
      ))}
    </div>
  );
}
