/** A body's `expires_at`, already checked for its form, in ms; null is never, undefined unchanged. */
export function readExpiry<Absent extends null | undefined>(
  time: string | Absent,
): number | Absent {
  return typeof time === "string" ? Date.parse(time) : time;
}
