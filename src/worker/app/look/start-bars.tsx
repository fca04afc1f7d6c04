// The last starts of a Model, the newest at the end, as bars of their duration.
import type { Child } from "hono/jsx";
import { duration, exactTime } from "../layout/amounts.tsx";

const BAR = 24;
const GAP = 8;
const HEIGHT = 100;

/** A start of no time is a line still. */
const LEAST = 3;

/** `starts` newest first, as the Inference object tells them. */
export function StartBars(props: { starts: readonly { at: number; durationMs: number }[] }): Child {
  const starts = props.starts.toReversed();
  const longest = Math.max(1, ...starts.map(({ durationMs }) => durationMs));
  const words = starts.map(({ durationMs }) => duration(durationMs)).join(", ");
  return (
    <svg
      class="starts"
      viewBox={`0 0 ${starts.length * BAR} ${HEIGHT}`}
      preserveAspectRatio="xMinYMid"
      role="img"
    >
      <title>{`The last starts took ${words}.`}</title>
      {starts.map(({ at, durationMs }, index) => {
        const height = Math.max(LEAST, Math.round((HEIGHT * durationMs) / longest));
        return (
          <rect
            class="series-1"
            x={index * BAR}
            width={BAR - GAP}
            y={HEIGHT - height}
            height={height}
          >
            <title>{`${exactTime(at)}: ${duration(durationMs)}`}</title>
          </rect>
        );
      })}
    </svg>
  );
}
