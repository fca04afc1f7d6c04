// Numbers and strings as Python's json module writes them. The answers of a real vLLM come from
// there, and byte-exact forwarding is only tested if these bytes are the same kind of bytes.

/** A float as Python prints it: `-1.0` keeps its point, exponents have two digits (`1e-07`). */
function pythonFloat(value: number): string {
  if (Object.is(value, -0)) return "-0.0";
  const text = String(value);
  const exponent = text.indexOf("e");
  if (exponent < 0) {
    if (text.includes(".")) return text;
    return `${text}.0`;
  }
  const digits = text.slice(exponent + 2);
  return `${text.slice(0, exponent + 2)}${digits.length < 2 ? `0${digits}` : digits}`;
}

/** Python switches to exponents below 1e-4, JavaScript below 1e-6. */
export function logprobText(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && size < 1e-4) return pythonExponent(value);
  return pythonFloat(value);
}

function pythonExponent(value: number): string {
  const [mantissa = "0", exponent = "0"] = value.toExponential().split("e");
  const sign = exponent.startsWith("-") ? "-" : "+";
  const digits = exponent.replace(/^[+-]/, "");
  return `${mantissa}e${sign}${digits.padStart(2, "0")}`;
}

/** `json.dumps` with its defaults: spaces after separators, everything beyond ASCII escaped. */
export function pythonDumps(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (typeof value === "string") return asciiQuote(value);
  if (Array.isArray(value)) return `[${value.map(pythonDumps).join(", ")}]`;
  if (typeof value === "object") {
    const pairs = Object.entries(value).map(
      ([key, item]) => `${asciiQuote(key)}: ${pythonDumps(item)}`,
    );
    return `{${pairs.join(", ")}}`;
  }
  return String(value);
}

function asciiQuote(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Python counts characters, JavaScript counts UTF-16 units; text offsets are Python's. */
export function characterCount(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit <= 0xdbff) count--;
  }
  return count;
}
