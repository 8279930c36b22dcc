// The page of `coterie explore`.
import { start } from "./app.js";
import { overHttp } from "./transport.js";

const root = /** @type {HTMLElement} */ (document.getElementById("coterie"));
if (location.search.includes("token=")) history.replaceState(null, "", `${location.pathname}${location.hash}`); // the cookie has it; an address that is copied shall not
const { store, ready, mapPanel } = start(root, overHttp(), { isPage: true });

// stable hooks for tests and for the console
Object.assign(globalThis.coterie, {
  state: () => ({
    n: store.n,
    k: store.groups.length,
    labels_hash: store.state?.labels_hash ?? null,
    selection: Array.from(store.selection),
    log_length: store.state?.position ?? 0,
    stale: Boolean(store.state?.stale ?? store.state?.evidence?.stale),
  }),
  select: (/** @type {number[]} */ indices) => store.select(indices),
  ready,
  page: { store, map: mapPanel.view },
});
