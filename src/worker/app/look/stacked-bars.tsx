// Stacked bars as a picture. The picture stretches with the page and its words do not: they stand
// beside it. Colours come from the look by class.
import type { Child } from "hono/jsx";
import type { BarSeries, StackedBars } from "../../../core/stacked-bars.ts";
import { count, roughly } from "../layout/amounts.tsx";
import { Name } from "../layout/parts.tsx";

/** The picture's own measure, stretched to whatever room there is. */
const HEIGHT = 1_000;
const BAR = 10;

/** Between bars, of a bar's room. */
const GAP = 2;

export function StackedBarChart(props: {
  figures: StackedBars;
  /** Says the same in words; the table below has the amounts. */
  label: string;
  nameOf: (series: string) => string;
}): Child {
  const { figures, label, nameOf } = props;
  const { bars, ticks, series } = figures;
  const named = (one: BarSeries) => (one.series === null ? "Others" : nameOf(one.series));
  const width = bars.length * BAR;
  return (
    <figure class="chart">
      <div class="chart-plot">
        <div class="chart-scale" aria-hidden="true">
          {ticks.toReversed().map((tick) => (
            <span>{roughly(tick)}</span>
          ))}
        </div>
        <svg viewBox={`0 0 ${width} ${HEIGHT}`} preserveAspectRatio="none" role="img">
          <title>{label}</title>
          {ticks.map((tick) => {
            const y = HEIGHT * (1 - tick / (ticks.at(-1) ?? 1));
            return <line class="chart-grid" x1="0" x2={width} y1={y} y2={y} />;
          })}
          {bars.flatMap((bar, index) =>
            bar.segments.map(({ place, amount, from, height }) => (
              <rect
                class={seriesClass(series, place)}
                x={index * BAR + GAP / 2}
                width={BAR - GAP}
                y={round(HEIGHT * (1 - from - height))}
                height={round(HEIGHT * height)}
              >
                <title>{titleOf(bar.label, series[place], named, amount)}</title>
              </rect>
            )),
          )}
        </svg>
        <div class="chart-days" aria-hidden="true">
          {atMostThree(bars.map((bar) => bar.label)).map((day) => (
            <span>{day}</span>
          ))}
        </div>
      </div>
      <ul class="legend">
        {series.map((one, place) => (
          <li>
            <svg viewBox="0 0 1 1" aria-hidden="true">
              <rect class={seriesClass(series, place)} width="1" height="1" />
            </svg>
            <Name>{named(one)}</Name> <span class="quiet">{count(one.total)}</span>
          </li>
        ))}
      </ul>
    </figure>
  );
}

function titleOf(
  day: string,
  one: BarSeries | undefined,
  named: (one: BarSeries) => string,
  amount: number,
): string {
  return `${day} · ${one === undefined ? "" : named(one)} · ${count(amount)} tokens`;
}

function seriesClass(series: readonly BarSeries[], place: number): string {
  return series[place]?.series === null ? "series-other" : `series-${place + 1}`;
}

/** The first, the middle and the last: more do not fit a narrow screen. */
function atMostThree(labels: readonly string[]): string[] {
  const wanted = [0, Math.floor((labels.length - 1) / 2), labels.length - 1];
  return [...new Set(wanted)].flatMap((index) => labels[index] ?? []);
}

/** Pictures need no more than that, and pages stay small. */
function round(value: number): number {
  return Math.round(value * 10) / 10;
}
