// Sorting thousands of tokens by score, the inner loop of top_p. A typed array sorts natively only
// by plain numbers, so the id rides in the lowest bits of the score; a last pass with the exact
// scores puts right what those bits moved.

/** Sorts `ids` by falling score, equal scores by rising id. Scores must be finite. */
export function sortByScore(ids: Uint16Array, scores: Float64Array): Uint16Array {
  const keys = Float64Array.from(ids, (id) => scores[id] as number);
  const words = new Uint32Array(keys.buffer);
  ids.forEach((id, i) => {
    // The lower word of a little-endian double. A negative number falls as its bits rise.
    const low = 2 * i;
    const tag = (keys[i] as number) < 0 ? id : 0xffff - id;
    words[low] = (((words[low] as number) & 0xffff0000) | tag) >>> 0;
  });
  keys.sort();
  const sorted = new Uint16Array(ids.length);
  for (let i = 0; i < keys.length; i++) {
    const from = keys.length - 1 - i;
    const tag = (words[2 * from] as number) & 0xffff;
    sorted[i] = (keys[from] as number) < 0 ? tag : 0xffff - tag;
  }
  insertExactly(sorted, scores);
  return sorted;
}

/** An insertion sort: linear, because the order is right but for nearly equal neighbours. */
function insertExactly(sorted: Uint16Array, scores: Float64Array): void {
  for (let i = 1; i < sorted.length; i++) {
    const id = sorted[i] as number;
    const score = scores[id] as number;
    let place = i;
    while (place > 0) {
      const other = sorted[place - 1] as number;
      const there = scores[other] as number;
      if (there > score || (there === score && other < id)) break;
      sorted[place] = other;
      place--;
    }
    sorted[place] = id;
  }
}
