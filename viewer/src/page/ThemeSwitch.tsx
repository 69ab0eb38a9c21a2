import { CHOICES, choice, choose } from "./theme";

const SIGNS = { system: "◐", light: "☀\ufe0e", dark: "☾" };
const WORDS = { system: "Colours of the system", light: "Light", dark: "Dark" };

export function ThemeSwitch() {
  return (
    <span class="buttons" role="group" aria-label="Colours">
      {CHOICES.map((one) => (
        <button
          type="button"
          key={one}
          class="button page-theme"
          aria-pressed={choice.value === one}
          aria-label={WORDS[one]}
          title={WORDS[one]}
          onClick={() => choose(one)}
        >
          {SIGNS[one]}
        </button>
      ))}
    </span>
  );
}
