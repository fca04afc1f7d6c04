import { type AdminApi, AdminProblem } from "./admin-api.ts";

export interface RequestOptions {
  state: string | undefined;
  person: string | undefined;
  tokens: number | undefined;
  note: string | undefined;
}

/** `requests list | approve ID | reject ID`; without a state it lists what is open. */
export async function requests(
  api: AdminApi,
  [verb = "", id = ""]: readonly string[],
  { state = "open", person, tokens, note }: RequestOptions,
): Promise<unknown> {
  const decide = (decision: string, body: object) =>
    api.call("POST", `/token-requests/${encodeURIComponent(id)}/${decision}`, body);
  switch (verb) {
    case "list": {
      const query = new URLSearchParams();
      if (state !== "all") query.set("state", state);
      if (person !== undefined) query.set("person", await api.personId(person));
      return await api.pages("/token-requests", query);
    }
    case "approve":
      return await decide(verb, { tokens, note });
    case "reject":
      return await decide(verb, { note });
    default:
      throw new AdminProblem("requests takes list, approve ID or reject ID.");
  }
}
