// One suite for both: the local engine's own route, and the middleware that a vLLM has, in front of an
// engine whose route it does not use.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { groupsFor } from "../conformance/groups.ts";
import { Places } from "../conformance/places.ts";
import { type Row, runGroups, tableOf } from "../conformance/run.ts";
import { Target } from "../conformance/target.ts";
import { bundleCases } from "../conformance/url/bundle.ts";
import {
  type BundleServer,
  describeUnderUvicorn,
  startBundleServer,
} from "../infra/bundle-process.ts";
import { startTestEngine, type TestEngine } from "./calling.ts";

const KEY = "sesame";

let engine: TestEngine;

beforeAll(async () => {
  engine = await startTestEngine({ apiKey: KEY, faults: true });
});
afterAll(() => engine.close());

async function targetAt(url: string): Promise<Target> {
  const places = new Places(16);
  return Target.open({ url, key: KEY, model: null, eosId: 50_256, places });
}

async function rowsAt(url: string): Promise<Row[]> {
  return runGroups([{ title: "bundles", cases: bundleCases(await targetAt(url)) }], false);
}

const row = (group: string): Row => ({
  group,
  name: "a case",
  compares: "something",
  passed: 1,
  failed: 0,
  differences: [],
});

function expectAllHold(rows: readonly Row[]): void {
  expect(rows).not.toEqual([]);
  expect(rows.flatMap(({ differences }) => differences)).toEqual([]);
  expect(rows.filter(({ passed }) => passed === 0)).toEqual([]);
}

test("the local engine passes the cases of bundles", async () => {
  expectAllHold(await rowsAt(engine.url));
});

describe("an engine without the route", () => {
  beforeAll(async () => {
    const body = JSON.stringify({ fault: "bundle-404", count: 1_000 });
    await fetch(`${engine.url}/faults`, { method: "POST", body });
  });
  afterAll(() => fetch(`${engine.url}/faults`, { method: "DELETE" }));

  test("fails every case by a sentence that says how to start vLLM", async () => {
    const rows = await rowsAt(engine.url);
    expect(rows).not.toEqual([]);
    for (const { differences, failed } of rows) {
      expect(failed).toBe(1);
      expect(differences[0]?.what).toContain("--middleware continuo_bundle.Bundles");
    }
  });

  test("is left out by --no-bundle, and the table says so", async () => {
    const groups = await groupsFor(await targetAt(engine.url), null, { bundle: false });
    const [own, bundles] = groups;
    expect(own?.cases.length).toBeGreaterThan(20);
    expect(bundles?.cases).toEqual([]);
    const table = tableOf(groups, [row(own?.title ?? "")]);
    expect(table).toMatch(
      /\nseveral Completions in one request at .*\n {2}left out by --no-bundle$/,
    );
  });
});

describeUnderUvicorn("the middleware", () => {
  let server: BundleServer;
  beforeAll(async () => {
    server = await startBundleServer({ upstream: engine.url });
  });
  afterAll(() => server.stop());

  test("passes the cases of bundles by single requests", async () => {
    const before = await engine.metric("engine:bundle_requests_total");
    expectAllHold(await rowsAt(server.url));
    expect(await engine.metric("engine:bundle_requests_total")).toBe(before);
  });
});
