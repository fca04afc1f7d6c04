// Prompts that several cases share, and how they ask.
import type { Choice } from "../answers.ts";
import type { Body, Target } from "../target.ts";

export const ISHMAEL = "Call me Ishmael. Some years ago";

/** Asks for one choice, always with the same fields besides. */
export function caller(target: Target, always: Body): (body: Body) => Promise<Choice> {
  return (body) => target.one({ ...always, ...body });
}

/** Text that breaks careless readers: of characters, of lines, of JSON, of objects' keys. */
export const hostileTexts: Readonly<Record<string, string>> = {
  emoji: "🎉👩‍👩‍👧‍👦🏴‍☠️ and 🇩🇪",
  "lone combining marks": "\u0301\u0308a\u0301",
  "line separators": "a\u2028b\u2029c\u0085d",
  "an end of choices": 'x"}],"usage":{"prompt_tokens":1},"choices":[{"index":0,"text":"',
  "a key of objects": '__proto__ constructor "__proto__":{"a":1}',
  "an event's end": "data: [DONE]\n\ndata: {}\n\n: comment\r\n\r\n",
  escapes: 'back\\slash "quoted" \\u0041 \b\f\t \u0000\u001f\u007f',
  "other writing": "中文字 العربية עברית हिन्दी ไทย \u202eright to left\u202c",
  "beyond the first plane": "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 \u{10ffff}",
  "replacement characters": "\ufffd\ufffd \ufeff",
  spaces: "   \n\n\n\t\t  \r\n ",
  "special tokens": "<|endoftext|>a<|endoftext|>",
  html: "<script>alert(1)</script>&amp;",
};
