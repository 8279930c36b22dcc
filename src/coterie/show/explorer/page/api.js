// The server's answers as values. Errors carry the server's one sentence that says how to fix it.

/** @typedef {import("./transport.js").Transport} Transport */

export class Refused extends Error {
  /** @param {string} text @param {number} status */
  constructor(text, status) { super(text); this.status = status; }
}

export class Gone extends Error {}

const TEXT = new TextDecoder();

/** @param {Transport} transport */
export function makeApi(transport) {
  /** @param {string} method @param {string} path @param {any} [body] */
  async function ask(method, path, body) {
    let answer;
    try {
      answer = await transport.request(method, path, body);
    } catch {
      throw new Gone("The server does not answer.");
    }
    if (answer.status >= 400) {
      let text = `The server refused (${answer.status}).`;
      try { text = JSON.parse(TEXT.decode(answer.bytes)).error ?? text; } catch { /* no sentence came */ }
      throw new Refused(text, answer.status);
    }
    return answer;
  }

  /** @param {string} method @param {string} path @param {any} [body] */
  async function askJson(method, path, body) {
    const answer = await ask(method, path, body);
    if (answer.status === 204 || !answer.bytes.byteLength) return {};
    return JSON.parse(TEXT.decode(answer.bytes));
  }

  const query = (/** @type {Record<string, any>} */ given) => {
    const known = Object.entries(given).filter(([, value]) => value !== undefined && value !== null && value !== "");
    return new URLSearchParams(known.map(([key, value]) => [key, String(value)])).toString();
  };

  return {
    href: transport.href,
    listen: transport.listen,
    state: () => askJson("GET", "/api/state"),
    /** @param {{position?: any, method?: string}} [which] */
    async labels(which = {}) {
      const text = query(which);
      const answer = await ask("GET", `/api/labels${text ? `?${text}` : ""}`);
      if (answer.status === 202) return null; // the worker computes them
      return { labels: new Int32Array(answer.bytes), revision: Number(answer.headers.get("x-revision")) };
    },
    /** @param {{kind: string, x?: string, y?: string}} which */
    async map(which) {
      const answer = await ask("GET", `/api/map?${query(which)}`);
      if (answer.status === 202) return null; // the worker computes it
      return { points: new Float32Array(answer.bytes), text: decodeURIComponent(answer.headers.get("x-map-text") ?? "") };
    },
    /** @param {string} name */
    async column(name) {
      const answer = await ask("GET", `/api/column?${query({ name })}`);
      const about = answer.headers.get("x-column");
      return { values: new Float32Array(answer.bytes), about: about ? JSON.parse(decodeURIComponent(about)) : {} };
    },
    /** @param {any} operation */
    apply: (operation) => askJson("POST", "/api/operations", { json: operation }),
    undo: () => askJson("POST", "/api/undo", { json: {} }),
    redo: () => askJson("POST", "/api/redo", { json: {} }),
    /** @param {number} position */
    jump: (position) => askJson("POST", "/api/jump", { json: { position } }),
    startOver: () => askJson("POST", "/api/start-over", { json: {} }),
    dismiss: () => askJson("POST", "/api/dismiss", { json: {} }),
    reload: () => askJson("POST", "/api/reload", { json: {} }),
    stop: () => askJson("POST", "/api/stop", { json: {} }),
    /** @param {Int32Array} rows */
    selection: (rows) => askJson("POST", "/api/selection", { bytes: rows }),
    /** @param {any} wanted */
    rows: (wanted) => askJson("POST", "/api/rows", { json: wanted }),
    sets: () => askJson("GET", "/api/sets"),
    /** @param {string} set */
    open: (set) => askJson("POST", "/api/open", { json: { set } }),
    /** @param {File} file */
    upload: (file) => askJson("POST", "/api/upload", { bytes: file, headers: { "X-File-Name": encodeURIComponent(file.name) } }),
    methods: () => askJson("GET", "/api/methods"),
    /** @param {any} which */
    compare: (which) => askJson("GET", `/api/compare?${query(which)}`),
    /** @param {any} which */
    async moved(which) {
      const answer = await ask("GET", `/api/compare/rows?${query(which)}`);
      if (answer.status === 202) return new Int32Array(0);
      return new Int32Array(answer.bytes);
    },
    save: (/** @type {string | undefined} */ path) => askJson("POST", "/api/save", { json: path ? { path } : {} }),
    /** @param {any} lesson */
    teach: (lesson) => askJson("POST", "/api/teach", { json: lesson }),
    /** @param {string} what */
    async download(what) {
      const answer = await ask("GET", `/api/export/${what}`);
      const said = /filename="?([^";]+)/.exec(answer.headers.get("content-disposition") ?? "");
      return { name: said ? said[1] : what, blob: new Blob([answer.bytes]) };
    },
  };
}

/** @typedef {ReturnType<typeof makeApi>} Api */
