import { describe, expect, test } from "vitest";
import { newVisitor, stranger } from "./visitor.ts";

describe("the Loom's page", () => {
  test("names the person and the Models to its script, and says where trees are kept", async () => {
    const member = await newVisitor();
    const html = await (await member.get("/loom")).text();
    expect(html).toContain(`data-person="${member.id}"`);
    expect(html).toContain("maxLogprobs");
    expect(html).toContain("kept in this browser only");
    expect(html).toContain('<a href="/loom" aria-current="page">');
  });

  test("sends a stranger to the sign-in page", async () => {
    const answer = await stranger.get("/loom");
    expect(answer.headers.get("location")).toBe("/sign-in?to=%2Floom");
  });
});
