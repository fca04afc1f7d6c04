// The month's spend as pictures, from pure figures. Pictures stretch with the page and their words do
// not: those stand beside them. Colours come from the look by class.
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

/** The curve's own measure, stretched to whatever room there is. */
const INNER = 1_000;

export function Curve({ overview, now }: { overview: SpendOverview; now: number }): Child {
  const curve = spendCurve(overview, now);
  return (
    <figure class="chart">
      <div class="chart-plot">
        <div class="chart-scale" aria-hidden="true">
          {curve.ticks.toReversed().map((tick) => (
            <span>{usd(tick.usd).replace(".00", "")}</span>
          ))}
        </div>
        <svg viewBox={`0 0 ${INNER} ${INNER}`} preserveAspectRatio="none" role="img">
          <title>{curveInWords(overview)}</title>
          {curve.ticks.map(({ y }) => (
            <Level y={y} kind="chart-grid" />
          ))}
          <polygon class="spent-area" points={area(curve)} />
          <polyline class="spent-line" points={points(curve.spent)} />
          <polyline class="forecast-line" points={points(curve.forecast)} />
          {curve.limitY === null ? null : <Level y={curve.limitY} kind="limit-line" />}
        </svg>
        <div class="chart-days" aria-hidden="true">
          <span>{dayName(overview.month, 1)}</span>
          <span>{dayName(overview.month, curve.lastDay)}</span>
        </div>
      </div>
      <ul class="legend">
        <Key kind="spent-area">Spent, day by day</Key>
        <Key kind="forecast-line">Forecast: the month's end, if it goes on as it went so far</Key>
        {curve.limitY === null ? null : <Key kind="limit-line">Limit</Key>}
      </ul>
    </figure>
  );
}

function Level({ y, kind }: { y: number; kind: string }): Child {
  const at = Math.round((1 - y) * INNER);
  return <line class={kind} x1="0" x2={INNER} y1={at} y2={at} />;
}

/** A sample of what is drawn, and what it means. */
function Key({ kind, children }: { kind: string; children?: Child }): Child {
  const isLine = kind.endsWith("-line");
  return (
    <li>
      <svg viewBox="0 0 10 10" aria-hidden="true">
        {isLine ? (
          <line class={kind} x1="0" x2="10" y1="5" y2="5" />
        ) : (
          <rect class={kind} width="10" height="10" />
        )}
      </svg>
      {children}
    </li>
  );
}

/** `2026-11`, 1 → `November 1`. */
function dayName(month: string, day: number): string {
  const date = new Date(`${month}-${String(day).padStart(2, "0")}`);
  return date.toLocaleDateString("en-US", { month: "long", day: "numeric", timeZone: "UTC" });
}

/** Places are in per cent, so that the corners stay round on every width. */
export function Gauge({ overview }: { overview: SpendOverview }): Child {
  const gauge = spendGauge(overview);
  const { spentUsd, windDownUsd, limitUsd } = overview;
  return (
    <figure class="chart">
      <svg class="gauge" role="img">
        <title>{gaugeInWords(overview, gauge)}</title>
        <rect class="gauge-left" width="100%" height="100%" />
        <rect class="gauge-spent" width={percent(gauge.spent)} height="100%" />
        <rect
          class="gauge-reserved"
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
      <ul class="legend">
        <Key kind="gauge-spent">Spent {usd(spentUsd)}</Key>
        <Key kind="gauge-reserved">Reserved {usd(windDownUsd)}</Key>
        <Key kind="gauge-left">Left {usd(Math.max(limitUsd - spentUsd - windDownUsd, 0))}</Key>
      </ul>
    </figure>
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
