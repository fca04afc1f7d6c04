// A browser on its way through the sign-in: it keeps the cookies it is given, and a test says what the
// provider answers.
import { exports } from "cloudflare:workers";
import { codeOf, type OpenIdScript } from "../../upstream/openid-script.ts";
import { admin, ORIGIN, read } from "../calling.ts";

export const SESSION = "__Host-continuo";
export const PROGRESS = "__Host-continuo-sign-in";

/** What the browser carries to the provider. */
export interface Question {
  state: string;
  nonce: string;
  challenge: string;
  issuer: string;
  url: URL;
}

type Answer = Partial<Omit<OpenIdScript, "once" | "challenge">>;

export class SigningIn {
  readonly cookies = new Map<string, string>();

  async get(path: string): Promise<Response> {
    return this.#send(path, { method: "GET" });
  }

  async post(path: string, origin: string | null = ORIGIN): Promise<Response> {
    return this.#send(path, { method: "POST", headers: origin === null ? {} : { origin } });
  }

  /** As far as the provider's page. */
  async start(to = "/sessions"): Promise<Question> {
    const response = await this.get(`/sign-in/start?${new URLSearchParams({ to })}`);
    const url = new URL(response.headers.get("location") ?? "");
    const value = (name: string) => url.searchParams.get(name) ?? "";
    return {
      ...{ state: value("state"), nonce: value("nonce"), challenge: value("code_challenge") },
      ...{ issuer: url.origin, url },
    };
  }

  /** Back with what a provider would send for this person; `change` is put into the address. */
  async finish(
    question: Question,
    who: { sub: string; email?: string },
    { answer = {}, change = {} }: { answer?: Answer; change?: Record<string, string> } = {},
  ): Promise<Response> {
    return this.get(callback(question, who, { answer, change }));
  }

  /** The whole way. */
  async signIn(who: { sub: string; email: string }, answer: Answer = {}): Promise<Response> {
    return this.finish(await this.start(), who, { answer });
  }

  async #send(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set("accept", "text/html");
    headers.set("user-agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0");
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    if (cookie !== "") headers.set("cookie", cookie);
    const response = await exports.default.fetch(ORIGIN + path, {
      ...init,
      headers,
      redirect: "manual",
    });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    return response;
  }

  #keep(line: string): void {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (/max-age=0/i.test(line)) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

/** The address to which the provider sends the browser back. */
export function callback(
  { state, nonce, challenge, issuer }: Question,
  { sub, email }: { sub: string; email?: string },
  { answer = {}, change = {} }: { answer?: Answer; change?: Record<string, string> } = {},
): string {
  const { claims, ...others } = answer;
  const told = email === undefined ? {} : { email, email_verified: true };
  const code = codeOf({
    ...{ once: crypto.randomUUID(), challenge, ...others },
    claims: { nonce, sub, ...told, ...claims },
  });
  return `/sign-in/callback?${new URLSearchParams({ code, state, iss: issuer, ...change })}`;
}

/** Somebody with an invite that nobody has used. */
export async function newInvite(): Promise<{ id: string; sub: string; email: string }> {
  const email = `${crypto.randomUUID()}@example.org`;
  const { id } = await read<{ id: string }>(admin("POST", "/people", { email }));
  return { id, email, sub: `sub of ${email}` };
}
