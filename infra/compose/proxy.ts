// The nginx that stands between the tunnel and vLLM: it asks for the key on every route, lets through
// the table of routes and nothing else, and holds back no byte.
import { type AllowedRoute, allowedRoutes } from "./allowed-routes.ts";

export interface ProxySetting {
  port: number;
  /** `http://host:port`, with no path. */
  engine: string;
  /** Who knows the engine's name at run time; null when its address does not change. */
  resolver: string | null;
}

/** The gateway waits 1,800 s for a plain answer (its `plainMs`); whoever waits longer never cuts. */
const IDLE_SECONDS = 1_860;

/**
 * The gateway takes 8,000,000 bytes and prints the numbers of a prompt anew: `1e5` becomes `100000`.
 * With its own fields the body stays below twice that. A bundle of Completions has as much at most.
 */
const BODY_MAX = "16m";

/** Longer than the 90 s for which cloudflared keeps a connection: it must be the one that closes. */
const KEEPALIVE_SECONDS = 120;

/** vLLM that listens accepts at once; anything slower is a machine in trouble. */
const CONNECT_SECONDS = 5;

/** What a caller waits before asking again while vLLM does not listen yet. */
const RETRY_AFTER_SECONDS = 5;

/**
 * The file for /etc/nginx/templates of nginx's image, which fills in VLLM_API_KEY when it starts. The
 * key may have only letters, digits, `-` and `_`, or it could end the string that it stands in.
 */
export function proxyConfiguration({ port, engine, resolver }: ProxySetting): string {
  return `# Made by infra/compose/render.ts; make it anew instead of editing it.
server {
  listen ${port};
  server_tokens off;
  access_log off;
  default_type application/json;
${resolver === null ? "" : `  resolver ${resolver} valid=5s ipv6=off;\n`}
  # Compared byte by byte, unlike a map's keys, which ignore case.
  if ($http_authorization != "Bearer \${VLLM_API_KEY}") {
    return 401 '{"error":"Unauthorized"}';
  }

  client_max_body_size ${BODY_MAX};
  # A body goes on as it comes: a prompt is never written to this machine's disk.
  proxy_request_buffering off;
  # An answer too: nginx would run ahead of a slow reader, and keep what it has in a file.
  proxy_buffering off;
  proxy_http_version 1.1;
  proxy_set_header Connection "";
  proxy_connect_timeout ${CONNECT_SECONDS}s;
  proxy_send_timeout ${IDLE_SECONDS}s;
  proxy_read_timeout ${IDLE_SECONDS}s;
  send_timeout ${IDLE_SECONDS}s;
  keepalive_timeout ${KEEPALIVE_SECONDS}s;
  # A completion that ran twice would be paid for twice.
  proxy_next_upstream off;

  # vLLM does not listen before its weights are loaded. What it answers itself is passed on.
  error_page 502 =503 @starting;
  location @starting {
    add_header Retry-After ${RETRY_AFTER_SECONDS} always;
    return 503 '{"error":"vLLM does not listen yet"}';
  }

  location / {
    return 404 '{"error":"Not Found"}';
  }
${allowedRoutes.map((route) => location(route, engine, resolver !== null)).join("")}}
`;
}

function location({ method, path }: AllowedRoute, engine: string, looksUp: boolean): string {
  // nginx looks a name up again only where it stands in a variable; a container's address changes.
  const pass = looksUp
    ? `set $engine ${engine};\n    proxy_pass $engine;`
    : `proxy_pass ${engine};`;
  return `
  location = ${path} {
    limit_except ${method} { deny all; }
    ${pass}
  }
`;
}
