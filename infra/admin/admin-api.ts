/** What the operator has to mend; its message is all they need. */
export class AdminProblem extends Error {
  override name = "AdminProblem";
}

interface Person {
  id: string;
  email: string;
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

  /** Everybody, over all pages. */
  async people(): Promise<Person[]> {
    const everybody: Person[] = [];
    let after: string | null = null;
    do {
      const query: string = after === null ? "" : `?after=${encodeURIComponent(after)}`;
      const page = (await this.call("GET", `/people${query}`)) as {
        data: Person[];
        next: string | null;
      };
      everybody.push(...page.data);
      after = page.next;
    } while (after !== null);
    return everybody;
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
