// What the audit log's rows mean, in words.
import type { Child } from "hono/jsx";
import type { AuditEntry } from "../../../contract/directory.ts";
import { count, usd } from "../layout/amounts.tsx";

/** A row of another deed is shown by its own name. */
export const deedWords: Readonly<Record<string, string>> = {
  "person.add": "added a person",
  "person.change": "changed a person",
  "person.invite": "extended an invite",
  "person.bind": "signed in for the first time",
  "tokens.grant": "gave tokens",
  "request.ask": "asked for tokens",
  "request.approve": "approved a Token request",
  "request.reject": "rejected a Token request",
  "request.withdraw": "withdrew a Token request",
  "key.mint": "created a key",
  "key.change": "changed a key",
  "key.revoke": "revoked a key",
  "webhook.add": "added a webhook endpoint",
  "webhook.rotate": "replaced a webhook's secret",
  "webhook.remove": "removed a webhook endpoint",
  "spend.change": "changed the Spend limit",
  "model.wake": "woke a Model",
  "model.conformance": "passed a Model's revision",
};

const fieldWords: Readonly<Record<string, string>> = {
  keyId: "key",
  limitUsd: "limit",
  pausedByHand: "paused by hand",
  monthlyTokenLimit: "monthly token limit",
  startsPerMinute: "starts a minute",
  expiresAt: "expires",
  requestId: "request",
  endpointId: "endpoint",
  asOf: "as of",
};

type Value = AuditEntry["detail"][string];

/** The details of a row, each with its name. */
export function Details({ detail }: { detail: AuditEntry["detail"] }): Child {
  const fields = Object.entries(detail).filter(([, value]) => value !== "");
  if (fields.length === 0) return null;
  return (
    <dl class="details">
      {fields.map(([field, value]) => (
        <div>
          <dt>{fieldWords[field] ?? field}</dt>
          <dd dir="auto">
            {isId(value) ? (
              <code title={value}>{`…${value.slice(-ID_END_CHARACTERS)}`}</code>
            ) : (
              inWords(field, value)
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Enough to tell two ids of one person apart; the whole is there on hover. */
const ID_END_CHARACTERS = 8;

function isId(value: Value): value is string {
  return typeof value === "string" && /^(key|request|grant|endpoint)_[0-9a-z_]{24,}$/.test(value);
}

function inWords(field: string, value: Value): string {
  if (value === null) return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string") return value;
  if (field === "limitUsd") return usd(value);
  if (field === "expiresAt")
    return `${new Date(value).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  return count(value);
}
