// Figures: each is drawn by a function, again whenever colours change.
const figures = [];
const narrow = () => window.innerWidth < 560;
const touch = matchMedia("(pointer: coarse)").matches;
const config = { displaylogo: false, displayModeBar: false, scrollZoom: false };
const axis = (more) => ({
  color: paper().soft, gridcolor: paper().grid, linecolor: paper().grid, zeroline: false, automargin: true,
  tickfont: { size: 12 }, ...more, title: { text: more.label || "", standoff: 8, font: { size: 13 } },
});
const layout = (more) => ({
  paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", showlegend: false, hovermode: "closest",
  font: { color: paper().ink, family: getComputedStyle(document.body).fontFamily, size: 13 },
  margin: { l: 48, r: 10, t: 8, b: 40 }, dragmode: touch ? false : "zoom",
  hoverlabel: { font: { size: 13 } }, ...more,
});
// A figure is as wide as its place, and is drawn again when that changes.
const drawers = new WeakMap();
const follow = new ResizeObserver((entries) => entries.forEach(({ target }) => {
  const { width } = target.layout || {};
  if (width && target.clientWidth && width !== target.clientWidth) drawers.get(target)();
}));
const put = (place, { traces, look }) => {
  place.style.height = `${look.height}px`; // else the page shrinks it while Plotly measures
  return Plotly.react(place, traces, layout({ ...look, width: place.clientWidth || 300 }), config);
};
const draw = (id, make) => {
  const place = byId(id), show = () => put(place, make());
  figures.push(show);
  drawers.set(place, show);
  follow.observe(place);
  return show;
};

const along = Array.from({ length: view.length }, (_, t) => (view.sfreq ? t / view.sfreq : t));
const alongLabel = view.sfreq ? "time (s)" : view.along === "sample" ? "time (samples)" : view.along;
const valueLabel = (name) => (view.unit ? `${name} (${view.unit})` : name);
const isCount = view.along !== "sample";

