// The signal: outline bins of all of it, and stretches sample by sample.
const MISSING = -32768;
const joined = (blocks, width) => {
  const rows = blocks.reduce((sum, block) => sum + block.rows, 0);
  const columns = Array.from({ length: width }, () => new Float64Array(rows));
  let start = 0;
  blocks.forEach((block) => {
    const codes = new Int16Array(bytesOf(block.codes));
    columns.forEach((column, m) => {
      const { middle: { [m]: middle }, scale: { [m]: scale } } = block;
      for (let k = 0; k < block.rows; k++) {
        const code = codes[m * block.rows + k];
        column[start + k] = code === MISSING ? NaN : middle + scale * code;
      }
    });
    start += block.rows;
  });
  return columns;
};
const channels = view.channels.length;
const outline = joined(data.strip.outline, 4 * channels);
const stretches = data.strip.detail.map(({ first, blocks }) => {
  const columns = joined(blocks, 2 * channels);
  return { first, last: first + columns[0].length, columns };
});
const known = (value) => (Number.isNaN(value) ? null : value);
// From `begin` to `end`, the least and the greatest of `per` places at a time, as one line that goes up and down.
const zigzag = (low, high, begin, end, per) => {
  const line = [];
  for (let start = begin, odd = false; start < end; start += per, odd = !odd) {
    let least = Infinity, greatest = -Infinity;
    for (let k = start; k < Math.min(start + per, end); k++) {
      const [a, b] = [low(k), high(k)];
      if (a < least) least = a;
      if (b > greatest) greatest = b;
    }
    if (least > greatest) line.push(null, null);
    else line.push(...(odd ? [greatest, least] : [least, greatest]));
  }
  return line;
};
const places = (begin, end, per, first) => {
  const x = [];
  for (let start = begin; start < end; start += per) {
    const middle = onAxis(first + (start + Math.min(start + per, end) - 1) / 2);
    x.push(middle, middle);
  }
  return x;
};
const plainLine = (at, begin, end) => Array.from({ length: end - begin }, (_, k) => known(at(begin + k)));
const drawnLine = (at, begin, end, per) => (per > 1 ? zigzag(at, at, begin, end, per) : plainLine(at, begin, end));
const stretchOver = (from, to) => stretches.find(({ first, last }) => first <= Math.max(0, from) && last >= Math.min(view.samples, to));
const EVERY = 6000; // samples that are drawn one by one
// What is drawn from one sample to another, at most so many steps: data, approximation, what is left.
const signalBetween = (from, to, channel, steps) => {
  const stretch = stretchOver(from, to);
  return stretch ? samplesBetween(stretch, from, to, channel, steps) : outlineBetween(from, to, channel, steps);
};
const samplesBetween = ({ first, last, columns }, from, to, channel, steps) => {
  const begin = Math.max(0, Math.floor(from) - 1 - first), end = Math.min(last - first, Math.ceil(to) + 2 - first);
  const per = end - begin <= EVERY ? 1 : Math.ceil((end - begin) / steps), [given, left] = [columns[channel], columns[channels + channel]];
  const x = per > 1 ? places(begin, end, per, first) : Array.from({ length: end - begin }, (_, k) => onAxis(first + begin + k));
  return {
    x, leftX: x, per, exact: true, data: drawnLine((k) => given[k], begin, end, per), left: drawnLine((k) => left[k], begin, end, per),
    fit: drawnLine((k) => given[k] - left[k], begin, end, per),
  };
};
// Boxes: all that is known of a moment is that the signal stays between the least and the greatest.
const boxes = (band, begin, end, per, size) => {
  const x = [], y = [];
  for (let n = 0, start = begin; start < end; n += 2, start += per) {
    if (band[n] === null) continue;
    const [low, high] = [band[n], band[n + 1]], [left, right] = [start, Math.min(start + per, end)].map((k) => onAxis(size * k - 0.5));
    x.push(left, left, right, right, left, null);
    y.push(low, high, high, low, low, null);
  }
  return { x, y };
};
const outlineBetween = (from, to, channel, steps) => {
  const { size } = data.strip, count = outline[0].length;
  const begin = Math.max(0, Math.floor(from / size) - 1), end = Math.min(count, Math.ceil(to / size) + 1);
  const per = Math.max(1, Math.ceil((end - begin) / steps));
  const band = (m) => boxes(zigzag((k) => outline[m][k], (k) => outline[2 * channels + m][k], begin, end, per), begin, end, per, size);
  const [given, left] = [band(channel), band(channels + channel)];
  return { x: given.x, leftX: left.x, per: per * size, exact: false, data: given.y, left: left.y, fit: null };
};
