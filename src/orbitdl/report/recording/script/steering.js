// Moving through the recording: buttons, keys, the mouse, and rows of the tables.
const LEAST = 16, FOCUS = 16 * view.length;
const clamp = (from, to) => {
  const width = Math.min(Math.max(to - from, LEAST), view.samples);
  const start = Math.min(Math.max(from, 0), view.samples - width);
  Object.assign(shown, { from: start, to: start + width });
};
const resolutionWords = () => {
  const { per, exact } = shown.read;
  if (exact && per === 1) return "Every sample is drawn.";
  const seen = `Drawn are the least and the greatest value of every ${howLong(per)}`;
  return exact ? `${seen}; zoom in to see every sample.` : `${seen}: the file holds no more here${per > data.strip.size ? " than that of every " + howLong(data.strip.size) : ""}; around listed events it holds every sample.`;
};
let redrawStrip = null;
const showStrip = () => {
  redrawStrip();
  byId("coloured").hidden = shown.channel !== "all" || !shown.read.fit || !eventCount;
  const own = inView(onScreen()), chosen = shown.event === null ? "" : ` Marked: the event at ${when(events.sample[shown.event])}, ${aboutEvent(shown.event)}.`;
  byId("strip-words").textContent = `${when(shown.from)} to ${when(shown.to)} (${howLong(shown.to - shown.from)}): ${several(own.length, "event")}. ${resolutionWords()}${chosen}`;
  document.querySelectorAll("tr.goes").forEach((row) => row.classList.toggle("chosen", shown.event !== null && data.events.number[row.dataset.event] === shown.event));
};
const moveTo = (from, to) => {
  clamp(from, to);
  showStrip();
};
const moveBy = (part) => moveTo(shown.from + part * (shown.to - shown.from), shown.to + part * (shown.to - shown.from));
const zoomBy = (factor) => {
  const time = shown.event === null ? NaN : events.sample[shown.event];
  const middle = time >= shown.from && time <= shown.to ? time : (shown.from + shown.to) / 2, half = (factor * (shown.to - shown.from)) / 2;
  moveTo(middle - half, middle + half);
};
// An event comes to the middle; from far away one also comes near.
const goToEvent = (k) => {
  const width = Math.min(shown.to - shown.from, FOCUS);
  shown.event = k;
  moveTo(events.sample[k] - width / 2, events.sample[k] + width / 2);
};
const present = () => (shown.event === null ? (shown.from + shown.to) / 2 : events.sample[shown.event]);
const stepEvent = (by) => {
  if (!eventCount) return;
  const here = shown.event ?? reached(events.sample, present()) - (by > 0 ? 1 : 0);
  goToEvent(Math.min(eventCount - 1, Math.max(0, here + by)));
};
const nextUnusual = () => {
  const start = shown.event === null ? reached(events.sample, shown.from) : shown.event + 1;
  for (let n = 0; n < eventCount; n++) {
    const k = (start + n) % eventCount;
    if (isUnusual(k)) return goToEvent(k);
  }
  return undefined;
};
const seeEvent = (k) => {
  goToEvent(k);
  byId("signal").scrollIntoView();
};
const ACTIONS = {
  "earlier": () => moveBy(-0.75), "later": () => moveBy(0.75), "zoom-in": () => zoomBy(0.5), "zoom-out": () => zoomBy(2), "whole": () => moveTo(0, view.samples),
  "previous-event": () => stepEvent(-1), "next-event": () => stepEvent(1), "next-unusual": nextUnusual,
};
const KEYS = {
  ArrowLeft: () => moveBy(-0.25), ArrowRight: () => moveBy(0.25), ArrowUp: () => zoomBy(0.5), ArrowDown: () => zoomBy(2), "+": () => zoomBy(0.5), "-": () => zoomBy(2),
  Home: () => moveTo(0, shown.to - shown.from), End: () => moveTo(view.samples - (shown.to - shown.from), view.samples),
};
const listenToKeys = () => byId("strip").addEventListener("keydown", (event) => {
  const busy = ["INPUT", "SELECT"].includes(event.target.tagName) || event.altKey || event.ctrlKey || event.metaKey;
  if (busy || !KEYS[event.key]) return;
  event.preventDefault();
  KEYS[event.key]();
});
const listenToMouse = () => {
  byId("strip-plot").on("plotly_relayout", (change) => {
    const [low, high] = [change["xaxis.range[0]"], change["xaxis.range[1]"]];
    if (low !== undefined) moveTo(fromAxis(low), fromAxis(high));
    else if (change["xaxis.autorange"]) ACTIONS.whole();
  });
  byId("strip-plot").on("plotly_click", ({ points }) => {
    const point = points.find(({ customdata }) => customdata !== undefined);
    if (point) goToEvent(point.customdata);
  });
};
const chooseChannel = () => {
  const all = channels <= 8 ? [make("option", { value: "all" }, "all")] : [];
  byId("channel").append(...all, ...view.channels.map((_, c) => make("option", { value: c }, data.names[c])));
  byId("channel-label").hidden = channels === 1;
  const choose = () => (shown.channel = byId("channel").value === "all" ? "all" : Number(byId("channel").value));
  byId("channel").addEventListener("change", () => { choose(); showStrip(); });
  if (channels > 1) choose();
};
const startStrip = () => {
  chooseChannel();
  redrawStrip = draw("strip-plot", stripFigure);
  clamp(0, Math.min(view.samples, FOCUS));
  showStrip();
  Object.entries(ACTIONS).forEach(([id, act]) => byId(id).addEventListener("click", act));
  document.querySelectorAll("tr.goes").forEach((row) => row.addEventListener("click", () => seeEvent(data.events.number[row.dataset.event])));
  listenToKeys();
  listenToMouse();
};
