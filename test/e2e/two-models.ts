// A stack that serves two Models. Another stack's engine answers for both: for the second one it is told
// its own beginning-of-text token, since the gateway takes no Model for ready that does not know its own.
import { createServer, request as send } from "node:http";
import { onLoopback } from "../upstream/on-loopback.ts";
import { type Stack, type StackProcess, startStack } from "./stack-process.ts";

export const SECOND_MODEL = "olmo-2-7b";
const SECOND_BOS = 100_257;
const LOCAL_BOS = 50_256;

export async function startTwoModels({ engine, engineKey }: Stack): Promise<StackProcess> {
  const between = await onLoopback(
    createServer(async (incoming, outgoing) => {
      const { method, url: path = "/", headers } = incoming;
      const parts: Buffer[] = [];
      for await (const part of incoming) parts.push(part as Buffer);
      const body = Buffer.concat(parts)
        .toString()
        .replace(`"prompt":[${SECOND_BOS}]`, `"prompt":[${LOCAL_BOS}]`);
      const length = String(Buffer.byteLength(body));
      const onward = send(
        engine + path,
        { method, headers: { ...headers, "content-length": length }, agent: false },
        (answer) => {
          outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(outgoing);
        },
      );
      onward.on("error", () => outgoing.destroy());
      outgoing.on("close", () => onward.destroy());
      onward.end(body);
    }),
  );
  const running = await startStack({
    ...{ engine: { url: between.url, key: engineKey }, secondModel: SECOND_MODEL },
  });
  return {
    ...running,
    async stop() {
      await running.stop();
      between.close();
    },
  };
}
