// What the worker is doing, how long it will take, and a button that stops it.
import { button, h } from "./dom.js";
import { duration } from "./format.js";

/** @param {import("./store.js").Store} store */
export function makeProgress(store) {
  const text = h("span", { class: "progress-text" });
  const left = h("span", { class: "muted" });
  const bar = h("i");
  const stop = button("Stop", { class: "small", "data-testid": "stop", onclick: () => { stop.disabled = true; void store.stop(); } });
  const meter = h("div", { class: "progress-bar", role: "progressbar", "aria-label": "Progress", "aria-valuemin": "0", "aria-valuemax": "100" }, bar);
  const element = h("div", { class: "progress", "data-testid": "progress", hidden: true }, text, left, meter, stop);
  let shown = "";
  store.listen((change) => {
    if (change !== "job") return;
    const { job } = store;
    element.hidden = !job;
    if (!job) { shown = ""; return; }
    if (shown !== job.id) { shown = job.id; stop.disabled = false; }
    text.textContent = job.text ? job.text[0].toUpperCase() + job.text.slice(1) : "Working…";
    left.textContent = duration(job.seconds_left);
    const isKnown = typeof job.fraction === "number";
    meter.classList.toggle("is-unknown", !isKnown);
    bar.style.setProperty("width", isKnown ? `${100 * job.fraction}%` : "30%");
    if (isKnown) meter.setAttribute("aria-valuenow", String(Math.round(100 * job.fraction)));
    else meter.removeAttribute("aria-valuenow");
  });
  return element;
}
