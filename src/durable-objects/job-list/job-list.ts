// One person's Jobs, as each last said it stands, and their files. The Jobs themselves are the truth.
import { DurableObject } from "cloudflare:workers";
import type { Page } from "../../contract/directory.ts";
import type { FileRow, JobListRpc } from "../../contract/job-list.ts";
import { fileKey } from "../../contract/job-store.ts";
import type { JobRecord } from "../../contract/jobs.ts";
import type { SavePromptBody } from "../../contract/saved-prompts.ts";
import { Errands } from "../errands.ts";
import { migrate } from "../migrate.ts";
import type { ObjectBindings } from "../objects.ts";
import jobListSql from "./0001-job-list.sql";
import savedPromptsSql from "./0002-saved-prompts.sql";
import { Files } from "./files.ts";
import { readListPage } from "./read-list-page.ts";
import { SavedPrompts } from "./saved-prompts.ts";
import { Words } from "./words.ts";

export class JobList extends DurableObject<ObjectBindings> implements JobListRpc {
  readonly #sql: SqlStorage;
  readonly #files: Files;
  readonly #prompts: SavedPrompts;
  readonly #words: Words;
  readonly #errands: Errands;
  readonly #fileRemoval: ReturnType<Files["removal"]>;

  constructor(context: DurableObjectState, env: ObjectBindings) {
    super(context, env);
    migrate(context.storage, [jobListSql, savedPromptsSql]);
    this.#sql = context.storage.sql;
    this.#files = new Files(this.#sql, env.JOB_STORE);
    this.#prompts = new SavedPrompts(this.#sql);
    this.#words = new Words(this.#sql, env);
    this.#fileRemoval = this.#files.removal();
    this.#errands = new Errands(context, [this.#words.telling(), this.#fileRemoval]);
  }

  async put(record: JobRecord): Promise<void> {
    const { id, createdAt, version, endedAt, batch } = record;
    this.#sql.exec(
      `INSERT INTO jobs (id, created_at, version, ended, batch, record) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET
         version = excluded.version, ended = excluded.ended, record = excluded.record
       WHERE excluded.version > version`,
      ...[id, createdAt, version, endedAt === null ? 0 : 1, batch === null ? 0 : 1],
      JSON.stringify(record),
    );
    this.#tend();
  }

  async drop(jobId: string): Promise<void> {
    this.#sql.exec("DELETE FROM jobs WHERE id = ?", jobId);
    this.#tend();
  }

  async jobs(page: Parameters<JobListRpc["jobs"]>[0]): Promise<Page<JobRecord>> {
    this.#tend();
    const list = { table: "jobs", where: page.batches === true ? "batch = 1" : "true" } as const;
    const { rows, next } = readListPage<{ id: string; record: string }>(this.#sql, list, page);
    return { rows: rows.map(({ record }) => JSON.parse(record) as JobRecord), next };
  }

  async unended(): Promise<number> {
    const count = "SELECT count(*) AS unended FROM jobs WHERE ended = 0";
    return this.#sql.exec<{ unended: number }>(count).one().unended;
  }

  async tokensChanged(): Promise<void> {
    this.#words.leave("tokensChanged");
    this.#tend();
  }

  async cancelAll(): Promise<void> {
    this.#words.leave("cancel");
    this.#tend();
  }

  async putFile(file: FileRow): Promise<void> {
    const personId = this.ctx.id.name;
    if (personId === undefined) throw new Error("a JobList is reached by its person's id");
    this.#files.put(file, fileKey(personId, file.id));
    this.#tend();
  }

  async file(id: string): Promise<FileRow | null> {
    this.#tend();
    return this.#files.find(id, Date.now());
  }

  async files(page: { after: string | null; limit: number }): Promise<Page<FileRow>> {
    this.#tend();
    return this.#files.page(page, Date.now());
  }

  async removeFile(id: string): Promise<boolean> {
    const now = Date.now();
    const isThere = this.#files.find(id, now) !== null;
    if (isThere) this.#files.hide(id, now);
    this.#tend();
    await this.#fileRemoval.current;
    return isThere;
  }

  async savedPrompts() {
    return this.#prompts.list();
  }

  async savedPrompt(id: string) {
    return this.#prompts.find(id);
  }

  async savePrompt(prompt: SavePromptBody) {
    return this.#prompts.save(prompt);
  }

  async removePrompt(id: string) {
    return this.#prompts.remove(id);
  }

  override async alarm(): Promise<void> {
    this.#errands.alarmCame();
    this.#tend();
  }

  #tend(): void {
    this.#errands.tend(Date.now(), () => null);
  }
}
