import { describe, expect, test } from "vitest";
import { newVisitor, stranger } from "./visitor.ts";

describe("the page of Compare", () => {
  test("begins with two columns of four, and another Model in the second", async () => {
    const html = await (await (await newVisitor()).get("/compare")).text();
    expect(html).toContain('<a href="/compare" aria-current="page">');
    expect(html).toContain('data-names="A B C D"');
    const hidden = [...html.matchAll(/<section id="(\w)-column"[^>]*>/g)].map(([tag, name]) => [
      name,
      tag.includes("hidden"),
    ]);
    expect(hidden).toEqual([
      ["A", false],
      ["B", false],
      ["C", true],
      ["D", true],
    ]);
    const second = html.slice(html.indexOf('id="B-model"'), html.indexOf('id="B-settings"'));
    expect(second).toContain('value="llama-3.1-8b" selected');
  });

  test("sends a stranger to the sign-in page", async () => {
    const answer = await stranger.get("/compare");
    expect(answer.headers.get("location")).toBe("/sign-in?to=%2Fcompare");
  });
});

test.each(["/workbench", "/loom", "/compare"])("%s has no two elements of one id", async (path) => {
  const html = await (await (await newVisitor()).get(path)).text();
  const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
});
