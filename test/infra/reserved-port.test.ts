import { once } from "node:events";
import { connect, createServer } from "node:net";
import { expect, test } from "vitest";
import { reservePort } from "../../infra/local/reserved-port.ts";

test("a port is nobody else's until it is released, and then free", async () => {
  const reserved = await reservePort("port", 0);
  await expect(reservePort("port", reserved.port)).rejects.toThrow(
    `Port ${reserved.port} is taken; choose another one with --port N.`,
  );
  await reserved.release();
  const server = createServer().listen(reserved.port, "127.0.0.1");
  await once(server, "listening");
  server.close();
});

test("whoever connects to it meanwhile does not keep it from being released", async () => {
  const reserved = await reservePort("port", 0);
  const caller = connect(reserved.port, "127.0.0.1");
  await once(caller, "connect");
  await reserved.release();
  await once(caller, "close");
});
