// Whether a Model is Warm, asked without starting it.
import type { AnswerHead, ApiClient } from "./client.ts";

export interface ModelState {
  warm: "warm" | "starting" | "cold";
  /** Null before its first start. */
  last_cold_start_seconds: number | null;
}

/** Rejects as the client does. An id may have slashes, which stay. */
export function modelState(api: ApiClient, id: string): Promise<[ModelState, AnswerHead]> {
  const path = id.split("/").map(encodeURIComponent).join("/");
  return api.get<ModelState>(`/v1/models/${path}`);
}
