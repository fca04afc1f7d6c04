// The page that shows an endpoint's secret, once.
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import { docsUrl } from "../../docs/docs.ts";
import type { AppEnv } from "../../environment.ts";
import { page } from "../layout/page.tsx";
import { Copyable, Notice } from "../layout/parts.tsx";

export function secretPage(
  c: Context<AppEnv>,
  props: { title: string; secret: string; children?: Child },
): Response | Promise<Response> {
  const { title, secret, children } = props;
  return page(
    c,
    { title, current: "webhooks" },
    <>
      <h1>{title}</h1>
      <Notice>{children}</Notice>
      <Copyable id="secret" label="The secret" text={secret} />
      <p>
        <a href={`${docsUrl(c)}/how-to/get-told-by-webhook`}>How a receiver checks it</a>
      </p>
      <p>
        <a class="button second" href="/webhooks">
          I have copied it
        </a>
      </p>
    </>,
  );
}
