// The components, each with sliders that move it, one after the other. A state has a position per slider, and the plane of turns.
const sliders = data.sliders;
const uses = (kind) => sliders.some((slider) => slider.kind === kind);
const moving = sliders.length === 1 ? sliders[0].kind : sliders.length ? "several" : "none";
const shiftedBy = { along: shiftedLines, right: movedRight, down: movedDown };
const step = (j, lines, slider, position, turnPlane) => {
  if (slider.kind === "list") return data.components[j].moved[position];
  if (slider.kind === "turn") return turned(lines, slider.planes[turnPlane], position);
  if (slider.kind === "phase") return phasedLines(lines, position);
  return shiftedBy[slider.way](lines, position);
};
const moved = (j, { positions, turnPlane }) => sliders.reduce((lines, slider, k) => step(j, lines, slider, positions[k], turnPlane), data.components[j].lines);
const startOf = (j, turnPlane = 0) => ({ positions: data.components[j].start.slice(), turnPlane });
const inWords = (slider, position) => {
  if (slider.kind === "list") return slider.words[position];
  if (slider.kind !== "shift") return `${position}°`;
  const places = slider.step === 1 ? 0 : slider.step === 0 ? 1 : 2;
  const seconds = view.sfreq ? ` (${(position / view.sfreq).toFixed(3)} s)` : "";
  return `${position.toFixed(places)} ${slider.way === "along" ? "samples" : "pixels"}${seconds}`;
};
const range = (slider) => {
  if (slider.kind === "list") return { min: 0, max: slider.words.length - 1, step: 1 };
  if (slider.kind !== "shift") return { min: 0, max: 360, step: 1 };
  const { step, length } = slider;
  return { min: 0, max: step ? length - step : length, step: step === 0 ? 0.1 : step === 1 ? 1 : "any" };
};
const onGrid = ({ kind, step }, value) => (kind === "shift" && step > 0 ? Math.round(value / step) * step : value);
// The axis stays as it is while a shape moves: it has room for all places.
const roomFor = (j, l) => {
  const { lines, moved: table } = data.components[j];
  let values = lines[l];
  if (uses("list")) values = table.flatMap((element) => element[l]);
  if (uses("phase")) values = [0, 45, 90, 135].flatMap((degrees) => shifted(spectraOf(lines)[l], 0, (degrees * Math.PI) / 180)).flatMap((value) => [-value, value]);
  if (uses("turn")) {
    const all = coordinates(lines), own = l % all[0].length;
    values = all[0][own].flatMap((_, p) => Math.hypot(...all.map((rows) => rows[own][p]))).flatMap((length) => [-length, length]);
  }
  return room(values, 0.12);
};
const sliderWord = ({ kind, way }) => ({ shift: { along: "Shift", right: "Right", down: "Down" }[way], phase: "Phase", turn: "Turn", list: "Move" })[kind];
const componentFigure = (j, state) => {
  const lines = moved(j, state), start = moved(j, startOf(j, state.turnPlane));
  if (view.kind === "image") return picture(lines, view.images.length > 1 ? 220 : 280, largest(data.components[j].lines));
  const own = { colour: colour(j), width: 2.2, dash: cycle(DASHES, j), name: "moved" };
  const rest = { colour: paper().ghost, width: 1.3, name: "at the start" };
  if (view.kind === "plane") {
    const layers = moving === "none" ? [{ lines, ...own }] : [{ lines: start, ...rest }, { lines, ...own }];
    return plane(layers, 300);
  }
  const rows = lines.map((y, l) => ({
    range: roomFor(j, l),
    label: view.lines > 1 ? view.channels[l] : "shape",
    layers: moving === "none" ? [{ y, ...own, name: "component" }] : [{ y: start[l], ...rest }, { y, ...own }],
  }));
  return stacked(rows, view.lines > 1 ? 90 + 95 * view.lines : 215);
};
const usageWords = (j) => {
  if (!has("usage")) return "";
  const atoms = data.usage.atoms[j];
  return atoms ? `${several(atoms, "atom")} in ${several(data.usage.windows[j], view.noun)}` : "not used by these data";
};
const inSpace = uses("turn") && view.kind === "lines" && [2, 3].includes(view.vectors);
const spaceFigure = (j, state) => {
  const layers = [{ lines: moved(j, startOf(j)), colour: paper().ghost, width: 1.2 }, { lines: moved(j, state), colour: colour(j), width: 2 }];
  return space(layers, 270);
};
const addSlider = (card, j, k, state, redraw) => {
  const id = k ? `slider-${j}-${k}` : `slider-${j}`, slider = sliders[k], word = sliderWord(slider);
  const input = make("input", { type: "range", id, ...range(slider), "data-component": j });
  input.value = data.components[j].start[k];
  const output = make("output", { for: id });
  const label = make("label", { for: id }, word);
  input.setAttribute("aria-label", `${word} of component ${j}`);
  const box = make("div", { class: "move" }, make("div", { class: "row" }, label, output), input);
  const choice = make("select", { "aria-label": `Plane in which component ${j} turns` });
  if (slider.kind === "turn" && slider.planes.length > 1) {
    slider.planes.forEach(([a, b], p) => choice.append(make("option", { value: p }, `in the plane of ${view.along === "sample" && view.lines === view.vectors ? "channels" : "coordinates"} ${a} and ${b}`)));
    box.append(choice);
  }
  const update = () => {
    const position = onGrid(slider, Number(input.value));
    output.textContent = inWords(slider, position);
    input.setAttribute("aria-valuetext", inWords(slider, position));
    state.positions[k] = position;
    if (slider.kind === "turn") state.turnPlane = Number(choice.value || 0);
    redraw();
  };
  input.addEventListener("input", update);
  choice.addEventListener("change", update);
  card.append(box);
  update();
};
const cards = byId("component-cards");
cards.classList.toggle("two", [2, 4].includes(data.shown.length));
const addCard = (j) => {
  const plot = make("div", { class: "plot", id: `component-${j}`, role: "img", "aria-label": `Shape of component ${j}` });
  const card = make("article", { class: "card" }, make("h3", {}, swatch(j), `Component ${j}`));
  if (has("usage")) card.append(make("p", { class: "small" }, usageWords(j)));
  card.append(plot);
  if (inSpace) card.append(make("div", { class: "plot", id: `space-${j}`, role: "img", "aria-label": `Component ${j} in space` }));
  cards.append(card);
  return () => {
    const state = startOf(j), shows = [draw(plot.id, () => componentFigure(j, state))];
    if (inSpace) shows.push(draw(`space-${j}`, () => spaceFigure(j, state)));
    const redraw = () => shows.forEach((show) => show());
    if (moving === "none") redraw();
    sliders.forEach((_, k) => addSlider(card, j, k, state, redraw));
  };
};
// All cards have their places before the first is drawn: a figure takes the width it finds.
const drawComponents = () => data.shown.map(addCard).forEach((drawCard) => drawCard());
const howToMove = {
  shift: "Drag a slider, or use the arrow keys on it, to shift a shape; what leaves at one end enters at the other. The grey line stays where the slider began, with the highest point in the middle.",
  turn: "Drag a slider, or use the arrow keys on it, to turn a shape; where it began stays in grey.",
  list: "Drag a slider, or use the arrow keys on it, to step through the ways a shape may be moved.",
  several: `Drag sliders, or use the arrow keys on them, to move a shape in one way after the other; what leaves at one end enters at the other.${view.kind === "image" ? "" : " The grey line stays where the sliders began."}`,
  none: "These do not move: an atom is a multiple of one of them.",
};
const wordsOnSpace = !inSpace ? "" : ` Below the lines, ${view.length > 1 && isCount ? "the points" : "the vectors"} in ${view.vectors === 3 ? "space, seen from the side" : "the plane"}${view.lines > 1 && !isCount ? ", as a path in time" : ""}; the arrow is the longest of them.`;
