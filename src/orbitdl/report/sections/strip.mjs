// The strip of a recording: events, data and reconstruction, atoms, residual; and moving through it.
import { digits, duration, extent, reached, roomy, several, timeOf } from "../scripts/numbers.mjs";
import { atStart, byId, chart, data, narrow, onKeys, withUnit } from "../scripts/page.mjs";
import { alike, eventsBetween, signalBetween, spread, unpackedEvents, unpackedSignal } from "./signal.mjs";

const strip = data.strip || { channels: [], outline: [], detail: [], waveforms: [], missing: [], first: 0, samples: 1, length: 1 };
const signal = unpackedSignal(strip), events = data.strip ? unpackedEvents(data.events) : { sample: [] };
const OVERLAPPING = 1, TRUNCATED = 2, LISTED = 4, MOST_MARKS = 500, MOST_POINTS = 60000, MOST_GAPS = 60;
const LEAST = 16, FOCUS = 16 * strip.length, count = events.sample.length, manyChannels = strip.channels.length > 1;
const shown = { from: 0, to: strip.samples, event: null, channel: manyChannels ? "all" : 0, read: null };
const isListed = (k) => (events.flags[k] & LISTED) !== 0;
const when = (sample) => timeOf(sample, data.sfreq), howLong = (samples) => duration(samples, data.sfreq);
const local = (sample) => sample - strip.first;
const onScreen = (margin) => eventsBetween(events, strip.first + shown.from - margin, strip.first + shown.to + margin);
const components = strip.waveforms.map((_, j) => j);

