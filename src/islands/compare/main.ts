// The page of Compare: one text, several Models or settings, side by side.
import { ApiClient } from "../api/client.ts";
import { TokenTexts } from "../api/token-texts.ts";
import { element } from "../dom/elements.ts";
import { pressButtonsOnce } from "../dom/held-keys.ts";
import { oncePerFrame } from "../dom/make.ts";
import { drawLegend } from "../model-text/legend.ts";
import { visible } from "../model-text/numbers.ts";
import type { Measure } from "../model-text/scale.ts";
import { Counter } from "../request/counter.ts";
import { MAX_TOKENS } from "../request/settings.ts";
import { type LoopLanguage, loopOf } from "./code.ts";
import { Column } from "./column.ts";
import { keepComparison, readComparison } from "./kept-columns.ts";
import { partingsOf, partingWords } from "./partings.ts";
import { PromptScores } from "./prompt-scores.ts";

/** With one there is nothing to compare. */
const COLUMNS_LEAST = 2;

const typed = element<HTMLTextAreaElement>("prompt");
const measure = element<HTMLSelectElement>("measure");
const language = element<HTMLSelectElement>("language");
const problem = element("problem");
const { person = "" } = element("compare").dataset;
const add = element<HTMLButtonElement>("add");

const api = new ApiClient();
const texts = new TokenTexts(api);
const counter = new Counter(api, element("counter"));
const left = (available: number | null) => counter.left(available);
const parts = { api, texts, measure: measure.value as Measure };
const drawDifferences = oncePerFrame(showDifferences);
const columns = (element("columns").dataset.names ?? "")
  .split(" ")
  .map((name) => new Column(name, parts, { changed: drawDifferences, running: showRunning, left }));
const scores = new PromptScores(parts, { running: showRunning, left });

function shown(): Column[] {
  return columns.filter(({ isShown }) => isShown);
}

function send(): void {
  if (!hasText()) return;
  for (const column of shown()) column.send(typed.value);
}

function score(): void {
  if (!hasText()) return;
  scores.show(
    typed.value,
    shown().map(({ model }) => model.value),
  );
}

/** In the columns as they were, unless some of them are not on the page any more. */
function restore(): void {
  const kept = readComparison(person);
  if (kept === null) return;
  typed.value = kept.text;
  const known = columns.filter(({ name }) => name in kept.columns);
  if (known.length < COLUMNS_LEAST) return;
  for (const column of columns) {
    const own = kept.columns[column.name];
    column.element.hidden = own === undefined;
    if (own !== undefined) column.takeOver(own);
  }
}

function keepAll(): void {
  const shownNow = shown().map(({ name, kept }) => [name, kept]);
  keepComparison(person, { text: typed.value, columns: Object.fromEntries(shownNow) });
}

function stop(): void {
  for (const column of columns) column.stop();
  scores.stop();
}

function hasText(): boolean {
  problem.hidden = typed.value !== "";
  problem.textContent = "Write something to continue first.";
  if (typed.value === "") typed.focus();
  return typed.value !== "";
}

function showRunning(): void {
  const runs = scores.isRunning || columns.some(({ isRunning }) => isRunning);
  element<HTMLButtonElement>("stop").disabled = !runs;
  if (runs) return;
  counter.ran();
  count();
}

/** Marks where each column parts from the first; says it in words once nothing more comes of both. */
function showDifferences(): void {
  const all = shown().flatMap(({ continuation }) =>
    continuation.texts.length > 0 ? [continuation] : [],
  );
  const [first] = all;
  const partings = partingsOf(all);
  const known = partings.filter(({ isKnown }) => isKnown);
  const earliest = [...known].sort((a, b) => a.shared - b.shared)[0];
  for (const column of columns) {
    const own = all.find(({ name }) => name === column.name);
    const parting = partings.find(({ name }) => name === column.name);
    if (first === undefined || own === undefined || parting === undefined) {
      column.part(column.name === first?.name ? (earliest?.tokens[0] ?? null) : null, "");
      continue;
    }
    const isOver = !columns.some(({ name, isRunning }) => {
      return isRunning && (name === first.name || name === own.name);
    });
    const words = isOver ? partingWords(first, own, parting, visible) : "";
    column.part(parting.isKnown ? parting.tokens[1] : null, words);
  }
}

function count(): void {
  counter.soon(() =>
    shown().flatMap((column) => {
      const code = column.code();
      if (code === null) return [];
      const most = Number(code.settings.max_tokens ?? MAX_TOKENS);
      return [{ model: code.model, prompt: typed.value, most }];
    }),
  );
}

function drawCode(): void {
  if (!element<HTMLDetailsElement>("code-part").open) return;
  const all = shown().flatMap((column) => column.code() ?? []);
  const chosen = language.value as LoopLanguage;
  element("code").textContent = loopOf(chosen, location.origin, typed.value, all);
}

function showColumns(): void {
  const many = shown().length;
  add.disabled = many === columns.length;
  for (const { name } of columns) {
    element<HTMLButtonElement>(`${name}-remove`).disabled = many === COLUMNS_LEAST;
  }
  drawDifferences();
  count();
  drawCode();
}

add.addEventListener("click", () => {
  const next = columns.find(({ isShown }) => !isShown);
  const last = shown().at(-1);
  if (next === undefined || last === undefined) return;
  // So that one thing can be changed.
  next.takeOver(last.kept);
  next.element.hidden = false;
  next.model.focus();
  showColumns();
});

for (const column of columns) {
  element(`${column.name}-remove`).addEventListener("click", () => {
    column.clear();
    column.element.hidden = true;
    showColumns();
    add.focus();
  });
}

element<HTMLFormElement>("write").addEventListener("submit", (event) => {
  event.preventDefault();
  send();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") stop();
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  if (!event.repeat) send();
});
element("stop").addEventListener("click", stop);
element("score-text").addEventListener("click", score);
measure.addEventListener("change", () => {
  const chosen = measure.value as Measure;
  drawLegend(element("legend"), chosen);
  for (const { view } of columns) view.colourBy(chosen);
  scores.colourBy(chosen);
  drawDifferences();
});
element("compare").addEventListener("input", () => {
  problem.hidden = true;
  count();
  drawCode();
});
language.addEventListener("change", drawCode);
element("code-part").addEventListener("toggle", drawCode);

// A page that is left may not come back; of a long text each letter would be too often.
addEventListener("pagehide", keepAll);
document.addEventListener("visibilitychange", keepAll);

pressButtonsOnce();
restore();
element("columns").removeAttribute("aria-busy");
drawLegend(element("legend"), measure.value as Measure);
showColumns();
