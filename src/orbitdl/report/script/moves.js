// What moves a component, computed here: shifts, phases, turns, tables.
// One period of cosine and sine in n steps.
const waves = new Map();
const wave = (n) => {
  if (!waves.has(n)) {
    const table = Array.from({ length: n }, (_, k) => (2 * Math.PI * k) / n);
    waves.set(n, [table.map(Math.cos), table.map(Math.sin)]);
  }
  return waves.get(n);
};
// A shift by tau: every frequency f of x turns by -2 pi f tau / N (exact for band-limited x).
const spectrum = (x) => {
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
// A phase turns every frequency but the constant by the same angle, in radians.
const shifted = ({ n, real, imaginary }, tau, phase = 0) => {
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
const shiftedLines = (lines, tau) => spectraOf(lines).map((line) => shifted(line, tau));
const phasedLines = (lines, degrees) => spectraOf(lines).map((line) => shifted(line, 0, (degrees * Math.PI) / 180));
const shiftOf = (j, tau) => shiftedLines(data.components[j].lines, tau);
// Images that are side by side move on their own.
const cut = (row) => view.images.map((_, k) => row.slice((k * row.length) / view.images.length, ((k + 1) * row.length) / view.images.length));
const transposed = (lines) => lines[0].map((_, p) => lines.map((row) => row[p]));
const movedRight = (lines, tau) => lines.map((row) => shiftedLines(cut(row), tau).flat());
const movedDown = (lines, tau) => transposed(shiftedLines(transposed(lines), tau));
// Vectors: coordinate k of the copies of a vector that move together; the only line is one vector.
const coordinates = (lines) => {
  if (view.lines === 1) return lines[0].map((value) => [[value]]);
  const copies = view.lines / view.vectors;
  return Array.from({ length: view.vectors }, (_, k) => lines.slice(k * copies, (k + 1) * copies));
};
// A turn by an angle in the plane of coordinates i and k; lines, or the entries of the only line.
const turned = (lines, [i, k], degrees) => {
  const angle = (degrees * Math.PI) / 180, c = Math.cos(angle), s = Math.sin(angle);
  const all = coordinates(lines), result = all.slice(), both = (a, x, b, y) => x.map((row, l) => row.map((value, p) => a * value + b * y[l][p]));
  result[i] = both(c, all[i], -s, all[k]);
  result[k] = both(s, all[i], c, all[k]);
  return view.lines === 1 ? [result.flat(2)] : result.flat();
};
const times = (c, lines) => lines.map((line) => line.map((value) => c * value));
const atomLines = (atom) => {
  if (atom.shift !== undefined) return times(atom.c, shiftOf(atom.j, atom.shift));
  if (atom.moved !== undefined) return times(atom.c, data.moved[atom.moved]);
  return times(atom.c, data.components[atom.j].lines);
};
