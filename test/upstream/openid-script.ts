// What a test has the scripted OpenID provider say. The script travels as the code itself, so that no
// test can get another's answer. Read in Node and in workerd.

/** How the Worker is known to the scripted provider. */
export const openidClient = { id: "continuo", secret: "the secret of the client" } as const;

export interface OpenIdScript {
  /** Makes the code unlike every other, as codes are. */
  once: string;
  /** As the browser carried it; the code is refused unless the verifier fits. */
  challenge: string;
  /** Of the ID Token, over what is right. */
  claims?: Record<string, unknown>;
  /** Told by the userinfo endpoint; the subject alone if absent. */
  userinfo?: Record<string, unknown>;
  fault?: "foreign_key" | "no_id_token" | "invalid_client" | "server_error" | "no_json" | "hang_up";
}

export function codeOf(script: OpenIdScript): string {
  return encodeURIComponent(JSON.stringify(script));
}

export function scriptOf(code: string): OpenIdScript {
  return JSON.parse(decodeURIComponent(code)) as OpenIdScript;
}
