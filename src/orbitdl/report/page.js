"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const view = data.view;
  const byId = (id) => document.getElementById(id);
  const has = (name) => data[name] !== undefined;

  // ---- Colours: Okabe and Ito, readable on both papers; then other dashes ----
  const PALETTE = {
    light: ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b37a00", "#56b4e9", "#7a7200"],
    dark: ["#3d9fdb", "#ef7a2a", "#1fbf92", "#d98fb8", "#e69f00", "#8fd0f5", "#f0e442"],
  };
  const DASHES = ["solid", "dash", "dot", "dashdot"];
  const SYMBOLS = ["circle", "square", "diamond", "triangle-up"];
  const papers = {
    light: { ink: "#1c2126", soft: "#59636e", grid: "#e6e9ed", data: "#9aa4ae", ghost: "#c3cad2", middle: "#ffffff" },
    dark: { ink: "#e6e9ec", soft: "#a3adb8", grid: "#2c343c", data: "#7d8893", ghost: "#4d5862", middle: "#14181c" },
  };
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");
  const onPaper = matchMedia("print");
  const state = { theme: prefersDark.matches ? "dark" : "light", chosen: false, printing: false };
  const theme = () => (state.printing || onPaper.matches ? "light" : state.theme);
  const paper = () => papers[theme()];
  const colour = (j) => PALETTE[theme()][j % PALETTE.light.length];
  const cycle = (list, j) => list[Math.floor(j / PALETTE.light.length) % list.length];
  const scale = () => [[0, PALETTE[theme()][0]], [0.5, paper().middle], [1, PALETTE[theme()][1]]];

  // ---- Numbers ----
  const digits = (x, n = 3) => Number(x.toPrecision(n)).toString();
  const percent = (x) => {
    const value = 100 * Math.max(0, x);
    if (value > 0 && value < 0.001) return "less than 0.001 %";
    return `${Number(value.toFixed(value >= 1 ? 1 : 3))} %`;
  };
  const grouped = (n) => n.toString().replace(/\B(?=(\d{3})+$)/g, " ");
  const several = (n, thing) => `${grouped(n)} ${thing}${n === 1 ? "" : "s"}`;
  const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

  // ---- Moves ----
  // A shift by tau: every frequency f of x turns by -2 pi f tau / N (exact for band-limited x).
  const spectrum = (x) => {
    const n = x.length, half = Math.floor(n / 2), real = [], imaginary = [];
    for (let f = 0; f <= half; f++) {
      let re = 0, im = 0;
      for (let t = 0; t < n; t++) {
        const angle = (2 * Math.PI * ((f * t) % n)) / n;
        re += x[t] * Math.cos(angle);
        im -= x[t] * Math.sin(angle);
      }
      const weight = (f === 0 || 2 * f === n ? 1 : 2) / n;
      real.push(weight * re);
      imaginary.push(weight * im);
    }
    return { n, real, imaginary };
  };
  const waves = new Map();
  const wave = (n) => {
    if (!waves.has(n)) {
      const table = Array.from({ length: n }, (_, k) => (2 * Math.PI * k) / n);
      waves.set(n, [table.map(Math.cos), table.map(Math.sin)]);
    }
    return waves.get(n);
  };
  const shifted = ({ n, real, imaginary }, tau) => {
    const [cosine, sine] = wave(n), out = new Array(n).fill(0);
    for (let f = 0; f < real.length; f++) {
      const angle = (-2 * Math.PI * f * tau) / n, c = Math.cos(angle), s = Math.sin(angle);
      const re = real[f] * c - imaginary[f] * s, im = real[f] * s + imaginary[f] * c;
      for (let t = 0, k = 0; t < n; t++) {
        out[t] += re * cosine[k] - im * sine[k];
        k += f;
        if (k >= n) k -= n;
      }
    }
    return out;
  };
  const spectra = new Map();
  const shiftOf = (j, tau) => {
    if (!spectra.has(j)) spectra.set(j, data.components[j].lines.map(spectrum));
    return spectra.get(j).map((line) => shifted(line, tau));
  };
  // A turn by an angle in the plane of coordinates i and k; lines, or the entries of the only line.
  const turned = (lines, [i, k], degrees) => {
    const angle = (degrees * Math.PI) / 180, c = Math.cos(angle), s = Math.sin(angle);
    const rows = view.across === "coordinate" ? lines : lines[0].map((value) => [value]);
    const result = rows.map((row) => row.slice());
    rows[i].forEach((value, p) => {
      result[i][p] = c * value - s * rows[k][p];
      result[k][p] = s * value + c * rows[k][p];
    });
    return view.across === "coordinate" ? result : [result.map((row) => row[0])];
  };
  const times = (c, lines) => lines.map((line) => line.map((value) => c * value));
  const atomLines = (atom) => {
    if (atom.shift !== undefined) return times(atom.c, shiftOf(atom.j, atom.shift));
    if (atom.moved !== undefined) return times(atom.c, data.moved[atom.moved]);
    return times(atom.c, data.components[atom.j].lines);
  };

  // ---- Figures: each is drawn by a function, again whenever colours change ----
  const figures = [];
  const narrow = () => window.innerWidth < 560;
  const touch = matchMedia("(pointer: coarse)").matches;
  const config = { responsive: true, displaylogo: false, displayModeBar: false, scrollZoom: false };
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
  const draw = (id, make) => {
    const place = typeof id === "string" ? byId(id) : id;
    const show = () => {
      const { traces, look } = make();
      return Plotly.react(place, traces, layout(look), config);
    };
    figures.push(show);
    show();
    return show;
  };

  const along = Array.from({ length: view.length }, (_, t) => (view.rate ? t / view.rate : t));
  const alongLabel = view.rate ? "time (s)" : view.along === "sample" ? "time (samples)" : view.along;
  const valueLabel = (name) => (view.unit ? `${name} (${view.unit})` : name);
  const isCount = view.along !== "sample";

  // Rows of lines below each other; a row is {label, layers: [{y, colour, width, dash, name}]}.
  const stacked = (rows, height) => {
    const gap = rows.length > 1 ? 0.09 / Math.max(1, rows.length - 1) : 0;
    const total = rows.reduce((sum, row) => sum + (row.weight || 1), 0);
    const look = { height, xaxis: axis({ label: alongLabel, anchor: `y${rows.length > 1 ? rows.length : ""}` }) };
    if (isCount && view.length <= 30) look.xaxis.dtick = view.length <= 12 ? 1 : 5;
    const traces = [];
    let top = 1;
    rows.forEach((row, r) => {
      const share = (1 - gap * (rows.length - 1)) * ((row.weight || 1) / total), suffix = r ? r + 1 : "";
      look[`yaxis${suffix}`] = axis({ label: row.label, domain: [Math.max(0, top - share), top], nticks: 5, zeroline: true, zerolinecolor: paper().grid });
      top -= share + gap;
      row.layers.forEach((layer) => traces.push({
        type: "scatter", mode: isCount && view.length <= 30 ? "lines+markers" : "lines", x: view.entries && !r ? along : along,
        y: layer.y, name: layer.name, text: view.entries || undefined, yaxis: `y${suffix}`,
        line: { color: layer.colour, width: layer.width, dash: layer.dash || "solid" },
        hovertemplate: `${view.entries ? "%{text}: " : ""}%{y:.4g}<extra>${layer.name}</extra>`, connectgaps: false,
      }));
    });
    return { traces, look };
  };
  const plane = (layers, height) => {
    const all = layers.flatMap((layer) => layer.lines.flat()).filter((value) => value !== null);
    const reach = 1.12 * Math.max(1e-12, ...all.map(Math.abs));
    const square = (label) => axis({ label, range: [-reach, reach], zeroline: true, zerolinecolor: paper().grid });
    const traces = layers.map(({ lines: [x, y], name, colour: c, width, dash }) => ({
      type: "scatter", mode: "lines+markers", name,
      x: view.length === 1 ? [0, x[0]] : x, y: view.length === 1 ? [0, y[0]] : y,
      line: { color: c, width: view.length === 1 ? width : 1, dash: dash || "solid" },
      marker: { color: c, size: view.length === 1 ? [0, 9] : 4 + 2 * width, symbol: "circle" },
      hovertemplate: `(%{x:.3g}, %{y:.3g})<extra>${name}</extra>`,
    }));
    const look = { height, xaxis: square(view.channels[0]), yaxis: { ...square(view.channels[1]), scaleanchor: "x" } };
    return { traces, look };
  };
  const picture = (lines, height, reach) => ({
    traces: [{
      type: "heatmap", z: lines, colorscale: scale(), zmid: 0, zmin: -reach, zmax: reach, x: view.rate ? along : undefined,
      colorbar: { thickness: 10, len: 0.9, outlinewidth: 0, tickfont: { size: 11 } }, hovertemplate: "%{z:.3g}<extra></extra>",
    }],
    look: { height, margin: { l: 44, r: 4, t: 8, b: 40 }, xaxis: axis({ label: alongLabel, showgrid: false }), yaxis: axis({ label: view.across, autorange: "reversed", showgrid: false }) },
  });
  const largest = (...lists) => Math.max(1e-12, ...lists.flat(2).filter((value) => value !== null).map(Math.abs));

  // ---- Components ----
  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
    element.append(...children);
    return element;
  };
  const swatch = (j) => make("span", { class: "swatch", "data-component": j, "aria-hidden": "true" });
  const moving = data.slider.kind;
  const moved = (j, position, turnPlane) => {
    if (moving === "shift") return shiftOf(j, position);
    if (moving === "turn") return turned(data.components[j].lines, data.slider.planes[turnPlane], position);
    if (moving === "list") return data.components[j].moved[position];
    return data.components[j].lines;
  };
  const inWords = (position) => {
    if (moving === "turn") return `${position}°`;
    if (moving === "list") return data.slider.words[position];
    const places = data.slider.step === 1 ? 0 : data.slider.step === 0 ? 1 : 2;
    const seconds = view.rate ? ` (${(position / view.rate).toFixed(3)} s)` : "";
    return `${position.toFixed(places)} samples${seconds}`;
  };
  const range = () => {
    if (moving === "turn") return { min: 0, max: 360, step: 1 };
    if (moving === "list") return { min: 0, max: data.slider.words.length - 1, step: 1 };
    const step = data.slider.step;
    return { min: 0, max: step ? view.length - step : view.length, step: step === 0 ? 0.1 : step === 1 ? 1 : "any" };
  };
  const onGrid = (value) => {
    const step = data.slider.step;
    return moving === "shift" && step > 0 ? Math.round(value / step) * step : value;
  };
  const sliderWord = { shift: "Shift", turn: "Turn", list: "Move" }[moving];
  const componentFigure = (j, position, turnPlane) => {
    const lines = moved(j, position, turnPlane), start = moved(j, data.components[j].start, turnPlane);
    if (view.kind === "image") return picture(lines, 280, largest(data.components[j].lines));
    const own = { colour: colour(j), width: 2.2, dash: cycle(DASHES, j), name: "moved" };
    const rest = { colour: paper().ghost, width: 1.3, name: "at the start" };
    if (view.kind === "plane") {
      const layers = moving === "none" ? [{ lines, ...own }] : [{ lines: start, ...rest }, { lines, ...own }];
      return plane(layers, 300);
    }
    const rows = lines.map((y, l) => ({
      label: view.lines > 1 ? valueLabel(view.channels[l]) : valueLabel("value"),
      layers: moving === "none" ? [{ y, ...own, name: "component" }] : [{ y: start[l], ...rest }, { y, ...own }],
    }));
    return stacked(rows, view.lines > 1 ? 90 + 95 * view.lines : 215);
  };
  const usageWords = (j) => {
    if (!has("usage")) return "";
    const atoms = data.usage.atoms[j];
    return atoms ? `${several(atoms, "atom")} in ${several(data.usage.windows[j], view.noun)}` : "not used by these data";
  };
  const addSlider = (card, j, redraw) => {
    const id = `slider-${j}`;
    const input = make("input", { type: "range", id, ...range(), "data-component": j });
    input.value = data.components[j].start;
    const output = make("output", { for: id });
    const label = make("label", { for: id }, `${sliderWord} component ${j}`);
    const box = make("div", { class: "move" }, make("div", { class: "row" }, label, output), input);
    const choice = make("select", { "aria-label": `Plane in which component ${j} turns` });
    if (moving === "turn" && data.slider.planes.length > 1) {
      data.slider.planes.forEach(([i, k], p) => choice.append(make("option", { value: p }, `in the plane of coordinates ${i} and ${k}`)));
      box.append(choice);
    }
    const update = () => {
      const position = onGrid(Number(input.value));
      output.textContent = inWords(position);
      input.setAttribute("aria-valuetext", inWords(position));
      redraw(position, Number(choice.value || 0));
    };
    input.addEventListener("input", update);
    choice.addEventListener("change", update);
    card.append(box);
    update();
  };
  const addCard = (j) => {
    const plot = make("div", { class: "plot", id: `component-${j}`, role: "img", "aria-label": `Shape of component ${j}` });
    const card = make("article", { class: "card" }, make("h3", {}, swatch(j), `Component ${j}`));
    if (has("usage")) card.append(make("p", { class: "small" }, usageWords(j)));
    card.append(plot);
    byId("component-cards").append(card);
    let now = [data.components[j].start, 0];
    const show = draw(plot, () => componentFigure(j, ...now));
    if (moving !== "none") addSlider(card, j, (...position) => { now = position; show(); });
  };
  const howToMove = {
    shift: "Drag a slider, or use the arrow keys on it, to shift a shape; what leaves at one end enters at the other. The grey line stays where the slider began, with the highest point in the middle.",
    turn: "Drag a slider, or use the arrow keys on it, to turn a shape; grey is where it began.",
    list: "Drag a slider, or use the arrow keys on it, to step through the ways a shape may be moved; grey is the shape as learned.",
    none: "These do not move: an atom is a multiple of one of them.",
  };

  // ---- Usage ----
  const drawUsage = () => {
    const { atoms, edges, histogram } = data.usage, all = atoms.map((_, j) => j);
    draw("usage-counts", () => ({
      traces: [{ type: "bar", x: all, y: atoms, marker: { color: all.map(colour) }, hovertemplate: "component %{x}: %{y} atoms<extra></extra>" }],
      look: { height: 260, bargap: 0.35, xaxis: axis({ label: "component", dtick: all.length <= 20 ? 1 : undefined, showgrid: false }), yaxis: axis({ label: "atoms", rangemode: "tozero" }) },
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

  // ---- Windows, one by one ----
  const browser = { order: [], place: 0 };
  const orders = {
    number: (list) => list,
    worst: (list) => list.slice().sort((a, b) => (data.windows[a].explained ?? 2) - (data.windows[b].explained ?? 2)),
    random: (list) => {
      const mixed = list.slice();
      for (let k = mixed.length - 1; k > 0; k--) {
        const other = Math.floor(Math.random() * (k + 1));
        [mixed[k], mixed[other]] = [mixed[other], mixed[k]];
      }
      return mixed;
    },
  };
  const current = () => data.windows[browser.order[browser.place]];
  const atomName = (atom) => `component ${atom.j}`;
  const layersOf = (shown) => {
    const atoms = shown.atoms.map((atom) => ({ lines: atomLines(atom), colour: colour(atom.j), width: 1.8, dash: cycle(DASHES, atom.j), name: atomName(atom) }));
    if (shown.count > shown.atoms.length) {
      const rest = shown.fit.map((line, l) => line.map((value, t) => atoms.reduce((left, atom) => left - atom.lines[l][t], value)));
      atoms.push({ lines: rest, colour: paper().soft, width: 1.2, dash: "dot", name: "smaller atoms, together" });
    }
    return atoms;
  };
  const windowFigure = () => {
    const shown = current(), atoms = layersOf(shown);
    const sum = { lines: shown.fit, colour: paper().ink, width: 1.6, name: "approximation" };
    const given = { lines: shown.data, colour: paper().data, width: 4, name: "data" };
    if (view.kind === "plane") return plane([given, sum, ...atoms.map((atom) => ({ ...atom, width: 1.4 }))], narrow() ? 340 : 440);
    const pick = (layers, l) => layers.map((layer) => ({ ...layer, y: layer.lines[l] }));
    if (view.lines > 1) {
      const rows = view.channels.map((name, l) => ({ label: valueLabel(name), layers: pick([given, ...atoms, sum], l) }));
      return stacked(rows, 120 + 150 * view.lines);
    }
    const rows = [{ label: valueLabel("data"), layers: pick([given, sum], 0), weight: 1.1 }, { label: valueLabel("atoms"), layers: pick(atoms, 0) }];
    return stacked(rows, narrow() ? 400 : 460);
  };
  let images = [];
  const drawImages = () => {
    const shown = current(), atoms = layersOf(shown).slice(0, 6), reach = largest(shown.data, shown.fit);
    const all = [{ lines: shown.data, name: "data" }, { lines: shown.fit, name: "approximation" }, ...atoms];
    images.forEach((place) => Plotly.purge(place));
    images = all.map(() => make("div", { class: "plot" }));
    byId("window-images").replaceChildren(...images.map((place, k) => make("figure", {}, make("figcaption", {}, all[k].name), place)));
    images.forEach((place, k) => {
      const { traces, look } = picture(all[k].lines, 240, reach);
      Plotly.react(place, traces, layout(look), config);
    });
  };
  const row = (mark, what, coefficient, move) => make("tr", {}, make("td", {}, mark), make("td", {}, what), make("td", {}, coefficient), make("td", {}, move));
  const line = (name) => make("span", { class: "swatch", "data-line": name, "aria-hidden": "true" });
  const listAtoms = () => {
    const shown = current();
    const rows = [row(line("data"), "data", "", ""), row(line("ink"), "approximation: the sum of all atoms", "", "")];
    shown.atoms.forEach((atom) => rows.push(row(swatch(atom.j), atomName(atom), (atom.c < 0 ? "−" : "+") + digits(Math.abs(atom.c)), atom.words)));
    const others = shown.count - shown.atoms.length;
    if (others > 0) rows.push(row(line("soft"), `${several(others, "smaller atom")}, together`, "", ""));
    if (shown.count === 0) rows.push(row("", `no atoms: this ${view.noun} is coded by nothing`, "", ""));
    byId("atoms").tBodies[0].replaceChildren(...rows);
    paintSwatches();
  };
  let redrawWindow = null;
  const showWindow = (remark = "") => {
    const shown = current(), last = browser.order.length - 1;
    const explained = shown.explained === null ? "nothing in it to explain" : `${percent(shown.explained)} explained`;
    byId("window-words").textContent = `${capital(view.noun)} ${shown.number} (${browser.place + 1} of ${last + 1} in this file): ${explained}, ${several(shown.count, "atom")}. ${remark}`;
    byId("number").value = shown.number;
    byId("previous").disabled = browser.place === 0;
    byId("next").disabled = browser.place === last;
    byId("window-plot").setAttribute("aria-label", `${view.noun} ${shown.number}: data, approximation and ${several(shown.count, "atom")}`);
    listAtoms();
    redrawWindow();
  };
  const goTo = (place, remark) => {
    browser.place = Math.min(browser.order.length - 1, Math.max(0, place));
    showWindow(remark);
  };
  const goToNumber = (wanted) => {
    const distance = browser.order.map((k) => Math.abs(data.windows[k].number - wanted));
    const nearest = distance.indexOf(Math.min(...distance));
    const found = data.windows[browser.order[nearest]].number;
    goTo(nearest, found === wanted ? "" : `${capital(view.noun)} ${wanted} is not in this file; this is the nearest.`);
  };
  const startBrowser = () => {
    const all = data.windows.map((_, k) => k);
    browser.order = all;
    byId("number").max = data.total - 1;
    if (view.kind === "image") {
      redrawWindow = drawImages;
      figures.push(drawImages);
    } else {
      redrawWindow = draw("window-plot", windowFigure);
    }
    byId("previous").addEventListener("click", () => goTo(browser.place - 1));
    byId("next").addEventListener("click", () => goTo(browser.place + 1));
    byId("number").addEventListener("change", (event) => event.target.value !== "" && goToNumber(Number(event.target.value)));
    byId("order").addEventListener("change", (event) => {
      browser.order = orders[event.target.value](all);
      goTo(0);
    });
    const keys = { ArrowLeft: () => browser.place - 1, ArrowRight: () => browser.place + 1, Home: () => 0, End: () => browser.order.length - 1 };
    byId("browser").addEventListener("keydown", (event) => {
      const busy = ["INPUT", "SELECT"].includes(event.target.tagName) || event.altKey || event.ctrlKey || event.metaKey;
      if (busy || !keys[event.key]) return;
      event.preventDefault();
      goTo(keys[event.key]());
    });
    showWindow();
  };

  // ---- Events ----
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

  // ---- Learning ----
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

  // ---- Light and dark, paper ----
  const paintSwatches = () => {
    document.querySelectorAll(".swatch[data-component]").forEach((mark) => {
      const j = Number(mark.dataset.component);
      mark.style.borderTopColor = colour(j);
      mark.style.borderTopStyle = { solid: "solid", dash: "dashed", dot: "dotted", dashdot: "double" }[cycle(DASHES, j)];
    });
    document.querySelectorAll(".swatch[data-line]").forEach((mark) => {
      mark.style.borderTopColor = paper()[mark.dataset.line];
      if (mark.dataset.line === "soft") mark.style.borderTopStyle = "dotted";
    });
  };
  const applyTheme = () => {
    document.documentElement.dataset.theme = state.theme;
    const button = byId("theme");
    button.textContent = state.theme === "dark" ? "Light" : "Dark";
    button.setAttribute("aria-label", `Change to ${state.theme === "dark" ? "light" : "dark"} colours`);
    button.setAttribute("aria-pressed", String(state.theme === "dark"));
    repaint();
  };
  const repaint = () => {
    paintSwatches();
    figures.forEach((show) => show());
  };
  const print = (printing) => {
    state.printing = printing;
    repaint();
  };

  byId("how-to-move").textContent = howToMove[moving];
  data.shown.forEach(addCard);
  if (has("usage")) drawUsage();
  if (has("windows")) startBrowser();
  if (has("events")) drawEvents();
  drawLearning();
  applyTheme();
  byId("theme").addEventListener("click", () => {
    state.theme = state.theme === "dark" ? "light" : "dark";
    state.chosen = true;
    applyTheme();
  });
  byId("print").addEventListener("click", () => window.print());
  prefersDark.addEventListener("change", (event) => {
    if (state.chosen) return;
    state.theme = event.matches ? "dark" : "light";
    applyTheme();
  });
  onPaper.addEventListener("change", repaint);
  window.addEventListener("beforeprint", () => print(true));
  window.addEventListener("afterprint", () => print(false));
})();
