// `npm run conformance`: whether a completions URL keeps the contract, as one table. Ends with 1 when
// anything differs, with 2 when it could not begin.
import { writeFileSync } from "node:fs";
import { openGate } from "./gate.ts";
import { groupsFor } from "./groups.ts";
import { type ConformanceOptions, OptionProblem, readOptions } from "./options.ts";
import { Places } from "./places.ts";
import { runGroups, tableOf, totalsOf } from "./run.ts";
import { Target } from "./target.ts";

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if ("help" in options) {
    console.log(options.help);
    return 0;
  }
  const startedAt = performance.now();
  const { target, engine } = await open(options);
  const groups = await groupsFor(target, engine, options);
  const rows = await runGroups(groups, options.quick);
  const { passed, failed } = totalsOf(rows);
  console.log(tableOf(groups, rows));
  console.log(`\n${rows.length} cases in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  console.log(`${passed} passed, ${failed} failed`);
  if (options.json !== null) {
    writeFileSync(options.json, `${JSON.stringify({ passed, failed, rows }, null, 2)}\n`);
  }
  if (failed > 0) return 1;
  if (options.gate !== null) console.log(await openGate(options.gate, rows.length));
  return 0;
}

async function open(options: ConformanceOptions) {
  const { model, eosId, engine: engineUrl } = options;
  const places = new Places(options.inFlight);
  const shared = { eosId, places };
  const target = await Target.open({ ...shared, url: options.url, key: options.key, model });
  if (engineUrl === null) return { target, engine: null };
  // What the gateway calls it need not be what the engine does.
  const ofEngine = { ...shared, url: engineUrl, key: options.engineKey, model: null };
  return { target, engine: await Target.open(ofEngine) };
}

process.exitCode = await main().catch((failure: unknown) => {
  console.error(failure instanceof OptionProblem ? failure.message : failure);
  return 2;
});
