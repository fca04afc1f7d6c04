import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface OnLoopback {
  url: string;
  /** Also ends what is under way. */
  close(): void;
}

/** Lets a server listen at a free port of this machine alone. */
export async function onLoopback(server: Server): Promise<OnLoopback> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
