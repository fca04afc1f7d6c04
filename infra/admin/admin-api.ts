/** What the operator has to mend; its message is all they need. */
export class AdminProblem extends Error {
  override name = "AdminProblem";
}

interface Person {
  id: string;
  email: string;
}

interface Page {
  data: unknown[];
  next: string | null;
}

/** Calls the admin API (contract section 7). Throws `AdminProblem` with the API's own message. */
export class AdminApi {
  readonly #base: string;
  readonly #key: string;

  constructor(url: string, key: string) {
    this.#base = `${url.replace(/\/$/, "")}/v1/admin`;
    this.#key = key;
  }

  async call(method: string, path: string, body?: unknown): Promise<unknown> {
    const headers = new Headers({ authorization: `Bearer ${this.#key}` });
    if (body !== undefined) headers.set("content-type", "application/json");
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const response = await fetch(this.#base + path, init).catch(() => {
      throw new AdminProblem(`Nothing answers at ${this.#base}; is it running?`);
    });
    const answer = (await response.json()) as { error?: { message: string } };
    if (response.ok) return answer;
    throw new AdminProblem(answer.error?.message ?? `The API answered ${response.status}.`);
  }

  /** All rows of a list, over all its pages. */
  async pages(path: string, filter: URLSearchParams = new URLSearchParams()): Promise<unknown[]> {
    const rows: unknown[] = [];
    const query = new URLSearchParams(filter);
    for (;;) {
      const page = (await this.call("GET", `${path}?${query}`)) as Page;
      rows.push(...page.data);
      if (page.next === null) return rows;
      query.set("after", page.next);
    }
  }

  /** The person with this e-mail address; an id passes as it is. */
  async personId(emailOrId: string): Promise<string> {
    if (!emailOrId.includes("@")) return emailOrId;
    const query = `?email=${encodeURIComponent(emailOrId)}`;
    const { data } = (await this.call("GET", `/people${query}`)) as { data: Person[] };
    const [person] = data;
    if (person === undefined) throw new AdminProblem(`There is no person with ${emailOrId}.`);
    return person.id;
  }
}
