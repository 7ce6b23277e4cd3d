// The browser of windows: data, approximation, atoms.
const browser = { order: [], place: 0 };
const orders = {
  number: (list) => list,
  worst: (list) => list.slice().sort((a, b) => data.windows[b].unexplained - data.windows[a].unexplained),
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
const amount = (c) => (c < 0 ? "−" : "") + digits(Math.abs(c));
const atomTitle = (atom) => `${amount(atom.c)} × component ${atom.j}${moving === "shift" ? `, shifted by ${atom.words}` : atom.words && `, ${atom.words}`}`;
const layersOf = (shown) => {
  const atoms = shown.atoms.map((atom) => ({ lines: atomLines(atom), colour: colour(atom.j), width: 1.8, dash: cycle(DASHES, atom.j), name: atomTitle(atom) }));
  if (shown.rest) atoms.push({ lines: shown.rest, colour: paper().soft, width: 1.2, dash: "dot", name: "smaller atoms, together" });
  return atoms;
};
const windowFigure = () => {
  const shown = current(), atoms = layersOf(shown);
  const sum = { lines: shown.fit, colour: paper().ink, width: 1.6, name: "approximation" };
  const given = { lines: shown.data, colour: paper().data, width: 4, name: "data" };
  if (view.kind === "plane") return plane([given, sum, ...atoms.map((atom) => ({ ...atom, width: 1.4 }))], narrow() ? 340 : 440);
  const pick = (layers, l) => layers.map((layer) => ({ ...layer, y: layer.lines[l] }));
  if (view.lines > 1) {
    const raised = atoms.map((atom) => ({ ...atom, lines: atom.lines.map((line, l) => line.map((value) => value + shown.base[l])) }));
    const rows = view.channels.map((name, l) => ({ label: valueLabel(name), layers: pick([given, ...raised, sum], l) }));
    return stacked(rows, 120 + 150 * view.lines);
  }
  const rows = [{ label: valueLabel("data"), layers: pick([given, sum], 0), weight: 1.1 }];
  if (atoms.length) rows.push({ label: valueLabel("atoms"), layers: pick(atoms, 0) });
  return stacked(rows, atoms.length ? (narrow() ? 400 : 460) : 260);
};
const MOST_IMAGES = 8;
const addImages = () => {
  const places = Array.from({ length: MOST_IMAGES }, () => make("figure", {}, make("figcaption"), make("div", { class: "plot" })));
  byId("window-images").append(...places);
  byId("window-images").classList.toggle("wide", view.images.length > 1);
  return places;
};
const drawImages = (places) => {
  const shown = current(), reach = largest(shown.data, shown.fit);
  const all = [{ lines: shown.data, name: "data" }, { lines: shown.fit, name: "approximation" }, ...layersOf(shown)];
  places.forEach((place, k) => {
    place.hidden = k >= all.length;
    if (place.hidden) return;
    place.firstChild.textContent = all[k].name;
    put(place.lastChild, picture(all[k].lines, view.images.length > 1 ? 180 : 240, reach));
  });
};
const row = (mark, what, ...numbers) => {
  const cells = numbers.map((text) => make("td", {}, text));
  const name = make("th", numbers.length ? { scope: "row" } : { scope: "row", colspan: 4 }, mark, what);
  return make("tr", {}, name, ...cells);
};
const peakAt = (atom) => (atom.place === undefined ? "" : view.sfreq ? (atom.place / view.sfreq).toFixed(3) : atom.place.toFixed(1));
const listAtoms = () => {
  const shown = current();
  const rows = [row(line("data"), "data"), row(line("ink"), `approximation: the sum of all atoms${view.centred ? ", and the mean" : ""}`)];
  shown.atoms.forEach((atom) => rows.push(row(swatch(atom.j), atomName(atom), amount(atom.c), atom.words, peakAt(atom))));
  const others = shown.count - shown.atoms.length;
  if (others > 0) rows.push(row(line("soft"), `${several(others, "smaller atom")}, together`));
  if (shown.count === 0) rows.push(row("", `no atoms: this ${view.noun} is coded by nothing`));
  byId("atoms").tBodies[0].replaceChildren(...rows);
  paintSwatches();
};
let redrawWindow = null;
const showWindow = (remark = "") => {
  const shown = current(), last = browser.order.length - 1;
  const left = `${digits(shown.unexplained)}${unit && `\u00a0${unit}`} (root mean square) unexplained${view.in_time ? " in its middle" : ""}`;
  const explained = shown.explained === null ? "nothing in it to explain" : `${percent(shown.explained)} explained, ${left}`;
  const since = view.sfreq ? `, from ${(shown.start / view.sfreq).toFixed(2)}\u00a0s on` : "";
  byId("window-words").textContent = `${capital(view.noun)} ${shown.number}${since} (${browser.place + 1} of ${last + 1} in this file): ${explained}, ${several(shown.count, "atom")}. ${remark}`;
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
  byId("atoms-size").textContent = unit ? `coefficient (${unit})` : "coefficient";
  byId("atoms-move").textContent = { shift: "shift (samples)", none: "" }[moving] ?? "move";
  byId("atoms-place").textContent = view.in_time ? `highest at (${view.sfreq ? "s" : "samples"})` : "";
  byId("number").max = data.total - 1;
  if (view.kind === "image") {
    const places = addImages();
    redrawWindow = () => drawImages(places);
    figures.push(redrawWindow);
    drawers.set(places[0].lastChild, redrawWindow);
    follow.observe(places[0].lastChild);
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