const certain = (value, sd, show) => (Number.isNaN(sd) ? show(value) : `${show(value)} ± ${show(sd)}`);
export const aboutEvent = (k) => {
  const remarks = [events.flags[k] & OVERLAPPING ? "overlapping" : "", events.flags[k] & TRUNCATED ? "truncated by an end or a gap" : ""];
  const size = certain(events.amplitude[k], events.amplitude_sd[k], (value) => digits(value));
  const doubt = Number.isNaN(events.q_value[k]) ? "" : `q-value ${digits(events.q_value[k], 2)}`;
  return [`component ${events.component[k]}`, `amplitude ${size}${data.unit ? `\u00a0${data.unit}` : ""}`, `similarity ${events.similarity[k].toFixed(2)}`, doubt, ...remarks].filter(Boolean).join(", ");
};
const aboutTime = (k) => `${when(events.sample[k])}${Number.isNaN(events.sample_sd[k]) ? "" : ` ± ${howLong(events.sample_sd[k])}`}`;
const marksOf = (own) => components.map((j) => {
  const mine = spread(own.filter((k) => events.component[k] === j), MOST_MARKS, isListed);
  return { kind: "marks", component: j, x: mine.map((k) => events.sample[k]), y: mine.map(() => -j), event: mine.map((k) => events.row[k]), ring: mine.map(isListed), words: mine.map((k) => `${aboutTime(k)}, ${aboutEvent(k)}`), radius: 4 };
});
// One line per component with all its events; bars from zero where they are too many.
const atomsOf = (own, channel) => {
  const exact = own.length * strip.length <= MOST_POINTS, few = exact ? own : spread(own, 3000, isListed);
  return components.map((j) => {
    const line = strip.waveforms[j][channel], peak = strip.peaks[j], x = [], y = [];
    few.filter((k) => events.component[k] === j).forEach((k) => {
      const at = events.sample[k], size = events.amplitude[k];
      if (exact) {
        x.push(...line.map((_, n) => at - peak + n));
        y.push(...line.map((value) => size * value));
      } else {
        x.push(at, at);
        y.push(0, size * line[peak]);
      }
      x.push(null);
      y.push(null);
    });
    return { kind: "line", component: j, name: `component ${j}`, x, y, width: exact ? 1.8 : 1 };
  });
};
const linesOf = (read, part, look) => (read.exact ? { kind: "line", x: read.x, y: read[part], ...look } : { kind: "boxes", x: read.x, end: read.end, low: read[part].least, high: read[part].greatest, ...look });
const layersOf = (read) => {
  const width = read.per > 1 ? 2.4 : read.x.length > 1500 ? 2.6 : 3.4;
  return [linesOf(read, "data", { colour: "data", width, name: "data" }), ...(read.fit ? [{ kind: "line", x: read.x, y: read.fit, colour: "ink", width: read.per > 1 ? 0.8 : 1.3, name: "reconstruction" }] : [])];
};
const valuesOf = (read, part) => (read.exact ? [read[part]] : [read[part].least, read[part].greatest]);
// The reconstruction in the colours of the events that are there.
const coloured = (read, own) => (read.fit && own.length <= MOST_MARKS ? components : []).map((j) => {
  const x = [], y = [];
  own.filter((k) => events.component[k] === j).forEach((k) => {
    const begin = events.sample[k] - strip.peaks[j];
    for (let n = reached(read.x, begin); n < read.x.length && read.x[n] <= begin + strip.length; n++) {
      x.push(read.x[n]);
      y.push(read.fit[n]);
    }
    x.push(null);
    y.push(null);
  });
  return { kind: "line", component: j, x, y, width: read.per > 1 ? 1 : 1.5, name: `component ${j}` };
});
// All channels below each other at one scale, each around its own middle.
const channelRows = (reads, own) => {
  const ranges = reads.map((read) => roomy(extent(valuesOf(read, "data")))), half = Math.max(...ranges.map(([low, high]) => (high - low) / 2)), bare = reads.length > 4;
  return reads.map((read, c) => {
    const middle = (ranges[c][0] + ranges[c][1]) / 2, name = strip.channels[c];
    return { label: bare ? name : withUnit(name), bare, range: [middle - half, middle + half], layers: [...layersOf(read), ...coloured(read, own)], weight: bare ? Math.max(0.2, 4 / reads.length) : 1 };
  });
};
const oneChannel = (read, c, own) => {
  const range = roomy(extent([...valuesOf(read, "data"), ...(read.fit ? [read.fit] : [])])), atoms = count ? atomsOf(own, c) : [];
  const rows = [{ label: withUnit(manyChannels ? strip.channels[c] : "signal"), range, layers: layersOf(read) }];
  if (count) rows.push({ label: withUnit("events"), range: alike(range, atoms.map((layer) => layer.y)), layers: atoms, weight: 0.8 });
  return [...rows, { label: withUnit("residual"), range: alike(range, valuesOf(read, "residual")), layers: [linesOf(read, "residual", { colour: "soft", width: 1.2, name: "residual" })], weight: 0.8 }];
};
const gaps = () => {
  const inside = strip.missing.filter(([a, b]) => local(b) > shown.from && local(a) < shown.to).sort((one, two) => two[1] - two[0] - one[1] + one[0]).slice(0, MOST_GAPS);
  return inside.length ? [{ kind: "shade", colour: "data", x: inside.map(([a]) => a - 0.5), end: inside.map(([, b]) => b - 0.5) }] : [];
};
export const stripSpec = () => {
  const steps = Math.max(300, byId("strip-plot").clientWidth), own = onScreen(strip.length + 2), all = shown.channel === "all";
  const reads = (all ? strip.channels.map((_, c) => c) : [shown.channel]).map((c) => signalBetween(signal, shown.from, shown.to, c, steps));
  [shown.read] = reads;
  const marks = count ? [{ label: "", marks: true, range: [0.7 - components.length, 0.7], weight: 0.12 + 0.1 * Math.min(8, components.length), layers: marksOf(onScreen(0)) }] : [];
  const behind = [...gaps(), ...(shown.event === null ? [] : [{ kind: "rule", colour: "check", x: events.sample[shown.event] }])];
  const rows = [...marks, ...(all ? channelRows(reads, own) : oneChannel(reads[0], shown.channel, own))].map((row) => ({ ...row, layers: [...behind, ...row.layers] }));
  const total = rows.reduce((sum, row) => sum + (row.weight || 1), 0);
  return { rows, x: { label: "time", kind: "time", range: [strip.first + shown.from, strip.first + shown.to] }, height: (narrow() ? 115 : 150) * total + 12 * rows.length };
};