// A range with some room around values, also where they are all but equal.
const room = (values, part = 0.06) => {
  let low = Infinity, high = -Infinity;
  values.forEach((value) => {
    if (value !== null) [low, high] = [Math.min(low, value), Math.max(high, value)];
  });
  if (low > high) return [-1, 1];
  const size = Math.max(Math.abs(low), Math.abs(high));
  const pad = high - low > 1e-9 * size ? part * (high - low) : 0.1 * size || 1;
  return [low - pad, high + pad];
};
// Rows of lines below each other; a row is {label, layers: [{y, colour, width, dash, name}]}, a layer may have its own x.
const stacked = (rows, height, label = alongLabel) => {
  const gap = rows.length > 1 ? 0.09 / Math.max(1, rows.length - 1) : 0;
  const total = rows.reduce((sum, row) => sum + (row.weight || 1), 0);
  const look = { height, xaxis: axis({ label, anchor: `y${rows.length > 1 ? rows.length : ""}` }) };
  if (isCount && view.length <= 30) look.xaxis.dtick = view.length <= 12 ? 1 : 5;
  const traces = [];
  let top = 1;
  rows.forEach((row, r) => {
    const share = (1 - gap * (rows.length - 1)) * ((row.weight || 1) / total), suffix = r ? r + 1 : "";
    look[`yaxis${suffix}`] = axis({ label: row.label, domain: [Math.max(0, top - share), top], nticks: 5, zeroline: true, zerolinecolor: paper().grid, range: row.range || room(row.layers.flatMap((layer) => layer.y)) });
    top -= share + gap;
    row.layers.forEach((layer) => traces.push({
      type: "scatter", mode: isCount && view.length <= 30 ? "lines+markers" : "lines", x: layer.x || along,
      y: layer.y, name: layer.name, text: view.entries || undefined, yaxis: `y${suffix}`,
      line: { color: layer.colour, width: layer.width, dash: layer.dash || "solid" },
      hovertemplate: `${view.entries ? "%{text}: " : ""}%{y:.4g}<extra>${layer.name}</extra>`, connectgaps: false, fill: layer.fill || "none", fillcolor: layer.fillcolor,
    }));
  });
  return { traces, look };
};
const plane = (layers, height) => {
  const lengths = layers.flatMap(({ lines: [x, y] }) => x.map((value, p) => Math.hypot(value, y[p])));
  const reach = 1.12 * largest(lengths);
  const square = (label) => axis({ label, range: [-reach, reach], constrain: "domain", zeroline: true, zerolinecolor: paper().grid });
  const traces = layers.map(({ lines: [x, y], name, colour: c, width, dash }) => ({
    type: "scatter", mode: width > 1.5 || view.length === 1 ? "lines+markers" : "markers", name,
    x: view.length === 1 ? [0, x[0]] : x, y: view.length === 1 ? [0, y[0]] : y,
    line: { color: c, width: view.length === 1 ? width : 1, dash: dash || "solid" },
    marker: { color: c, size: view.length === 1 ? [0, 9] : 4 + 2 * width, symbol: "circle" },
    hovertemplate: `(%{x:.3g}, %{y:.3g})<extra>${name}</extra>`,
  }));
  const look = { height, xaxis: square(view.channels[0]), yaxis: { ...square(view.channels[1]), scaleanchor: "x" } };
  return { traces, look };
};
// Vectors as a path in time or as points, and an arrow to the longest; space is seen from the side and from above.
const VIEWPOINT = { right: [-0.5, 0.866, 0], up: [-0.296, -0.171, 0.94] };
const projected = (vector) => {
  if (vector.length === 2) return vector;
  const along = (direction) => vector.reduce((sum, value, k) => sum + value * direction[k], 0);
  return [along(VIEWPOINT.right), along(VIEWPOINT.up)];
};
const vectorsOf = (lines) => {
  const all = coordinates(lines);
  return all[0].map((row, copy) => row.map((_, p) => all.map((rows) => rows[copy][p])));
};
const longest = (vectors) => vectors.flat().reduce((most, vector) => (Math.hypot(...vector) > Math.hypot(...most) ? vector : most));
const space = (layers, height) => {
  const reach = 1.06 * Math.max(...layers.map(({ lines }) => Math.hypot(...longest(vectorsOf(lines)))), 1e-12);
  const names = view.lines === view.vectors ? view.channels : Array.from({ length: view.vectors }, (_, k) => `coordinate ${k}`);
  const axes = names.map((name, k) => {
    const [x, y] = projected(names.map((_, i) => (i === k ? reach : 0)));
    return { type: "scatter", mode: "lines+text", x: [0, x], y: [0, y], text: ["", name], textposition: y > 0.5 * reach ? "top center" : x < 0 ? "bottom left" : "bottom center", textfont: { size: 12, color: paper().soft }, line: { color: paper().data, width: 1 }, hoverinfo: "skip", cliponaxis: false };
  });
  const paths = layers.flatMap(({ lines, colour: c, width }) => vectorsOf(lines).map((vectors) => {
    const points = vectors.map(projected);
    return { type: "scatter", mode: isCount ? "markers" : "lines", x: points.map(([x]) => x), y: points.map(([, y]) => y), line: { color: c, width }, marker: { color: c, size: 3 + 2 * width }, hoverinfo: "skip", cliponaxis: false };
  }));
  const arrows = layers.map(({ lines, colour: c, width }) => {
    const [x, y] = projected(longest(vectorsOf(lines)));
    return { x, y, ax: 0, ay: 0, xref: "x", yref: "y", axref: "x", ayref: "y", showarrow: true, text: "", arrowhead: 2, arrowsize: 1, arrowwidth: width + 0.6, arrowcolor: c };
  });
  const bare = { visible: false, range: [-reach, reach], constrain: "domain" };
  return { traces: [...axes, ...paths], look: { height, margin: { l: 10, r: 10, t: 16, b: 16 }, xaxis: bare, yaxis: { ...bare, scaleanchor: "x" }, annotations: arrows } };
};
// Pixels of an image are square, and images that are side by side have a gap between them.
const pixels = () => {
  const n = view.images.length, width = view.length / n, square = view.across === "row" ? { scaleanchor: "x", constrain: "domain" } : {};
  const columns = n > 1 ? { label: "", tickangle: 0, tickvals: view.images.map((_, k) => k * (width + 1) + (width - 1) / 2), ticktext: view.images } : { label: alongLabel };
  return { columns: { ...columns, constrain: "domain", showgrid: false }, rows: { label: view.across, autorange: "reversed", showgrid: false, ...square } };
};
const sideBySide = (lines) => (view.images.length > 1 ? lines.map((row) => cut(row).flatMap((part, k) => (k ? [null, ...part] : part))) : lines);
const picture = (lines, height, reach) => ({
  traces: [{
    type: "heatmap", z: sideBySide(lines), colorscale: scale(), zmid: 0, zmin: -reach, zmax: reach, x: view.sfreq ? along : undefined,
    colorbar: { thickness: 10, len: 0.9, outlinewidth: 0, tickfont: { size: 11 } }, hovertemplate: "%{z:.3g}<extra></extra>",
  }],
  look: { height, margin: { l: 44, r: 4, t: 8, b: 40 }, xaxis: axis(pixels().columns), yaxis: axis(pixels().rows) },
});
const largest = (...lists) => lists.flat(2).reduce((most, value) => Math.max(most, Math.abs(value)), 1e-12);
