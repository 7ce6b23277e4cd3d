// Usage, events over time, and the course of the learning.
const drawUsage = () => {
  const { atoms, edges, histogram } = data.usage, all = atoms.map((_, j) => j);
  draw("usage-counts", () => ({
    traces: [{ type: "bar", x: all, y: atoms, marker: { color: all.map(colour) }, hovertemplate: "component %{x}: %{y} atoms<extra></extra>" }],
    look: { height: 260, bargap: all.length < 5 ? 0.7 : 0.35, xaxis: axis({ label: "component", dtick: all.length <= 20 ? 1 : undefined, showgrid: false }), yaxis: axis({ label: "atoms", rangemode: "tozero" }) },
  }));
  const middle = edges.slice(1).map((edge, k) => (edge + edges[k]) / 2);
  const most = all.slice().sort((i, j) => atoms[j] - atoms[i]).slice(0, PALETTE.light.length).sort((i, j) => i - j);
  draw("usage-sizes", () => ({
    traces: most.map((j) => ({
      type: "scatter", mode: "lines", x: middle, y: histogram[j].map((n) => n || 0.4), name: `${j}`, customdata: histogram[j],
      line: { shape: "hvh", color: colour(j), width: 2, dash: cycle(DASHES, j) }, hovertemplate: `size %{x:.3g}: %{customdata} atoms<extra>component ${j}</extra>`,
    })),
    look: {
      height: 260, xaxis: axis({ label: valueLabel("size of an atom"), rangemode: "tozero" }),
      yaxis: axis({ label: "atoms (log scale)", type: "log", range: [-0.15, Math.log10(Math.max(10, ...histogram.flat())) + 0.1], dtick: 1 }),
    },
  }));
};

const drawEvents = () => {
  const events = data.events, q = data.components.length;
  if (!events.time.length) return void (byId("events-plot").hidden = true);
  const strongest = largest(events.coefficient);
  const rows = Array.from({ length: q }, (_, j) => events.component.flatMap((own, k) => (own === j ? [k] : [])));
  const height = Math.max(220, 90 + Math.min(q, 12) * 74);
  draw("events-plot", () => ({
    traces: rows.map((own, j) => ({
      type: "scatter", mode: "markers", x: own.map((k) => events.time[k]), name: `component ${j}`,
      y: own.map((k) => j - (0.75 * Math.abs(events.coefficient[k])) / strongest + 0.3), customdata: own.map((k) => [events.coefficient[k], events.sample[k]]),
      marker: {
        color: colour(j), opacity: 0.75, line: { width: 1.2, color: colour(j) },
        size: own.map((k) => 3 + (11 * Math.abs(events.coefficient[k])) / strongest),
        symbol: own.map((k) => cycle(SYMBOLS, j) + (events.coefficient[k] < 0 ? "-open" : "")),
      },
      hovertemplate: `%{x:.3f}${events.seconds ? " s" : ""}<br>coefficient %{customdata[0]:.3g}<br>${view.noun} %{customdata[1]}<extra>component ${j}</extra>`,
    })),
    look: {
      height, xaxis: axis({ label: events.seconds ? "time (s)" : view.noun }),
      yaxis: axis({ label: "component", range: [q - 0.5, -0.6], tickvals: q <= 24 ? rows.map((_, j) => j) : undefined, showgrid: false }),
    },
  }));
  byId("events-plot").on("plotly_click", ({ points: [point] }) => {
    goToNumber(point.customdata[1]);
    byId("windows").scrollIntoView();
  });
};

const drawLearning = () => {
  const { number, objective, gap } = data.history;
  byId("no-history").hidden = number.length > 0;
  byId("learning-plots").hidden = number.length === 0;
  if (!number.length) return;
  const trace = (y, hover) => ({ type: "scatter", mode: "lines+markers", x: number, y, line: { color: colour(0), width: 2 }, marker: { size: 5 }, hovertemplate: hover });
  const steps = axis({ label: "iteration", dtick: number.length <= 12 ? 1 : undefined });
  draw("objective-plot", () => ({
    traces: [trace(objective, "iteration %{x}: %{y:.6g}<extra></extra>")],
    look: { height: 260, xaxis: { ...axis({ label: "iteration" }), dtick: steps.dtick }, yaxis: axis({ label: "objective" }) },
  }));
  draw("gap-plot", () => ({
    traces: [trace(gap.map((value) => (value === null ? null : 100 * value)), "iteration %{x}: %{y:.3g} %<extra></extra>")],
    look: { height: 260, xaxis: { ...axis({ label: "iteration" }), dtick: steps.dtick }, yaxis: axis({ label: "gap (%, log scale)", type: "log", tickformat: "~g", dtick: 1 }) },
  }));
};
