// Bundles the page: `node build.mjs` writes ../static, `node build.mjs --check` says whether it is up to date.
import { readFileSync, writeFileSync, mkdirSync, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const HERE = dirname(fileURLToPath(import.meta.url));
const SHOW = join(HERE, "..", "..");
const OUT = join(HERE, "..", "static");

// one palette for plots, report and explorer
function palette() {
  const source = readFileSync(join(SHOW, "palette.py"), "utf8");
  const listed = /COLORS: tuple\[str, \.\.\.\] = \(([^)]*)\)/.exec(source);
  if (!listed) throw new Error("palette.py has no COLORS");
  return listed[1].match(/#[0-9a-f]{6}/g);
}

// one set of colours and fonts for report and explorer: the variables at the top of the report's style
function tokens() {
  const source = readFileSync(join(SHOW, "report", "style.css"), "utf8");
  const end = source.indexOf("* { box-sizing");
  if (end < 0) throw new Error("the report's style.css has no tokens before `* { box-sizing`");
  return source.slice(0, end).replaceAll(":root", ".coterie-root");
}

const SHARED = {
  bundle: true, format: "esm", target: "es2022", minify: true, legalComments: "none", write: false, charset: "utf8",
  define: { PALETTE: JSON.stringify(palette()) },
};

async function bundled(entry) {
  const { outputFiles } = await build({ ...SHARED, entryPoints: [join(HERE, entry)] });
  return outputFiles[0].text;
}

async function style() {
  const contents = tokens() + readFileSync(join(HERE, "style.css"), "utf8");
  const { outputFiles } = await build({ ...SHARED, stdin: { contents, loader: "css" }, define: {} });
  return outputFiles[0].text;
}

const files = {
  "explorer.js": await bundled("main.js"),
  "widget.js": await bundled("widget.js"),
  "explorer.css": await style(),
  "index.html": readFileSync(join(HERE, "index.html"), "utf8"),
  "icon.svg": readFileSync(join(HERE, "icon.svg"), "utf8"),
};
const isCheck = process.argv.includes("--check");
const stale = Object.entries(files).filter(([name, text]) => {
  const path = join(OUT, name);
  return !existsSync(path) || readFileSync(path, "utf8") !== text;
});
if (isCheck) {
  if (stale.length) console.error(`not up to date: ${stale.map(([name]) => name).join(", ")} (run \`make bundle\`)`);
  process.exitCode = stale.length ? 1 : 0;
} else {
  mkdirSync(OUT, { recursive: true });
  for (const [name, text] of stale) writeFileSync(join(OUT, name), text);
  for (const [name, text] of Object.entries(files)) console.log(`${name} ${(text.length / 1024).toFixed(0)} kB`);
}
