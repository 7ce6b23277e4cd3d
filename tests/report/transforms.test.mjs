// What transforms a component.
import assert from "node:assert/strict";
import { test } from "node:test";
import { coordinates, parts, phasedLines, projected, rotated, shiftedDown, shiftedLines, shiftedRight, transformed } from "../../src/orbitdl/report/sections/transforms.mjs";

const near = (a, b) => a.flat().forEach((value, k) => assert.ok(Math.abs(value - b.flat()[k]) < 1e-9, `${a} is not ${b}`));

test("a whole shift rolls a line, odd and even lengths alike", () => {
  near(shiftedLines([[1, 2, 3, 4, 5]], 2), [[4, 5, 1, 2, 3]]);
  near(shiftedLines([[1, 2, 3, 4]], 1), [[4, 1, 2, 3]]);
});
test("two halves of a shift make a whole one for an odd length", () => {
  near(shiftedLines(shiftedLines([[1, 5, 2, 0, 3]], 0.5), 0.5), shiftedLines([[1, 5, 2, 0, 3]], 1));
});
test("a phase of half a turn changes the sign of all but the mean", () => {
  near(phasedLines([[1, 2, 6]], 180), [[5, 4, 0]]);
});
test("images side by side are shifted on their own", () => {
  near(shiftedRight([[1, 2, 3, 7, 8, 9]], 1, 2), [[3, 1, 2, 9, 7, 8]]);
  near(shiftedDown([[1, 2], [3, 4]], 1), [[3, 4], [1, 2]]);
  assert.deepEqual(parts([1, 2, 3, 4], 2), [[1, 2], [3, 4]]);
});
test("a rotation by a right angle exchanges coordinates and keeps lengths", () => {
  near(rotated([[1, 2], [3, 4]], 2, [0, 1], 90), [[-3, -4], [1, 2]]);
  near(rotated([[3, 4, 5]], 3, [0, 2], 90), [[-5, 4, 3]]);
  assert.deepEqual(coordinates([[1], [2], [3], [4]], 2), [[[1], [2]], [[3], [4]]]);
  assert.equal(projected([1, 0, 0]).length, 2);
});
test("sliders are applied one after the other", () => {
  const sliders = [{ kind: "list" }, { kind: "shift", way: "along" }], copies = [[[1, 2, 3]], [[3, 2, 1]]];
  near(transformed({ lines: copies[0], copies }, sliders, { positions: [1, 1], plane: 0 }, { vectors: 0, images: [] }), [[1, 3, 2]]);
});
