// Usage, and events over time.
const drawUsage = () => {
  const { atoms, edges, histogram } = data.usage, all = atoms.map((_, j) => j);
  byId("usage-plots").hidden = !atoms.some(Boolean);
  if (byId("usage-plots").hidden) return;
  const bars = draw("usage-counts", () => ({
    traces: [{ type: "bar", x: all, y: atoms, marker: { color: all.map(colour) }, hovertemplate: "component %{x}: %{y} atoms<extra></extra>" }],
    look: { height: 260, bargap: all.length < 5 ? 0.7 : 0.35, xaxis: axis({ label: "component", dtick: all.length <= 20 ? 1 : undefined, showgrid: false }), yaxis: axis({ label: "atoms", rangemode: "tozero" }) },
  }));
  const most = all.slice().sort((i, j) => atoms[j] - atoms[i]).slice(0, PALETTE.light.length).sort((i, j) => i - j);
  const sizes = draw("usage-sizes", () => ({
    traces: most.map((j) => ({
      type: "scatter", mode: "lines", x: edges, y: [...histogram[j], 0].map((n) => n || 0.4), name: `${j}`, customdata: [...histogram[j], 0],
      line: { shape: "hv", color: colour(j), width: 2, dash: cycle(DASHES, j) }, hovertemplate: `from size %{x:.3g}: %{customdata} atoms<extra>component ${j}</extra>`,
    })),
    look: {
      height: 260, xaxis: axis({ label: valueLabel("size of an atom"), rangemode: "tozero" }),
      yaxis: axis({ label: "atoms (log scale)", type: "log", range: [-0.15, Math.log10(Math.max(10, ...histogram.flat())) + 0.1], dtick: 1 }),
    },
  }));
  bars();
  sizes();
};

const MOST_MARKS = 3000;
const spans = { span: Infinity, from: 0 };
const eventsIn = (low, high) => {
  const { time, coefficient } = data.events, own = [];
  time.forEach((t, k) => t >= low && t <= high && own.push(k));
  const strongest = own.sort((i, k) => Math.abs(coefficient[k]) - Math.abs(coefficient[i])).slice(0, MOST_MARKS);
  const seen = `${several(own.length, "atom")} in this part`;
  byId("events-words").textContent = own.length > MOST_MARKS ? `${seen}; the ${grouped(MOST_MARKS)} strongest are drawn.` : `${seen}.`;
  return strongest;
};
const eventsFigure = (whole, strongest) => {
  const events = data.events, q = data.components.length;
  const width = Math.min(spans.span, whole), low = events.begin + spans.from * (whole - width), shown = eventsIn(low, low + width);
  const reach = shown.length > 1000 ? 7 : 11, size = (k) => Math.abs(events.coefficient[k]) / strongest;
  const row = (j) => {
    const own = shown.filter((k) => events.component[k] === j);
    return {
      type: "scatter", mode: "markers", name: `component ${j}`, x: own.map((k) => events.time[k]), y: own.map((k) => j + 0.35 - 0.75 * size(k)),
      customdata: own.map((k) => [events.coefficient[k], events.sample[k]]),
      marker: {
        color: colour(j), opacity: 0.75, line: { width: 1.2, color: colour(j) }, size: own.map((k) => 3 + reach * size(k)),
        symbol: own.map((k) => cycle(SYMBOLS, j) + (events.coefficient[k] < 0 ? "-open" : "")),
      },
      hovertemplate: `%{x:.3f}${events.seconds ? " s" : ""}<br>${valueLabel("coefficient")} %{customdata[0]:.3g}<br>${view.noun} %{customdata[1]}<extra>component ${j}</extra>`,
    };
  };
  const margin = 0.01 * width, height = Math.max(220, 90 + Math.min(q, 12) * 74);
  const every = Array.from({ length: q }, (_, j) => j);
  const look = {
    height, xaxis: axis({ label: events.seconds ? "time (s)" : view.noun, range: [low - margin, low + width + margin] }),
    yaxis: axis({ label: "component", range: [q - 0.5, -0.6], tickvals: q <= 24 ? every : undefined, showgrid: false }),
  };
  return { traces: every.map(row), look };
};
const chooseSpans = (whole) => {
  const round = (x) => Number(x.toPrecision(1)), words = data.events.seconds ? " s" : ` ${view.noun}s`;
  const widths = [4, 16, 64, 256].map((part) => round(whole / part)).filter((width) => width >= (data.events.seconds ? 1 : 4));
  byId("span").append(make("option", { value: Infinity }, "everything"));
  widths.forEach((width) => byId("span").append(make("option", { value: width }, `${grouped(width)}${words}`)));
  byId("events-controls").hidden = widths.length === 0;
};
const drawEvents = () => {
  const { time, coefficient, begin, end } = data.events, whole = end - begin;
  if (!time.length) return ["events-plot", "events-controls"].forEach((id) => (byId(id).hidden = true));
  const strongest = largest(coefficient);
  chooseSpans(whole);
  const show = draw("events-plot", () => eventsFigure(whole, strongest));
  const update = () => {
    spans.span = Number(byId("span").value);
    spans.from = Number(byId("from").value);
    byId("from").parentElement.hidden = spans.span >= whole;
    show();
  };
  byId("from").value = 0;
  byId("span").addEventListener("change", update);
  byId("from").addEventListener("input", update);
  update();
  byId("events-plot").on("plotly_click", ({ points: [point] }) => {
    goToNumber(point.customdata[1]);
    byId("windows").scrollIntoView();
  });
};
