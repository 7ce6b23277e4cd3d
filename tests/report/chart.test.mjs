// Scales, ranges and layouts of charts, and the signal of a recording.
import assert from "node:assert/strict";
import { test } from "node:test";
import { boxesOf, nearest, pathOf, rangeOf, scaleOf } from "../../src/orbitdl/report/scripts/chart.mjs";
import { alike, eventsBetween, extremes, signalBetween, spread, unpacked } from "../../src/orbitdl/report/sections/signal.mjs";

test("scales map ends to ends, logarithmic ones decades to equal parts", () => {
  const linear = scaleOf("linear", [0, 10], 100, 0), log = scaleOf("log", [1, 100], 0, 100);
  assert.deepEqual([linear(0), linear(10), linear(5)], [100, 0, 50]);
  assert.deepEqual([log(1), log(10), log(100)].map(Math.round), [0, 50, 100]);
});
test("the range of a row holds its errors and, where it is wanted, zero", () => {
  const [low, high] = rangeOf({ zero: true, layers: [{ x: [1], y: [5], sy: [2] }] });
  assert.equal(low, 0);
  assert.ok(high > 7);
});
test("a line is interrupted where a value is missing", () => {
  const same = (value) => value;
  assert.equal(pathOf([0, 1, 2, 3], [1, null, 2, 3], same, same), "M0.0 1.0M2.0 2.0L3.0 3.0");
});
test("many channels are small multiples inside the width, which do not overlap", () => {
  [280, 700, 1100].forEach((width) => [4, 12, 32].forEach((n) => {
    const boxes = boxesOf({ rows: Array.from({ length: n }, () => ({})), grid: true, height: 1 }, width);
    assert.equal(boxes.length, n);
    boxes.forEach((box, k) => {
      assert.ok(box.left >= 0 && box.left + box.width <= width && box.width > 60);
      boxes.slice(k + 1).forEach((other) => assert.ok(other.left >= box.left + box.width || other.top >= box.top + box.height || other.left + other.width <= box.left));
    });
  }));
});
test("rows below each other share the height by their weights", () => {
  const [one, two] = boxesOf({ rows: [{ weight: 2 }, {}], height: 312 }, 500);
  assert.equal(Math.round(one.height), 200);
  assert.ok(two.top >= one.top + one.height);
});
test("the nearest mark is found, and none from far away", () => {
  const row = { layers: [{ kind: "marks", x: [10, 50], y: [10, 10] }] }, same = (value) => value;
  const rows = [{ row, box: { left: 0, top: 0, width: 100, height: 100 }, x: same, y: same }];
  assert.equal(nearest(rows, 48, 12).k, 1);
  assert.equal(nearest(rows, 90, 90), null);
});

const text = (codes) => Buffer.from(new Int16Array(codes).buffer).toString("base64");
const blocks = [{ rows: 4, middle: [10, 0], scale: [0.5, 1], codes: text([0, 2, -2, -32768, 1, 1, 1, 1]) }];
const signal = { size: 1, first: 100, samples: 4, channels: 1, outline: [[], [], [], []], segments: [{ begin: 0, columns: unpacked(blocks, 2) }] };
test("samples come back from text, at the times of the whole recording", () => {
  const read = signalBetween(signal, 0, 4, 0, 500);
  assert.deepEqual(read.x, [100, 101, 102, 103]);
  assert.deepEqual(read.data, [10, 11, 9, null]);
  assert.deepEqual(read.fit, [9, 10, 8, null]);
});
test("where samples are not in the file, minimum and maximum of every bin are", () => {
  const long = { ...signal, size: 8, samples: 16, segments: [], outline: [[1, 2], [0, 0], [5, 9], [1, 1]] };
  const read = signalBetween(long, 0, 16, 0, 500);
  assert.deepEqual([read.data.least, read.data.greatest], [[1, 2], [5, 9]]);
  assert.deepEqual([read.x, read.end], [[99.5, 107.5], [107.5, 115.5]]);
  assert.deepEqual(extremes((k) => k, (k) => k, 0, 5, 2), { least: [0, 2, 4], greatest: [1, 3, 4] });
});
test("events between two samples are found, and thinned without those that are listed", () => {
  assert.deepEqual(eventsBetween({ sample: [1, 5, 9, 12] }, 4, 12), [1, 2]);
  assert.deepEqual(spread([0, 1, 2, 3, 4, 5], 2, (k) => k === 4), [0, 3, 4]);
  assert.deepEqual(spread([0, 1], 2, () => false), [0, 1]);
  const [low, high] = alike([0, 10], [[1, 1.1]]);
  assert.ok(high - low >= 8);
});
