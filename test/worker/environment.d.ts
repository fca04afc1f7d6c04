import type { ObjectBindings } from "../../src/durable-objects/objects.ts";

declare global {
  namespace Cloudflare {
    interface Env extends ObjectBindings {}
    interface GlobalProps {
      mainModule: typeof import("../../src/worker/main.ts");
    }
  }
}
