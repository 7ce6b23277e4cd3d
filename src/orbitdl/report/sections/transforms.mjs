// What transforms a component: shifts, phases, rotations. Nothing in here knows the page.
// One period of cosine and sine in n steps.
const waves = new Map();
const wave = (n) => {
  if (!waves.has(n)) {
    const table = Array.from({ length: n }, (_, k) => (2 * Math.PI * k) / n);
    waves.set(n, [table.map(Math.cos), table.map(Math.sin)]);
  }
  return waves.get(n);
};
// Coefficients of cosines and sines.
export const spectrum = (x) => {
  const n = x.length, half = Math.floor(n / 2), real = [], imaginary = [], [cosine, sine] = wave(n);
  for (let f = 0; f <= half; f++) {
    let re = 0, im = 0;
    for (let t = 0, k = 0; t < n; t++) {
      re += x[t] * cosine[k];
      im -= x[t] * sine[k];
      k += f;
      if (k >= n) k -= n;
    }
    const weight = (f === 0 || 2 * f === n ? 1 : 2) / n;
    real.push(weight * re);
    imaginary.push(weight * im);
  }
  return { n, real, imaginary };
};
// A shift by tau rotates frequency f by -2 pi f tau / N (exact for band-limited signals); a phase rotates all but the constant alike.
export const shifted = ({ n, real, imaginary }, tau, phase = 0) => {
  const [cosine, sine] = wave(n), out = new Array(n).fill(0);
  for (let f = 0; f < real.length; f++) {
    const angle = (-2 * Math.PI * f * tau) / n - (f ? phase : 0), c = Math.cos(angle), s = Math.sin(angle);
    const re = real[f] * c - imaginary[f] * s, im = real[f] * s + imaginary[f] * c;
    for (let t = 0, k = 0; t < n; t++) {
      out[t] += re * cosine[k] - im * sine[k];
      k += f;
      if (k >= n) k -= n;
    }
  }
  return out;
};
const spectra = new WeakMap();
const spectraOf = (lines) => {
  if (!spectra.has(lines)) spectra.set(lines, lines.map(spectrum));
  return spectra.get(lines);
};
export const shiftedLines = (lines, tau) => spectraOf(lines).map((line) => shifted(line, tau));
export const phasedLines = (lines, degrees) => spectraOf(lines).map((line) => shifted(line, 0, (degrees * Math.PI) / 180));
// The parts of a row that belong to images side by side, which shift on their own.
export const parts = (row, n) => Array.from({ length: n }, (_, k) => row.slice((k * row.length) / n, ((k + 1) * row.length) / n));
const transposed = (lines) => lines[0].map((_, p) => lines.map((row) => row[p]));
export const shiftedRight = (lines, tau, images) => lines.map((row) => shiftedLines(parts(row, images), tau).flat());
export const shiftedDown = (lines, tau) => transposed(shiftedLines(transposed(lines), tau));
// Vectors: coordinate k of the copies of a vector that are transformed together; a single line is one vector.
export const coordinates = (lines, vectors) => {
  if (lines.length === 1) return lines[0].map((value) => [[value]]);
  const copies = lines.length / vectors;
  return Array.from({ length: vectors }, (_, k) => lines.slice(k * copies, (k + 1) * copies));
};
// A rotation by an angle in the plane of coordinates i and k.
export const rotated = (lines, vectors, [i, k], degrees) => {
  const angle = (degrees * Math.PI) / 180, c = Math.cos(angle), s = Math.sin(angle);
  const all = coordinates(lines, vectors), result = all.slice(), both = (a, x, b, y) => x.map((row, l) => row.map((value, p) => a * value + b * y[l][p]));
  result[i] = both(c, all[i], -s, all[k]);
  result[k] = both(s, all[i], c, all[k]);
  return lines.length === 1 ? [result.flat(2)] : result.flat();
};
export const times = (c, lines) => lines.map((line) => line.map((value) => c * value));
// Vectors in space are seen from the side and from above.
const RIGHT = [-0.5, 0.866, 0], UP = [-0.296, -0.171, 0.94];
export const projected = (vector) => (vector.length === 2 ? vector : [RIGHT, UP].map((direction) => vector.reduce((sum, value, k) => sum + value * direction[k], 0)));
// A component after its sliders, each of which is at a position.
export const transformed = ({ lines, copies }, sliders, { positions, plane }, view) => sliders.reduce((now, slider, k) => {
  if (slider.kind === "list") return copies[positions[k]];
  if (slider.kind === "rotation") return rotated(now, view.vectors, slider.planes[plane], positions[k]);
  if (slider.kind === "phase") return phasedLines(now, positions[k]);
  if (slider.way === "right") return shiftedRight(now, positions[k], view.images.length);
  return slider.way === "down" ? shiftedDown(now, positions[k]) : shiftedLines(now, positions[k]);
}, lines);
