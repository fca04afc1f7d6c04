// A port that nobody else is given between the moment it is chosen and the moment its server listens.
import { once } from "node:events";
import { createServer } from "node:net";
import { StartProblem } from "./options.ts";

export interface ReservedPort {
  port: number;
  /** To be called right before its server listens. */
  release(): Promise<void>;
}

/** The port itself if it is free, a free one for 0. `option` is how another one is chosen. */
export async function reservePort(option: string, port: number): Promise<ReservedPort> {
  // Whoever connects meanwhile would keep it from closing.
  const holder = createServer((socket) => socket.destroy());
  try {
    holder.listen(port, "127.0.0.1");
    await once(holder, "listening");
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code !== "EADDRINUSE") throw failure;
    throw new StartProblem(`Port ${port} is taken; choose another one with --${option} N.`);
  }
  const address = holder.address();
  if (address === null || typeof address === "string") throw new Error("no port was given");
  return {
    port: address.port,
    async release() {
      holder.close();
      await once(holder, "close");
    },
  };
}
