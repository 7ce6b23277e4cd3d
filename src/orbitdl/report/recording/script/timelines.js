// Intervals and amplitudes, event by event.
const MOMENTS = 700;
// Where marks are very many: those with the least and the greatest value of every moment, and all that are unusual.
const extremes = (own, value) => {
  if (own.length <= 2 * MOMENTS) return own;
  const per = Math.ceil(own.length / MOMENTS), kept = new Set(own.filter(isUnusual));
  for (let start = 0; start < own.length; start += per) {
    const some = own.slice(start, start + per);
    kept.add(some.reduce((a, b) => (value[b] < value[a] ? b : a)));
    kept.add(some.reduce((a, b) => (value[b] > value[a] ? b : a)));
  }
  return [...kept].sort((a, b) => a - b);
};
const intervalWords = (k) => [["interval", events.interval[k]], [`since waveform ${events.component[k]}`, events.own_interval[k]]]
  .filter(([, interval], i) => !Number.isNaN(interval) && (i === 0 || waveformNumbers.length > 1)).map(([name, interval]) => `<br>${name} ${howLong(interval)}`).join("");
const overTime = (name, size, label) => {
  const value = events[name], traces = waveformNumbers.map((j) => {
    const all = [];
    events.component.forEach((component, k) => component === j && !Number.isNaN(value[k]) && all.push(k));
    const own = extremes(all, value);
    return {
      type: "scatter", mode: "markers", name: `waveform ${j}`, x: own.map((k) => onAxis(events.sample[k])), y: own.map((k) => size * value[k]), customdata: own,
      marker: {
        color: colour(j), symbol: cycle(SYMBOLS, j), opacity: 0.8, size: own.map((k) => (isUnusual(k) ? 8 : 4)),
        line: { color: own.map((k) => (isUnusual(k) ? styleOf("--check") : colour(j))), width: own.map((k) => (isUnusual(k) ? 2.5 : 0)) },
      },
      text: own.map((k) => `${hoverOf(k)}${intervalWords(k)}`), hovertemplate: "%{text}<extra></extra>",
    };
  });
  const margin = 0.01 * view.samples, ends = [onAxis(-margin), onAxis(view.samples + margin)];
  return { traces, look: { height: 270, xaxis: timeAxis(...ends, {}), yaxis: axis({ label, rangemode: "tozero" }) } };
};
const milliseconds = view.sfreq && data.histogram.edges.length && data.histogram.edges.at(-1) / view.sfreq < 0.5;
const intervalSize = view.sfreq ? (milliseconds ? 1000 : 1) / view.sfreq : 1;
const intervalLabel = `interval (${view.sfreq ? (milliseconds ? "ms" : "s") : "samples"})`;
const histogramFigure = () => {
  const { edges, counts } = data.histogram, x = edges.map((edge) => intervalSize * edge);
  const traces = waveformNumbers.map((j) => ({
    type: "scatter", mode: "lines", x, y: [...counts[j], 0], name: `waveform ${j}`, fill: "tozeroy", fillcolor: `${colour(j)}33`,
    line: { shape: "hv", color: colour(j), width: 1.6, dash: cycle(DASHES, j) }, hovertemplate: `from %{x:.3g}: %{y}<extra>waveform ${j}</extra>`,
  }));
  return { traces, look: { height: 270, xaxis: axis({ label: `${intervalLabel}, the last bars hold all beyond` }), yaxis: axis({ label: "intervals", rangemode: "tozero" }) } };
};
const noiseFigure = () => {
  const { sample, level } = data.noise, ends = [onAxis(0), onAxis(view.samples)];
  const traces = [{
    type: "scatter", mode: "lines", name: "noise", x: sample.map(onAxis), y: level,
    line: { color: paper().ink, width: 1.4 }, hovertemplate: "%{y:.2f}<extra>noise level</extra>",
  }];
  return { traces, look: { height: 220, xaxis: timeAxis(...ends, {}), yaxis: axis({ label: "times the background", rangemode: "tozero" }) } };
};
const drawNoise = () => {
  ["noise", "to-noise"].forEach((id) => { byId(id).hidden = !data.noise; });
  if (data.noise) draw("noise-plot", noiseFigure)();
};
const drawTimelines = () => {
  if (!eventCount) return;
  const known = data.histogram.edges.length > 0;
  byId("interval-plots").hidden = !known;
  byId("interval-table").hidden = !byId("interval-table").querySelector("tbody tr");
  const any = events.interval.some((interval) => !Number.isNaN(interval)) && waveformNumbers.length > 1;
  byId("any-interval").hidden = !any;
  const drawn = known ? [draw("interval-plot", () => overTime("own_interval", intervalSize, intervalLabel)), draw("histogram-plot", histogramFigure)] : [];
  if (any) drawn.push(draw("any-interval-plot", () => overTime("interval", intervalSize, intervalLabel)));
  [...drawn, draw("amplitude-plot", () => overTime("amplitude", 1, "amplitude"))].forEach((show) => show());
  [...(any ? ["any-interval-plot"] : []), ...(known ? ["interval-plot"] : []), "amplitude-plot"].forEach((id) => byId(id).on("plotly_click", ({ points: [point] }) => seeEvent(point.customdata)));
};
