/**
 * Brings an object's SQLite schema up to date: numbered, frozen files, each run once, all in one
 * transaction. Called in the constructor, so no request sees a half-made schema.
 */
export function migrate(storage: DurableObjectStorage, migrations: readonly string[]): void {
  const { sql } = storage;
  storage.transactionSync(() => {
    sql.exec("CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY)");
    const { done } = sql
      .exec<{ done: number }>("SELECT coalesce(max(number), 0) AS done FROM migrations")
      .one();
    migrations.slice(done).forEach((migration, index) => {
      sql.exec(migration);
      sql.exec("INSERT INTO migrations (number) VALUES (?)", done + index + 1);
    });
  });
}
