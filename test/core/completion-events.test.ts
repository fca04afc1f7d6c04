import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type EventOptions, readEvents, type StreamEnd } from "../../src/core/completion-events.ts";
import { EVENT_MAX_BYTES } from "../../src/core/event-split.ts";
import {
  bytesOf,
  choiceJson,
  chunkEvent,
  doneEvent,
  errorEvent,
  finalEvent,
  hostileTexts,
  logprobsJson,
  textOf,
  tokenEvent,
  usageJson,
} from "./engine-answers.ts";
import { numRuns } from "./property-runs.ts";

const plain: EventOptions = {
  modelId: "catalogue-id",
  includeUsage: false,
  continuousUsage: false,
  prompts: 1,
  n: 1,
};

interface Read {
  sent: string;
  end: StreamEnd | null;
  progress: { promptTokens: number | null; completionTokens: number };
}

/** Reads the parts one after the other, as far as the stream goes. */
function read(parts: readonly Uint8Array[], options: Partial<EventOptions> = {}): Read {
  const events = readEvents({ ...plain, ...options });
  let taken = events.take(new Uint8Array(0));
  const sent: Uint8Array[] = [];
  for (const part of parts) {
    // A read's buffer may be used again by the runtime.
    const buffer = part.slice();
    taken = events.take(buffer);
    sent.push(...taken.output.map((bytes) => bytes.slice()));
    buffer.fill(0);
    if (taken.end !== null) break;
  }
  return { sent: sent.map(textOf).join(""), end: taken.end, progress: taken.progress };
}

const readText = (text: string, options?: Partial<EventOptions>): Read =>
  read([bytesOf(text)], options);

const stream = [
  tokenEvent({ text: "👩‍👧 \u2028" }, { prompt: 5, completion: 1 }),
  ": ping\n\n",
  tokenEvent(
    { text: "\n\n", logprobs: logprobsJson(["10", "9", "__proto__", "9", '],"']) },
    { prompt: 5, completion: 2 },
  ),
  tokenEvent({ text: "ü", finishReason: "length" }, { prompt: 5, completion: 3 }),
  finalEvent(5, 3),
  doneEvent,
].join("");

describe("a stream cut anywhere is passed on the same", () => {
  const bytes = bytesOf(stream);
  const whole = read([bytes], { includeUsage: true, continuousUsage: true });

  test("in two, at every byte", () => {
    for (let cut = 0; cut <= bytes.length; cut++) {
      const parts = [bytes.subarray(0, cut), bytes.subarray(cut)];
      expect(read(parts, { includeUsage: true, continuousUsage: true })).toEqual(whole);
    }
  });

  test("byte by byte", () => {
    const parts = Array.from(bytes, (byte) => Uint8Array.of(byte));
    expect(read(parts, { includeUsage: true, continuousUsage: true })).toEqual(whole);
  });

  test("in any pieces", () => {
    const cuts = fc.array(fc.nat(bytes.length), { maxLength: 12 });
    fc.assert(
      fc.property(cuts, (places) => {
        const sorted = [0, ...places.sort((a, b) => a - b), bytes.length];
        const parts = sorted.slice(1).map((to, at) => bytes.subarray(sorted[at], to));
        expect(read(parts, { includeUsage: true, continuousUsage: true })).toEqual(whole);
      }),
      { numRuns },
    );
  });

  test("each event goes out with the byte that completes it", () => {
    const events = readEvents(plain);
    const first = bytesOf(tokenEvent({}, { prompt: 5, completion: 1 }));
    expect(events.take(first.subarray(0, first.length - 1)).output).toEqual([]);
    expect(events.take(first.subarray(first.length - 1)).output).toHaveLength(1);
    expect(events.chunks()).toBe(1);
  });

  test("events that are complete together go out together", () => {
    expect(readEvents(plain).take(bytes).output).toHaveLength(1);
  });
});

describe("outside of choices", () => {
  test("the model becomes the catalogue's id, and usage goes unless it was asked for", () => {
    const { sent } = readText(stream);
    expect(sent).not.toContain("served/name");
    expect(sent).not.toContain('"usage":{');
    expect(sent.match(/"model":"catalogue-id"/g)).toHaveLength(3);
    expect(sent.endsWith(`"stop_reason":null}]}\n\n${doneEvent}`)).toBe(true);
  });

  test.each([
    [{ includeUsage: true }, [false, true]],
    [{ continuousUsage: true }, [true, false]],
    [{ includeUsage: true, continuousUsage: true }, [true, true]],
  ])("%o keeps usage on chunks and as the last chunk: %o", (options, [onChunks, last]) => {
    const { sent } = readText(stream, options);
    expect(sent.includes(`"stop_reason":null}],"usage":${usageJson(5, 1)}}`)).toBe(onChunks);
    expect(sent.includes(`"choices":[],"usage":${usageJson(5, 3)}}`)).toBe(last);
  });

  test("the engine's own fields go, a fingerprint stays", () => {
    const after = `,"usage":${usageJson(5, 1)},"kv_transfer_params":{"a":[1],"b":2},"system_fingerprint":"v","metrics":{"ttft":[0.5]}`;
    const { sent } = readText(chunkEvent(choiceJson(), after), { continuousUsage: true });
    expect(sent).toBe(
      chunkEvent(choiceJson(), `,"usage":${usageJson(5, 1)},"system_fingerprint":"v"`).replace(
        "served/name",
        "catalogue-id",
      ),
    );
  });

  test("a chunk without usage passes too", () => {
    const { sent, progress } = readText(chunkEvent(choiceJson(), ""));
    expect(sent).toBe(chunkEvent(choiceJson(), "", "catalogue-id"));
    expect(progress).toEqual({ promptTokens: null, completionTokens: 0 });
  });
});

