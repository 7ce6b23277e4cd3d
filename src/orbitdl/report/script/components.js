// The components, each with a slider that moves it.
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
// The axis stays as it is while a shape moves: it has room for all places.
const roomFor = (j, l) => {
  const { lines, moved: table } = data.components[j];
  let values = lines[l];
  if (moving === "list") values = table.flatMap((element) => element[l]);
  if (moving === "turn") {
    const lengths = view.across === "coordinate" ? lines[0].map((_, p) => Math.hypot(...lines.map((row) => row[p]))) : [Math.hypot(...lines[0])];
    values = lengths.flatMap((length) => [-length, length]);
  }
  return room(values, 0.12);
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
const addSlider = (card, j, redraw) => {
  const id = `slider-${j}`;
  const input = make("input", { type: "range", id, ...range(), "data-component": j });
  input.value = data.components[j].start;
  const output = make("output", { for: id });
  const label = make("label", { for: id }, sliderWord);
  input.setAttribute("aria-label", `${sliderWord} of component ${j}`);
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
const cards = byId("component-cards");
cards.classList.toggle("two", [2, 4].includes(data.shown.length));
const addCard = (j) => {
  const plot = make("div", { class: "plot", id: `component-${j}`, role: "img", "aria-label": `Shape of component ${j}` });
  const card = make("article", { class: "card" }, make("h3", {}, swatch(j), `Component ${j}`));
  if (has("usage")) card.append(make("p", { class: "small" }, usageWords(j)));
  card.append(plot);
  cards.append(card);
  return () => {
    let now = [data.components[j].start, 0];
    const show = draw(plot.id, () => componentFigure(j, ...now));
    if (moving === "none") show();
    else addSlider(card, j, (...position) => { now = position; show(); });
  };
};
// All cards have their places before the first is drawn: a figure takes the width it finds.
const drawComponents = () => data.shown.map(addCard).forEach((drawCard) => drawCard());
const howToMove = {
  shift: "Drag a slider, or use the arrow keys on it, to shift a shape; what leaves at one end enters at the other. The grey line stays where the slider began, with the highest point in the middle.",
  turn: "Drag a slider, or use the arrow keys on it, to turn a shape; where it began stays in grey.",
  list: "Drag a slider, or use the arrow keys on it, to step through the ways a shape may be moved.",
  none: "These do not move: an atom is a multiple of one of them.",
};
