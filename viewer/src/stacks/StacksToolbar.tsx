// What is shown of the stacks, and a file of it.

import { go, parameter } from "../address";
import type { Stacks } from "../answers";
import { saveCsv } from "../download";
import { SearchField } from "../parts/SearchField";
import { KindSelect } from "../parts/KindSelect";
import { SHAPES, SHAPE_NAMES } from "./shapes";
import { STACKS_HEAD, stacksRows } from "./table";

export function StacksToolbar(props: { answer: Stacks | null; isRefused: boolean; file: string }) {
  const { answer } = props;
  const shape = parameter("shape");
  return (
    <div class="toolbar stacks-toolbar">
      <SearchField
        value={parameter("focus")}
        label="Search stacks by function"
        placeholder="Search functions (regular expression)"
        isRefused={props.isRefused}
        onSearch={(focus) => go({ focus, offset: "" }, { quiet: true })}
      />
      <KindSelect label="Kind" />
      <label class="field">
        Shape
        <select
          value={shape}
          title={SHAPES[shape as keyof typeof SHAPES]?.sentence}
          onChange={(event) => go({ shape: event.currentTarget.value, offset: "" })}
        >
          <option value="">any</option>
          {SHAPE_NAMES.map((name) => (
            <option key={name} value={name} title={SHAPES[name].sentence}>{name}</option>
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
