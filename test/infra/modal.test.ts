import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import catalogueFile from "../../infra/models.json" with { type: "json" };
import pinned from "../../infra/serving/vllm.json" with { type: "json" };
import { parseCatalogue } from "../../src/contract/catalogue.ts";

const gpuModels = [...parseCatalogue(catalogueFile).values()].filter((one) => one.gpu_count > 0);

interface Asked {
  apps: string[];
  servers: (Record<string, unknown> & { image: [string, ...unknown[]][] })[];
  functions: (Record<string, unknown> & { remote_calls: unknown[][] })[];
}

function run(script: string, expression: string, variables: Record<string, string> = {}) {
  return spawnSync("python3", ["test/infra/fake-modal/run.py", script, expression], {
    encoding: "utf8",
    env: {
      PATH: process.env.PATH,
      PYTHONPATH: "test/infra/fake-modal",
      PYTHONDONTWRITEBYTECODE: "1",
      ...variables,
    },
  });
}

function ask(script: string, variables?: Record<string, string>, expression = "None") {
  const { status, stdout, stderr } = run(script, expression, variables);
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as { asked: Asked; value: unknown };
}

const serve = "infra/modal/serve.py";
const download = "infra/modal/download.py";
const url = "https://api.example.org";
const deployed = (id: string) => ({ CONTINUO_MODEL: id, CONTINUO_URL: url });

/** What serve.py asks for each Model, asked once. */
const asked = new Map(gpuModels.map(({ id }) => [id, ask(serve, deployed(id)).asked]));

function serverOf(id: string) {
  const server = asked.get(id)?.servers[0];
  if (server === undefined) throw new Error(`${id} asked for no Server`);
  return server;
}

test.each(gpuModels)("$id is one Server app with what the catalogue says", (model) => {
  expect(asked.get(model.id)?.apps).toEqual([`continuo-${model.id}`]);
  expect(asked.get(model.id)?.servers).toHaveLength(1);
  const server = serverOf(model.id);
  expect(server).toMatchObject({
    gpu: `${model.gpu}:${model.gpu_count}`,
    min_containers: model.min_containers,
    max_containers: model.max_containers,
    scaledown_window: model.idle_seconds,
    port: 8000,
    unauthenticated: false,
    hooks: { enter: "start", exit: "stop" },
    secrets: ["continuo-inference"],
  });
  expect(server.startup_timeout).toBeGreaterThanOrEqual(2 * model.typical_start_seconds);
  // One container has no need of a target; several are never started without one.
  expect(server.target_concurrency === null).toBe(model.max_containers === 1);
});

test.each(gpuModels)(
  "$id serves offline, from the pinned image, and says which GPUs it costs",
  ({ id, gpu, gpu_count }) => {
    const server = serverOf(id);
    const steps = new Map(server.image.map(([name, ...rest]) => [name, rest]));
    expect(steps.get("from_registry")?.[0]).toBe(pinned.image);
    expect(steps.get("entrypoint")).toEqual([[]]);
    const [environment] = steps.get("env") as [Record<string, string>];
    expect(environment).toMatchObject({
      HF_HUB_OFFLINE: "1",
      HF_HUB_CACHE: "/weights",
      CONTINUO_MODEL: id,
      CONTINUO_URL: url,
      CONTINUO_GPU: gpu,
      CONTINUO_GPU_COUNT: String(gpu_count),
    });
    expect(
      Object.keys(environment).filter((name) => /KEY|SECRET|TOKEN|DEV_MODE/.test(name)),
    ).toEqual([]);
    expect(server.volumes).toMatchObject({ "/weights": "continuo-weights" });
  },
);

test("all that a container imports is put into its image", () => {
  const server = serverOf("llama-3.1-8b");
  const added = server.image.filter(([name]) => name.startsWith("add_local"));
  expect(added?.map(([, path]) => path)).toEqual([
    "/opt/continuo/infra/models.json",
    "/opt/continuo/infra/modal",
    "/opt/continuo/infra/serving",
    "/opt/continuo/infra/reporter",
    "/opt/continuo/infra/bundle",
  ]);
});

test("the image's version is the pinned one", () => {
  expect(pinned.image).toContain(`:v${pinned.version}`);
});

