// The operator's command: people, Grants and keys through the admin API, local or deployed.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { AdminApi, AdminProblem } from "./admin-api.ts";
import { audit } from "./audit.ts";
import { requests } from "./requests.ts";
import { spend } from "./spend.ts";

const help = `npm run admin -- <command> [options]
  people                                    list everybody
  person add EMAIL [--role admin]           add a person
  person show EMAIL                         tokens, Grants, usage
  person set EMAIL [--role R] [--running N] [--waiting N] [--starts-per-minute N] [--id ID]
  person invite EMAIL [--id ID]             for two more weeks, who has not signed in
  person disable EMAIL [--id ID] | person enable EMAIL [--id ID]
  grant EMAIL TOKENS [--note TEXT] [--expires-at TIME] [--id ID]
  key mint EMAIL NAME [--scope admin] [--monthly-token-limit N] [--expires-at TIME] [--id ID]
  key list EMAIL
  key set KEY_ID [--name TEXT] [--monthly-token-limit N] [--expires-at TIME] [--id ID]
  key revoke KEY_ID --reason TEXT
  requests list [--state open|approved|rejected|withdrawn|all] [--person EMAIL]
  requests approve REQUEST_ID [--tokens N] [--note TEXT]
  requests reject REQUEST_ID --note TEXT
  audit [--who EMAIL|operator] [--whom EMAIL] [--what DEED] [--limit N] [--after NEXT]
  models                                    state, containers, starts and cost of each Model
  model wake MODEL [--id ID]                start it though nobody waits
  spend show                                what GPUs cost this month, and its limit
  spend limit USD [--id ID] | spend pause [--id ID] | spend resume [--id ID]
where
  --url URL    the deployment, without /v1 (CONTINUO_URL, else http://127.0.0.1:8787)
  --key KEY    an admin key (CONTINUO_ADMIN_KEY, else the local stack's own)
  --data DIR   the local stack's folder (.local)
A command with an --id may be repeated: the same content changes nothing.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    url: { type: "string", default: process.env.CONTINUO_URL ?? "http://127.0.0.1:8787" },
    key: { type: "string" },
    data: { type: "string", default: ".local" },
    role: { type: "string" },
    running: { type: "string" },
    waiting: { type: "string" },
    "starts-per-minute": { type: "string" },
    note: { type: "string" },
    name: { type: "string" },
    scope: { type: "string" },
    "expires-at": { type: "string" },
    "monthly-token-limit": { type: "string" },
    id: { type: "string" },
    reason: { type: "string" },
    state: { type: "string" },
    person: { type: "string" },
    tokens: { type: "string" },
    who: { type: "string" },
    whom: { type: "string" },
    what: { type: "string" },
    after: { type: "string" },
    limit: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

function adminKey(): string {
  const given = values.key ?? process.env.CONTINUO_ADMIN_KEY;
  if (given !== undefined) return given;
  try {
    const secrets = JSON.parse(readFileSync(`${values.data}/secrets.json`, "utf8"));
    return String(secrets.operatorKey);
  } catch {
    throw new AdminProblem("No admin key: give --key or CONTINUO_ADMIN_KEY, or npm start first.");
  }
}

/** Leaves out what was not given, so that the API's defaults hold. */
function given(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function whole(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text.replaceAll(/[_,]/g, ""));
  if (!Number.isInteger(value)) throw new AdminProblem(`${text} is no whole number.`);
  return value;
}

/** Commands whose second word is no part of their name. */
const oneWord = ["people", "grant", "models", "spend", "requests", "audit"];

async function run(words: string[]): Promise<unknown> {
  const api = new AdminApi(values.url, adminKey());
  const [first = "", second = "", third = "", fourth] = words;
  const expiry = { expires_at: values["expires-at"] };
  const tokenLimit = { monthly_token_limit: whole(values["monthly-token-limit"]) };
  switch (oneWord.includes(first) ? first : `${first} ${second}`) {
    case "models":
      return await api.call("GET", "/models");
    case "model wake":
      return await api.call("POST", `/models/${third}/wake`, given({ id: values.id }));
    case "spend":
      return await spend(api, words.slice(1), values.id);
    case "people":
      return await api.pages("/people");
    case "requests": {
      const { state, person, note } = values;
      const options = { state, person, tokens: whole(values.tokens), note };
      return await requests(api, words.slice(1), options);
    }
    case "audit": {
      const { who, whom, what, after, limit } = values;
      return await audit(api, { who, whom, what, after, limit });
    }
    case "person invite":
      return await api.call(
        "POST",
        `/people/${await api.personId(third)}/invite`,
        given({ id: values.id }),
      );
    case "person add":
      return await api.call("POST", "/people", given({ email: third, role: values.role }));
    case "person show":
      return await api.call("GET", `/people/${await api.personId(third)}`);
    case "person disable":
    case "person enable": {
      const change = given({ id: values.id, disabled: second === "disable" });
      return await api.call("PATCH", `/people/${await api.personId(third)}`, change);
    }
    case "person set": {
      const limits = given({
        running: whole(values.running),
        waiting: whole(values.waiting),
        starts_per_minute: whole(values["starts-per-minute"]),
      });
      const change = given({ id: values.id, role: values.role, limits });
      return await api.call("PATCH", `/people/${await api.personId(third)}`, change);
    }
    case "grant": {
      const grant = { id: values.id, tokens: whole(third), note: values.note, ...expiry };
      return await api.call("POST", `/people/${await api.personId(second)}/grants`, given(grant));
    }
    case "key mint": {
      const key = { id: values.id, name: fourth, scope: values.scope, ...expiry, ...tokenLimit };
      return await api.call("POST", `/people/${await api.personId(third)}/keys`, given(key));
    }
    case "key list":
      return await api.call("GET", `/people/${await api.personId(third)}/keys`);
    case "key set": {
      const change = given({ id: values.id, name: values.name, ...expiry, ...tokenLimit });
      return await api.call("PATCH", `/keys/${third}`, change);
    }
    case "key revoke":
      return await api.call("POST", `/keys/${third}/revoke`, { reason: values.reason });
    default:
      throw new AdminProblem(help);
  }
}

try {
  console.log(values.help ? help : JSON.stringify(await run(positionals), null, 2));
} catch (failure) {
  if (!(failure instanceof AdminProblem)) throw failure;
  console.error(failure.message);
  process.exitCode = 1;
}
