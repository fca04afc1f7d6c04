// Every code block of the docs, run against the stack as it is printed.
import { afterAll, describe, expect, inject, test } from "vitest";
import { codeBlocks, diskPages } from "../docs/pages.ts";
import {
  BLOCK_MOST_MS,
  isProgram,
  leave,
  newPlace,
  type Place,
  runBlock,
} from "../docs/run-block.ts";
import { newPerson } from "./person.ts";

const stack = inject("stack");

const pages = diskPages()
  .map((page) => ({ file: page.file, blocks: codeBlocks(page) }))
  .map(({ file, blocks }) => ({
    file,
    programs: blocks.filter((block) => block.notRun === null && isProgram(block)),
    data: blocks.filter(({ language }) => language === "json"),
  }));

describe.each(pages.filter(({ programs }) => programs.length > 0))("$file", ({ programs }) => {
  let place: Place | null = null;
  afterAll(() => {
    if (place !== null) leave(place);
  });

  test.each(programs.map((block) => [block.number, block.language, block] as const))(
    "block %i, %s, runs as printed",
    async (_number, _language, block) => {
      place ??= newPlace(stack.app, (await newPerson(stack)).key);
      const { status, output } = await runBlock(block, place);
      expect(`${status} ${output}`).toMatch(/^0 /);
      const error = /"error": ?\{.*"code": ?"(\w+)"/.exec(output)?.[1] ?? null;
      expect(error).toBe(block.answers);
    },
    2 * BLOCK_MOST_MS,
  );
});

test("JSON in the docs is JSON", () => {
  const data = pages.flatMap((page) => page.data);
  expect(data).not.toEqual([]);
  for (const { text } of data) expect(() => JSON.parse(text)).not.toThrow();
});
