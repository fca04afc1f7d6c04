// How an API key looks: `ctn_<account id>_<secret><check>`, in Crockford's base 32 without upper case.

/** As a scanner of leaks registers it; docs/operate/leaked-keys.md has it word for word. */
export const KEY_PATTERN = "ctn_[0-9a-hjkmnp-tv-z]{16}_[0-9a-hjkmnp-tv-z]{40}";

const keys = new RegExp(KEY_PATTERN, "g");

/** The same text without the keys in it: what a sender writes may quote what leaked. */
export function withoutKeys(text: string): string {
  return text.replaceAll(keys, "ctn_…");
}
