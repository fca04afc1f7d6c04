// Shapes of lists and maps, checked by plain loops: a prompt of a million ids must not become a
// million schema objects. Each check answers null, or the rest of a sentence that begins with the
// field's name. Positions are counted from 1; contents are never repeated.
import { describeValue } from "./problems.ts";
import { requestLimits as limits } from "./request-limits.ts";

export type Check = (value: unknown) => string | null;

const fromNothing =
  "to sample from nothing, send the Model's BOS id, which `GET /v1/models` has as `bos_id`";
const emptyPrompt = `is empty; ${fromNothing}`;

function isTokenId(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** The position of the first member that is no token id, from 1; 0 when all are. */
function firstWrongId(list: readonly unknown[]): number {
  for (let at = 0; at < list.length; at++) if (!isTokenId(list[at])) return at + 1;
  return 0;
}

/** What is wrong with a member of a prompt, without its value: numbers there are the prompt. */
function wrongMember(value: unknown): string {
  if (typeof value !== "number") return `is ${describeValue(value)}`;
  return value < 0 ? "is a negative number" : "is not a whole number";
}

function checkIdPrompt(list: readonly unknown[]): string | null {
  const wrong = firstWrongId(list);
  if (wrong === 0) return null;
  const member = list[wrong - 1];
  const mixed = typeof member === "string" || Array.isArray(member);
  return mixed
    ? `mixes token ids with other members: member ${wrong} is ${describeValue(member)}`
    : `must have token ids of 0 and more: member ${wrong} ${wrongMember(member)}`;
}

function checkTextPrompts(list: readonly unknown[]): string | null {
  for (let at = 0; at < list.length; at++) {
    const member = list[at];
    if (member === "") return `has an empty member, number ${at + 1}; ${fromNothing}`;
    if (typeof member !== "string") {
      return `mixes strings with other members: member ${at + 1} is ${describeMember(member)}`;
    }
  }
  return null;
}

function checkIdListPrompts(list: readonly unknown[]): string | null {
  for (let at = 0; at < list.length; at++) {
    const member: unknown = list[at];
    if (!Array.isArray(member)) {
      return `mixes lists of ids with other members: member ${at + 1} is ${describeMember(member)}`;
    }
    if (member.length === 0) {
      return `has an empty member, number ${at + 1}; ${fromNothing}`;
    }
    const wrong = firstWrongId(member);
    if (wrong !== 0) {
      return `must have token ids of 0 and more: in member ${at + 1}, id ${wrong} ${wrongMember(member[wrong - 1])}`;
    }
  }
  return null;
}

function describeMember(value: unknown): string {
  return typeof value === "number" ? "a number" : describeValue(value);
}

export const checkPrompt: Check = (value) => {
  if (value === "") return emptyPrompt;
  if (typeof value === "string") return null;
  if (!Array.isArray(value)) {
    return `must be a string, a list of strings, a list of token ids, or a list of such lists, not ${describeMember(value)}`;
  }
  const [first]: unknown[] = value;
  if (value.length === 0) return emptyPrompt;
  if (typeof first === "number") return checkIdPrompt(value);
  if (typeof first !== "string" && !Array.isArray(first)) {
    return `must have strings, token ids or lists of token ids: member 1 is ${describeValue(first)}`;
  }
  if (value.length > limits.prompts) {
    return `has ${value.length} prompts; at most ${limits.prompts} go into one request`;
  }
  return typeof first === "string" ? checkTextPrompts(value) : checkIdListPrompts(value);
};

export function idList(accepts: string, least: number, most: number): Check {
  return (value) => {
    if (!Array.isArray(value)) return `must be ${accepts}, not ${describeValue(value)}`;
    if (value.length < least || value.length > most) {
      return `must be ${accepts}; it has ${value.length}`;
    }
    const wrong = firstWrongId(value);
    return wrong === 0
      ? null
      : `must be ${accepts}; member ${wrong} is ${describeValue(value[wrong - 1])}`;
  };
}

export function stringList(accepts: string, most: number, characters: number): Check {
  return (value) => {
    if (!Array.isArray(value)) return `must be ${accepts}, not ${describeValue(value)}`;
    if (value.length > most) return `must be ${accepts}; it has ${value.length}`;
    for (let at = 0; at < value.length; at++) {
      const member: unknown = value[at];
      if (typeof member !== "string" || member === "") {
        return `must be ${accepts}; member ${at + 1} is ${describeValue(member)}`;
      }
      if (member.length > characters) {
        return `must be ${accepts}; member ${at + 1} has ${member.length}`;
      }
    }
    return null;
  };
}

/** A string alone stands for a list of one. */
export function stringOrList(accepts: string, most: number, characters: number): Check {
  const list = stringList(accepts, most, characters);
  return (value) => {
    if (typeof value !== "string") return list(value);
    if (value === "") return `must be ${accepts}; it is an empty string`;
    return value.length > characters ? `must be ${accepts}; it has ${value.length}` : null;
  };
}

export function biasMap(accepts: string, most: number, bias: number): Check {
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return `must be ${accepts}, not ${describeValue(value)}`;
    }
    // Keys first: the pairs of an object that is far too large would cost more than parsing it.
    const { length } = Object.keys(value);
    if (length > most) return `must be ${accepts}; it has ${length}`;
    for (const [key, weight] of Object.entries(value)) {
      const id = Number(key);
      // String(id) refuses what Python's int() would take besides: "+5", "0x5", " 5", "5_0".
      if (!isTokenId(id) || String(id) !== key) {
        return `must be ${accepts}; a key in it is no token id`;
      }
      if (typeof weight !== "number" || !(Math.abs(weight) <= bias)) {
        return `must be ${accepts}; the one of id ${key} is ${describeValue(weight)}`;
      }
    }
    return null;
  };
}
