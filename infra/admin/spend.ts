import { type AdminApi, AdminProblem } from "./admin-api.ts";

/** `spend show | limit USD | pause | resume`; each answers with the month as it is then. */
export async function spend(
  api: AdminApi,
  [verb = "", amount]: readonly string[],
  id: string | undefined,
): Promise<unknown> {
  const change = (body: object) =>
    api.call("PATCH", "/spend", { ...(id !== undefined && { id }), ...body });
  switch (verb) {
    case "show":
      return await api.call("GET", "/spend");
    case "limit":
      return await change({ limit_usd: usd(amount) });
    case "pause":
      return await change({ paused: true });
    case "resume":
      return await change({ paused: false });
    default:
      throw new AdminProblem("spend takes show, limit USD, pause or resume.");
  }
}

function usd(text = ""): number {
  // Strict, since "1.250,50" must not become one dollar and a quarter.
  if (/^\d+([_,]\d{3})*(\.\d+)?$/.test(text)) return Number(text.replaceAll(/[_,]/g, ""));
  throw new AdminProblem(`"${text}" is no amount in US dollars, such as 500 or 1_250.50.`);
}
