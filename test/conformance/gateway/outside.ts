// What the gateway changes: only what stands around `choices`, the defaults, the seed, the headers.
import type { Case } from "../case.ts";
import type { Body } from "../target.ts";
import { ISHMAEL } from "../url/prompts.ts";
import { checkSame, defaults, explicitly, type Pair } from "./same-answer.ts";

const PLAIN_KEYS = [
  "id",
  "object",
  "created",
  "model",
  "choices",
  "service_tier",
  "system_fingerprint",
  "usage",
];
const CHUNK_KEYS = ["id", "object", "created", "model", "choices", "system_fingerprint"];

const HEADERS = [
  "x-request-id",
  "openai-processing-ms",
  "server-timing",
  "x-ratelimit-limit-requests",
  "x-ratelimit-remaining-requests",
  "x-ratelimit-reset-requests",
  "x-ratelimit-limit-tokens",
  "x-ratelimit-remaining-tokens",
  "x-seed",
  "x-model-revision",
];

/** For each default another value that an answer cannot hide. */
const otherValues: Body = {
  max_tokens: 15,
  temperature: 0.2,
  top_p: 0.1,
  top_k: 2,
  min_p: 0.5,
  presence_penalty: 2,
  frequency_penalty: 2,
  repetition_penalty: 3,
  n: 2,
};

const body: Body = { prompt: `${ISHMAEL} the the the`, seed: 91, ignore_eos: true };

export const outsideCases = (pair: Pair): Case[] => {
  const { gateway, engine } = pair;
  return [
    {
      name: "absent fields have OpenAI's defaults, whatever the engine's are",
      compares: "choices without a field, with its default, and with another value",
      quick: true,
      async run(check) {
        await checkSame(check, pair, body, "all absent");
        const bytes = (await gateway.complete(body)).members.get("choices");
        for (const [field, value] of Object.entries(defaults)) {
          const explicit = await gateway.complete({ ...body, [field]: value });
          check.sameBytes(explicit.members.get("choices"), bytes, `${field} ${String(value)}`);
          const changed = { ...explicitly(body, engine), [field]: otherValues[field] };
          const other = (await engine.complete(changed)).members.get("choices");
          check.holds(other?.equals(bytes ?? Buffer.alloc(0)) === false, field, "changes nothing");
        }
      },
    },
    {
      name: "a seed that nobody gave is drawn, told, and repeats the answer",
      compares: "x-seed of 8 answers; the engine's choices with it",
      quick: true,
      async run(check) {
        const unseeded = { prompt: ISHMAEL, max_tokens: 8 };
        const seeds = new Set<number>();
        for (let round = 0; round < 8; round++) {
          const ours = await gateway.complete(unseeded);
          const seed = Number(ours.headers.get("x-seed"));
          check.holds(Number.isSafeInteger(seed) && seed >= 0, `x-seed ${round}`, String(seed));
          seeds.add(seed);
          const theirs = await engine.complete(explicitly({ ...unseeded, seed }, engine));
          const [our, their] = [ours, theirs].map(({ members }) => members.get("choices"));
          check.sameBytes(our, their, `seed ${round}`);
        }
        check.same(seeds.size, 8, "different seeds");
        const given = await gateway.complete({ ...unseeded, seed: 12 });
        check.same(given.headers.get("x-seed"), "12", "a seed that was given");
      },
    },
    {
      name: "nothing of the engine's own business leaves the gateway",
      compares: "keys around choices, chunk usage, id, model, headers",
      quick: true,
      async run(check) {
        const plain = await gateway.complete(body);
        check.same([...plain.members.keys()], PLAIN_KEYS, "keys of a plain answer");
        const id = plain.headers.get("x-request-id");
        check.same(plain.members.get("id")?.toString(), `"cmpl-${id}"`, "id");
        check.same(plain.members.get("model")?.toString(), `"${gateway.model}"`, "model");
        const stream = await gateway.stream(body);
        for (const { members } of stream.chunks) {
          const others = [...members.keys()].filter((key) => !CHUNK_KEYS.includes(key));
          check.same(others, [], "keys of a chunk");
          check.same(members.get("model")?.toString(), `"${gateway.model}"`, "model of a chunk");
        }
        for (const { headers } of [plain, stream]) {
          for (const name of HEADERS) check.holds(headers.has(name), name, "is missing");
          check.same(headers.get("server"), null, "the engine's server header");
        }
      },
    },
    {
      name: "a client's headers do not reach the engine",
      compares: "id with x-request-id from outside",
      quick: true,
      async run(check) {
        const headers = { "x-request-id": "mine", "x-vllm-priority": "-5" };
        const answer = await gateway.raw("/completions", body, { headers });
        check.same(answer.status, 200, "status");
        const { id } = JSON.parse(answer.bytes.toString()) as { id: string };
        check.same(id, `cmpl-${answer.headers.get("x-request-id")}`, "id");
        check.holds(!id.includes("mine"), "id", "is the client's");
      },
    },
  ];
};
