// Numbers in hand-written pages come from the code: `<!-- =COLD_HOLD_SECONDS -->290<!-- / -->`. What
// stands between the two comments is written here, so a page reads well on disk and cannot go stale.
import type { Model } from "../src/contract/catalogue.ts";
import { completionFields } from "../src/contract/completion-fields.ts";
import * as guardLimits from "../src/contract/guard.ts";
import * as jobLimits from "../src/contract/job-limits.ts";
import { KEY_EVENTS_MOST } from "../src/contract/key-events.ts";
import * as limits from "../src/contract/limits.ts";
import * as outgoing from "../src/contract/outgoing-webhooks.ts";
import { requestLimits } from "../src/contract/request-limits.ts";
import { FOUND_KEYS_MOST } from "../src/contract/secret-scanning.ts";
import { forwardLimits } from "../src/worker/forward/forward-limits.ts";
import { grouped } from "./pages/markdown.ts";

const MARKED = /<!-- =(\S+) -->.*?<!-- \/ -->/g;

/** A value by its name, over a divisor where one is given: `HOLD_LEASE_MS/1000`. */
export function insertNumbers(markdown: string, models: ReadonlyMap<string, Model>): string {
  const values = valuesByName(models);
  return markdown.replaceAll(MARKED, (_, expression: string) => {
    const [, name = "", divisor = "1"] = /^(.+?)(?:\/(\d+))?$/.exec(expression) ?? [];
    const value = values.get(name);
    if (value === undefined) throw new Error(`no number is called ${name}`);
    return `<!-- =${expression} -->${grouped(value / Number(divisor))}<!-- / -->`;
  });
}

function valuesByName(models: ReadonlyMap<string, Model>): Map<string, number> {
  const { DEFAULT_ACCOUNT_LIMITS, ...others } = limits;
  const own = { ...jobLimits, ...guardLimits, KEY_EVENTS_MOST, FOUND_KEYS_MOST };
  const bounds = { ...others, ...own, ...DEFAULT_ACCOUNT_LIMITS, ...requestLimits };
  const values = new Map<string, number>(Object.entries({ ...bounds, ...forwardLimits }));
  for (const [name, bound] of Object.entries(outgoing)) {
    if (typeof bound === "number") values.set(name, bound);
  }
  for (const [name, field] of Object.entries(completionFields)) {
    if (typeof field.default === "number") values.set(`default.${name}`, field.default);
  }
  for (const model of models.values()) {
    for (const [field, value] of Object.entries(model)) {
      if (typeof value === "number") values.set(`${model.id}.${field}`, value);
    }
  }
  return values;
}
