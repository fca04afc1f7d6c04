import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { composeFile } from "../../infra/compose/compose-file.ts";
import { containerFiles, gpuModels, resourceName } from "../../infra/serving/serving.ts";

const models = gpuModels();
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "compose-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Two programs are started for it, beside other test files. */
const RENDER_MS = 60_000;

function run(program: string, ...args: string[]) {
  return spawnSync(program, args, { encoding: "utf8", env: { ...process.env, NO_COLOR: "1" } });
}

function render(modelId: string) {
  return run(process.execPath, "infra/compose/render.ts", "--model", modelId, "--out", folder);
}

function rendered(): ReturnType<typeof composeFile> {
  return parse(readFileSync(join(folder, "compose.yaml"), "utf8"));
}

const compose = [["docker", "compose"], ["docker-compose"]].find(
  ([program = "", ...first]) => run(program, ...first, "version").status === 0,
);

test("a Model that is not there is answered with those that are", () => {
  const { status, stderr } = render("local");
  expect(status).toBe(1);
  expect(stderr).toBe(
    `No Model on GPUs is called local: --model ${models.map(({ id }) => id).join(" | ")}\n`,
  );
});

test("two Models never share a name on one machine", () => {
  expect(new Set(models.map(resourceName)).size).toBe(models.length);
  for (const model of models)
    expect(resourceName(model)).toMatch(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/);
});

describe.each(models)("the folder for $id", (model) => {
  beforeAll(() => {
    rmSync(join(folder, ".env"), { force: true });
    expect(render(model.id)).toMatchObject({ status: 0, stderr: "" });
  }, RENDER_MS);

  test("starts vLLM with the catalogue's arguments, under the reporter", () => {
    const script = "infra/serving/vllm_arguments.py";
    const asked = run("python3", script, "--model", model.id, "--host", "0.0.0.0");
    const { vllm } = rendered().services;
    expect(vllm.command).toEqual(JSON.parse(asked.stdout));
    expect(vllm.command).toContain(model.revision);
    expect(vllm.entrypoint.slice(0, 3)).toEqual(["python3", "/continuo/reporter.py", "--"]);
    expect(vllm.environment).toMatchObject({
      CONTINUO_MODEL: model.id,
      CONTINUO_GPU: model.gpu,
      CONTINUO_GPU_COUNT: String(model.gpu_count),
      HF_HUB_OFFLINE: "1",
    });
    const { devices } = vllm.deploy.resources.reservations;
    expect(devices).toEqual([{ driver: "nvidia", count: model.gpu_count, capabilities: ["gpu"] }]);
  });

  test("puts beside vLLM what it is started by, and the middleware that its arguments name", () => {
    const { environment, volumes } = rendered().services.vllm;
    for (const [name, source] of Object.entries(containerFiles)) {
      expect(readFileSync(join(folder, name))).toEqual(readFileSync(source));
      expect(volumes).toContain(`./${name}:${environment.PYTHONPATH}/${name}:ro`);
    }
    expect(volumes).toHaveLength(Object.keys(containerFiles).length + 1);
    const code = "import continuo_bundle; print(continuo_bundle.Bundles.__name__)";
    const env = { ...process.env, PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: "1" };
    expect(spawnSync("python3", ["-c", code], { encoding: "utf8", env }).stdout).toBe("Bundles\n");
  });

  test("publishes no port, and keeps the proxy on networks that lead nowhere", () => {
    const { services, networks } = rendered();
    for (const service of Object.values(services)) expect(service).not.toHaveProperty("ports");
    const internal = Object.entries({ ...networks, outward: { internal: false } })
      .filter(([, network]) => network.internal)
      .map(([name]) => name);
    expect(services.proxy.networks.every((network) => internal.includes(network))).toBe(true);
    expect(services.tunnel.networks).not.toContain("engine");
  });

  test("downloads the pinned revision, and only when asked", () => {
    const { weights } = rendered().services;
    expect(weights.entrypoint).toEqual([
      "hf",
      "download",
      model.repo,
      "--revision",
      model.revision,
    ]);
    expect(weights.profiles).toEqual(["weights"]);
  });

  test("pins every image", () => {
    for (const { image } of Object.values(rendered().services)) {
      expect(image).toMatch(/^[a-z/-]+:v?\d+\.\d+\.\d+[a-z0-9.-]*(@sha256:[0-9a-f]{64})?$/);
    }
  });

  test("keeps secrets in .env alone, which is private and survives another render", () => {
    const secrets = join(folder, ".env");
    expect(statSync(secrets).mode & 0o777).toBe(0o600);
    const made = readFileSync(secrets, "utf8");
    // What nginx's configuration can hold in quotes, whoever chose it.
    const key = /^VLLM_API_KEY=([A-Za-z0-9_-]{32,})$/m.exec(made)?.[1] ?? "none";
    for (const name of ["compose.yaml", "proxy.conf.template"]) {
      expect(readFileSync(join(folder, name), "utf8")).not.toContain(key);
    }
    expect(render(model.id).stdout).toContain(".env is as it was");
    expect(readFileSync(secrets, "utf8")).toBe(made);
  });

  // CI installs compose. Without it this is shown as skipped, never as passed.
  test.runIf(compose !== undefined || process.env.CI !== undefined)(
    "is accepted by compose itself, and refused while a secret is missing",
    () => {
      if (compose === undefined)
        throw new Error("There is no compose: apt-get install docker-compose.");
      const [program = "", ...first] = compose;
      const file = ["--project-directory", folder, "-f", join(folder, "compose.yaml")];
      const config = () => run(program, ...first, ...file, "config");
      expect(config().stderr).toContain("set it in .env");
      const secrets = readFileSync(join(folder, ".env"), "utf8");
      writeFileSync(join(folder, ".env"), secrets.replaceAll(/=$/gm, "=given"));
      const accepted = config();
      expect(accepted).toMatchObject({ status: 0 });
      expect(parse(accepted.stdout).services.vllm.command).toEqual(
        rendered().services.vllm.command,
      );
    },
  );
});
