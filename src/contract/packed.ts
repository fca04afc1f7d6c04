// What crosses to an object and back on every Completion, as one string: the runtime's structured clone
// visits each property on both sides, and took three times what JSON does.

declare const contents: unique symbol;

/** JSON of a `T` without `undefined`, dates, bytes or numbers that JSON has no word for. */
export type Packed<T> = string & { readonly [contents]?: T };

export function pack<T>(value: T): Packed<T> {
  return JSON.stringify(value);
}

export function unpack<T>(packed: Packed<T>): T {
  return JSON.parse(packed);
}
