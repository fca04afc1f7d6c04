// docs/reference/limits.md: every bound with its value and its reason. The reasons are the comments
// beside the bounds.
import * as appKeys from "../../src/contract/app-keys.ts";
import * as guardLimits from "../../src/contract/guard.ts";
import * as jobLimits from "../../src/contract/job-limits.ts";
import * as keyEvents from "../../src/contract/key-events.ts";
import * as limits from "../../src/contract/limits.ts";
import * as outgoing from "../../src/contract/outgoing-webhooks.ts";
import { requestLimits } from "../../src/contract/request-limits.ts";
import * as savedPrompts from "../../src/contract/saved-prompts.ts";
import * as scanning from "../../src/contract/secret-scanning.ts";
import * as wayLimits from "../../src/worker/forward/forward-limits.ts";
import { commentsOf } from "../source-comments.ts";
import { code, grouped, head, table } from "./markdown.ts";

type Bounds = Readonly<Record<string, unknown>>;

/** The files that the reasons are read from, below the project's root. */
const files = {
  request: "src/contract/request-limits.ts",
  service: "src/contract/limits.ts",
  jobs: "src/contract/job-limits.ts",
  guard: "src/contract/guard.ts",
  webhooks: "src/contract/key-events.ts",
  scanning: "src/contract/secret-scanning.ts",
  outgoing: "src/contract/outgoing-webhooks.ts",
  appKeys: "src/contract/app-keys.ts",
  savedPrompts: "src/contract/saved-prompts.ts",
  way: "src/worker/forward/forward-limits.ts",
} as const;

const { DEFAULT_ACCOUNT_LIMITS, ...serviceLimits } = limits;
const { forwardLimits, ...otherWayLimits } = wayLimits;

export function limitsPage(read: (file: string) => string): string {
  const section = (file: string, bounds: Bounds) => {
    const reasons = commentsOf(read(file));
    const unreasoned = Object.keys(bounds).find((name) => !reasons.has(name));
    if (unreasoned !== undefined) throw new Error(`${file}: ${unreasoned} has no reason beside it`);
    // In the file's own order.
    const rows = [...reasons]
      .filter(([name]) => Object.hasOwn(bounds, name))
      .map(([name, reason]) => [code(name), shown(name, Number(bounds[name])), reason]);
    return table(["Bound", "Is", "Why"], rows);
  };
  return `${head(Object.values(files).join(", "), "maximum, quota, rate, bounds, how many, how long, size, timeout")}
# Limits

Every bound, with its reason. Those of a Model (context, vocabulary, log-probabilities) are on
[Models](models.md). An Admin can set other limits of an Account for a person; \`GET /v1/account\` has
yours.

## Of an Account

${section(files.service, { ...DEFAULT_ACCOUNT_LIMITS })}

## Of one request

${section(files.request, requestLimits)}

## Of the service

${section(files.service, serviceLimits)}

## Of Jobs

${section(files.jobs, { ...jobLimits })}

## Of webhooks

${section(files.webhooks, numbersOf(keyEvents))}

## Of GitHub's secret scanning

${section(files.scanning, numbersOf(scanning))}

## Of webhooks that you are told by

${section(files.outgoing, numbersOf(outgoing))}

## Of the App's pages

${section(files.appKeys, numbersOf(appKeys))}

## Of prompts that are kept

${section(files.savedPrompts, numbersOf(savedPrompts))}

## Of the guard at the door

${section(files.guard, { ...guardLimits })}

## Of the way to a Model and back

${section(files.way, { ...forwardLimits, ...otherWayLimits })}
`;
}

function numbersOf(module: Bounds): Bounds {
  return Object.fromEntries(
    Object.entries(module).filter(([, value]) => typeof value === "number"),
  );
}

/** With the unit that its name has: `90_000` of `…_MS` → `90 s`. */
function shown(name: string, value: number): string {
  if (/(_MS|Ms)$/.test(name)) {
    if (value % 60_000 === 0) return `${grouped(value / 60_000)} min`;
    return value % 1_000 === 0 ? `${grouped(value / 1_000)} s` : `${grouped(value)} ms`;
  }
  if (/BYTES/.test(name)) return `${grouped(value)} bytes`;
  if (/SECONDS$/.test(name)) return `${grouped(value)} s`;
  if (/DAYS$/.test(name)) return `${grouped(value)} days`;
  if (/HOURS$/.test(name)) return `${grouped(value)} hours`;
  if (/PERCENT$/.test(name)) return `${grouped(value)} %`;
  if (/USD/.test(name)) return `$${grouped(value)}`;
  return value === Number.MAX_SAFE_INTEGER ? "2^53 − 1" : grouped(value);
}
