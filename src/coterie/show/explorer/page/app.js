// The page put together: head, places, evidence. Runs in a page of its own and within a notebook.
import { makeApi } from "./api.js";
import { button, h } from "./dom.js";
import { makeHeader } from "./header.js";
import { makeHistory } from "./history.js";
import { bindKeys, makeHelp } from "./keys.js";
import { makeMessages } from "./messages.js";
import { makeCompare } from "./places/compare.js";
import { makeData } from "./places/data.js";
import { makeEvidence } from "./places/evidence.js";
import { makeGroups } from "./places/groups.js";
import { makeMapPanel } from "./places/map_panel.js";
import { makeMethod } from "./places/method.js";
import { makeSelection } from "./places/selection_panel.js";
import { makeTeach } from "./places/teach.js";
import { makeProgress } from "./progress.js";
import { makeStore } from "./store.js";
import { setCarrier } from "./theme.js";

const WORKSPACE = ["groups", "method"]; // places beside the map

/** @param {HTMLElement} root @param {import("./transport.js").Transport} transport @param {{isPage: boolean}} how */
export function start(root, transport, { isPage }) {
  setCarrier(root);
  const messages = makeMessages();
  const store = makeStore(makeApi(transport), { text: messages.say, forgive: messages.forgive });
  const help = makeHelp();
  const history = makeHistory(store);
  const header = makeHeader(store, help, history, messages);
  const mapPanel = makeMapPanel(store);
  const places = {
    groups: makeGroups(store), method: makeMethod(store), data: makeData(store, messages), compare: makeCompare(store), teach: makeTeach(store),
  };
  const evidence = makeEvidence(store);
  const workspace = h("div", { class: "workspace" }, places.groups, places.method, mapPanel.element, makeSelection(store, mapPanel), evidence);
  const loading = h("p", { class: "loading", role: "status" }, "Opening…");
  const main = h("main", { class: "main", id: "coterie-main" }, loading, workspace, places.data, places.compare, places.teach);
  const skip = isPage && h("a", { class: "skip", href: "#coterie-main", onclick: (/** @type {Event} */ event) => {
    event.preventDefault();
    /** @type {any} */ (main.querySelector("section:not([hidden]) button, section:not([hidden]) input") ?? main).focus();
  } }, "Skip to the groups");
  const offline = makeOffline(store);
  root.classList.add("app");
  root.replaceChildren(...[skip, header, offline, makeProgress(store), makeWarning(store), main, history.element, help.element, messages.element].filter(Boolean));

  function showPlace() {
    const isKnown = Boolean(store.state);
    loading.hidden = isKnown;
    const place = store.shownPlace;
    const isWork = WORKSPACE.includes(place);
    workspace.hidden = !isKnown || !isWork;
    workspace.dataset.place = place;
    for (const [name, element] of Object.entries(places)) element.hidden = !isKnown || name !== place;
    if (isPage && store.hasData) document.title = `${store.state.data.name.replace(/^set:/, "")} · Coterie`;
  }
  store.listen((change) => { if (change === "place" || change === "state") showPlace(); });
  if (isPage) {
    const fromAddress = () => store.go(location.hash.slice(1));
    addEventListener("hashchange", fromAddress);
    store.listen((change) => {
      if (change === "place" && location.hash.slice(1) !== store.place) window.history.replaceState(null, "", `#${store.place}`);
    });
    fromAddress();
  }
  bindKeys(root, store, help, isPage);
  showPlace();
  const ready = mapPanel.ready(store.refresh());
  return { store, ready, mapPanel };
}

/** @param {import("./store.js").Store} store */
function makeOffline(store) {
  const element = h("div", { class: "banner banner-poor", role: "alert", hidden: true },
    h("span", {}, h("strong", {}, "The server is gone. "), "Your work was saved automatically. Start ", h("code", {}, "coterie explore"), " again and open the address it prints; at the same address this page reconnects by itself."),
    button("Try now", { class: "small", onclick: () => store.refresh() }));
  store.listen((change) => { if (change === "link") element.hidden = store.isUp; });
  return element;
}

/** What the server has to say about the data or about work that was taken up again. @param {import("./store.js").Store} store */
function makeWarning(store) {
  const element = h("div", { class: "banner banner-fair", role: "status", hidden: true });
  let closed = "";
  store.listen((change) => {
    if (change !== "state") return;
    const { warning, resumed, data } = store.state;
    const text = warning || resumed?.text || data?.sample?.text || "";
    element.hidden = !text || text === closed;
    const dismiss = () => { closed = text; element.hidden = true; if (warning || resumed) void store.act(store.api.dismiss); };
    element.replaceChildren(...[h("span", {}, text),
      warning && button("Read the data again", { class: "small", "data-testid": "reload", onclick: () => store.act(store.api.reload) }),
      !warning && resumed && button("Start over", { class: "small", "data-testid": "start-over", onclick: () => store.act(store.api.startOver) }),
      button("Close", { icon: "close", class: "icon-button", onclick: dismiss })].filter(Boolean));
  });
  return element;
}
