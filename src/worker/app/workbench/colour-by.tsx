import type { Child } from "hono/jsx";

/** By what tokens are coloured, and what each colour means; the script fills in the legend. */
export function ColourBy(): Child {
  return (
    <>
      <span class="inline">
        <label for="measure">Colour by</label>
        <select id="measure">
          <option value="bits">surprise in bits</option>
          <option value="logprob">log-probability</option>
          <option value="rank">rank</option>
        </select>
      </span>
      <ul id="legend" class="legend" aria-label="Surprise in bits" />
    </>
  );
}
