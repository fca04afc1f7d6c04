// Learns the model once, before the test files start beside each other.
import { loadOrTrain } from "../../infra/local/engine/model-file.ts";

export function setup(): void {
  loadOrTrain(".local/engine", (line) => process.stderr.write(`${line}\n`));
}
