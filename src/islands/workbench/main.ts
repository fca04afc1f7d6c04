// The Workbench's page: its elements and what they do.
import { ApiClient, type Fields } from "../api/client.ts";
import { drawAlternatives } from "../model-text/alternatives.ts";
import { drawLegend } from "../model-text/legend.ts";
import { bits, nats, percent, visible } from "../model-text/numbers.ts";
import type { Measure } from "../model-text/scale.ts";
import type { Alternative, SpanScore } from "../model-text/scored-token.ts";
import { TokenView } from "../model-text/token-view.ts";
import { codeOf, type Language } from "./code.ts";
import { Counter } from "./counter.ts";
import { element } from "./elements.ts";
import { SavedPrompts } from "./saved-prompts.ts";
import { readSettings } from "./settings.ts";
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
const counter = new Counter(api);
let seedUsed: number | null = null;
/** The token that the side shows. */
let open: number | null = null;

const view = new TokenView(element("model-text"), measure.value as Measure, {
  onPoint: (at) => point(at),
  onOpen(at, how) {
    inspect(at);
    if (how === "key") element("token-title").focus();
    else element("token-side").scrollIntoView({ block: "nearest" });
  },
  onScore: (score, span) => showScore(score, span !== null),
});

const workbench = new Workbench(api, {
  show(tokens) {
    view.show(tokens);
    if (tokens.length > 0) return;
    vocabulary.hide();
    element("token-side").hidden = true;
  },
  append: (tokens) => view.append(tokens),
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
  head: ({ seed: used, available, lowered }) => {
    status.textContent = lowered === null ? "Writing…" : `Writing; most tokens lowered: ${lowered}`;
    counter.left(available);
    if (used === null) return;
    seedUsed = used;
    seed.hidden = false;
    element("seed-used").textContent = String(used);
  },
  running(runs) {
    element<HTMLButtonElement>("stop").disabled = !runs;
    element("text-frame").setAttribute("aria-busy", String(runs));
    element("text-frame").hidden = false;
    if (!runs) drawCode();
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
const vocabulary = new VocabularyView(api, workbench.texts);

/** Null, and said why, where a field cannot be read. */
function fields(): Fields | null {
  try {
    return { max_tokens: 64, ...readSettings(settings) };
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

function point(at: number | null): void {
  const token = at === null ? undefined : view.tokens[at];
  element("pointed").textContent =
    token === undefined || token.logprob === null
      ? "Point at a token to see its numbers."
      : `${visible(token.text)}  ${percent(token.logprob)}  ${nats(token.logprob)} nats  ${bits(token.logprob)} bits  rank ${token.rank ?? "over 20"}`;
}

function inspect(at: number): void {
  const token = view.tokens[at];
  if (token === undefined) return;
  open = at;
  const { id, logprob, rank, alternatives, text } = token;
  element("token-side").hidden = false;
  element("token-name").textContent = text === "" ? "a piece of a character" : visible(text);
  element("token-id").textContent = String(id);
  element("token-probability").textContent = logprob === null ? "not scored" : percent(logprob);
  element("token-nats").textContent = logprob === null ? "–" : nats(logprob);
  element("token-bits").textContent = logprob === null ? "–" : bits(logprob);
  element("token-rank").textContent = logprob === null ? "–" : `${rank ?? "over 20"}`;
  element<HTMLButtonElement>("whole").disabled = at === 0;
  void drawTokenAlternatives(at, alternatives);
}

async function drawTokenAlternatives(
  at: number,
  rows: readonly { id: number; logprob: number }[],
): Promise<void> {
  const draw = () => {
    if (open !== at) return;
    drawAlternatives(element("alternatives"), {
      rows,
      chosen: view.tokens[at]?.id ?? null,
      textOf: (id) => workbench.texts.known(workbench.model, id),
      onChoose: (chosen, rank) => branch(at, { ...chosen, rank }),
    });
  };
  draw();
  await workbench.texts
    .learn(
      workbench.model,
      rows.map(({ id }) => id),
    )
    .then(draw, say);
}

function branch(at: number, chosen: Alternative & { rank: number }): void {
  const asked = fields();
  const token = view.tokens[at];
  if (asked === null || token === undefined) return;
  vocabulary.hide();
  element("text-frame").focus();
  void workbench.branch(token, chosen, asked).then(() => inspect(at));
}

function showScore(score: SpanScore | null, isSpan: boolean): void {
  element("score").hidden = score === null;
  if (score === null) return;
  element("score-of").textContent = isSpan ? "The chosen span" : "All scored tokens";
  element("score-tokens").textContent = String(score.tokens);
  element("score-nats").textContent = score.nats.toFixed(4);
  element("score-bits").textContent = score.bits.toFixed(2);
  element("score-each").textContent = score.bitsPerToken.toFixed(3);
  element("score-perplexity").textContent = score.perplexity.toFixed(2);
}

function showVocabulary(): void {
  const at = open;
  const token = at === null ? undefined : view.tokens[at];
  if (at === null || token === undefined) return;
  status.textContent = "Reading the whole vocabulary…";
  const place = { model: workbench.model, before: workbench.idsBefore(at), chosen: token.id };
  vocabulary
    .show({ ...place, onChoose: (chosen, rank) => branch(at, { ...chosen, rank }) })
    .then(() => {
      status.textContent = "";
    }, say);
}

function say(failure: unknown): void {
  status.textContent = "";
  problem.textContent = failure instanceof Error ? failure.message : String(failure);
  problem.hidden = false;
}

function count(): void {
  const most = Number(fields()?.max_tokens ?? 0);
  counter.soon(model.value, typed.value, most);
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
  go();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") workbench.stop();
});
element("token-side").addEventListener("keydown", (event) => {
  if (event.key === "Escape") view.focus();
});
element("stop").addEventListener("click", () => workbench.stop());
element("clear").addEventListener("click", () => {
  workbench.clear();
  element("text-frame").hidden = true;
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
  element<HTMLInputElement>("seed").value = String(seedUsed ?? "");
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

drawLegend(element("legend"), measure.value as Measure);
count();
