// Charts as SVG. A chart has rows of layers over one horizontal axis; colours come from the style of the page.
import { digits, extent, logTicks, roomy, ticks, timeOf, timeTicks } from "./numbers.mjs";

const SPACE = "http://www.w3.org/2000/svg", COLOURS = 8, DASHES = ["", "6 4", "2 3", "8 3 2 3"];
export const svg = (tag, attributes = {}, ...children) => {
  const element = document.createElementNS(SPACE, tag);
  Object.entries(attributes).forEach(([name, value]) => value !== undefined && element.setAttribute(name, value));
  element.append(...children);
  return element;
};
export const colourOf = (layer) => (layer.component === undefined ? `var(--${layer.colour || "ink"})` : `var(--c${layer.component % COLOURS})`);
const again = (layer) => Math.floor((layer.component || 0) / COLOURS) % 4;
const dashOf = (layer) => (layer.dash ? "2 3" : DASHES[again(layer)]);

// From values to pixels.
const log = (value) => Math.log10(Math.max(value, 1e-300));
export const scaleOf = (kind, [low, high], from, to) => {
  if (kind === "log" || kind === "counts") {
    const bottom = log(low), size = log(high) - bottom || 1;
    return (value) => from + ((log(Math.max(value, low)) - bottom) / size) * (to - from);
  }
  return (value) => from + ((value - low) / (high - low || 1)) * (to - from);
};
const heightsOf = (layer) => {
  const half = layer.sy || [], y = layer.y || [];
  if (typeof y === "number") return [[y]];
  return [y, layer.low || [], layer.high || [], half.map((s, k) => y[k] + s), half.map((s, k) => y[k] - s)];
};
// The range of a row: all its layers, with zero where it is wanted.
export const rangeOf = (row) => {
  if (row.range) return row.range;
  const values = row.layers.flatMap(heightsOf);
  if (row.kind === "counts") return [0.6, 1.6 * Math.max(extent(values)[1], 3)];
  if (row.kind === "log") {
    const [low, high] = extent(values.map((list) => list.filter((value) => value > 0)));
    return low > high ? [0.1, 10] : [low / 1.4, high * 1.4];
  }
  const [low, high] = roomy(extent(row.zero ? [...values, [0]] : values));
  return row.zero && low < 0 && extent(values)[0] >= 0 ? [0, high] : [low, high];
};
export const rangeOfX = (spec) => {
  if (spec.x.range) return spec.x.range;
  const values = spec.rows.flatMap((row) => row.layers.map((layer) => (Array.isArray(layer.x) ? layer.x : [])));
  const [low, high] = extent(values), bars = spec.rows.some((row) => row.layers.some((layer) => layer.kind === "bars" || layer.kind === "marks"));
  if (low > high) return [0, 1];
  if (spec.x.kind === "log") return [low / 1.2, high * 1.2];
  return bars ? roomy([low, high], 0.04) : low === high ? [low - 1, high + 1] : [low, high];
};
// The boxes of the rows: below each other, or small multiples side by side.
export const boxesOf = (spec, width) => {
  const left = spec.grid ? 8 : spec.bare ? 10 : 58, right = 12, top = 8;
  if (spec.grid) {
    const n = spec.rows.length, below = Math.ceil(n / Math.min(Math.max(2, Math.floor(width / 190)), Math.ceil(n / 2)));
    const columns = Math.ceil(n / below), gap = 12, cell = (width - left - right - gap * (columns - 1)) / columns, high = n > 16 ? 64 : 84;
    return spec.rows.map((_, k) => ({ left: left + Math.floor(k / below) * (cell + gap), top: top + (k % below) * (high + 6), width: cell, height: high }));
  }
  const total = spec.rows.reduce((sum, row) => sum + (row.weight || 1), 0), gap = spec.rows.length > 6 ? 3 : 12;
  const free = spec.height - gap * (spec.rows.length - 1);
  let above = top;
  return spec.rows.map((row) => {
    const height = (free * (row.weight || 1)) / total, box = { left, top: above, width: width - left - right, height };
    above += height + gap;
    return box;
  });
};

