// Numbers that are text in the file, times in words, and the events.
const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer;
const KINDS = { sample: Float64Array, interval: Float32Array, own_interval: Float32Array, amplitude: Float32Array, similarity: Float32Array, component: Uint16Array, flags: Uint16Array };
const events = Object.fromEntries(Object.entries(KINDS).map(([name, Kind]) => [name, new Kind(bytesOf(data.events[name]))]));
const OVERLAPPING = 1, TRUNCATED = 2, UNUSUAL = 4;
const eventCount = events.sample.length;
const isUnusual = (k) => (events.flags[k] & UNUSUAL) !== 0;

// The first place in an ordered list where a value is reached.
const reached = (list, value) => {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
};
const onAxis = (sample) => (sample + view.offset) / (view.sfreq || 1);
const fromAxis = (x) => x * (view.sfreq || 1) - view.offset;
const clock = (x, places) => {
  if (!view.sfreq) return Number(x.toFixed(places)).toString();
  const unit10 = 10 ** places, ticks = Math.round(Math.abs(x) * unit10), seconds = Math.floor(ticks / unit10);
  const two = (n) => String(n).padStart(2, "0"), rest = places ? `.${String(ticks % unit10).padStart(places, "0")}` : "";
  return `${x < 0 ? "−" : ""}${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}${rest}`;
};
const fine = view.sfreq > 2000 ? 3 : 1;
const when = (sample) => clock(onAxis(sample), fine);
const howLong = (samples) => {
  if (!view.sfreq) return several(Number(digits(samples, 4)), "sample");
  const seconds = samples / view.sfreq;
  if (seconds < 0.1) return `${digits(1000 * seconds)}\u00a0ms`;
  if (seconds < 120) return `${digits(seconds)}\u00a0s`;
  return seconds < 7200 ? `${digits(seconds / 60)}\u00a0min` : `${digits(seconds / 3600)}\u00a0h`;
};
const aboutEvent = (k) => {
  const remarks = [events.flags[k] & OVERLAPPING ? "overlapping another" : "", events.flags[k] & TRUNCATED ? "truncated by an end or a gap" : ""].filter(Boolean);
  return [`waveform ${events.component[k]}`, `amplitude ${digits(events.amplitude[k]).replace("-", "−")}`, `similarity ${events.similarity[k].toFixed(2)}`, ...remarks].join(", ");
};
// Marks on an axis of time at round places, some of them beyond its ends.
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200];
const DAY = 86400;
const nice = (least) => [1, 2, 5, 10].map((n) => n * 10 ** Math.floor(Math.log10(least))).find((step) => step >= least);
const timeAxis = (low, high, more) => {
  const wanted = (high - low) / (narrow() ? 3 : 7);
  const step = view.sfreq && wanted > 1 ? STEPS.find((n) => n >= wanted) || DAY * nice(wanted / DAY) : nice(wanted);
  const places = Math.max(0, -Math.floor(Math.log10(step) + 1e-9)), first = Math.floor((2 * low - high) / step);
  const tickvals = Array.from({ length: Math.ceil((3 * (high - low)) / step) + 1 }, (_, n) => (first + n) * step);
  const label = view.sfreq ? "time (h:mm:ss)" : "time (samples)";
  return axis({ label, range: [low, high], tickvals, ticktext: tickvals.map((x) => clock(x, places)), ...more });
};
