// Mouse, touch and keys on a map.

const CLICK = 5; // pixels that a click may slip
const MOST_KNOTS = 2000; // of a lasso

/** @param {MouseEvent | KeyboardEvent} event @returns {"add" | "remove" | "replace"} */
const how = (event) => (event.shiftKey || event.ctrlKey || event.metaKey ? "add" : event.altKey ? "remove" : "replace");

/** @param {import("./view.js").MapView | any} view */
export function bindPointer(view) {
  const { element, camera, hooks } = view;
  /** @type {Map<number, {x: number, y: number}>} */
  const fingers = new Map();
  /** @type {null | {x: number, y: number, isPan: boolean, line: number[][], way: number}} */
  let drag = null;
  let isSpace = false;

  const place = (/** @type {MouseEvent} */ event) => {
    const box = element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };

  element.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
    element.setPointerCapture(event.pointerId);
    const at = place(event);
    fingers.set(event.pointerId, at);
    if (fingers.size > 1) { drag = null; view.setLasso(null); return; }
    const isPan = view.tool === "pan" || isSpace || event.button !== 0;
    drag = { ...at, isPan, line: [camera.toWorld(at.x, at.y)], way: 0 };
    hooks.onhover?.(null, 0, 0);
    view.hover(null);
  });

  element.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => {
    const at = place(event);
    const before = fingers.get(event.pointerId);
    if (before && fingers.size === 2) { pinch(event.pointerId, before, at); return; }
    if (!drag || !before) { hover(event, at); return; }
    fingers.set(event.pointerId, at);
    drag.way = Math.max(drag.way, Math.hypot(at.x - drag.x, at.y - drag.y));
    if (drag.isPan) { camera.pan(at.x - before.x, at.y - before.y); view.draw(); return; }
    if (drag.line.length < MOST_KNOTS) drag.line.push(camera.toWorld(at.x, at.y));
    if (drag.way > CLICK) view.setLasso(drag.line);
  });

  /** @param {number} id @param {{x: number, y: number}} before @param {{x: number, y: number}} at */
  function pinch(id, before, at) {
    const other = [...fingers].find(([one]) => one !== id)?.[1];
    if (!other) return;
    const was = Math.hypot(before.x - other.x, before.y - other.y), is = Math.hypot(at.x - other.x, at.y - other.y);
    camera.pan((at.x - before.x) / 2, (at.y - before.y) / 2);
    if (was > 0) camera.zoomBy(is / was, (at.x + other.x) / 2, (at.y + other.y) / 2);
    fingers.set(id, at);
    view.draw();
  }

  /** @param {PointerEvent} event @param {{x: number, y: number}} at */
  function hover(event, at) {
    if (event.pointerType === "touch") return;
    const found = view.pick(at.x, at.y);
    view.hover(found >= 0 ? found : null);
    hooks.onhover?.(found >= 0 ? view.grid().order[found] : null, at.x, at.y);
  }

  element.addEventListener("pointerup", (/** @type {PointerEvent} */ event) => {
    const at = place(event);
    fingers.delete(event.pointerId);
    if (!drag) return;
    const { way, isPan, line } = drag;
    drag = null;
    view.setLasso(null);
    if (way <= CLICK) {
      if (event.button !== 0) return;
      const found = view.pick(at.x, at.y);
      hooks.onselect(found >= 0 ? [view.grid().order[found]] : [], found >= 0 ? how(event) : how(event) === "replace" ? "replace" : "add", true);
    } else if (!isPan && line.length > 2 && view.grid()) hooks.onselect(view.grid().inside(line), how(event), false);
  });
  element.addEventListener("pointercancel", (/** @type {PointerEvent} */ event) => {
    fingers.delete(event.pointerId);
    drag = null;
    view.setLasso(null);
  });
  element.addEventListener("pointerleave", () => { view.hover(null); hooks.onhover?.(null, 0, 0); });
  element.addEventListener("dblclick", (/** @type {MouseEvent} */ event) => {
    const at = place(event), found = view.pick(at.x, at.y);
    if (found >= 0) hooks.ongroup?.(view.grid().order[found]);
  });
  element.addEventListener("contextmenu", (/** @type {MouseEvent} */ event) => event.preventDefault());
  element.addEventListener("wheel", (/** @type {WheelEvent} */ event) => {
    event.preventDefault();
    const at = place(event);
    camera.zoomBy(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0018)), at.x, at.y);
    view.draw();
  }, { passive: false });

  const STEP = 60;
  /** @type {Record<string, () => void>} */
  const keys = {
    ArrowLeft: () => camera.pan(STEP, 0), ArrowRight: () => camera.pan(-STEP, 0),
    ArrowUp: () => camera.pan(0, STEP), ArrowDown: () => camera.pan(0, -STEP),
    "+": () => camera.zoomBy(1.4), "=": () => camera.zoomBy(1.4), "-": () => camera.zoomBy(1 / 1.4), 0: () => camera.fit(),
    Enter: () => hooks.onselect(view.rowsInView(), "replace", false),
  };
  element.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.key === " ") { isSpace = true; event.preventDefault(); return; }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const run = keys[event.key];
    if (!run) return;
    event.preventDefault();
    run();
    view.draw();
  });
  element.addEventListener("keyup", (/** @type {KeyboardEvent} */ event) => { if (event.key === " ") isSpace = false; });
}