const at = (value) => value.toFixed(1);
// A line through points, interrupted where a value is null; as steps, each value holds until the next.
export const pathOf = (xs, ys, x, y, step = false) => {
  let path = "", open = false;
  for (let k = 0; k < ys.length; k++) {
    if (ys[k] === null || xs[k] === null || Number.isNaN(ys[k])) open = false;
    else {
      path += open ? (step ? `H${at(x(xs[k]))}V${at(y(ys[k]))}` : `L${at(x(xs[k]))} ${at(y(ys[k]))}`) : `M${at(x(xs[k]))} ${at(y(ys[k]))}`;
      open = true;
    }
  }
  return path;
};
const SHAPES = [
  (r) => `m${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`, (r) => `m${-r} ${-r}h${2 * r}v${2 * r}h${-2 * r}z`,
  (r) => `m0 ${-1.3 * r}l${1.3 * r} ${1.3 * r}l${-1.3 * r} ${1.3 * r}l${-1.3 * r} ${-1.3 * r}z`, (r) => `m0 ${-1.2 * r}l${1.2 * r} ${2.2 * r}h${-2.4 * r}z`,
];
const symbols = (layer, x, y, wanted, r) => layer.x.map((value, k) => (layer.y[k] === null || !wanted(k) ? "" : `M${at(x(value))} ${at(y(layer.y[k]))}${SHAPES[again(layer)](r)}`)).join("");
const rectangle = (x0, y0, x1, y1) => `M${at(x0)} ${at(y0)}H${at(x1)}V${at(y1)}H${at(x0)}z`;
const image = (layer, x, y) => {
  const rows = layer.values.length, columns = layer.values[0].length, canvas = document.createElement("canvas"), style = getComputedStyle(document.documentElement);
  const rgb = (name) => [1, 3, 5].map((k) => parseInt(style.getPropertyValue(name).trim().slice(k, k + 2), 16));
  const [positive, negative, paper] = ["--c0", "--c1", "--plain"].map(rgb);
  Object.assign(canvas, { width: columns, height: rows });
  const context = canvas.getContext("2d"), pixels = context.createImageData(columns, rows);
  layer.values.flat().forEach((value, k) => {
    const part = Math.min(1, Math.abs(value || 0) / layer.reach), end = value > 0 ? positive : negative;
    pixels.data.set([...paper.map((c, i) => Math.round(c + part * (end[i] - c))), value === null ? 0 : 255], 4 * k);
  });
  context.putImageData(pixels, 0, 0);
  return svg("image", { href: canvas.toDataURL(), x: x(layer.x[0]), y: y(layer.y[0]), width: x(layer.x[1]) - x(layer.x[0]), height: y(layer.y[1]) - y(layer.y[0]), preserveAspectRatio: "none", style: "image-rendering:pixelated" });
};
const stroke = (layer, d, more = {}) => svg("path", { d, fill: "none", style: `stroke:${colourOf(layer)}`, "stroke-width": layer.width || 1.8, "stroke-dasharray": dashOf(layer) || undefined, "stroke-linejoin": "round", ...more });
const fill = (layer, d, opacity) => svg("path", { d, style: `fill:${colourOf(layer)}`, "fill-opacity": opacity });
const DRAW = {
  line: (layer, x, y) => [stroke(layer, pathOf(layer.x, layer.y, x, y, layer.step)), ...(layer.dots ? [fill(layer, symbols(layer, x, y, () => true, 3), 1)] : [])],
  band: (layer, x, y) => [fill(layer, `${pathOf(layer.x, layer.high, x, y)}${pathOf([...layer.x].reverse(), [...layer.low].reverse(), x, y).replace("M", "L")}z`, 0.25)],
  bars: (layer, x, y) => [fill(layer, layer.x.map((value, k) => rectangle(x(value - 0.35), y(layer.y[k]), x(value + 0.35), y(0))).join(""), 0.85)],
  boxes: (layer, x, y) => [fill(layer, layer.x.map((value, k) => (layer.low[k] === null ? "" : rectangle(x(value), y(layer.low[k]) + 0.4, x(layer.end[k]), y(layer.high[k]) - 0.4))).join(""), 0.7)],
  level: (layer, x, y, box) => [stroke(layer, `M${at(box.left)} ${at(y(layer.y))}h${at(box.width)}`, { "stroke-width": 1.2, "stroke-opacity": 0.7 })],
  rule: (layer, x, y, box) => [stroke(layer, `M${at(x(layer.x))} ${box.top}v${box.height}`, { "stroke-width": 1.3, "stroke-dasharray": "2 3" })],
  shade: (layer, x, y, box) => [fill(layer, layer.x.map((value, k) => rectangle(x(value), box.top, x(layer.end[k]), box.top + box.height)).join(""), 0.22)],
  image: (layer, x, y) => [image(layer, x, y), svg("path", { d: rectangle(x(layer.x[0]), y(layer.y[0]), x(layer.x[1]), y(layer.y[1])), class: "grid" })],
  text: (layer, x, y) => layer.words.map((words, k) => svg("text", { x: x(layer.x[k]), y: y(layer.y[k]), class: "tick", "text-anchor": "middle" }, words)),
  marks: (layer, x, y) => {
    const r = layer.radius || (layer.x.length > 300 ? 2.2 : 3.4), ring = layer.ring || [], errors = [];
    (layer.sy || []).forEach((s, k) => s !== null && errors.push(`M${at(x(layer.x[k]))} ${at(y(layer.y[k] - s))}V${at(y(layer.y[k] + s))}`));
    return [
      stroke(layer, errors.join(""), { "stroke-width": 1.3, "stroke-dasharray": undefined }), fill(layer, symbols(layer, x, y, () => true, r), 0.8),
      svg("path", { d: symbols(layer, x, y, (k) => ring[k], r + 3), fill: "none", style: "stroke:var(--check)", "stroke-width": 1.8 }),
    ];
  },
};

