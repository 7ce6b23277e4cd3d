// Numbers, times and ticks.
import assert from "node:assert/strict";
import { test } from "node:test";
import { clock, digits, duration, extent, grouped, logTicks, percent, reached, roomy, several, ticks, timeOf, timeTicks } from "../../src/orbitdl/report/scripts/numbers.mjs";

test("numbers have few digits, a true minus sign and groups of three", () => {
  assert.equal(digits(-0.123456), "−0.123");
  assert.equal(grouped(1234567), "1\u00a0234\u00a0567");
  assert.equal(several(1, "event"), "1 event");
  assert.equal(several(12000, "event"), "12\u00a0000 events");
  assert.equal(percent(0.97312), "97.3\u00a0%");
  assert.equal(percent(1e-9), "less than 0.001\u00a0%");
});
test("times count hours, minutes and seconds, or samples", () => {
  assert.equal(clock(3725.12, 1), "1:02:05.1");
  assert.equal(clock(59.96, 1), "0:01:00.0");
  assert.equal(timeOf(360000, 100), "1:00:00.0");
  assert.equal(timeOf(360000.5, 30000), "0:00:12.000");
  assert.equal(timeOf(52.26, null), "52.3");
  assert.equal(duration(50, 1000), "50\u00a0ms");
  assert.equal(duration(125, 100), "1.25\u00a0s");
  assert.equal(duration(125, null), "125 samples");
});
test("a binary search finds the first value that is reached", () => {
  assert.deepEqual([0, 1, 1.5, 9].map((value) => reached([1, 2, 3], value)), [0, 0, 1, 3]);
});
test("an axis of time has a few round ticks inside it whatever the rate", () => {
  [null, 1e-12, 1e-7, 1e-5, 1e-3, 1, 360, 3e4].forEach((sfreq) => [1e1, 1e4, 1e8].forEach((samples) => {
    const list = timeTicks(0, samples, 7, sfreq);
    assert.ok(list.length >= 2 && list.length <= 15, `${sfreq} ${samples}: ${list.length}`);
    list.forEach(([place]) => assert.ok(place >= -1e-6 && place <= samples * (1 + 1e-6)));
  }));
  assert.deepEqual(timeTicks(0, 3600, 4, 1).map(([, words]) => words), ["0:00:00", "0:15:00", "0:30:00", "0:45:00", "1:00:00"]);
});
test("ticks are round values, whole ones where they must be, and powers of ten on a logarithmic axis", () => {
  assert.deepEqual(ticks(0, 1, 5).map(([, words]) => words), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
  assert.deepEqual(ticks(-0.5, 2.5, 9, true).map(([value]) => value), [0, 1, 2]);
  assert.deepEqual(logTicks(0.005, 200, 5).map(([, words]) => words), ["0.01", "0.1", "1", "10", "100"]);
});
test("ranges leave out what is missing and have room, also around a constant", () => {
  assert.deepEqual(extent([[1, null, NaN], [3]]), [1, 3]);
  assert.deepEqual(roomy([1, 1]), [0.9, 1.1]);
  assert.deepEqual(roomy(extent([[]])), [-1, 1]);
});
