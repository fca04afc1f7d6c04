// Before the test files start beside each other: learns the model once, and finds Python once.
import { spawnSync } from "node:child_process";
import { delimiter, dirname } from "node:path";
import { loadOrTrain } from "../../infra/local/engine/model-file.ts";

export function setup(): void {
  loadOrTrain(".local/engine", (line) => process.stderr.write(`${line}\n`));
  putPythonFirst();
}

/** What stands in for it on some machines (pyenv's shims) looks for it again at each start, for a second. */
function putPythonFirst(): void {
  const { PATH = "" } = process.env;
  const asked = spawnSync("python3", ["-c", "import sys; print(sys.executable)"]);
  const folder = dirname(String(asked.stdout).trim());
  if (asked.status === 0 && !PATH.split(delimiter).includes(folder)) {
    process.env.PATH = `${folder}${delimiter}${PATH}`;
  }
}
