/** A whole HTTP request with a JSON body; ASCII only, so that characters are bytes. */
export function requestText(
  address: { host: string; port: number; path: string },
  headers: Readonly<Record<string, string>>,
  body: Readonly<Record<string, unknown>>,
): string {
  const json = JSON.stringify(body);
  const lines = [
    `POST ${address.path} HTTP/1.1`,
    `host: ${address.host}:${address.port}`,
    "content-type: application/json",
    `content-length: ${json.length}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return `${lines.join("\r\n")}\r\n\r\n${json}`;
}