describe("choices pass byte for byte", () => {
  test.each(hostileTexts.map((text) => [JSON.stringify(text), text]))("with %s", (_, text) => {
    const logprobs = logprobsJson([text, `a${text}`, `${text}b`, text]);
    const finishReason = "stop";
    const choice = choiceJson({ text, logprobs, finishReason });
    const event = chunkEvent(choice, `,"usage":${usageJson(5, 1)}`);
    const { sent, end, progress } = readText(event);
    expect(end).toBeNull();
    expect(sent).toBe(chunkEvent(choice, "", "catalogue-id"));
    expect(progress).toEqual({ promptTokens: 5, completionTokens: 1 });
  });

  test("with any text, any token and any model name", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(...hostileTexts),
      fc.string({ unit: fc.constantFrom('"', "\\", "]", ",", "}", "{", ":", "\n", "usage", "1") }),
    );
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 5 }), text, (said, tokens, model) => {
        const choice = choiceJson({ text: said, logprobs: logprobsJson(tokens) });
        const event = chunkEvent(choice, `,"usage":${usageJson(5, 1)}`, model);
        const { sent, end } = readText(event);
        expect(end).toBeNull();
        expect(sent).toBe(chunkEvent(choice, "", "catalogue-id"));
      }),
      { numRuns },
    );
  });
});

describe("tokens", () => {
  const two = { prompts: 2, n: 2 };

  test("of a prompt count once, those of a choice as its last chunk says", () => {
    const events = [
      tokenEvent({ index: 0 }, { prompt: 5, completion: 1 }),
      tokenEvent({ index: 1 }, { prompt: 5, completion: 2 }),
      tokenEvent({ index: 0 }, { prompt: 5, completion: 4 }),
    ];
    const first = readText(events.join(""), two);
    expect(first.progress).toEqual({ promptTokens: null, completionTokens: 6 });
    events.push(tokenEvent({ index: 3 }, { prompt: 7, completion: 1 }));
    expect(readText(events.join(""), two).progress).toEqual({
      promptTokens: 12,
      completionTokens: 7,
    });
  });

  test("at the end are what the engine's last chunk says", () => {
    expect(readText(stream).end).toEqual({
      how: "complete",
      promptTokens: 5,
      completionTokens: 3,
    });
  });

  test("are added up where the engine sends no last chunk", () => {
    const text = tokenEvent({}, { prompt: 5, completion: 1 }) + doneEvent;
    expect(readText(text).end).toEqual({ how: "complete", promptTokens: 5, completionTokens: 1 });
  });
});

describe("a stream that fails has an end of its kind, and no [DONE]", () => {
  const token = tokenEvent({}, { prompt: 5, completion: 1 });
  test.each([
    ["choice_aborted", token + tokenEvent({ finishReason: "abort" }, { prompt: 5, completion: 2 })],
    ["choice_aborted", token + tokenEvent({ finishReason: "error" }, { prompt: 5, completion: 2 })],
    ["no_chunk", doneEvent],
    ["no_chunk", finalEvent(5, 0) + doneEvent],
    ["no_usage", chunkEvent(choiceJson(), "") + doneEvent],
    ["not_an_event", `${token}data: {"object":"something else"}\n\n`],
    ["not_an_event", `${token}data: <html>\n\n`],
    ["not_an_event", `${token}event: x\n\n`],
    ["not_an_event", token + tokenEvent({ index: 1 }, { prompt: 5, completion: 1 })],
    ["not_an_event", token + token.replace("}}\n\n", "}\n\n")],
  ])("%s", (why, text) => {
    const { sent, end } = readText(text + token + doneEvent);
    expect(end).toEqual({ how: "broken", why });
    expect(sent).not.toContain("[DONE]");
    expect(sent.match(/data: /g)?.length ?? 0).toBe(
      text.startsWith(token) ? 1 : sent === "" ? 0 : 1,
    );
  });

  test("an error of the engine, with its object", () => {
    const { sent, end } = readText(token + errorEvent("it quotes the prompt", 400) + doneEvent);
    expect(end).toMatchObject({ how: "engine_error", error: { error: { code: 400 } } });
    expect(sent).not.toContain("quotes");
  });

  test("the backend closed it without [DONE]", () => {
    const events = readEvents(plain);
    events.take(bytesOf(token));
    expect(events.closed()).toEqual({
      output: [],
      progress: { promptTokens: 5, completionTokens: 1 },
      end: { how: "broken", why: "no_done" },
    });
  });

  test("an event without an end grows too large", () => {
    const events = readEvents(plain);
    const part = new Uint8Array(EVENT_MAX_BYTES / 4).fill(0x20);
    for (let times = 0; times < 4; times++) expect(events.take(part).end).toBeNull();
    expect(events.take(Uint8Array.of(0x20)).end).toEqual({ how: "broken", why: "event_too_large" });
  });
});
