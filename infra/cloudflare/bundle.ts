// The Worker as it would be uploaded: its size, and a name for what is in it.
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { DeployProblem } from "./problem.ts";
import { problemOf, type Target, type Wrangler } from "./wrangler.ts";

export interface Bundle {
  /** Names the files and the configuration; the tag of the version that is made of them. */
  build: string;
  bytes: number;
  gzipBytes: number;
}

/** Cloudflare's own limit. */
export const BUNDLE_MAX_BYTES = 64 * 1024 * 1024;

/**
 * Ours, far below what may be uploaded: a Worker must start within a second, and does so anew in each
 * of Cloudflare's places. Until 2026 it was the limit of a free account.
 */
export const BUNDLE_MAX_GZIP_BYTES = 3 * 1024 * 1024;

export function buildBundle(wrangler: Wrangler, { config, environment }: Target): Bundle {
  const folder = mkdtempSync(join(tmpdir(), "continuo-bundle-"));
  try {
    const args = ["deploy", "--dry-run", "--outdir", folder];
    const built = wrangler(args);
    if (!built.ok) throw problemOf(args, built);
    // The other two are wrangler's, and not uploaded.
    const names = readdirSync(folder).filter((name) => !/^README\.md$|\.map$/.test(name));
    const files = names.sort().map((name) => ({ name, content: readFileSync(join(folder, name)) }));
    const digest = createHash("sha256")
      .update(environment ?? "")
      .update(readFileSync(config));
    for (const { name, content } of files) digest.update(name).update(content);
    const whole = Buffer.concat(files.map(({ content }) => content));
    return {
      build: `build-${digest.digest("hex").slice(0, 12)}`,
      bytes: whole.length,
      gzipBytes: gzipSync(whole).length,
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export function checkSize({ bytes, gzipBytes }: Bundle): void {
  if (bytes <= BUNDLE_MAX_BYTES && gzipBytes <= BUNDLE_MAX_GZIP_BYTES) return;
  throw new DeployProblem(
    `The Worker is too large: ${kibibytes(bytes)} of at most ${kibibytes(BUNDLE_MAX_BYTES)}, compressed ` +
      `${kibibytes(gzipBytes)} of at most ${kibibytes(BUNDLE_MAX_GZIP_BYTES)}. Find out which import made it so.`,
  );
}

export function kibibytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024).toLocaleString("en")} KiB`;
}
