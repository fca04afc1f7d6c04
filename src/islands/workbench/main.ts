// The Workbench's page: its elements and what they do.
import { ApiClient, type Fields } from "../api/client.ts";
import { element } from "../dom/elements.ts";
import { pressButtonsOnce } from "../dom/held-keys.ts";
import { drawLegend } from "../model-text/legend.ts";
import { pointedWords } from "../model-text/numbers.ts";
import type { Measure } from "../model-text/scale.ts";
import type { Ranked, ScoredToken } from "../model-text/scored-token.ts";
import { TokenView } from "../model-text/token-view.ts";
import { codeOf, type Language } from "../request/code.ts";
import { Counter } from "../request/counter.ts";
import { MAX_TOKENS, readSettings } from "../request/settings.ts";
import { SavedPrompts } from "./saved-prompts.ts";
import { showScore, TokenSide } from "./token-side.ts";
import { VocabularyView } from "./vocabulary-view.ts";
import { Workbench } from "./workbench.ts";

const model = element<HTMLSelectElement>("model");
const typed = element<HTMLTextAreaElement>("prompt");
const settings = element<HTMLFormElement>("settings");
const measure = element<HTMLSelectElement>("measure");
const language = element<HTMLSelectElement>("language");
const status = element("status");
const problem = element("problem");
const seed = element("seed-line");

const api = new ApiClient();
const counter = new Counter(api, element("counter"));
let seedUsed: number | null = null;
let isRunning = false;

const view = new TokenView(element("model-text"), measure.value as Measure, {
  onPoint(at) {
    const token = at === null ? null : (view.tokens[at] ?? null);
    element("pointed").textContent = pointedWords(token);
  },
  onOpen(at, how) {
    inspect(view.tokens[at]);
    if (how === "key") element("token-title").focus();
    else element("token-side").scrollIntoView({ block: "nearest" });
  },
  onScore: (score, span) => showScore(score, span !== null),
});

const workbench = new Workbench(api, {
  show(tokens) {
    view.show(tokens);
    showFrame();
    if (tokens.length > 0) return;
    vocabulary.hide();
    side.hide();
  },
  append(tokens) {
    view.append(tokens);
    showFrame();
  },
  lead(text) {
    element("lead").textContent = text;
  },
  say: (words) => {
    problem.hidden = true;
    status.textContent = words;
  },
  fail(words) {
    status.textContent = "";
    problem.textContent = words;
    problem.hidden = false;
  },
  ended(reason) {
    status.textContent = reason === "stop" ? "Ended by itself." : "Ended at the most tokens.";
  },
  head: ({ seed: used, available }) => {
    counter.left(available);
    if (used === null) return;
    seedUsed = used;
    seed.hidden = false;
    element("seed-used").textContent = String(used);
  },
  running(runs) {
    element<HTMLButtonElement>("stop").disabled = !runs;
    element("text-frame").setAttribute("aria-busy", String(runs));
    isRunning = runs;
    showFrame();
    if (runs) return;
    counter.ran();
    drawCode();
    count();
  },
});
new SavedPrompts({
  text: () => typed.value,
  onLoad(text) {
    typed.value = text;
    typed.focus();
    count();
    drawCode();
  },
});
const side = new TokenSide(workbench, branch);
const vocabulary = new VocabularyView(api, workbench.texts);

/** There while something stands in it or is awaited. */
function showFrame(): void {
  const isEmpty = view.tokens.length === 0;
  element("text-frame").hidden = isEmpty && !isRunning;
  element<HTMLButtonElement>("take").disabled = isEmpty;
}

/** Null, and said why, where a field cannot be read. */
function fields(): Fields | null {
  try {
    return readSettings(settings);
  } catch (failure) {
    problem.textContent = failure instanceof Error ? failure.message : String(failure);
    problem.hidden = false;
    return null;
  }
}

function go(): void {
  const asked = fields();
  if (asked === null || !hasText()) return;
  vocabulary.hide();
  void workbench.continue(model.value, typed.value, asked);
}

function hasText(): boolean {
  if (typed.value !== "") return true;
  problem.textContent = "Write something to continue first.";
  problem.hidden = false;
  typed.focus();
  return false;
}

function inspect(token: ScoredToken | undefined): void {
  if (token !== undefined) side.show(token).catch(say);
}

function branch(token: ScoredToken, chosen: Ranked): void {
  const asked = fields();
  if (asked === null) return;
  const at = workbench.tokens.indexOf(token);
  vocabulary.hide();
  element("text-frame").focus();
  void workbench.branch(token, chosen, asked).then(() => inspect(view.tokens[at]));
}

function showVocabulary(): void {
  const token = side.open;
  if (token === null) return;
  status.textContent = "Reading the whole vocabulary…";
  const before = workbench.idsBefore(workbench.tokens.indexOf(token));
  const place = { model: workbench.model, before, chosen: token.id };
  vocabulary.show({ ...place, onChoose: (chosen) => branch(token, chosen) }).then(() => {
    status.textContent = "";
  }, say);
}

function say(failure: unknown): void {
  status.textContent = "";
  problem.textContent = failure instanceof Error ? failure.message : String(failure);
  problem.hidden = false;
}

function count(): void {
  const asked = fields();
  if (asked === null) return;
  counter.soon(() => {
    // What Continue sends: the text, or once it goes on, all tokens that stand there.
    const { prompt } = workbench.body(model.value, typed.value, asked);
    const most = Number(asked.max_tokens ?? MAX_TOKENS);
    return [{ model: model.value, prompt: prompt as string | number[], most }];
  });
}

function drawCode(): void {
  if (!element<HTMLDetailsElement>("code-part").open) return;
  const asked = fields();
  if (asked === null) return;
  const body = workbench.body(model.value, typed.value, asked);
  element("code").textContent = codeOf(language.value as Language, location.origin, body);
}

element<HTMLFormElement>("write").addEventListener("submit", (event) => {
  event.preventDefault();
  go();
});
typed.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  if (!event.repeat) go();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") workbench.stop();
});
element("token-side").addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  // It leads back to the text, and stops nothing.
  event.stopPropagation();
  view.focus();
});
element("stop").addEventListener("click", () => workbench.stop());
element("clear").addEventListener("click", () => {
  workbench.clear();
  typed.focus();
});
element("score-text").addEventListener("click", () => {
  if (hasText()) void workbench.score(model.value, typed.value);
});
element("take").addEventListener("click", () => {
  typed.value = workbench.adopt();
  count();
});
element("pin").addEventListener("click", () => {
  element<HTMLInputElement>("field-seed").value = String(seedUsed ?? "");
  drawCode();
});
element("whole").addEventListener("click", showVocabulary);
measure.addEventListener("change", () => {
  view.colourBy(measure.value as Measure);
  drawLegend(element("legend"), measure.value as Measure);
});
for (const changed of [typed, model, settings]) {
  changed.addEventListener("input", () => {
    problem.hidden = true;
    count();
    drawCode();
  });
}
settings.addEventListener("submit", (event) => event.preventDefault());
language.addEventListener("change", drawCode);
element("code-part").addEventListener("toggle", drawCode);

pressButtonsOnce();
drawLegend(element("legend"), measure.value as Measure);
count();
