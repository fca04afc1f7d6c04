// A page that says in one sentence why not, and what to do.
import type { Context } from "hono";
import type { AppEnv } from "../environment.ts";

interface Refusal {
  status: 400 | 401 | 403 | 404 | 502 | 503;
  title: string;
  /** What happened and what to do. */
  sentence: string;
  action?: { href: string; label: string };
}

export function refusalPage(c: Context<AppEnv>, refusal: Refusal): Response | Promise<Response> {
  const { status, title, sentence, action } = refusal;
  return c.html(
    <main>
      <h1>{title}</h1>
      <p>{sentence}</p>
      {action && <a href={action.href}>{action.label}</a>}
    </main>,
    status,
  );
}
