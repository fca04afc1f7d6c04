// The App's door, whoever comes to it: from another site, without a session, as a Member.
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { directoryOf } from "../../../src/durable-objects/objects.ts";
import { call, ORIGIN } from "../calling.ts";
import { newInvite, SESSION, SigningIn } from "./signing-in.ts";
import { newVisitor, stranger, words } from "./visitor.ts";

const adminPages = ["/admin/requests", "/admin/people", "/admin/spend", "/admin/audit"];
const memberPages = ["/", "/sessions", "/keys", "/usage", "/usage/requests", "/models"];

describe("whoever has no session", () => {
  test.each([...memberPages, ...adminPages])(
    "is sent from %s to sign in, and back",
    async (path) => {
      const answer = await stranger.get(`${path}?a=1`);
      expect(answer.status).toBe(303);
      const to = new URL(answer.headers.get("location") ?? "", ORIGIN);
      expect(to.pathname).toBe("/sign-in");
      expect(to.searchParams.get("to")).toBe(`${path}?a=1`);
    },
  );

  test("sends no form: nothing is done, and a page says so", async () => {
    const answer = await stranger.post("/sessions/all/end");
    expect(answer.status).toBe(401);
    expect(await words(answer)).toContain("Nothing was changed. Sign in");
  });

  test.each(["", "ab", "zz".repeat(32), "AB".repeat(32), "00".repeat(32), "00".repeat(1_000)])(
    "has none by a cookie that nobody gave them: %s",
    async (value) => {
      const browser = new SigningIn();
      browser.cookies.set(SESSION, value);
      expect((await browser.get("/sessions")).status).toBe(303);
    },
  );
});

describe("a Member", () => {
  test.each(adminPages)("may not open %s, and is told who may", async (path) => {
    const answer = await (await newVisitor()).get(path);
    expect(answer.status).toBe(403);
    expect(await words(answer)).toContain("Only an Admin may open this page");
  });

  test("is none of the Admins from the moment that the role is taken away", async () => {
    const admin = await newVisitor({ role: "admin" });
    expect((await admin.get("/admin/people")).status).toBe(200);
    await directoryOf(env).changePerson(admin.id, { role: "member" });
    expect((await admin.get("/admin/people")).status).toBe(403);
  });
});

describe("a form from another site", () => {
  test.each([
    "https://elsewhere.example.org",
    "https://continuo.test.elsewhere.example.org",
    "http://continuo.test",
    "https://continuo.test:444",
    "null",
    "",
    null,
  ])("is refused, of origin %s, and changes nothing", async (origin) => {
    const visitor = await newVisitor();
    for (const path of ["/sign-out", "/sessions/all/end"]) {
      const answer = await visitor.post(path, {}, origin);
      expect(answer.status).toBe(403);
      expect(await words(answer)).toContain("Nothing was changed");
    }
    expect((await visitor.get("/sessions")).status).toBe(200);
  });
});

describe("every answer of the App", () => {
  test.each(["/sign-in", "/sessions", "/sign-in/callback", "/keys/nothing/there"])(
    "%s is fenced in, and kept by nobody",
    async (path) => {
      for (const visitor of [stranger, await newVisitor()]) {
        const { headers } = await visitor.get(path);
        const policy = headers.get("content-security-policy") ?? "";
        expect(policy).not.toContain("unsafe");
        for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'"]) {
          expect(policy.split("; ")).toContain(part);
        }
        expect(policy).toContain("frame-ancestors 'none'");
        expect(policy).toContain("form-action 'self'");
        expect(headers.get("x-content-type-options")).toBe("nosniff");
        expect(headers.get("referrer-policy")).toBe("same-origin");
        expect(headers.get("cache-control")).toBe("no-store");
        expect(headers.get("access-control-allow-origin")).toBeNull();
      }
    },
  );

  test("is a page where there is none, and JSON for whoever asks for no page", async () => {
    const visitor = await newVisitor();
    const page = await visitor.get("/keys/nothing/there");
    expect(page.status).toBe(404);
    expect(await words(page)).toContain("There is no such page");
    const json = await call("/keys/nothing/there");
    expect(json.headers.get("content-type")).toBe("application/json");
  });

  test("holds for the App alone: the API takes no cookie", async () => {
    const browser = new SigningIn();
    await browser.signIn(await newInvite());
    expect((await browser.get("/v1/account")).status).toBe(401);
  });
});
