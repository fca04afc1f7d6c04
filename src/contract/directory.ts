// What the Worker and the Directory object say to each other: who the people are, and who did what.
// Times are milliseconds since 1970 (UTC).
import type { Repeatable, Role } from "./account.ts";

export interface Person {
  /** Also the id of the person's Account, and the middle of each of their keys. */
  id: string;
  email: string;
  role: Role;
  disabled: boolean;
  createdAt: number;
}

export interface AuditEntry {
  /** Makes the row repeatable. */
  id: string;
  at: number;
  /** A person's id, or `operator`. */
  who: string;
  what: string;
  /** The person it was done to. */
  whom: string | null;
  /** Never a prompt, a completion, a key or a session id. */
  detail: Record<string, string | number | boolean | null>;
}

export interface Page<T> {
  rows: T[];
  /** Pass it as `after` for the next page; null at the end. */
  next: string | null;
}

/** The Directory object's RPC. Each call is repeatable. */
export interface DirectoryRpc {
  /** By e-mail address: the same address and role get the same person, another role a conflict. */
  addPerson(person: { id: string; email: string; role: Role }): Promise<Repeatable<Person>>;
  changePerson(
    id: string,
    change: { role?: Role | undefined; disabled?: boolean | undefined },
  ): Promise<Repeatable<Person>>;
  person(id: string): Promise<Person | null>;
  people(page: {
    after: string | null;
    limit: number;
    email: string | null;
  }): Promise<Page<Person>>;
  record(entry: AuditEntry): Promise<void>;
  /** The detail of the audit row with this id, or null. */
  recorded(id: string): Promise<AuditEntry["detail"] | null>;
}
