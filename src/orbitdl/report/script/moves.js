// What moves a component, computed here: shifts, turns, tables.
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
const shifted = ({ n, real, imaginary }, tau) => {
  const [cosine, sine] = wave(n), out = new Array(n).fill(0);
  for (let f = 0; f < real.length; f++) {
    const angle = (-2 * Math.PI * f * tau) / n, c = Math.cos(angle), s = Math.sin(angle);
    const re = real[f] * c - imaginary[f] * s, im = real[f] * s + imaginary[f] * c;
    for (let t = 0, k = 0; t < n; t++) {
      out[t] += re * cosine[k] - im * sine[k];
      k += f;
      if (k >= n) k -= n;
    }
  }
  return out;
};
const spectra = new Map();
const shiftOf = (j, tau) => {
  if (!spectra.has(j)) spectra.set(j, data.components[j].lines.map(spectrum));
  return spectra.get(j).map((line) => shifted(line, tau));
};
// A turn by an angle in the plane of coordinates i and k; lines, or the entries of the only line.
const turned = (lines, [i, k], degrees) => {
  const angle = (degrees * Math.PI) / 180, c = Math.cos(angle), s = Math.sin(angle);
  const rows = view.across === "coordinate" ? lines : lines[0].map((value) => [value]);
  const result = rows.map((row) => row.slice());
  rows[i].forEach((value, p) => {
    result[i][p] = c * value - s * rows[k][p];
    result[k][p] = s * value + c * rows[k][p];
  });
  return view.across === "coordinate" ? result : [result.map((row) => row[0])];
};
const times = (c, lines) => lines.map((line) => line.map((value) => c * value));
const atomLines = (atom) => {
  if (atom.shift !== undefined) return times(atom.c, shiftOf(atom.j, atom.shift));
  if (atom.moved !== undefined) return times(atom.c, data.moved[atom.moved]);
  return times(atom.c, data.components[atom.j].lines);
};
