// What pages load beside themselves: the look and small scripts. Each address carries a hash of
// the content, so browsers may keep it for good.
import type { Context } from "hono";
import htmx from "htmx.org/dist/htmx.min.js";
import compareScript from "../../../dist/islands/compare.client.js";
import loomScript from "../../../dist/islands/loom.client.js";
import workbenchScript from "../../../dist/islands/workbench.client.js";
import docsScript from "../docs/docs.client.js";
import docsLook from "../docs/docs.css";
import type { AppEnv } from "../environment.ts";
import { Refused } from "../refuse.ts";
import compareLook from "./compare/compare.css";
import admin from "./look/admin.css";
import around from "./look/around.css";
import base from "./look/base.css";
import blocks from "./look/blocks.css";
import buttons from "./look/buttons.css";
import charts from "./look/charts.css";
import figures from "./look/figures.css";
import forms from "./look/forms.css";
import icon from "./look/icon.svg";
import jobs from "./look/jobs.css";
import modelText from "./look/model-text.css";
import newJobScript from "./look/new-job.client.js";
import pageScript from "./look/page.client.js";
import paper from "./look/paper.css";
import request from "./look/request.css";
import tables from "./look/tables.css";
import webhooks from "./look/webhooks.css";
import workbench from "./look/workbench.css";
import loomLook from "./loom/loom.css";

/** In the order in which they overrule each other. */
const look = [
  base,
  around,
  blocks,
  figures,
  tables,
  buttons,
  forms,
  charts,
  admin,
  jobs,
  webhooks,
  paper,
].join("\n");

const assets = {
  "look.css": { text: look, type: "text/css; charset=utf-8" },
  "htmx.js": { text: htmx, type: "text/javascript; charset=utf-8" },
  "page.js": { text: pageScript, type: "text/javascript; charset=utf-8" },
  "new-job.js": { text: newJobScript, type: "text/javascript; charset=utf-8" },
  "workbench.css": { text: instrument(workbench), type: "text/css; charset=utf-8" },
  "workbench.js": { text: workbenchScript, type: "text/javascript; charset=utf-8" },
  "docs.css": { text: docsLook, type: "text/css; charset=utf-8" },
  "docs.js": { text: docsScript, type: "text/javascript; charset=utf-8" },
  "compare.css": { text: instrument(compareLook), type: "text/css; charset=utf-8" },
  "compare.js": { text: compareScript, type: "text/javascript; charset=utf-8" },
  "loom.css": { text: instrument(loomLook), type: "text/css; charset=utf-8" },
  "loom.js": { text: loomScript, type: "text/javascript; charset=utf-8" },
  "icon.svg": { text: icon, type: "image/svg+xml" },
} as const;

/** What the pages share that show model text, before what is one's own. */
function instrument(own: string): string {
  return [modelText, request, own].join("\n");
}

export type AssetName = keyof typeof assets;

const YEAR_SECONDS = 31_536_000;

const urls = new Map<AssetName, string>();

/** `look.css` → `/assets/look-1a2b3c4d.css`. */
export function assetUrl(name: AssetName): string {
  let url = urls.get(name);
  if (url === undefined) {
    const [stem, ending] = name.split(".");
    url = `/assets/${stem}-${contentHash(assets[name].text)}.${ending}`;
    urls.set(name, url);
  }
  return url;
}

/** `GET /assets/*`. A page of the version before this one gets today's content, but may not keep it. */
export function showAsset(c: Context<AppEnv>): Response {
  const name = c.req.path.replace(/^\/assets\//, "").replace(/-[0-9a-f]{8}\./, ".");
  if (!isAsset(name)) throw new Refused({ code: "not_found", message: "There is no such asset." });
  const { text, type } = assets[name];
  const current = c.req.path === assetUrl(name);
  return c.body(text, 200, {
    "content-type": type,
    "cache-control": current ? `public, max-age=${YEAR_SECONDS}, immutable` : "no-cache",
    "x-content-type-options": "nosniff",
  });
}

function isAsset(name: string): name is AssetName {
  return Object.hasOwn(assets, name);
}

/** FNV-1a, 32 bits: tells two versions apart, protects nothing. */
function contentHash(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
