// What may reach vLLM from outside its machine. vLLM has many more routes and its key guards only
// /v1: /invocations completes, /pause and /sleep stop it, and nobody would be asked for a key.
export interface AllowedRoute {
  readonly method: "GET" | "POST";
  readonly path: string;
}

export const allowedRoutes = [
  { method: "POST", path: "/v1/completions" },
  { method: "POST", path: "/v1/completions/bundle" },
  { method: "POST", path: "/tokenize" },
  { method: "POST", path: "/detokenize" },
  { method: "GET", path: "/v1/models" },
  { method: "GET", path: "/health" },
  { method: "GET", path: "/metrics" },
  { method: "GET", path: "/version" },
] as const satisfies readonly AllowedRoute[];
