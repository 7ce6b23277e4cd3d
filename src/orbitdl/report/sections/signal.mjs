// The signal of a recording: outline bins of all of it, and segments sample by sample. Nothing in here knows the page.
import { extent, reached, roomy } from "../scripts/numbers.mjs";

const MISSING = -32768, EVERY = 6000; // samples that are drawn one by one
export const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer;
const KINDS = { row: Int32Array, sample: Float64Array, amplitude: Float32Array, similarity: Float32Array, sample_sd: Float32Array, amplitude_sd: Float32Array, q_value: Float32Array, component: Uint16Array, flags: Uint16Array };
export const unpackedEvents = (packed) => Object.fromEntries(Object.entries(KINDS).map(([name, Kind]) => [name, new Kind(bytesOf(packed[name]))]));
// Columns of values from blocks of 16-bit codes.
export const unpacked = (blocks, width) => {
  const rows = blocks.reduce((sum, block) => sum + block.rows, 0), columns = Array.from({ length: width }, () => new Float64Array(rows));
  let start = 0;
  blocks.forEach((block) => {
    const codes = new Int16Array(bytesOf(block.codes));
    columns.forEach((column, m) => {
      for (let k = 0; k < block.rows; k++) {
        const code = codes[m * block.rows + k];
        column[start + k] = code === MISSING ? NaN : block.middle[m] + block.scale[m] * code;
      }
    });
    start += block.rows;
  });
  return columns;
};
export const unpackedSignal = ({ size, outline, detail, first, samples, channels }) => ({
  size, first, samples, channels: channels.length, outline: unpacked(outline, 4 * channels.length),
  segments: detail.map(({ first: begin, blocks }) => ({ begin, columns: unpacked(blocks, 2 * channels.length) })),
});
// From `begin` to `end`, minimum and maximum of `per` values at a time.
export const extremes = (low, high, begin, end, per) => {
  const least = [], greatest = [];
  for (let start = begin; start < end; start += per) {
    let a = Infinity, b = -Infinity;
    for (let k = start; k < Math.min(start + per, end); k++) {
      if (low(k) < a) a = low(k);
      if (high(k) > b) b = high(k);
    }
    least.push(a > b ? null : a);
    greatest.push(a > b ? null : b);
  }
  return { least, greatest };
};
const known = (value) => (Number.isNaN(value) ? null : value);
const sampled = (at, begin, end, per) => {
  if (per === 1) return Array.from({ length: end - begin }, (_, k) => known(at(begin + k)));
  const { least, greatest } = extremes(at, at, begin, end, per);
  return least.flatMap((value, k) => (k % 2 ? [greatest[k], value] : [value, greatest[k]]));
};
// What is known of a channel between two samples, in at most so many steps: data, reconstruction, residual.
export const signalBetween = (signal, from, to, channel, steps) => {
  const segment = signal.segments.find(({ begin, columns }) => begin <= Math.max(0, from) && begin + columns[0].length >= Math.min(signal.samples, to));
  return segment ? samplesBetween(signal, segment, from, to, channel, steps) : outlineBetween(signal, from, to, channel, steps);
};
const samplesBetween = ({ first, channels }, { begin, columns }, from, to, channel, steps) => {
  const low = Math.max(0, Math.floor(from) - 1 - begin), high = Math.min(columns[0].length, Math.ceil(to) + 2 - begin);
  const per = high - low <= EVERY ? 1 : Math.ceil((high - low) / steps), given = columns[channel], left = columns[channels + channel], x = [];
  for (let k = low; k < high; k += per) {
    const place = first + begin + (k + Math.min(k + per, high) - 1) / 2;
    x.push(...(per === 1 ? [place] : [place, place]));
  }
  return { x, per, exact: true, data: sampled((k) => given[k], low, high, per), residual: sampled((k) => left[k], low, high, per), fit: sampled((k) => given[k] - left[k], low, high, per) };
};
const outlineBetween = ({ first, size, outline, channels, samples }, from, to, channel, steps) => {
  const low = Math.max(0, Math.floor(from / size) - 1), high = Math.min(outline[0].length, Math.ceil(to / size) + 1), per = Math.max(1, Math.ceil((high - low) / steps));
  const band = (m) => extremes((k) => outline[m][k], (k) => outline[2 * channels + m][k], low, high, per), x = [], end = [];
  for (let k = low; k < high; k += per) {
    x.push(first + size * k - 0.5);
    end.push(first + Math.min(size * Math.min(k + per, high), samples) - 0.5);
  }
  return { x, end, per: per * size, exact: false, data: band(channel), residual: band(channels + channel), fit: null };
};
// Numbers of the events from one sample to another.
export const eventsBetween = (events, low, high) => Array.from({ length: Math.max(0, reached(events.sample, high) - reached(events.sample, low)) }, (_, k) => reached(events.sample, low) + k);
// So many of a list, evenly spread; none that is listed is left out.
export const spread = (own, most, isListed) => {
  const every = Math.ceil(own.length / most);
  return every <= 1 ? own : own.filter((k, n) => n % every === 0 || isListed(k));
};
// A range at least as tall as a part of another, so that sizes can be compared.
export const alike = ([low, high], lists) => {
  const own = roomy(extent(lists)), half = Math.max(0.4 * (high - low), 0.5 * (own[1] - own[0])), middle = (own[0] + own[1]) / 2;
  return [middle - half, middle + half];
};
