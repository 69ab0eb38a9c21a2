// The page from top to bottom: bar, verdict, timeline, and one of the views.

import { useCallback, useEffect, useState } from "preact/hooks";
import { isUnsaid, place, type View } from "../address";
import { CallersView } from "../callers/CallersView";
import { ChurnView } from "../churn/ChurnView";
import { CompareView } from "../compare/CompareView";
import { FlameView } from "../flame/FlameView";
import { Head } from "../head/Head";
import { RangeVerdict } from "../head/RangeVerdict";
import { HoldersView } from "../holders/HoldersView";
import { PinsView } from "../pins/PinsView";
import { SizesView } from "../sizes/SizesView";
import { StacksView } from "../stacks/StacksView";
import { StagesView } from "../stages/StagesView";
import { TimeView } from "../time/TimeView";
import { TimelinePanel } from "../timeline/TimelinePanel";
import { about, aboutTrouble, fileAbout } from "./about";
import { Bar } from "./Bar";
import { isFolded } from "./folded";
import { Help } from "./Help";
import { ServerGone } from "./ServerGone";
import { Strip } from "./Strip";
import { tabId, Tabs } from "./Tabs";
import { useKeys } from "./usekeys";
import { readiness, TITLES } from "./viewnames";
import "./page.css";

const SHOWN = {
  stacks: StacksView,
  flame: FlameView,
  callers: CallersView,
  stages: StagesView,
  time: TimeView,
  churn: ChurnView,
  holders: HoldersView,
  pins: PinsView,
  sizes: SizesView,
  compare: CompareView,
};

function ShownView(props: { view: View }) {
  if (isUnsaid.value) {
    return (
      <p class="waiting" role="status">
        Computing the verdict …
      </p>
    );
  }
  const { isDisabled, why } = readiness(props.view, about.value, fileAbout());
  if (isDisabled) {
    return (
      <section class={`view view-${props.view}`} aria-label={props.view}>
        <p class="waiting">{why}</p>
      </section>
    );
  }
  const Shown = SHOWN[props.view];
  return <Shown />;
}

/** What a self-contained file cannot show. */
function LeftOut() {
  const sentences = about.value?.left_out ?? [];
  if (sentences.length === 0) return null;
  return (
    <aside class="page-left-out" aria-label="What this file holds">
      {sentences.map((sentence, index) => (
        <p key={index}>{sentence}</p>
      ))}
    </aside>
  );
}

/** The first thing that Tab leads to. */
function SkipLink() {
  const skip = (event: Event) => {
    event.preventDefault();
    document.getElementById("view")?.focus();
  };
  return (
    <a class="page-skip button main" href="#view" onClick={skip}>
      Skip to the view
    </a>
  );
}

function Opened() {
  const view = place.value.view;
  const file = fileAbout();
  return (
    <main class={isFolded() ? "page-main page-folded" : "page-main"}>
      <h1 class="visually-hidden">{file ? `Memory of ${file.program || file.name}` : "Residue"}</h1>
      {!isFolded() && <LeftOut />}
      {/* It asks for the verdict, and tells the strip. */}
      <div class="page-head" hidden={isFolded()}>
        <h2 class="visually-hidden">Verdict</h2>
        <Head />
      </div>
      {isFolded() ? (
        <Strip />
      ) : (
        <>
          <h2 class="visually-hidden">Timeline</h2>
          <TimelinePanel />
          <RangeVerdict />
        </>
      )}
      <Tabs />
      <div id="view" class="page-view" role="tabpanel" tabIndex={-1} aria-labelledby={tabId(view)}>
        <h2 class="visually-hidden">{TITLES[view]}</h2>
        <ShownView view={view} />
      </div>
    </main>
  );
}

function NotOpened(props: { why: string }) {
  return (
    <main class="page-main page-failed">
      <h1>The recording cannot be shown</h1>
      <p class="trouble" role="alert">
        {props.why}
      </p>
    </main>
  );
}

export function Page() {
  const [isHelpOpen, setIsHelpOpen] = useState(false);
  const openHelp = useCallback(() => setIsHelpOpen(true), []);
  const closeHelp = useCallback(() => setIsHelpOpen(false), []);
  useKeys(openHelp);
  const name = fileAbout()?.name;
  useEffect(() => {
    document.title = name ? `${name} – Residue` : "Residue";
  }, [name]);
  const trouble = aboutTrouble.value;
  return (
    <>
      <SkipLink />
      <Bar onHelp={openHelp} />
      <ServerGone />
      {about.value === null && trouble !== null ? <NotOpened why={trouble} /> : <Opened />}
      <Help isOpen={isHelpOpen} onClose={closeHelp} />
    </>
  );
}
