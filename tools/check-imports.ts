// Who may import whom, as docs/architecture.md says, checked file by file. The rule that matters most:
// decisions (core, contract) can reach no I/O, and the local engine shares no code with the gateway,
// or the tests would agree with themselves.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

interface Rule {
  /** The longest matching folder counts. */
  folder: string;
  /** Folders and files of the project, and packages. */
  may: readonly string[];
  why: string;
}

const rules: readonly Rule[] = [
  { folder: "src/contract", may: ["src/contract", "zod"], why: "contracts know nobody" },
  { folder: "src/core", may: ["src/core", "src/contract"], why: "decisions do no I/O" },
  {
    folder: "src/durable-objects",
    may: [
      "src/durable-objects",
      "src/core",
      "src/contract",
      "infra/models.json",
      "cloudflare:workers",
      "standardwebhooks",
    ],
    why: "shells load, call core, write, answer",
  },
  {
    folder: "src/worker",
    may: [
      "src/worker",
      "src/core",
      "src/contract",
      "src/durable-objects/objects.ts",
      "infra/models.json",
      "docs",
      "dist/islands",
      "@upstash/ratelimit",
      "@upstash/redis",
      "hono",
      "htmx.org",
      "marked",
      "minisearch",
      "multipasta",
      "oauth4webapi",
      "standardwebhooks",
      "zod",
    ],
    why: "HTTP reaches objects through their contract",
  },
  {
    folder: "src/islands",
    may: ["src/islands", "src/contract"],
    why: "a page's script knows the API alone",
  },
  {
    folder: "src/worker/main.ts",
    may: ["src/worker", "src/durable-objects", "src/contract"],
    why: "the entry exports the objects' classes",
  },
  {
    folder: "infra/local/engine",
    may: ["infra/local/engine", "src/contract/catalogue.ts", "infra/models.json", "node:", "*"],
    why: "the engine shares no code with the gateway",
  },
  { folder: "infra", may: ["infra", "src/contract", "node:", "*"], why: "scripts read contracts" },
];

const IMPORT = /(?:^|\n)\s*(?:import|export)\s[^;]*?from\s+"([^"]+)"|import\("([^"]+)"\)/g;

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.includes("node_modules"));
}

function inFolder(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(":") ? folder : `${folder}/`);
}

function allowed(rule: Rule, target: string, relative: boolean): boolean {
  return rule.may.some((may) => (may === "*" ? !relative : inFolder(target, may)));
}

const problems: string[] = [];
for (const file of [...sourceFiles("src"), ...sourceFiles("infra")]) {
  const rule = rules
    .filter((one) => inFolder(file, one.folder))
    .sort((a, b) => b.folder.length - a.folder.length)[0];
  if (rule === undefined) continue;
  for (const match of readFileSync(file, "utf8").matchAll(IMPORT)) {
    const specifier = match[1] ?? match[2] ?? "";
    const relative = specifier.startsWith(".");
    const target = relative ? normalize(join(dirname(file), specifier)) : specifier;
    if (!allowed(rule, target, relative)) {
      problems.push(`${file} imports ${target}, but ${rule.folder}: ${rule.why}`);
    }
  }
}

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log("imports: every file keeps to its folder's rule");
