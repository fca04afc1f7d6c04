// The month's spend as pictures, from pure figures. The outer picture places by per cent, so that text
// and strokes keep their size on every screen; what must bend with it lies in an inner one. Colours come
// from the look by class.
import type { Child } from "hono/jsx";
import type { SpendOverview } from "../../../contract/spend.ts";
import {
  type CurvePoint,
  type SpendCurve,
  type SpendGauge,
  spendCurve,
  spendGauge,
} from "../../../core/spend-curve.ts";
import { usd } from "../layout/amounts.tsx";

/** Where the plot begins and ends in the picture's height; the days stand below it. */
const PLOT_TOP = 0.1;
const PLOT_BOTTOM = 0.88;

/** The inner picture's own measure, stretched to whatever room there is. */
const INNER = 1_000;

/** Text stands that much above its line. */
const TEXT_LIFT_PX = -4;

export function Curve({ overview, now }: { overview: SpendOverview; now: number }): Child {
  const curve = spendCurve(overview, now);
  return (
    <svg
      class="spend-curve"
      role="img"
      aria-label={curveInWords(overview)}
      width="100%"
      height="220"
    >
      {curve.ticks.map(({ usd: amount, y }) => (
        <Level y={y} kind="grid" text={y === 0 ? "" : usd(amount)} />
      ))}
      {curve.days.map(({ day, x }) => (
        <text class="axis" x={percent(x)} y="98%">
          {day}
        </text>
      ))}
      <svg
        x="0"
        y={percent(PLOT_TOP)}
        width="100%"
        height={percent(PLOT_BOTTOM - PLOT_TOP)}
        viewBox={`0 0 ${INNER} ${INNER}`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        <polygon class="spent-area" points={area(curve)} />
        <polyline
          class="spent-line"
          points={points(curve.spent)}
          vector-effect="non-scaling-stroke"
        />
        <polyline
          class="forecast-line"
          points={points(curve.forecast)}
          vector-effect="non-scaling-stroke"
        />
      </svg>
      {curve.limitY === null ? null : <Level y={curve.limitY} kind="limit" text="" />}
    </svg>
  );
}

/** A line across the plot, with what it stands for above its left end. */
function Level(props: { y: number; kind: "grid" | "limit"; text: string }): Child {
  const y = percent(PLOT_BOTTOM - props.y * (PLOT_BOTTOM - PLOT_TOP));
  return (
    <>
      <line class={`${props.kind}-line`} x1="0" x2="100%" y1={y} y2={y} />
      <text class="axis" x="0" y={y} dy={TEXT_LIFT_PX}>
        {props.text}
      </text>
    </>
  );
}

export function Gauge({ overview }: { overview: SpendOverview }): Child {
  const gauge = spendGauge(overview);
  return (
    <svg
      class="spend-gauge"
      role="img"
      aria-label={gaugeInWords(overview, gauge)}
      width="100%"
      height="24"
    >
      <rect class="gauge-room" width="100%" height="100%" rx="4" />
      <rect class="gauge-spent" width={percent(gauge.spent)} height="100%" rx="4" />
      <rect
        class="gauge-wind-down"
        x={percent(gauge.spent)}
        width={percent(gauge.windDown)}
        height="100%"
      />
      {gauge.limit > 0 && gauge.limit < 1 ? (
        <line
          class="limit-line"
          x1={percent(gauge.limit)}
          x2={percent(gauge.limit)}
          y1="0"
          y2="100%"
        />
      ) : null}
    </svg>
  );
}

function curveInWords({ spentUsd, forecastUsd, limitUsd }: SpendOverview): string {
  return `Spent so far ${usd(spentUsd)}, forecast for the month's end ${usd(forecastUsd)}, limit ${usd(limitUsd)}.`;
}

function gaugeInWords(overview: SpendOverview, { spentPercent }: SpendGauge): string {
  const share = spentPercent === null ? "" : `, ${Math.round(spentPercent)} %`;
  const { spentUsd, limitUsd, windDownUsd } = overview;
  return `${usd(spentUsd)} of ${usd(limitUsd)} spent${share}; ${usd(windDownUsd)} reserved.`;
}

function percent(share: number): string {
  return `${Math.round(share * 10_000) / 100}%`;
}

function points(list: readonly CurvePoint[]): string {
  return list
    .map(({ x, y }) => `${Math.round(x * INNER)},${Math.round((1 - y) * INNER)}`)
    .join(" ");
}

/** What lies below the line of what was spent. */
function area({ spent }: SpendCurve): string {
  const last = spent.at(-1)?.x ?? 0;
  return points([...spent, { x: last, y: 0 }, { x: 0, y: 0 }]);
}
