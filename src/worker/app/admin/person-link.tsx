import type { Child } from "hono/jsx";
import { WEBHOOK } from "../../deeds/doer.ts";
import { Name } from "../layout/parts.tsx";
import { OPERATOR } from "./names.ts";

/** A person's address, leading to their page; `addresses` is what was read for the whole page. */
export function PersonLink(props: {
  id: string | null;
  addresses: ReadonlyMap<string, string>;
}): Child {
  const { id, addresses } = props;
  if (id === null) return <span class="quiet">nobody</span>;
  if (id === OPERATOR) return "the operator";
  if (id === WEBHOOK) return "a webhook";
  return (
    <a href={`/admin/people/${id}`}>
      <Name>{addresses.get(id) ?? id}</Name>
    </a>
  );
}
