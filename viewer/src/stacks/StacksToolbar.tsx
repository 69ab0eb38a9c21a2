// What is shown of the stacks, and a file of it.

import { go, parameter } from "../address";
import type { Stacks } from "../answers";
import { saveCsv } from "../download";
import { IgnoreChip } from "../parts/IgnoreChip";
import { SearchField } from "../parts/SearchField";
import { KindSelect } from "../parts/KindSelect";
import { SHAPE_NAMES, shapeSentence } from "./shapes";
import { ShownSwitch } from "./ShownSwitch";
import type { Shown } from "./sorting";
import { STACKS_HEAD, stacksRows } from "./table";

export function StacksToolbar(props: {
  answer: Stacks | null;
  isRefused: boolean;
  file: string;
  shown: Shown;
  unit: string;
  /** The events that the verdict is on. */
  judged: string | null;
}) {
  const { answer, unit } = props;
  const shape = SHAPE_NAMES.find((name) => name === parameter("shape"));
  return (
    <div class="toolbar stacks-toolbar">
      <ShownSwitch shown={props.shown} unit={unit} judged={props.judged} />
      <SearchField
        value={parameter("focus")}
        label="Search stacks by function"
        placeholder="Search functions (regular expression)"
        isRefused={props.isRefused}
        onSearch={(focus) => go({ focus, offset: "" }, { quiet: true })}
      />
      <IgnoreChip />
      <KindSelect label="Kind" />
      <label class="field">
        Shape
        <select
          value={shape ?? ""}
          title={shape && shapeSentence(shape, unit)}
          onChange={(event) => go({ shape: event.currentTarget.value, offset: "" })}
        >
          <option value="">any</option>
          {SHAPE_NAMES.map((name) => (
            <option key={name} value={name} title={shapeSentence(name, unit)}>{name}</option>
          ))}
        </select>
      </label>
      <span class="spacer" />
      <button
        class="button"
        disabled={!answer?.rows.length}
        title="The rows shown, with exact numbers"
        onClick={() => answer && saveCsv(`${props.file}-stacks.csv`, STACKS_HEAD, stacksRows(answer.rows))}
      >
        CSV
      </button>
    </div>
  );
}
