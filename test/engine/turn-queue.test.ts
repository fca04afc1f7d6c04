import { expect, test } from "vitest";
import { TurnQueue } from "../../infra/local/engine/turn-queue.ts";

/** Keeps the thread for so long. */
function work(ms: number): void {
  const began = performance.now();
  while (performance.now() - began < ms);
}

test("the lower priority number goes first, then whoever waits longest", async () => {
  const turns = new TurnQueue();
  const order: string[] = [];
  const one = (name: string, priority: number) => turns.next(priority).then(() => order.push(name));
  await Promise.all([one("job 1", 10), one("live 1", 0), one("job 2", 10), one("live 2", 0)]);
  expect(order).toEqual(["live 1", "live 2", "job 1", "job 2"]);
});

test("short turns follow each other before the network is read, each when the last has done its work", async () => {
  const inARow = async () => {
    const turns = new TurnQueue();
    const order: string[] = [];
    const one = async (name: string) => {
      await turns.next(0);
      order.push(`${name} begins`);
      await undefined;
      order.push(`${name} ends`);
    };
    const all = ["a", "b"].map(one);
    setImmediate(() => order.push("network"));
    await Promise.all(all);
    return order;
  };
  // On a busy host a short turn may take long.
  await expect.poll(inARow).toEqual(["a begins", "a ends", "b begins", "b ends"]);
});

test("what came over the network is read between long turns", async () => {
  const turns = new TurnQueue();
  const order: string[] = [];
  const one = async (name: string) => {
    await turns.next(0);
    order.push(name);
    work(2);
  };
  const all = ["a", "b"].map(one);
  setImmediate(() => order.push("network"));
  await Promise.all(all);
  expect(order).toEqual(["a", "network", "b"]);
});
