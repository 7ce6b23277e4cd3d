// Numbers, times and ticks as text. Nothing in here knows the page.
const NO_BREAK = "\u00a0";
export const digits = (x, n = 3) => Number(x.toPrecision(n)).toString().replace("-", "−");
export const percent = (x) => {
  const value = 100 * Math.max(0, x);
  if (value > 0 && value < 0.001) return `less than 0.001${NO_BREAK}%`;
  return `${Number(value.toFixed(value >= 1 ? 1 : 3))}${NO_BREAK}%`;
};
export const grouped = (n) => n.toString().replace(/\B(?=(\d{3})+$)/g, NO_BREAK);
export const several = (n, thing) => `${grouped(n)} ${thing}${n === 1 ? "" : "s"}`;
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

// The first index in an ordered list at which a value is reached.
export const reached = (list, value) => {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
};
// The time of x seconds as h:mm:ss.
export const clock = (x, places) => {
  const unit = 10 ** places, ticks = Math.round(Math.abs(x) * unit), seconds = Math.floor(ticks / unit);
  const two = (n) => String(n).padStart(2, "0"), rest = places ? `.${String(ticks % unit).padStart(places, "0")}` : "";
  return `${x < 0 ? "−" : ""}${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}${rest}`;
};
// The time of a sample, and a number of samples as a duration.
export const timeOf = (sample, sfreq) => (sfreq ? clock(sample / sfreq, sfreq > 2000 ? 3 : 1) : Number(sample.toFixed(1)).toString());
export const duration = (samples, sfreq) => {
  if (!sfreq) return several(Number(samples.toPrecision(4)), "sample");
  const seconds = samples / sfreq;
  if (seconds < 0.1) return `${digits(1000 * seconds)}${NO_BREAK}ms`;
  if (seconds < 120) return `${digits(seconds)}${NO_BREAK}s`;
  return seconds < 7200 ? `${digits(seconds / 60)}${NO_BREAK}min` : `${digits(seconds / 3600)}${NO_BREAK}h`;
};

const nice = (least) => [1, 2, 5, 10].map((n) => n * 10 ** Math.floor(Math.log10(least))).find((step) => step >= least * (1 - 1e-9));
const multiples = (low, high, step) => {
  const first = Math.ceil(low / step - 1e-6), count = Math.floor(high / step + 1e-6) - first + 1;
  return Array.from({ length: Math.max(0, count) }, (_, n) => (first + n) * step);
};
const placesOf = (step) => Math.min(12, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
const decimal = (x, step) => {
  if (x !== 0 && (Math.abs(x) >= 1e5 || step < 1e-4)) return Number(x.toPrecision(4)).toString().replace("-", "−");
  return x.toFixed(placesOf(step)).replace("-", "−");
};
// Ticks [value, text] of an axis at round values, about so many.
export const ticks = (low, high, wanted, whole = false) => {
  const step = Math.max(nice((high - low) / wanted), whole ? 1 : 0), list = multiples(low, high, step);
  return list.length < 2 && wanted < 9 && !whole ? ticks(low, high, 2 * wanted) : list.map((x) => [x, decimal(x, step)]);
};
const powers = (low, high, every) => multiples(Math.log10(low), Math.log10(high), every).map((p) => 10 ** p);
export const logTicks = (low, high, wanted) => {
  const decades = Math.log10(high / low);
  if (decades < 1.2) return ticks(low, high, wanted).filter(([x]) => x > 0);
  return powers(low, high, Math.max(1, Math.ceil(decades / wanted))).map((x) => [x, x >= 1e-3 && x < 1e5 ? String(Number(x.toPrecision(3))) : x.toExponential(0).replace("e+", "e").replace("-", "−")]);
};
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200], DAY = 86400;
// Ticks of an axis of samples, at round times.
export const timeTicks = (low, high, wanted, sfreq) => {
  if (!sfreq) return ticks(low, high, wanted);
  const least = (high - low) / sfreq / wanted;
  const step = least > 1 ? STEPS.find((n) => n >= least) || DAY * nice(least / DAY) : nice(least);
  const list = multiples(low / sfreq, high / sfreq, step);
  return list.length < 2 && wanted < 9 ? timeTicks(low, high, 2 * wanted, sfreq) : list.map((x) => [x * sfreq, clock(x, placesOf(step))]);
};

// The least and the greatest of lists of values that may be null, and a range with room around them.
export const extent = (lists) => {
  let low = Infinity, high = -Infinity;
  lists.forEach((values) => values.forEach((value) => {
    if (value === null || Number.isNaN(value)) return;
    if (value < low) low = value;
    if (value > high) high = value;
  }));
  return [low, high];
};
export const roomy = ([low, high], part = 0.06) => {
  if (low > high) return [-1, 1];
  const size = Math.max(Math.abs(low), Math.abs(high));
  const pad = high - low > 1e-9 * size ? part * (high - low) : 0.1 * size || 1;
  return [low - pad, high + pad];
};
export const largest = (...lists) => lists.flat(2).reduce((most, value) => Math.max(most, Math.abs(value)), 1e-12);