const resolution = () => {
  const { per, exact } = shown.read;
  if (exact && per === 1) return "Every sample is drawn.";
  const drawn = `Minimum and maximum of every ${howLong(per)} are drawn`;
  return exact ? `${drawn}; zoom in to see every sample.` : `${drawn}: the file holds no more here${per > strip.size ? ` than those of every ${howLong(strip.size)}` : ""}; around listed events it holds every sample.`;
};
let redrawStrip = null;
const show = () => {
  redrawStrip();
  const chosen = shown.event === null ? "" : ` Marked: the event at ${aboutTime(shown.event)}, ${aboutEvent(shown.event)}.`;
  const [from, to] = [shown.from, shown.to].map((sample) => when(strip.first + sample));
  byId("strip-words").textContent = `${from} to ${to} (${howLong(shown.to - shown.from)}): ${several(onScreen(0).length, "event")}. ${resolution()}${chosen}`;
  document.querySelectorAll("tr.goes").forEach((row) => row.classList.toggle("chosen", shown.event !== null && events.row[shown.event] === Number(row.dataset.event)));
};
const moveTo = (from, to) => {
  const width = Math.min(Math.max(to - from, LEAST), strip.samples), start = Math.min(Math.max(from, 0), strip.samples - width);
  Object.assign(shown, { from: start, to: start + width });
  show();
};
const moveBy = (part) => moveTo(shown.from + part * (shown.to - shown.from), shown.to + part * (shown.to - shown.from));
const zoomBy = (factor) => {
  const time = shown.event === null ? NaN : local(events.sample[shown.event]);
  const middle = time >= shown.from && time <= shown.to ? time : (shown.from + shown.to) / 2, half = (factor * (shown.to - shown.from)) / 2;
  moveTo(middle - half, middle + half);
};
// An event comes to the middle; from far away one also comes near.
const goToEvent = (k) => {
  const width = Math.min(shown.to - shown.from, FOCUS), middle = local(events.sample[k]);
  shown.event = k;
  moveTo(middle - width / 2, middle + width / 2);
};
const stepEvent = (by) => {
  if (!count) return;
  const here = shown.event ?? reached(events.sample, strip.first + (shown.from + shown.to) / 2) - (by > 0 ? 1 : 0);
  goToEvent(Math.min(count - 1, Math.max(0, here + by)));
};
const nextListed = () => {
  const start = shown.event === null ? reached(events.sample, strip.first + shown.from) : shown.event + 1;
  const found = Array.from({ length: count }, (_, n) => (start + n) % count).find(isListed);
  if (found !== undefined) goToEvent(found);
};
const ACTIONS = {
  "earlier": () => moveBy(-0.75), "later": () => moveBy(0.75), "zoom-in": () => zoomBy(0.5), "zoom-out": () => zoomBy(2), "whole": () => moveTo(0, strip.samples),
  "previous-event": () => stepEvent(-1), "next-event": () => stepEvent(1), "next-listed": nextListed,
};
const KEYS = {
  ArrowLeft: () => moveBy(-0.25), ArrowRight: () => moveBy(0.25), ArrowUp: () => zoomBy(0.5), ArrowDown: () => zoomBy(2), "+": () => zoomBy(0.5), "-": () => zoomBy(2),
  Home: () => moveTo(0, shown.to - shown.from), End: () => moveTo(strip.samples - (shown.to - shown.from), strip.samples),
};
// Dragging moves the recording; on a touch screen that would keep the page from being scrolled.
const listenToMouse = () => {
  const plot = byId("strip-plot");
  let held = null;
  plot.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "mouse" || event.button !== 0) return;
    held = { x: event.clientX, from: shown.from, to: shown.to, width: plot.chart.rows[0].box.width };
    event.preventDefault();
  });
  window.addEventListener("pointermove", (event) => {
    if (!held || Math.abs(event.clientX - held.x) < 3) return;
    const by = ((held.x - event.clientX) / held.width) * (held.to - held.from);
    moveTo(held.from + by, held.to + by);
  });
  window.addEventListener("pointerup", () => { held = null; });
};
const seeRow = (number) => {
  const k = reached(events.row, number);
  if (events.row[k] !== number) return;
  goToEvent(k);
  byId("strip").scrollIntoView();
};
atStart(() => {
  if (!byId("strip")) return;
  redrawStrip = chart(byId("strip-plot"), stripSpec);
  const channel = byId("channel");
  if (channel) channel.addEventListener("change", () => {
    shown.channel = channel.value === "all" ? "all" : Number(channel.value);
    show();
  });
  moveTo(0, Math.min(strip.samples, FOCUS));
  Object.entries(ACTIONS).forEach(([id, act]) => byId(id) && byId(id).addEventListener("click", act));
  document.querySelectorAll("tr.goes").forEach((row) => row.addEventListener("click", () => seeRow(Number(row.dataset.event))));
  document.addEventListener("see", ({ detail }) => seeRow(detail));
  onKeys("strip", KEYS);
  listenToMouse();
});
