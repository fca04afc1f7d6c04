import { expect, test } from "vitest";
import { fromFile, toFile } from "../../../src/islands/loom/tree-file.ts";
import { codeBlocks, diskPages } from "../../docs/pages.ts";

test("the file that the docs show is read, and written again as it stands there", () => {
  const page = diskPages().find(({ file }) => file === "how-to/branch-in-the-loom.md");
  if (page === undefined) throw new Error("the docs have no page of the Loom");
  const block = codeBlocks(page).find(({ language }) => language === "json");
  const shown = JSON.parse(block?.text ?? "") as Record<string, unknown>;
  const read = fromFile(shown);
  if (!read.ok) throw new Error(read.problem);
  expect(toFile(read.value)).toEqual(shown);
});