const text = (x, y, words, anchor, more = {}) => svg("text", { x: at(x), y: at(y), "text-anchor": anchor, class: "tick", ...more }, words);
const horizontal = (x, scale, boxes, spec, range, sfreq) => {
  const bottom = Math.max(...boxes.map((box) => box.top + box.height)), group = svg("g"), wide = boxes[0].width, wholeWidth = Math.max(...boxes.map((box) => box.left + box.width)) + 12;
  const wanted = Math.max(2, Math.min(9, Math.floor(wide / (x.kind === "time" && sfreq ? 88 : 62))));
  const list = x.ticks || (x.kind === "time" ? timeTicks(...range, wanted, sfreq) : x.kind === "log" ? logTicks(...range, wanted) : ticks(...range, wanted, x.whole));
  const label = x.label && (x.kind === "time" ? (sfreq ? `${x.label} (h:mm:ss)` : `${x.label} (samples)`) : x.label);
  const columns = spec.grid ? boxes.filter((box) => box.top + box.height >= bottom - 1 || boxes.length < 3) : [boxes[boxes.length - 1]];
  columns.forEach((box) => list.forEach(([value, words]) => {
    const place = scale(box)(value);
    if (place < box.left - 1 || place > box.left + box.width + 1) return;
    if (spec.grid && list.length > 2 && place > box.left + box.width - 8) return;
    if (!x.ticks) group.append(svg("path", { d: `M${at(place)} ${bottom}v4`, class: "axis" }));
    group.append(text(place, bottom + 17, words, place < 20 ? "start" : place > wholeWidth - 24 ? "end" : "middle"));
  }));
  if (label) group.append(text((boxes[0].left + boxes.reduce((most, box) => Math.max(most, box.left + box.width), 0)) / 2, bottom + 36, label, "middle", { class: "name" }));
  return group;
};
const vertical = (row, box, y, range) => {
  const group = svg("g"), kind = row.kind === "log" || row.kind === "counts", wanted = Math.max(1, Math.min(5, Math.floor(box.height / 30)));
  if (row.marks || row.bare) return group;
  const list = row.ticks || (kind ? logTicks(...range, wanted) : ticks(...range, wanted));
  list.forEach(([value, words]) => group.append(svg("path", { d: `M${box.left} ${at(y(value))}h${at(box.width)}`, class: "grid" }), text(box.left - 6, y(value) + 4, words, "end")));
  return group;
};
const named = (row, box, spec) => {
  if (!row.label) return [];
  if (spec.grid) return [text(box.left + 3, box.top + 11, row.label, "start", { class: "name" })];
  if (row.bare) return [text(box.left - 6, box.top + box.height / 2 + 4, row.label, "end")];
  const fits = box.height > 6.2 * row.label.length;
  if (!fits) return [text(box.left + 4, box.top + 11, row.label, "start", { class: "name" })];
  return [svg("text", { class: "name", "text-anchor": "middle", transform: `translate(12 ${at(box.top + box.height / 2)}) rotate(-90)` }, row.label)];
};
// With one scale in both directions, as large as the place allows.
const squared = (spec, box, rangeX, rangeY) => {
  const perPixel = Math.max((rangeX[1] - rangeX[0]) / box.width, Math.abs(rangeY[1] - rangeY[0]) / box.height);
  const around = ([low, high], size) => [(low + high) / 2 - (Math.sign(high - low) * size * perPixel) / 2, (low + high) / 2 + (Math.sign(high - low) * size * perPixel) / 2];
  return [around(rangeX, box.width), around(rangeY, box.height)];
};
let clips = 0;
export const drawChart = (place, spec, sfreq) => {
  const width = place.clientWidth || 300, boxes = boxesOf(spec, width), bottom = Math.max(...boxes.map((box) => box.top + box.height));
  const height = bottom + (spec.bare ? 8 : spec.x.label ? 44 : 26), picture = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
  let rangeX = rangeOfX(spec);
  const drawn = spec.rows.map((row, r) => {
    let range = rangeOf(row);
    const box = boxes[r], clip = `clip-${clips++}`;
    if (spec.square) [rangeX, range] = squared(spec, box, rangeX, range);
    const x = scaleOf(spec.x.kind, rangeX, box.left, box.left + box.width), y = scaleOf(row.kind, range, box.top + box.height, box.top);
    const inside = svg("g", { "clip-path": spec.bare ? undefined : `url(#${clip})` }, ...row.layers.flatMap((layer) => DRAW[layer.kind](layer, x, y, box)));
    picture.append(svg("clipPath", { id: clip }, svg("rect", { x: box.left - 5, y: box.top - 5, width: box.width + 10, height: box.height + 10 })));
    if (spec.grid || row.bare) {
      if (!spec.bare && range[0] <= 0 && range[1] >= 0) picture.append(svg("path", { d: `M${box.left} ${at(y(0))}h${at(box.width)}`, class: "grid" }));
    } else if (!spec.bare) picture.append(vertical(row, box, y, range));
    picture.append(inside, ...named(row, box, spec));
    return { row, box, x, y, range };
  });
  const scale = (box) => scaleOf(spec.x.kind, rangeX, box.left, box.left + box.width);
  if (!spec.bare) picture.append(horizontal(spec.x, scale, boxes, spec, rangeX, sfreq));
  if (spec.grid) picture.append(scaleBar(drawn[0], width, spec.x.unit));
  place.replaceChildren(picture);
  place.chart = { spec, rows: drawn, range: rangeX, width };
  if (!place.hovered) listen(place, sfreq);
};
// What a round value takes on the scale that all small multiples share.
const scaleBar = ({ box, y, range }, width, unit) => {
  const value = ticks(0, range[1] - range[0], 3).slice(-1)[0][0] / 2 || 1, size = Math.abs(y(value) - y(0)), x = width - 4;
  return svg("g", {}, svg("path", { d: `M${x} ${at(box.top + box.height - size)}v${at(size)}`, class: "scale" }), text(x - 5, box.top + box.height - size / 2 + 4, `${digits(value)}${unit ? ` ${unit}` : ""}`, "end", { class: "tick strong" }));
};

