// One pointer pans or clicks, two zoom: what the graph takes from a mouse, a pen or fingers.

/** Moved further it is a pan, and no click. */
const CLICK_PX = 4;

export interface DragEvents {
  move(dx: number, dy: number): void;
  click(x: number, y: number): void;
  pinch(x: number, y: number, factor: number): void;
}

export function onDrag(element: HTMLElement, events: DragEvents): void {
  const pointers = new Map<number, PointerEvent>();
  let moved = 0;
  element.addEventListener("pointerdown", (event) => {
    element.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, event);
    moved = 0;
  });
  element.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (before === undefined) return;
    const dx = event.clientX - before.clientX;
    const dy = event.clientY - before.clientY;
    moved += Math.abs(dx) + Math.abs(dy);
    const other = [...pointers.values()].find(({ pointerId }) => pointerId !== event.pointerId);
    pointers.set(event.pointerId, event);
    if (other === undefined) {
      if (moved > CLICK_PX) events.move(dx, dy);
      return;
    }
    const { left, top } = element.getBoundingClientRect();
    const was = Math.hypot(before.clientX - other.clientX, before.clientY - other.clientY);
    const is = Math.hypot(event.clientX - other.clientX, event.clientY - other.clientY);
    if (was > 0) events.pinch(other.clientX - left, other.clientY - top, is / was);
  });
  const end = (event: PointerEvent) => {
    const isClick = event.type === "pointerup" && pointers.size === 1 && moved <= CLICK_PX;
    pointers.delete(event.pointerId);
    const { left, top } = element.getBoundingClientRect();
    if (isClick) events.click(event.clientX - left, event.clientY - top);
  };
  element.addEventListener("pointerup", end);
  element.addEventListener("pointercancel", end);
}
