// How the page reaches its server: HTTP from this machine to this machine, or messages to the kernel of a notebook.

/**
 * @typedef {{status: number, headers: Map<string, string>, bytes: ArrayBuffer}} Answer
 * @typedef {{
 *   request(method: string, path: string, body?: {json?: any, bytes?: ArrayBufferView | Blob, headers?: Record<string, string>}): Promise<Answer>,
 *   listen(told: (name: string, data: any) => void, link: (isUp: boolean) => void): void,
 *   href(path: string): string | null,
 * }} Transport
 */

const EVENTS = ["progress", "state", "failed", "saved", "map", "compared", "closed"];
const RETRY = 1500; // ms between attempts to reach a server that is gone

/** A cookie of a server that was started again on this port, for a page that knows the secret of the one before. */
function makeRejoin() {
  const address = "/api/rejoin";
  /** @type {CryptoKey | null} */
  let key = null;
  const post = async (/** @type {any} */ facts) => {
    const response = await fetch(address, { method: "POST", body: JSON.stringify(facts), credentials: "same-origin", cache: "no-store" });
    if (!response.ok) throw new Error(String(response.status));
    return response.json();
  };
  return {
    async remember() {
      const response = await fetch(address, { credentials: "same-origin", cache: "no-store" });
      if (!response.ok) return;
      const { secret } = await response.json();
      const bytes = Uint8Array.from(secret.match(/../g), (/** @type {string} */ pair) => parseInt(pair, 16));
      key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    },
    async rejoin() {
      if (!key) return;
      const { nonce } = await post({});
      const proof = new Uint8Array(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(nonce)));
      await post({ nonce, proof: Array.from(proof, (byte) => byte.toString(16).padStart(2, "0")).join("") });
    },
  };
}

/** @returns {Transport} */
export function overHttp() {
  const rejoin = makeRejoin();
  return {
    async request(method, path, body = {}) {
      /** @type {Record<string, string>} */
      const headers = { ...body.headers };
      /** @type {any} */
      let content;
      if (body.json !== undefined) {
        content = JSON.stringify(body.json);
        headers["Content-Type"] = "application/json";
      } else if (body.bytes) {
        content = body.bytes;
        headers["Content-Type"] = "application/octet-stream";
      }
      const response = await fetch(path, { method, headers, body: content, credentials: "same-origin", cache: "no-store" });
      return { status: response.status, headers: new Map(response.headers), bytes: await response.arrayBuffer() };
    },
    listen(told, link) {
      const open = () => {
        const source = new EventSource("/api/events");
        source.onopen = () => { link(true); rejoin.remember().catch(() => {}); };
        source.onerror = () => {
          source.close();
          link(false);
          setTimeout(() => rejoin.rejoin().catch(() => {}).then(open), RETRY);
        };
        for (const name of EVENTS) {
          source.addEventListener(name, (event) => told(name, event.data ? JSON.parse(event.data) : {}));
        }
      };
      open();
    },
    href: (path) => path,
  };
}

/** Messages of anywidget instead of HTTP. @param {any} model @returns {Transport} */
export function overMessages(model) {
  /** @type {Map<number, (answer: Answer) => void>} */
  const waiting = new Map();
  /** @type {(name: string, data: any) => void} */
  let tell = () => {};
  let last = 0;
  model.on("msg:custom", (/** @type {any} */ message, /** @type {DataView[]} */ buffers) => {
    if (message.kind === "event") tell(message.name, message.data);
    if (message.kind !== "response") return;
    const view = buffers?.[0];
    const bytes = view ? view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength) : new ArrayBuffer(0);
    const headers = new Map(Object.entries(message.headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]));
    waiting.get(message.id)?.({ status: message.status, headers, bytes: /** @type {ArrayBuffer} */ (bytes) });
    waiting.delete(message.id);
  });
  return {
    async request(method, path, body = {}) {
      last += 1;
      const id = last;
      const answered = new Promise((resolve) => waiting.set(id, resolve));
      const content = body.bytes instanceof Blob ? await body.bytes.arrayBuffer() : body.bytes;
      model.send({ kind: "request", id, method, path, headers: body.headers ?? {}, json: body.json }, undefined, content ? [content] : []);
      return answered;
    },
    listen(told, link) { tell = told; link(true); },
    href: () => null,
  };
}
