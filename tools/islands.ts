// Bundles the scripts of the pages that are instruments: `src/islands/<name>/main.ts` becomes
// `dist/islands/<name>.client.js`, which the Worker imports as text. The build and the tests of the
// Worker begin with it.
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const root = fileURLToPath(new URL("..", import.meta.url));
const islands = join(root, "src/islands");
const built = join(root, "dist/islands");

export async function buildIslands(): Promise<void> {
  mkdirSync(built, { recursive: true });
  const names = readdirSync(islands).filter((name) =>
    readdirSync(join(islands, name)).includes("main.ts"),
  );
  for (const name of names) {
    writeFileSync(join(built, `${name}.client.js`), await bundle(join(islands, name, "main.ts")));
  }
}

/** Minified, as one classic script. */
async function bundle(entry: string): Promise<string> {
  const outputs = await build({
    ...{ root, configFile: false, logLevel: "warn", publicDir: false },
    build: {
      ...{ write: false, target: "es2023", minify: true, emptyOutDir: false },
      lib: { entry, formats: ["iife"], name: "island" },
    },
  });
  const [first] = [outputs].flat();
  const chunk = first !== undefined && "output" in first ? first.output[0] : undefined;
  if (chunk === undefined) throw new Error(`${entry} was not bundled`);
  return chunk.code;
}
