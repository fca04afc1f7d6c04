// The graph's picture: boxes and the lines between them, as far as they are in sight.
import { inOneLine, make } from "../dom/make.ts";
import type { GraphLayout } from "./graph-layout.ts";
import { textOf } from "./pieces.ts";
import { type NodeId, nodeOf, pathTo, type Tree } from "./tree.ts";

export const COLUMN_PX = 220;
export const LINE_PX = 34;
export const BOX_WIDTH_PX = 180;
export const BOX_HEIGHT_PX = 26;
/** What fits into a box at its size. */
const BOX_CHARACTERS = 24;
/** Below it letters are not read, so that none are drawn. */
const ZOOM_OF_TEXT = 0.5;

export interface Camera {
  /** What of the graph stands at the canvas's corner, in its own pixels. */
  x: number;
  y: number;
  zoom: number;
}

type Colour = "page" | "raised" | "line" | "edge" | "text" | "accent" | "on-accent" | "busy";

export function drawGraph(
  canvas: HTMLCanvasElement,
  camera: Camera,
  tree: Tree,
  layout: GraphLayout,
): void {
  const context = canvas.getContext("2d");
  if (context === null) return;
  const { clientWidth: width, clientHeight: height } = canvas;
  const density = devicePixelRatio;
  if (canvas.width !== width * density) canvas.width = width * density;
  if (canvas.height !== height * density) canvas.height = height * density;
  const colour = coloursOf(canvas);
  const { x, y, zoom } = camera;
  context.setTransform(density, 0, 0, density, 0, 0);
  context.clearRect(0, 0, width, height);
  context.setTransform(
    density * zoom,
    0,
    0,
    density * zoom,
    -x * zoom * density,
    -y * zoom * density,
  );
  const right = x + width / zoom;
  const bottom = y + height / zoom;
  const path = new Set(pathTo(tree, tree.selected).map(({ id }) => id));
  drawEdges(context, layout, { path, colour, zoom, top: y, bottom, left: x, right });
  context.font = "12px ui-monospace, 'DejaVu Sans Mono', monospace";
  context.textBaseline = "middle";
  context.lineWidth = 1 / Math.min(zoom, 1);
  for (const { id, column, line } of layout.places) {
    const left = column * COLUMN_PX;
    const top = line * LINE_PX;
    if (left > right || left + BOX_WIDTH_PX < x || top > bottom || top + BOX_HEIGHT_PX < y)
      continue;
    const node = nodeOf(tree, id);
    const isSelected = id === tree.selected;
    context.fillStyle = isSelected ? colour.accent : colour.raised;
    context.strokeStyle = path.has(id)
      ? colour.accent
      : node.bookmarked
        ? colour.busy
        : colour.edge;
    context.globalAlpha = node.hidden ? 0.5 : 1;
    context.fillRect(left, top, BOX_WIDTH_PX, BOX_HEIGHT_PX);
    context.strokeRect(left, top, BOX_WIDTH_PX, BOX_HEIGHT_PX);
    if (zoom >= ZOOM_OF_TEXT) {
      context.fillStyle = isSelected ? colour["on-accent"] : colour.text;
      const below = node.folded && node.children.length > 0 ? "▸ " : "";
      const mark = `${node.bookmarked ? "★ " : ""}${below}`;
      const words = inOneLine(textOf(node.pieces), BOX_CHARACTERS - mark.length - 1).trimStart();
      context.fillText(mark + words, left + 6, top + BOX_HEIGHT_PX / 2, BOX_WIDTH_PX - 12);
    }
    context.globalAlpha = 1;
  }
}

function drawEdges(
  context: CanvasRenderingContext2D,
  layout: GraphLayout,
  sight: {
    path: ReadonlySet<NodeId>;
    colour: Record<Colour, string>;
    zoom: number;
    top: number;
    bottom: number;
    left: number;
    right: number;
  },
): void {
  const { path, colour, zoom, top, bottom, left, right } = sight;
  const quiet = new Path2D();
  const current = new Path2D();
  for (const { id, parent, column, line } of layout.places) {
    const above = parent === null ? undefined : layout.byId.get(parent);
    if (above === undefined) continue;
    const fromX = above.column * COLUMN_PX + BOX_WIDTH_PX;
    const fromY = above.line * LINE_PX + BOX_HEIGHT_PX / 2;
    const toX = column * COLUMN_PX;
    const toY = line * LINE_PX + BOX_HEIGHT_PX / 2;
    if (fromX > right || toX < left || Math.max(fromY, toY) < top) continue;
    if (Math.min(fromY, toY) > bottom) continue;
    const edge = path.has(id) ? current : quiet;
    edge.moveTo(fromX, fromY);
    const middle = (fromX + toX) / 2;
    edge.bezierCurveTo(middle, fromY, middle, toY, toX, toY);
  }
  context.lineWidth = 1 / Math.min(zoom, 1);
  context.strokeStyle = colour.edge;
  context.stroke(quiet);
  context.lineWidth *= 2;
  context.strokeStyle = colour.accent;
  context.stroke(current);
}

/** A canvas knows no `light-dark()`: the page resolves each name to a colour of its theme. */
function coloursOf(canvas: HTMLCanvasElement): Record<Colour, string> {
  const probe = make("span", { hidden: true });
  canvas.parentElement?.append(probe);
  const style = getComputedStyle(probe);
  const resolve = (name: Colour) => {
    probe.style.color = `var(--${name})`;
    return style.color;
  };
  const colours = {
    page: resolve("page"),
    raised: resolve("raised"),
    line: resolve("line"),
    edge: resolve("edge"),
    text: resolve("text"),
    accent: resolve("accent"),
    "on-accent": resolve("on-accent"),
    busy: resolve("busy"),
  };
  probe.remove();
  return colours;
}
