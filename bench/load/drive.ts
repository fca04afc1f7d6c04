// Runs one job: all its connections at once, each with one exchange at a time.
import { Connection } from "./connection.ts";
import type { Exchange, Job, JobResult } from "./job.ts";

export async function drive(job: Job): Promise<JobResult> {
  const connections = await Promise.all(
    job.requests.map(() => Connection.open(job.host, job.port)),
  );
  const lines = connections.map((connection, index) => ({
    connection,
    request: job.requests[index] ?? "",
  }));
  try {
    await Promise.all(
      lines.map(async ({ connection, request }) => {
        for (let done = 0; done < job.warmUps; done += 1) await connection.exchange(request);
      }),
    );
    const cpuBefore = process.cpuUsage();
    const startedAt = performance.now();
    const exchanges = await Promise.all(
      lines.map(({ connection, request }) => repeat(connection, request, job.until, startedAt)),
    );
    const elapsedMs = performance.now() - startedAt;
    const cpu = process.cpuUsage(cpuBefore);
    return { exchanges: exchanges.flat(), elapsedMs, clientCpuMs: (cpu.user + cpu.system) / 1_000 };
  } finally {
    for (const connection of connections) connection.close();
  }
}

async function repeat(
  connection: Connection,
  request: string,
  until: Job["until"],
  startedAt: number,
): Promise<Exchange[]> {
  const exchanges: Exchange[] = [];
  const more = (): boolean =>
    "exchanges" in until
      ? exchanges.length < until.exchanges
      : performance.now() - startedAt < until.milliseconds;
  while (more()) exchanges.push(await connection.exchange(request));
  return exchanges;
}
