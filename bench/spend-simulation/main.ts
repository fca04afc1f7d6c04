// `npm run spend:simulation`: the last fourteen hours of a month and the first two of the next, with a
// limit that is reached on the way, for several seeds. test/core/spend-simulation.test.ts asserts it.
import { alignedRows } from "../report/table.ts";
import { type Outcome, type Scenario, simulate } from "./simulate.ts";

const BEGINS_AT = Date.UTC(2026, 10, 30, 10);
const RAISED_AT = Date.UTC(2026, 10, 30, 17);

const scenarios: Scenario[] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((seed) => ({
  ...{ seed, beginsAt: BEGINS_AT, hours: 16, limitUsd: 60 + seed * 30 },
  ...{ noticesLost: seed % 2 === 0 ? 0 : 1, requestRate: 0.02 },
  ...(seed === 9 && { limitUsd: 150, raise: { at: RAISED_AT, limitUsd: 250 } }),
}));

function usd(amount: number): string {
  return amount.toFixed(2);
}

function time(at: number | undefined): string {
  return at === undefined ? "never" : new Date(at).toISOString().slice(8, 19).replace("T", " ");
}

function row(scenario: Scenario, outcome: Outcome): string[] {
  const { pauses, monthUsd, mayPassUsd, begun, refused } = outcome;
  const pause = pauses.at(-1);
  const limitUsd = scenario.raise?.limitUsd ?? scenario.limitUsd;
  const again = begun.find((at) => at >= Date.UTC(2026, 11, 1));
  return [
    `${scenario.seed}${scenario.noticesLost > 0 ? " no notices" : ""}${scenario.raise ? " raised" : ""}`,
    usd(limitUsd),
    time(pause?.at),
    usd(pause?.spentUsd ?? 0),
    usd(pause?.windDownUsd ?? 0),
    usd(pause?.usdPerHour ?? 0),
    usd(monthUsd),
    usd(monthUsd - limitUsd),
    usd(mayPassUsd),
    String(refused),
    time(again),
  ];
}

const heading = ["seed", "limit $", "paused at", "spent $", "reserved $", "running $/h", "month $"];
heading.push("passed by $", "may pass by $", "refused", "first after the turn");
const rows = scenarios.map((scenario) => row(scenario, simulate(scenario)));
console.log(alignedRows([heading, ...rows]));
if (rows.some((cells) => Number(cells[7]) > Number(cells[8]))) process.exitCode = 1;
