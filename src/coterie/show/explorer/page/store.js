// The one state of the page. Views listen, none talks to another; every change of groups goes through the server's log.
import { Gone } from "./api.js";
import { NOTHING, asPayload, asRows, combine, countByLabel, rowsWhere } from "./rows.js";

/**
 * @typedef {import("./api.js").Api} Api
 * @typedef {"state" | "labels" | "map" | "selection" | "job" | "link" | "colour" | "place" | "theme" | "busy" | "compared" | "uncompared"} Change
 * @typedef {{kind: string, x?: string, y?: string}} MapKind
 */

const PLACES = ["groups", "data", "method", "compare", "teach"];

/** @param {Api} api @param {{text: (text: string, kind?: string) => void, forgive: () => void}} say */
export function makeStore(api, say) {
  /** @type {Set<(change: Change) => void>} */
  const listeners = new Set();
  let counted = { selection: NOTHING, labels: NOTHING, counts: /** @type {Map<number, number>} */ (new Map()) };
  const store = {
    api,
    /** @type {any} */ state: null,
    /** @type {Int32Array} */ labels: NOTHING,
    /** @type {Float32Array} */ points: new Float32Array(0),
    mapText: "",
    /** @type {MapKind} */ mapKind: { kind: "pca" },
    isMapComing: false,
    /** @type {Int32Array} */ selection: NOTHING,
    colourBy: "group",
    /** @type {null | {values: Float32Array, about: any}} */ column: null,
    place: "groups",
    isUp: true,
    isBusy: false,
    /** @type {any} */ job: null,
    get n() { return store.state?.data?.rows ?? 0; },
    get hasData() { return Boolean(store.state?.data?.rows); },
    /** Whether rows have a place on the map: else the columns are to be chosen first. */
    get hasRows() { return store.hasData && !store.state.data.problem; },
    /** The place that is shown: the one asked for, or Data until there are rows. */
    get shownPlace() { return store.state && !store.hasRows && store.place !== "teach" ? "data" : store.place; },
    get groups() { return store.state?.groups ?? []; },
    /** @param {(change: Change) => void} listener */
    listen(listener) { listeners.add(listener); },
    tell,
    /** @param {string} id */
    groupById: (id) => store.groups.find((/** @type {any} */ group) => group.id === id),
    /** @param {number} label */
    groupOf: (label) => store.groups.find((/** @type {any} */ group) => group.label === label),
    /** @param {number} label */
    nameOf(label) {
      if (label === -1) return "noise";
      return store.groupOf(label)?.name || (label >= 0 ? `group ${label + 1}` : "left out");
    },
    /** @param {any} group */
    rowsOf: (group) => rowsWhere(store.labels, (label) => label === (group === "noise" ? -1 : group.label)),
    rowsUsed: () => rowsWhere(store.labels, (label) => label >= -1),
    /** How many selected rows each label has. */
    byLabel() {
      if (counted.selection !== store.selection || counted.labels !== store.labels) {
        counted = { selection: store.selection, labels: store.labels, counts: countByLabel(store.selection, store.labels) };
      }
      return counted.counts;
    },
    /** Groups that have selected rows, as the list has them. */
    touched() {
      const counts = store.byLabel();
      return store.groups.filter((/** @type {any} */ group) => counts.has(group.label));
    },
    /** @param {ArrayLike<number>} rows @param {"add" | "remove" | "replace"} [how] */
    select(rows, how = "replace") {
      store.selection = combine(store.selection, asRows(rows, store.n), store.n, how);
      tell("selection");
    },
    go, apply, act, undo, redo, refresh, setMap, setColour, stop, take, applyToRows,
    /** @type {Promise<void>} */ settled: Promise.resolve(),
  };

  /** @param {Change} change */
  function tell(change) { for (const listener of listeners) listener(change); }

  /** @param {string} place */
  function go(place) {
    store.place = PLACES.includes(place) ? place : "groups";
    tell("place");
  }

  /** Run something that asks the server; what it refuses is said. @param {() => Promise<any>} run */
  async function act(run) {
    store.isBusy = true;
    tell("busy");
    const task = (async () => {
      try {
        const answer = await run();
        say.forgive();
        await take(answer);
        return answer;
      } catch (error) {
        if (error instanceof Gone) linkIs(false);
        say.text(/** @type {Error} */ (error).message, "error");
        return null;
      } finally {
        store.isBusy = false;
        tell("busy");
      }
    })();
    store.settled = task.then(() => {});
    return task;
  }

  /** @param {any} operation */
  async function apply(operation) { return act(() => api.apply(operation)); }

  /** An operation on the selected rows, or on those given. @param {any} operation @param {Int32Array} [rows] */
  async function applyToRows(operation, rows = store.selection) {
    return apply({ ...operation, ...asPayload(rows) });
  }

  async function undo() { if (store.state?.can_undo) await act(api.undo); }
  async function redo() { if (store.state?.can_redo) await act(api.redo); }
  async function stop() { await act(api.stop); }

  /** What an answer of the server changes here. @param {any} answer */
  async function take(answer) {
    if (!answer || typeof answer !== "object") return;
    if ("revision" in answer && "data" in answer) await takeState(answer);
    else if (answer.state) await takeState(answer.state);
    const isOld = answer.job && answer.job.id <= (store.state?.jobs_begun ?? 0); // the state has seen what came of it
    if (answer.job !== undefined && !isOld) { store.job = answer.job; tell("job"); }
  }

  let taking = Promise.resolve();
  /** One state at a time, in their order. @param {any} state */
  function takeState(state) {
    taking = taking.then(() => takeNow(state)).catch((error) => say.text(error.message, "error"));
    return taking;
  }

  /** @param {any} state */
  async function takeNow(state) {
    const before = store.state;
    const isSameServer = before?.session === state.session; // another one begins to count again
    if (before && isSameServer && state.revision < before.revision) return;
    const isNewData = !before || !isSameServer || before.opened !== state.opened;
    const isNewLabels = isNewData || before.labels_hash !== state.labels_hash;
    const isNewMap = isNewData || JSON.stringify(uses(before)) !== JSON.stringify(uses(state));
    if (isNewLabels && state.data?.rows) { const found = await api.labels(); if (found) store.labels = found.labels; }
    store.state = state;
    store.job = state.job ?? null;
    if (isNewData) {
      store.selection = NOTHING;
      store.colourBy = "group";
      store.column = null;
      store.mapKind = { kind: "pca" }; // at once; no other map of these data has been asked for
    }
    tell("state");
    tell("job");
    if (isNewLabels) tell("labels");
    if (isNewData) tell("selection");
    if (isNewMap && store.hasRows) await loadMap();
  }

  const uses = (/** @type {any} */ state) => [state.data?.scale, state.data?.missing, (state.data?.columns ?? []).map((/** @type {any} */ column) => [column.name, column.role, column.weight])];

  async function refresh() {
    try {
      const state = await api.state();
      const wasDown = !store.isUp;
      linkIs(true);
      await takeState(state);
      if (wasDown && isMapDue) await loadMap(); // its event may have been missed
      return true;
    } catch (error) {
      if (error instanceof Gone) linkIs(false);
      else say.text(/** @type {Error} */ (error).message, "error");
      return false;
    }
  }

  /** @param {boolean} isUp */
  function linkIs(isUp) {
    if (store.isUp === isUp) return;
    store.isUp = isUp;
    tell("link");
  }

  let asks = 0;
  let isMapDue = false; // from the question until a map is there
  let shown = store.mapKind;
  /** Only the last answer counts: the worker may be done before the answer that it has begun is here. */
  async function loadMap() {
    const wanted = store.mapKind;
    asks += 1;
    const mine = asks;
    isMapDue = true;
    try {
      const map = await api.map(wanted);
      if (mine !== asks) return;
      store.isMapComing = isMapDue = map === null;
      if (map) {
        store.points = map.points;
        store.mapText = map.text;
        shown = wanted;
      }
      tell("map");
    } catch (error) {
      if (mine === asks) keepMap();
      throw error;
    }
  }

  /** Go on with the map that is shown: the one that was wanted does not come. */
  function keepMap() {
    asks += 1;
    store.isMapComing = isMapDue = false;
    store.mapKind = shown;
    tell("map");
  }

  /** @param {{kind: string | null, is_there: boolean}} found */
  function mapEnded(found) {
    if (!isMapDue) return;
    const isOther = found.kind !== null && found.kind !== store.mapKind.kind; // the worker was busy with that one
    if (found.is_there || isOther) void loadMap().catch((error) => say.text(error.message, "error"));
    else keepMap();
  }

  /** @param {MapKind} kind */
  async function setMap(kind) {
    store.mapKind = kind;
    tell("map");
    try { await loadMap(); } catch (error) { say.text(/** @type {Error} */ (error).message, "error"); }
  }

  /** @param {string} name "group", or a column as "column NAME" */
  async function setColour(name) {
    store.colourBy = name;
    if (name.startsWith("column ")) {
      try { store.column = await api.column(name.slice(7)); } catch (error) {
        store.colourBy = "group";
        store.column = null;
        say.text(/** @type {Error} */ (error).message, "error");
      }
    } else store.column = null;
    tell("colour");
  }

  api.listen((name, data) => {
    if (name === "progress") {
      store.job = data?.job ?? data;
      tell("job");
      return;
    }
    if (name === "failed") say.text(data.text ?? "The work failed.", "error");
    if (name === "closed") linkIs(false);
    if (name === "compared") tell(data.is_there ? "compared" : "uncompared");
    if (name === "map") mapEnded(data);
    if (["state", "failed", "saved"].includes(name)) {
      if (name === "state" && store.state && data.revision === store.state.revision && !store.job) return;
      void refresh();
    }
  }, (isUp) => {
    const wasDown = !store.isUp;
    if (!isUp) { linkIs(false); return; }
    if (wasDown) void refresh();
  });

  return store;
}

/** @typedef {ReturnType<typeof makeStore>} Store */
