// The components, each with sliders that transform it, one after the other.
import { digits, extent, largest, roomy } from "../scripts/numbers.mjs";
import { atStart, byId, chart, data, make, narrow, swatch } from "../scripts/page.mjs";
import { coordinates, parts, phasedLines, projected, transformed } from "./transforms.mjs";

const { view = {}, sliders = [], shapes = [], shown: onCards = [], captions = [] } = data.components || {};
export const moving = sliders.length === 1 ? sliders[0].kind : sliders.length ? "several" : "none";
const uses = (kind) => sliders.some((slider) => slider.kind === kind);
const isCount = view.along !== "sample", FEW_ROWS = 3;
export const along = Array.from({ length: view.length || 0 }, (_, t) => t / (view.sfreq || 1));
export const alongLabel = view.sfreq ? "time (s)" : isCount ? view.along : "time (samples)";
const startOf = (j, plane = 0) => ({ positions: shapes[j].start.slice(), plane });
const lookOf = (layer) => ({ ...layer, dots: isCount && view.length <= 30 });

// Lines below each other, of many channels as small multiples of one scale.
export const stacked = (rows, height, label = alongLabel) => {
  const grid = rows.length > FEW_ROWS, all = roomy(extent(rows.flatMap((row) => row.range ? [row.range] : row.layers.map((layer) => layer.y))));
  const list = rows.map((row) => ({ ...row, range: grid ? [Math.min(all[0], 0), Math.max(all[1], 0)] : row.range, layers: row.layers.map((layer) => lookOf({ kind: "line", x: along, ...layer, words: view.entries && layer.y.map((value, k) => `${view.entries[k]}: ${value}`) })) }));
  return { rows: list, x: { label: grid ? `${label}; all channels at one scale` : label, whole: isCount }, height, grid };
};
export const plane = (layers, height) => {
  const reach = 1.12 * largest(layers.flatMap(({ lines: [x, y] }) => x.map((value, p) => Math.hypot(value, y[p]))));
  const draw = ({ lines: [x, y], ...look }) => (view.length === 1 ? { kind: "line", dots: true, x: [0, x[0]], y: [0, y[0]], ...look } : { kind: "marks", x, y, ...look });
  return { rows: [{ label: view.channels[1], range: [-reach, reach], layers: layers.map(draw) }], x: { label: view.channels[0], range: [-reach, reach] }, height, square: true };
};
// Images, side by side with a gap between them.
export const picture = (lines, height, reach) => {
  const n = view.images.length, width = view.length / n, rows = lines.length;
  const values = lines.map((row) => parts(row, n).flatMap((part, k) => (k ? [null, ...part] : part))), columns = values[0].length;
  const ticks = n > 1 ? view.images.map((name, k) => [k * (width + 1) + (width - 1) / 2, name]) : undefined;
  const layer = { kind: "image", x: [-0.5, columns - 0.5], y: [-0.5, rows - 0.5], values, reach };
  return { rows: [{ label: view.across, range: [rows - 0.5, -0.5], layers: [layer] }], x: { label: `${n > 1 ? "" : `${alongLabel}; `}blue ${digits(reach)}, orange ${digits(-reach)}`, range: [-0.5, columns - 0.5], ticks, whole: true }, height, square: view.across === "row" };
};
// Vectors as paths in time or as points, with a line to the longest.
const space = (layers, height) => {
  const vectorsOf = (lines) => {
    const all = coordinates(lines, view.vectors);
    return all[0].map((row, copy) => row.map((_, p) => all.map((rows) => rows[copy][p])));
  };
  const longest = (lines) => vectorsOf(lines).flat().reduce((most, vector) => (Math.hypot(...vector) > Math.hypot(...most) ? vector : most));
  const reach = 1.06 * Math.max(...layers.map(({ lines }) => Math.hypot(...longest(lines))), 1e-12);
  const names = view.lines === view.vectors ? view.channels : Array.from({ length: view.vectors }, (_, k) => `coordinate ${k}`);
  const ends = names.map((_, k) => projected(names.map((__, i) => (i === k ? reach : 0))));
  const axes = ends.map(([x, y]) => ({ kind: "line", x: [0, x], y: [0, y], colour: "ghost", width: 1 }));
  const words = { kind: "text", x: ends.map(([x]) => 1.08 * x), y: ends.map(([, y]) => 1.08 * y), words: names };
  const paths = layers.flatMap(({ lines, ...look }) => vectorsOf(lines).map((vectors) => {
    const points = vectors.map(projected);
    return { kind: isCount ? "marks" : "line", x: points.map(([x]) => x), y: points.map(([, y]) => y), ...look };
  }));
  const arrows = layers.map(({ lines, ...look }) => {
    const [x, y] = projected(longest(lines));
    return { kind: "line", dots: true, x: [0, x], y: [0, y], ...look, width: 2.2 };
  });
  return { rows: [{ range: [-1.2 * reach, 1.2 * reach], layers: [...axes, words, ...paths, ...arrows] }], x: { range: [-1.2 * reach, 1.2 * reach] }, height, square: true, bare: true };
};

