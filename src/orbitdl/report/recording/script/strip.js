// The figure of the strip: events, data and approximation, atoms, and what is left.
const MOST_POINTS = 60000, MOST_MARKS = 500;
const shown = { from: 0, to: view.samples, event: null, channel: 0, words: "" };
const onScreen = () => {
  const reach = view.length + 2;
  const own = [];
  for (let k = reached(events.sample, shown.from - reach); k < eventCount && events.sample[k] <= shown.to + reach; k++) own.push(k);
  return own;
};
const inView = (own) => own.filter((k) => events.sample[k] >= shown.from && events.sample[k] <= shown.to);
// So many of a list, evenly spread; none that is unusual is left out.
const thinned = (own, most) => {
  const every = Math.ceil(own.length / most);
  return every <= 1 ? own : own.filter((k, n) => n % every === 0 || isUnusual(k));
};
const hoverOf = (k) => `${when(events.sample[k])}<br>${aboutEvent(k).replace(/, /g, "<br>")}`;
const waveformNumbers = data.waveforms.map((_, j) => j);
const markTraces = (own, yaxis) => waveformNumbers.map((j) => {
  const mine = thinned(own.filter((k) => events.component[k] === j), MOST_MARKS);
  return {
    type: "scatter", mode: "markers", yaxis, name: `waveform ${j}`, x: mine.map((k) => onAxis(events.sample[k])), y: mine.map(() => -j),
    customdata: mine, text: mine.map(hoverOf), hovertemplate: "%{text}<extra></extra>",
    marker: {
      color: colour(j), symbol: cycle(SYMBOLS, j), size: mine.map((k) => (isUnusual(k) ? 11 : 8)),
      line: { color: mine.map((k) => (isUnusual(k) ? styleOf("--check") : colour(j))), width: mine.map((k) => (isUnusual(k) ? 3 : 0)) },
    },
  };
});
const styleOf = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
// One line per waveform with all its atoms; bars from zero where they are too many.
const atomLine = (k, channel, points) => {
  const { lines, peak } = data.waveforms[events.component[k]], begin = events.sample[k] - peak, size = events.amplitude[k];
  if (!points) {
    const x = onAxis(events.sample[k]);
    return { x: [x, x, null], y: [0, size * lines[channel][peak], null] };
  }
  return { x: [...lines[channel].map((_, n) => onAxis(begin + n)), null], y: [...lines[channel].map((value) => size * value), null] };
};
const atomTraces = (own, channel, yaxis) => {
  const points = own.length * view.length <= MOST_POINTS, few = points ? own : thinned(own, 3000);
  return waveformNumbers.map((j) => {
    const lines = few.filter((k) => events.component[k] === j).map((k) => atomLine(k, channel, points));
    return {
      type: "scatter", mode: "lines", yaxis, name: `waveform ${j}`, x: lines.flatMap((line) => line.x), y: lines.flatMap((line) => line.y), connectgaps: false,
      line: { color: colour(j), width: points ? 1.8 : 1, dash: points ? cycle(DASHES, j) : "solid" }, hovertemplate: `%{y:.3g}<extra>waveform ${j}</extra>`,
    };
  });
};
const lineTrace = (x, y, name, yaxis, look) => ({ type: "scatter", mode: "lines", x, y, name, yaxis, connectgaps: false, line: look, hovertemplate: `%{y:.4g}<extra>${name}</extra>` });
const boxed = (read) => (read.exact ? {} : { fill: "toself", fillcolor: `${paper().data}66`, hoverinfo: "skip" });
const dataTraces = (read, yaxis) => {
  const dense = read.per > 1, lines = [{ ...boxed(read), ...lineTrace(read.x, read.data, "data", yaxis, { color: paper().data, width: dense ? 1.2 : read.x.length > 1500 ? 2.4 : 3.5 }) }];
  if (read.fit) lines.push(lineTrace(read.x, read.fit, "approximation", yaxis, { color: paper().ink, width: dense ? 0.8 : 1.4 }));
  return lines;
};
// Where all channels are shown: the approximation in the colour of the waveform that is there.
const colouredTraces = (read, own, yaxis) => (read.fit ? waveformNumbers : []).map((j) => {
  const [x, y] = [[], []];
  own.filter((k) => events.component[k] === j).forEach((k) => {
    const begin = events.sample[k] - data.waveforms[j].peak;
    for (let n = reached(read.x, onAxis(begin)); n < read.x.length && read.x[n] <= onAxis(begin + view.length); n++) {
      x.push(read.x[n]);
      y.push(read.fit[n]);
    }
    x.push(null);
    y.push(null);
  });
  return lineTrace(x, y, `waveform ${j}`, yaxis, { color: colour(j), width: 2 });
});
const rowsOf = (own) => {
  const rows = eventCount ? [{ label: "", weight: 0.1 + 0.07 * Math.min(8, data.waveforms.length), marks: true, traces: (y) => markTraces(inView(own), y), range: [0.7 - data.waveforms.length, 0.8] }] : [];
  const steps = Math.max(300, byId("strip-plot").clientWidth);
  const every = shown.channel === "all" ? view.channels.map((_, c) => c) : [shown.channel];
  every.forEach((c) => {
    const read = signalBetween(shown.from, shown.to, c, steps), range = room([...read.data, ...(read.fit || [])]);
    shown.read = read;
    const coloured = (y) => (shown.channel === "all" && own.length <= MOST_MARKS ? colouredTraces(read, own, y) : []);
    rows.push({ label: valueLabel(channels > 1 ? view.channels[c] : "signal"), weight: 1, traces: (y) => [...dataTraces(read, y), ...coloured(y)], range });
    if (shown.channel === "all") return;
    if (eventCount) rows.push({ label: valueLabel("events"), weight: 0.8, traces: (y) => atomTraces(own, c, y), range: alike(range, atomTraces(own, c, "y").flatMap((trace) => trace.y)) });
    rows.push({ label: valueLabel("unexplained"), weight: 0.8, traces: (y) => [{ ...boxed(read), ...lineTrace(read.leftX, read.left, "unexplained", y, { color: paper().soft, width: 1.2 }) }], range: alike(range, read.left) });
  });
  return rows;
};
// As many units per row as the data take, so that sizes can be compared; more if need be.
const alike = ([low, high], values) => {
  const own = room(values.length ? values : [0]), half = Math.max(0.4 * (high - low), 0.5 * (own[1] - own[0])), middle = (own[0] + own[1]) / 2;
  return [middle - half, middle + half];
};
const MOST_HOLES = 60;
const missingShapes = () => {
  const wide = shown.to - shown.from, holes = data.strip.missing.filter(([a, b]) => b > shown.from && a < shown.to);
  const drawn = holes.sort((one, two) => two[1] - two[0] - one[1] + one[0]).slice(0, MOST_HOLES);
  const shapes = drawn.map(([a, b]) => ({ type: "rect", yref: "paper", y0: 0, y1: 1, x0: onAxis(a - 0.5), x1: onAxis(b - 0.5), fillcolor: paper().data, opacity: 0.25, line: { width: 0 }, layer: "below" }));
  const large = drawn.filter(([a, b]) => Math.min(b, shown.to) - Math.max(a, shown.from) > 0.05 * wide);
  const annotations = large.map(([a, b]) => ({ text: "missing", showarrow: false, yref: "paper", y: 0.5, x: onAxis((Math.max(a, shown.from) + Math.min(b, shown.to)) / 2), font: { color: paper().soft } }));
  return { shapes, annotations };
};
const chosenShape = () => {
  if (shown.event === null) return [];
  const x = onAxis(events.sample[shown.event]);
  return [{ type: "line", yref: "paper", y0: 0, y1: 1, x0: x, x1: x, line: { color: styleOf("--check"), width: 1.2, dash: "dot" }, layer: "below" }];
};
const stripFigure = () => {
  const rows = rowsOf(onScreen()), gap = 0.03, total = rows.reduce((sum, row) => sum + row.weight, 0), free = 1 - gap * (rows.length - 1);
  const { shapes, annotations } = missingShapes();
  const look = {
    height: 90 + (narrow() ? 130 : 165) * total, margin: { l: 62, r: 10, t: 6, b: 44 }, dragmode: touch ? false : "pan",
    xaxis: timeAxis(onAxis(shown.from), onAxis(shown.to), { anchor: `y${rows.length > 1 ? rows.length : ""}` }), shapes: [...shapes, ...chosenShape()], annotations,
  };
  let top = 1;
  const traces = rows.flatMap((row, r) => {
    const suffix = r ? r + 1 : "", share = (free * row.weight) / total;
    look[`yaxis${suffix}`] = axis({ label: row.label, domain: [Math.max(0, top - share), top], nticks: 5, range: row.range, fixedrange: true, zeroline: !row.marks, zerolinecolor: paper().grid, showticklabels: !row.marks, showgrid: !row.marks, automargin: false });
    top -= share + gap;
    return row.traces(`y${suffix}`);
  });
  return { traces, look };
};
