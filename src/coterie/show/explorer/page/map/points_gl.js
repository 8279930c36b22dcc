// Points by WebGL 2. Written out rather than taken from a library: those at hand compile code at run time, which
// the page's Content-Security-Policy forbids.
import { HIDDEN, SELECTED } from "./look.js";

const VERTEX = `#version 300 es
in vec2 place; in uint code;
uniform vec2 centre; uniform vec2 reach; uniform float size; uniform int wanted; uniform float faint;
uniform highp sampler2D table;
flat out vec4 colour; flat out int shape;
void main() {
  bool chosen = (code & ${SELECTED}u) != 0u;
  int kind = int(code & ${SELECTED - 1}u);
  bool hidden = kind == ${HIDDEN} || (wanted == 1 && chosen) || (wanted == 2 && !chosen);
  vec4 found = texelFetch(table, ivec2(kind & 255, kind >> 8), 0);
  colour = vec4(found.rgb, wanted == 1 ? faint : 0.9);
  shape = int(found.a * 255.0 + 0.5);
  gl_Position = hidden ? vec4(9.0, 9.0, 9.0, 1.0) : vec4((place - centre) * reach, 0.0, 1.0);
  gl_PointSize = kind == 0 ? max(2.0, size * 0.7) : size;
}`;
const FRAGMENT = `#version 300 es
precision highp float;
flat in vec4 colour; flat in int shape;
uniform float size;
out vec4 painted;
void main() {
  vec2 p = 2.0 * gl_PointCoord - 1.0;
  float far = length(p);
  if (shape == 1) far = 1.12 * max(abs(p.x), abs(p.y));
  if (shape == 2) far = max(0.9 * (p.y + 0.1), 1.1 * abs(p.x) * 0.95 - 0.5 * (p.y + 0.1) + 0.42);
  if (shape == 3) far = abs(p.x) + abs(p.y);
  if (shape == 4) far = max(0.9 * (0.1 - p.y), 1.1 * abs(p.x) * 0.95 - 0.5 * (0.1 - p.y) + 0.42);
  float soft = 2.0 / size;
  float alpha = colour.a * (1.0 - smoothstep(1.0 - soft, 1.0, far));
  if (alpha < 0.01) discard;
  painted = vec4(colour.rgb * alpha, alpha);
}`;

/** @param {HTMLCanvasElement} canvas @returns {import("./view.js").Painter | null} null where WebGL 2 cannot be had */
export function makeGlPainter(canvas) {
  const gl = canvas.getContext("webgl2", { antialias: false, alpha: true, premultipliedAlpha: true, preserveDrawingBuffer: true });
  if (!gl) return null;
  /** @param {number} kind @param {string} source */
  const shader = (kind, source) => {
    const made = /** @type {WebGLShader} */ (gl.createShader(kind));
    gl.shaderSource(made, source);
    gl.compileShader(made);
    return made;
  };
  const program = gl.createProgram();
  gl.attachShader(program, shader(gl.VERTEX_SHADER, VERTEX));
  gl.attachShader(program, shader(gl.FRAGMENT_SHADER, FRAGMENT));
  gl.bindAttribLocation(program, 0, "place");
  gl.bindAttribLocation(program, 1, "code");
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) return null;
  const at = (/** @type {string} */ name) => gl.getUniformLocation(program, name);
  const uniforms = { centre: at("centre"), reach: at("reach"), size: at("size"), wanted: at("wanted"), faint: at("faint"), table: at("table") };
  const places = gl.createBuffer(), codes = gl.createBuffer(), table = gl.createTexture();
  gl.bindBuffer(gl.ARRAY_BUFFER, places);
  gl.enableVertexAttribArray(0);
  gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
  gl.bindBuffer(gl.ARRAY_BUFFER, codes);
  gl.enableVertexAttribArray(1);
  gl.vertexAttribIPointer(1, 1, gl.UNSIGNED_SHORT, 0, 0);
  gl.bindTexture(gl.TEXTURE_2D, table);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  gl.useProgram(program);

  return {
    kind: "WebGL",
    setPlaces(grid) {
      gl.bindBuffer(gl.ARRAY_BUFFER, places);
      gl.bufferData(gl.ARRAY_BUFFER, grid.places, gl.DYNAMIC_DRAW);
    },
    setLook(ordered, look) {
      gl.bindBuffer(gl.ARRAY_BUFFER, codes);
      gl.bufferData(gl.ARRAY_BUFFER, ordered, gl.DYNAMIC_DRAW);
      const kinds = look.shapes.length, rows = Math.ceil(kinds / 256);
      const pixels = new Uint8Array(4 * 256 * rows);
      for (let kind = 0; kind < kinds; kind += 1) {
        for (let part = 0; part < 3; part += 1) pixels[4 * kind + part] = look.colours[3 * kind + part];
        pixels[4 * kind + 3] = look.shapes[kind];
      }
      gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, false);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 256, rows, 0, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    },
    clear() { gl.clearColor(0, 0, 0, 0); gl.clear(gl.COLOR_BUFFER_BIT); },
    draw(camera, runs, size, hasSelection, ratio) {
      gl.viewport(0, 0, canvas.width, canvas.height);
      gl.clearColor(0, 0, 0, 0);
      gl.clear(gl.COLOR_BUFFER_BIT);
      gl.uniform2f(uniforms.centre, camera.x, camera.y);
      gl.uniform2f(uniforms.reach, (2 * camera.scale) / camera.width, (2 * camera.scale) / camera.height);
      gl.uniform1f(uniforms.size, size * ratio);
      gl.uniform1f(uniforms.faint, 0.28);
      for (const wanted of hasSelection ? [1, 2] : [0]) {
        gl.uniform1i(uniforms.wanted, wanted);
        for (const [from, to] of runs) gl.drawArrays(gl.POINTS, from, to - from);
      }
    },
    isLost: () => gl.isContextLost(),
  };
}
