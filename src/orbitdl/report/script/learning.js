// The course of the learning.
const drawLearning = () => {
  const { number, objective, gap } = data.history;
  byId("no-history").hidden = number.length > 0;
  byId("learning-plots").hidden = number.length === 0;
  if (!number.length) return;
  const trace = (y, hover) => ({ type: "scatter", mode: "lines+markers", x: number, y, line: { color: colour(0), width: 2 }, marker: { size: 5 }, hovertemplate: hover });
  const steps = axis({ label: "iteration", dtick: number.length <= 12 ? 1 : undefined });
  const descent = draw("objective-plot", () => ({
    traces: [trace(objective, "iteration %{x}: %{y:.6g}<extra></extra>")],
    look: { height: 260, xaxis: { ...axis({ label: "iteration" }), dtick: steps.dtick }, yaxis: axis({ label: "objective", range: room(objective) }) },
  }));
  // Whole decades, so that at least two of them are labelled.
  const decades = gap.filter((value) => value !== null).map((value) => Math.log10(100 * value));
  const range = decades.length ? [Math.floor(Math.min(...decades)) - 0.1, Math.ceil(Math.max(...decades)) + 0.1] : [-4, 0];
  const gaps = draw("gap-plot", () => ({
    traces: [trace(gap.map((value) => (value === null ? null : 100 * value)), "iteration %{x}: %{y:.3g} %<extra></extra>")],
    look: { height: 260, xaxis: { ...axis({ label: "iteration" }), dtick: steps.dtick }, yaxis: axis({ label: "gap (%, log scale)", type: "log", tickformat: "~g", dtick: 1, range }) },
  }));
  descent();
  gaps();
};
