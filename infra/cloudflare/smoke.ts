// Whether a deployment answers as it should: asks from outside, and judges each answer by itself.
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { DeployProblem } from "./problem.ts";

interface Answer {
  status: number;
  body: unknown;
}

interface Check {
  says: string;
  path: string;
  key: string | null;
  /** Null when it is as it should be, else what is wrong and what to do. */
  judge(answer: Answer): string | null;
}

const { version: ours } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
) as { version: string };

/** A new address takes a while to be known everywhere. */
const FIRST_ANSWER_MS = 90_000;
const BETWEEN_TRIES_MS = 1_000;
const ANSWER_MS = 20_000;

/** Well formed, with a tail that no secret of ours made. */
const MADE_UP_KEY = `ctn_${"a".repeat(64)}`;

const health: Check = {
  says: "the Worker answers",
  path: "/health",
  key: null,
  judge: ({ status, body }) =>
    status === 200 && member(body, "status") === "ok" ? null : `/health answers ${status}`,
};

const checks: readonly Check[] = [
  health,
  {
    says: `it is version ${ours}`,
    path: "/openapi.json",
    key: null,
    judge: ({ body }) => {
      const version = member(member(body, "info"), "version");
      return version === ours ? null : `/openapi.json says version ${version}`;
    },
  },
  {
    says: "it refuses a made-up key",
    path: "/v1/models",
    key: MADE_UP_KEY,
    judge: ({ status, body }) => {
      const code = member(member(body, "error"), "code");
      if (status === 401 && code === "invalid_api_key") return null;
      if (status === 500) return "the Worker does not start: `npx wrangler tail` says which secret";
      return `a made-up key is answered with ${status}: take the deployment down`;
    },
  },
];

function withKey(key: string): Check {
  return {
    says: "your key lists the Models",
    path: "/v1/models",
    key,
    judge: ({ status, body }) => {
      if (status === 200 && Array.isArray(member(body, "data"))) return null;
      return `CONTINUO_API_KEY is answered with ${status}: is it a key of this deployment?`;
    },
  };
}

/** Runs all checks and says each; throws a DeployProblem with everything that is wrong. */
export async function smokeTest(
  address: string,
  key: string | null,
  say: (line: string) => void,
): Promise<void> {
  const base = address.replace(/\/+$/, "");
  await untilThere(base);
  const wrong: string[] = [];
  for (const check of key === null ? checks : [...checks, withKey(key)]) {
    const answer = await ask(base, check);
    const problem = answer === null ? `nothing answers at ${check.path}` : check.judge(answer);
    say(`  ${problem === null ? "ok" : "NOT"}  ${check.says}`);
    if (problem !== null) wrong.push(problem);
  }
  if (wrong.length > 0) {
    throw new DeployProblem(`The deployment at ${base} is not right: ${wrong.join("; ")}.`);
  }
}

async function untilThere(base: string): Promise<void> {
  const end = Date.now() + FIRST_ANSWER_MS;
  for (;;) {
    const answer = await ask(base, health);
    // Before an address is known, Cloudflare itself answers, with 404 or 5xx.
    if (answer !== null && answer.status === 200) return;
    if (Date.now() >= end) {
      const last = answer === null ? "nothing answers" : `/health answers ${answer.status}`;
      throw new DeployProblem(`The deployment at ${base} does not come up: ${last}.`);
    }
    await pause(BETWEEN_TRIES_MS);
  }
}

async function ask(base: string, { path, key }: Check): Promise<Answer | null> {
  const headers = new Headers(key === null ? {} : { authorization: `Bearer ${key}` });
  const signal = AbortSignal.timeout(ANSWER_MS);
  const response = await fetch(base + path, { headers, signal, redirect: "manual" }).catch(
    () => null,
  );
  if (response === null) return null;
  return { status: response.status, body: await response.json().catch(() => null) };
}

function member(of: unknown, name: string): unknown {
  return typeof of === "object" && of !== null ? (of as Record<string, unknown>)[name] : undefined;
}