// The axis stays as it is while a shape changes: it has room for all transformed copies.
const rangeFor = (j, l) => {
  const { lines, copies } = shapes[j];
  let values = lines[l];
  if (uses("list")) values = copies.flatMap((element) => element[l]);
  if (uses("phase")) values = [0, 45, 90, 135].flatMap((degrees) => phasedLines(lines, degrees)[l]).flatMap((value) => [-value, value]);
  if (uses("rotation")) {
    const all = coordinates(lines, view.vectors), own = l % all[0].length;
    values = all[0][own].flatMap((_, p) => Math.hypot(...all.map((rows) => rows[own][p]))).flatMap((length) => [-length, length]);
  }
  return roomy(extent([values]), 0.12);
};
const shapeOf = (j, state) => transformed(shapes[j], sliders, state, view);
export const componentSpec = (j, state) => {
  const lines = shapeOf(j, state), start = shapeOf(j, startOf(j, state.plane)), fixed = moving === "none";
  if (view.kind === "image") return picture(lines, view.images.length > 1 ? 180 : 230, largest(shapes[j].lines));
  const own = { component: j, width: 2.2, name: "component" }, rest = { colour: "ghost", width: 1.3, name: "at the start" };
  if (view.kind === "plane") return plane(fixed ? [{ lines, ...own }] : [{ lines: start, ...rest }, { lines, ...own }], 250);
  const rows = lines.map((y, l) => ({ range: rangeFor(j, l), label: view.lines > 1 ? view.channels[l] : "shape", layers: fixed ? [{ y, ...own }] : [{ y: start[l], ...rest }, { y, ...own }] }));
  return stacked(rows, view.lines > 1 ? 110 * view.lines : 190);
};
const inSpace = uses("rotation") && view.kind === "lines" && [2, 3].includes(view.vectors);
const spaceSpec = (j, state) => space([{ lines: shapeOf(j, startOf(j)), colour: "ghost", width: 1.2 }, { lines: shapeOf(j, state), component: j, width: 2 }], 240);

const words = (slider, position) => {
  if (slider.kind === "list") return slider.words[position];
  if (slider.kind !== "shift") return `${position}°`;
  const seconds = view.sfreq ? ` (${(position / view.sfreq).toFixed(3)} s)` : "";
  return `${position.toFixed(slider.step === 1 ? 0 : slider.step === 0 ? 1 : 2)} ${slider.way === "along" ? "samples" : "pixels"}${seconds}`;
};
const limits = (slider) => {
  if (slider.kind === "list") return { min: 0, max: slider.words.length - 1, step: 1 };
  if (slider.kind !== "shift") return { min: 0, max: 360, step: 1 };
  const { step, length } = slider;
  return { min: 0, max: step ? length - step : length, step: step === 0 ? 0.1 : step === 1 ? 1 : "any" };
};
const onGrid = ({ kind, step }, value) => (kind === "shift" && step > 0 ? Math.round(value / step) * step : value);
const nameOf = ({ kind, way }) => ({ shift: { along: "Shift", right: "Right", down: "Down" }[way], phase: "Phase", rotation: "Rotation", list: "Transformation" })[kind];
const addSlider = (card, j, k, state, redraw) => {
  const id = k ? `slider-${j}-${k}` : `slider-${j}`, slider = sliders[k], name = nameOf(slider);
  const input = make("input", { type: "range", id, ...limits(slider), "aria-label": `${name} of component ${j}` }), output = make("output", { for: id });
  input.value = shapes[j].start[k];
  const box = make("div", { class: "move" }, make("div", { class: "row" }, make("label", { for: id }, name), output), input);
  const choice = make("select", { "aria-label": `Plane in which component ${j} is rotated` });
  if (slider.kind === "rotation" && slider.planes.length > 1) {
    const what = !isCount && view.lines === view.vectors ? "channels" : "coordinates";
    slider.planes.forEach(([a, b], p) => choice.append(make("option", { value: p }, `in the plane of ${what} ${a} and ${b}`)));
    box.append(choice);
  }
  const update = () => {
    const position = onGrid(slider, Number(input.value));
    output.textContent = words(slider, position);
    input.setAttribute("aria-valuetext", words(slider, position));
    state.positions[k] = position;
    if (slider.kind === "rotation") state.plane = Number(choice.value || 0);
    redraw();
  };
  input.addEventListener("input", update);
  choice.addEventListener("change", update);
  card.append(box);
  update();
};
const addCard = (j) => {
  const plot = make("div", { class: "plot", id: `component-${j}`, role: "img", "aria-label": `Shape of component ${j}` });
  const card = make("article", { class: "card" }, make("h3", {}, swatch(j), `Component ${j}`), ...(captions[j] ? [make("p", { class: "small" }, captions[j])] : []), plot);
  const beside = inSpace ? make("div", { class: "plot", id: `space-${j}`, role: "img", "aria-label": `Component ${j} in space` }) : null;
  if (beside) card.append(beside);
  byId("component-cards").append(card);
  return () => {
    const state = startOf(j), shows = [chart(plot, () => componentSpec(j, state)), ...(beside ? [chart(beside, () => spaceSpec(j, state))] : [])];
    const redraw = () => shows.forEach((show) => show());
    if (moving === "none") redraw();
    sliders.forEach((_, k) => addSlider(card, j, k, state, redraw));
  };
};
const HOW = {
  shift: "Drag a slider, or use the arrow keys on it, to shift a component; shifts are circular. The grey line stays at the start, with the peak in the middle.",
  phase: "Drag a slider, or use the arrow keys on it, to shift the phase; the start stays in grey.",
  rotation: "Drag a slider, or use the arrow keys on it, to rotate a component; the start stays in grey.",
  list: "Drag a slider, or use the arrow keys on it, to step through the transformations.",
  several: "Drag sliders, or use the arrow keys on them, to apply one transformation after the other.",
  none: "There are no transformations: an atom is a multiple of a component.",
};
atStart(() => {
  if (!byId("component-cards")) return;
  const seen = inSpace ? ` Below the lines, the ${isCount ? "points" : "vectors"} in ${view.vectors === 3 ? "space" : "the plane"}; the line with a dot is the longest vector.` : "";
  byId("how-to-move").textContent = HOW[moving] + seen;
  byId("component-cards").classList.toggle("wide", view.lines > FEW_ROWS && view.kind === "lines" && !narrow());
  onCards.map(addCard).forEach((drawCard) => drawCard());
});