// The point of a chart nearest to a position on it, if one is near.
export const nearest = (rows, left, top) => {
  let best = null, least = 24;
  rows.filter(({ box }) => top >= box.top - 8 && top <= box.top + box.height + 8 && left >= box.left - 8 && left <= box.left + box.width + 8).forEach(({ row, x, y }) => row.layers.forEach((layer) => {
    if (!["line", "marks", "bars"].includes(layer.kind)) return;
    for (let k = 0; k < layer.x.length; k++) {
      if (layer.y[k] === null) continue;
      const far = Math.hypot(x(layer.x[k]) - left, 0.5 * (y(layer.y[k]) - top));
      if (far < least) [best, least] = [{ layer, row, k }, far];
    }
  }));
  return best;
};
const wordsOf = ({ layer, k }, spec, sfreq) => {
  const where = spec.x.kind === "time" ? timeOf(layer.x[k], sfreq) : digits(layer.x[k], 4);
  return layer.words ? layer.words[k] : `${layer.name ? `${layer.name}, ` : ""}${where}: ${digits(layer.y[k], 4)}`;
};
const listen = (place, sfreq) => {
  place.hovered = true;
  const tip = document.createElement("div");
  tip.className = "tip";
  const find = (event) => {
    const { left, top } = place.getBoundingClientRect();
    return place.chart ? nearest(place.chart.rows, event.clientX - left, event.clientY - top) : null;
  };
  place.addEventListener("pointermove", (event) => {
    const found = find(event), frame = place.getBoundingClientRect();
    tip.remove();
    if (!found) return;
    tip.textContent = wordsOf(found, place.chart.spec, sfreq);
    place.append(tip);
    tip.style.left = `${Math.max(0, Math.min(event.clientX - frame.left + 12, frame.width - tip.offsetWidth - 4))}px`;
    tip.style.top = `${event.clientY - frame.top + 14}px`;
  });
  place.addEventListener("pointerleave", () => tip.remove());
  place.addEventListener("click", (event) => {
    const found = find(event), number = found && found.layer.event && found.layer.event[found.k];
    if (number !== null && number !== undefined) document.dispatchEvent(new CustomEvent("see", { detail: number }));
  });
};
