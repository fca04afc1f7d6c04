// The tree as a graph, on a canvas: only what is in sight is drawn, so thousands of branches move in
// less than a frame. The list says the same to whoever cannot see it.
import { make, oncePerFrame } from "../dom/make.ts";
import { onDrag } from "./drag.ts";
import {
  BOX_HEIGHT_PX,
  BOX_WIDTH_PX,
  type Camera,
  COLUMN_PX,
  drawGraph,
  LINE_PX,
} from "./graph-drawing.ts";
import { type GraphLayout, layOut } from "./graph-layout.ts";
import type { NodeId, Tree } from "./tree.ts";

const ZOOM_LEAST = 0.02;
const ZOOM_MOST = 3;
const ZOOM_STEP = 1.25;

export interface GraphView {
  readonly element: HTMLElement;
  show(tree: Tree, showsHidden: boolean): void;
  layout(): GraphLayout | null;
  /** By a step, about the middle. */
  zoom(direction: 1 | -1): void;
  /** All of it in sight. */
  fit(): void;
}

export function makeGraphView(select: (id: NodeId) => void): GraphView {
  const canvas = make("canvas", { class: "loom-canvas" });
  // The list has each branch by name; a canvas has one name for all.
  const element = make("div", { class: "loom-graph", tabindex: 0, role: "img" }, canvas);
  const camera: Camera = { x: -40, y: -40, zoom: 1 };
  let shown: { tree: Tree; showsHidden: boolean; layout: GraphLayout } | null = null;
  const redraw = oncePerFrame(() => {
    if (shown !== null) drawGraph(canvas, camera, shown.tree, shown.layout);
  });

  function zoomAt(x: number, y: number, factor: number): void {
    const zoom = Math.min(ZOOM_MOST, Math.max(ZOOM_LEAST, camera.zoom * factor));
    camera.x += x / camera.zoom - x / zoom;
    camera.y += y / camera.zoom - y / zoom;
    camera.zoom = zoom;
    redraw();
  }
  element.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const { left, top } = element.getBoundingClientRect();
      const x = event.clientX - left;
      if (event.ctrlKey || event.metaKey || !event.shiftKey) {
        zoomAt(x, event.clientY - top, Math.exp(-event.deltaY / 400));
        return;
      }
      camera.x += (event.deltaX + event.deltaY) / camera.zoom;
      redraw();
    },
    { passive: false },
  );
  onDrag(element, {
    move(dx, dy) {
      camera.x -= dx / camera.zoom;
      camera.y -= dy / camera.zoom;
      redraw();
    },
    click(x, y) {
      const id = shown === null ? null : nodeAt(shown.layout, camera, x, y);
      if (id !== null) select(id);
    },
    pinch: zoomAt,
  });
  new ResizeObserver(redraw).observe(element);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);

  return {
    element,
    layout: () => shown?.layout ?? null,
    show(tree, showsHidden) {
      const isSame = shown?.tree.nodes === tree.nodes && shown.showsHidden === showsHidden;
      const isMoved = shown?.tree.selected !== tree.selected;
      const layout = isSame && shown !== null ? shown.layout : layOut(tree, showsHidden);
      shown = { tree, showsHidden, layout };
      element.setAttribute("aria-label", `Graph of ${layout.places.length} branches`);
      if (isMoved) bringIntoSight(element, camera, layout, tree.selected);
      redraw();
    },
    zoom(direction) {
      zoomAt(element.clientWidth / 2, element.clientHeight / 2, ZOOM_STEP ** direction);
    },
    fit() {
      if (shown === null) return;
      const width = shown.layout.columns * COLUMN_PX;
      const height = shown.layout.lines * LINE_PX;
      const zoom = Math.min(element.clientWidth / width, element.clientHeight / height, 1);
      camera.zoom = Math.max(ZOOM_LEAST, zoom);
      camera.x = -8 / camera.zoom;
      camera.y = (height - element.clientHeight / camera.zoom) / 2 - 8;
      redraw();
    },
  };
}

/** The node at a place of the canvas, or null. */
function nodeAt(layout: GraphLayout, camera: Camera, x: number, y: number): NodeId | null {
  const atX = camera.x + x / camera.zoom;
  const atY = camera.y + y / camera.zoom;
  // A finger or a pointer finds a box also where it is small.
  const around = 12 / camera.zoom;
  const column = Math.floor(atX / COLUMN_PX);
  const near = layout.places
    .filter((place) => place.column === column && atX - column * COLUMN_PX <= BOX_WIDTH_PX + around)
    .map(({ id, line }) => ({ id, off: Math.abs(line * LINE_PX + BOX_HEIGHT_PX / 2 - atY) }))
    .sort((a, b) => a.off - b.off)[0];
  return near !== undefined && near.off <= Math.max(BOX_HEIGHT_PX / 2, around) ? near.id : null;
}

function bringIntoSight(
  element: HTMLElement,
  camera: Camera,
  layout: GraphLayout,
  id: NodeId,
): void {
  const place = layout.byId.get(id);
  if (place === undefined) return;
  const width = element.clientWidth / camera.zoom;
  const height = element.clientHeight / camera.zoom;
  const left = place.column * COLUMN_PX;
  const top = place.line * LINE_PX;
  if (left < camera.x + 16) camera.x = left - 40;
  if (left + BOX_WIDTH_PX > camera.x + width) camera.x = left + BOX_WIDTH_PX + 40 - width;
  if (top < camera.y || top + BOX_HEIGHT_PX > camera.y + height) camera.y = top - height / 2;
}