test("a container runs vLLM under the reporter, with its middleware, and ends at once when vLLM does", () => {
  const folder = mkdtempSync(join(tmpdir(), "modal-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const vllm = join(folder, "vllm");
  const imported = "python3 -c 'import continuo_bundle; print(continuo_bundle.Bundles.__name__)'";
  writeFileSync(
    vllm,
    `#!/bin/sh\nprintf '%s\\n' "$@" > ${folder}/arguments\n${imported} > ${folder}/imported\nexit 3\n`,
  );
  chmodSync(vllm, 0o755);
  const { status, stderr } = run(serve, "Inference().start()", {
    ...deployed("llama-3.1-8b"),
    PATH: `${folder}:${process.env.PATH}`,
    // Nobody listens there: the goodbye is given up, and the end is not kept from anybody.
    CONTINUO_URL: "https://127.0.0.1:9",
    CONTINUO_REPORT_SECRET: `whsec_${Buffer.alloc(24, 7).toString("base64")}`,
    CONTINUO_GPU: "L40S",
    CONTINUO_GPU_COUNT: "1",
  });
  expect(status).toBe(1);
  expect(stderr).toContain("vLLM ended with code 3 before it was ready");
  const given = readFileSync(join(folder, "arguments"), "utf8").trim().split("\n");
  expect(given.slice(0, 2)).toEqual(["serve", "meta-llama/Llama-3.1-8B"]);
  expect(given.join(" ")).toContain("--host 0.0.0.0 --port 8000");
  expect(given.join(" ")).toContain("--middleware continuo_bundle.Bundles");
  expect(readFileSync(join(folder, "imported"), "utf8")).toBe("Bundles\n");
});

test.each([
  [{ CONTINUO_URL: url }, "no Model was named; infra/models.json has llama-3.1-8b, "],
  [{ ...deployed("gpt-7") }, "no Model with a GPU is called gpt-7; infra/models.json has llama"],
  [{ CONTINUO_MODEL: "olmo-2-7b" }, "set CONTINUO_URL to the Worker's address"],
])("serve.py with %j says in one line what to set", (variables, sentence) => {
  const { status, stderr } = run(serve, "None", variables);
  expect(status).toBe(1);
  expect(stderr).toContain(`serve.py: ${sentence}`);
  expect(stderr.trim().split("\n")).toHaveLength(1);
});

test.each(gpuModels)("$id is downloaded at its pinned revision, without a GPU", (model) => {
  const { servers, functions } = ask(download, {}, `main(model="${model.id}")`).asked;
  expect(servers).toEqual([]);
  const [job] = functions;
  expect(job?.remote_calls).toEqual([[model.repo, model.revision]]);
  expect(job).not.toHaveProperty("gpu");
  expect(job?.volumes).toEqual({ "/weights": "continuo-weights" });
  expect(job?.secrets).toEqual(["continuo-huggingface"]);
});

test("of a repository only what vLLM reads is fetched, and kept", () => {
  const folder = mkdtempSync(join(tmpdir(), "modal-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const hub = "def snapshot_download(*given, **named):\n    return [list(given), named]\n";
  writeFileSync(join(folder, "huggingface_hub.py"), hub);
  const expression = '[download("owner/name", "a" * 40), volume.commits]';
  const { value } = ask(download, { PYTHONPATH: `test/infra/fake-modal:${folder}` }, expression);
  expect(value).toEqual([
    [
      ["owner/name"],
      {
        revision: "a".repeat(40),
        ignore_patterns: ["original/*", "*.pth", "*.pt", "*.bin", "*.gguf", "*.onnx"],
      },
    ],
    1,
  ]);
});

test("an unknown Model is not downloaded", () => {
  const { status, stderr } = run(download, 'main(model="gpt-7")');
  expect(status).toBe(1);
  expect(stderr.trim()).toBe(
    "download.py: no Model with a GPU is called gpt-7; infra/models.json has llama-3.1-8b, llama-3.1-405b, olmo-2-7b",
  );
});

const scripts = readdirSync("infra", { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".py"))
  .map((path) => join("infra", path));
test("every script compiles, for Python 3.9 too", () => {
  const parse =
    "import ast, sys; [ast.parse(open(f).read(), feature_version=(3, 9)) for f in sys.argv[1:]]";
  const folder = mkdtempSync(join(tmpdir(), "compiled-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const env = { ...process.env, PYTHONPYCACHEPREFIX: folder };
  expect(scripts).toContain("infra/modal/serve.py");
  for (const args of [
    ["-W", "error", "-m", "py_compile", ...scripts],
    ["-c", parse, ...scripts],
  ]) {
    const { status, stderr } = spawnSync("python3", args, { encoding: "utf8", env });
    expect(stderr).toBe("");
    expect(status).toBe(0);
  }
});
