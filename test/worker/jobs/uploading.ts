// How the tests upload a file as a browser or an SDK does.
import { call, type Person, read } from "../calling.ts";

export interface ShownFile {
  id: string;
  object: string;
  bytes: number;
  filename: string;
  purpose: string;
  status: string;
  created_at: number;
  expires_at: number;
}

export async function uploadForm(key: string | null, form: FormData): Promise<Response> {
  const encoded = new Response(form);
  const type = encoded.headers.get("content-type") ?? "";
  const body = new Uint8Array(await encoded.arrayBuffer());
  return call("/v1/files", { method: "POST", key, body, headers: { "content-type": type } });
}

export function upload(person: Person, text: string, name = "batch.jsonl"): Promise<ShownFile> {
  const form = new FormData();
  form.append("purpose", "batch");
  form.append("file", new File([text], name));
  return read(uploadForm(person.key, form));
}
