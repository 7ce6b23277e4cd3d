// The browser of data points: data, approximation, atoms.
import { capital, digits, largest, percent, several, timeOf } from "../scripts/numbers.mjs";
import { atStart, byId, chart, data, make, narrow, onKeys, swatch, withUnit } from "../scripts/page.mjs";
import { moving, picture, plane, stacked } from "./components.mjs";
import { shiftedLines, times } from "./transforms.mjs";

const stock = data.windows || { shown: [] };
const browser = { order: stock.shown.map((_, k) => k), place: 0, redraw: null };
const seen = () => data.components.view;
const orders = {
  number: (list) => list,
  worst: (list) => list.slice().sort((a, b) => stock.shown[b].unexplained - stock.shown[a].unexplained),
  random: (list) => {
    const mixed = list.slice();
    for (let k = mixed.length - 1; k > 0; k--) {
      const other = Math.floor(Math.random() * (k + 1));
      [mixed[k], mixed[other]] = [mixed[other], mixed[k]];
    }
    return mixed;
  },
};
const current = () => stock.shown[browser.order[browser.place]];
const atomLines = (atom) => {
  const { lines } = data.components.shapes[atom.j];
  if (atom.shift !== undefined) return times(atom.c, shiftedLines(lines, atom.shift));
  return times(atom.c, atom.copy === undefined ? lines : stock.copies[atom.copy]);
};
const titleOf = (atom) => `${digits(atom.c)} × component ${atom.j}${moving === "shift" ? `, shifted by ${atom.words}` : atom.words && `, ${atom.words}`}`;
const atomLayers = (window) => {
  const atoms = window.atoms.map((atom) => ({ lines: atomLines(atom), component: atom.j, name: titleOf(atom) }));
  return window.rest ? [...atoms, { lines: window.rest, colour: "soft", width: 1.2, dash: true, name: "smaller atoms, together" }] : atoms;
};
export const windowSpec = () => {
  const window = current(), atoms = atomLayers(window), view = seen();
  const sum = { lines: window.fit, colour: "ink", width: 1.5, name: "approximation" }, given = { lines: window.data, colour: "data", width: 3.5, name: "data" };
  if (view.kind === "plane") return plane([given, sum, ...atoms], narrow() ? 300 : 400);
  const pick = (layers, l) => layers.map(({ lines, ...layer }) => ({ ...layer, y: lines[l] }));
  if (view.lines > 1) {
    const raised = atoms.map((atom) => ({ ...atom, lines: atom.lines.map((line, l) => line.map((value) => value + window.base[l])) }));
    return stacked(view.channels.map((name, l) => ({ label: view.lines > 3 ? name : withUnit(name), layers: pick([given, ...raised, sum], l) })), 150 * view.lines);
  }
  const rows = [{ label: withUnit("data"), layers: pick([given, sum], 0), weight: 1.1 }];
  if (atoms.length) rows.push({ label: withUnit("atoms"), layers: pick(atoms, 0) });
  return stacked(rows, atoms.length ? (narrow() ? 330 : 390) : 210);
};
const MOST_IMAGES = 14;
const drawImages = () => {
  const window = current(), reach = largest(window.data, window.fit), view = seen();
  const all = [{ lines: window.data, name: "data" }, { lines: window.fit, name: "approximation" }, ...atomLayers(window)].slice(0, MOST_IMAGES);
  byId("window-images").replaceChildren(...all.map(({ name }) => make("figure", {}, make("figcaption", {}, name), make("div", { class: "plot" }))));
  all.forEach(({ lines }, k) => chart(byId("window-images").children[k].lastChild, () => picture(lines, view.images.length > 1 ? 140 : 180, reach))());
};
const row = (mark, what, ...cells) => make("tr", {}, make("th", cells.length ? { scope: "row" } : { scope: "row", colspan: 4 }, mark, what), ...cells.map((text) => make("td", {}, text)));
const line = (name) => make("span", { class: `swatch ${name}`, "aria-hidden": "true" });
const peakAt = ({ place }) => (place === undefined ? "" : data.sfreq ? (place / data.sfreq).toFixed(3) : place.toFixed(1));
const listAtoms = () => {
  const window = current(), others = window.count - window.atoms.length;
  const rows = [row(line("data"), "data"), row(line("ink"), `approximation: the sum of all atoms${stock.centred ? ", and the mean" : ""}`)];
  window.atoms.forEach((atom) => rows.push(row(swatch(atom.j), `component ${atom.j}`, digits(atom.c), atom.words, peakAt(atom))));
  if (others > 0) rows.push(row(line("soft"), `${several(others, "smaller atom")}, together`));
  if (window.count === 0) rows.push(row("", `this ${seen().noun} has no atoms`));
  byId("atoms").tBodies[0].replaceChildren(...rows);
};
const showWindow = (remark = "") => {
  const window = current(), last = browser.order.length - 1, { noun } = seen();
  const left = `${digits(window.unexplained)}${data.unit ? `\u00a0${data.unit}` : ""} (root mean square) of residual${stock.in_time ? " in its middle" : ""}`;
  const explained = window.explained === null ? "nothing in it to explain" : `${percent(window.explained)} explained, ${left}`;
  const since = window.start === null ? "" : `, from ${data.sfreq ? "" : "sample "}${timeOf(window.start, data.sfreq)} on`;
  byId("window-words").textContent = `${capital(noun)} ${window.number}${since} (${browser.place + 1} of ${last + 1} in this file): ${explained}, ${several(window.count, "atom")}, certified gap ${percent(window.gap)}. ${remark}`;
  byId("number").value = window.number;
  byId("previous").disabled = browser.place === 0;
  byId("next").disabled = browser.place === last;
  byId("window-plot").setAttribute("aria-label", `${noun} ${window.number}: data, approximation and ${several(window.count, "atom")}`);
  listAtoms();
  browser.redraw();
};
const goTo = (place, remark) => {
  browser.place = Math.min(browser.order.length - 1, Math.max(0, place));
  showWindow(remark);
};
const goToNumber = (wanted) => {
  const distance = browser.order.map((k) => Math.abs(stock.shown[k].number - wanted)), nearest = distance.indexOf(Math.min(...distance));
  const found = stock.shown[browser.order[nearest]].number;
  goTo(nearest, found === wanted ? "" : `${capital(seen().noun)} ${wanted} is not in this file; this is the nearest.`);
};
atStart(() => {
  if (!byId("browser")) return;
  const isImage = seen().kind === "image", all = browser.order;
  browser.redraw = isImage ? drawImages : chart(byId("window-plot"), windowSpec);
  byId("window-plot").hidden = isImage;
  byId("window-images").classList.toggle("wide", seen().images.length > 1);
  byId("previous").addEventListener("click", () => goTo(browser.place - 1));
  byId("next").addEventListener("click", () => goTo(browser.place + 1));
  byId("number").addEventListener("change", (event) => event.target.value !== "" && goToNumber(Number(event.target.value)));
  byId("order").addEventListener("change", (event) => {
    browser.order = orders[event.target.value](all);
    goTo(0);
  });
  onKeys("browser", { ArrowLeft: () => goTo(browser.place - 1), ArrowRight: () => goTo(browser.place + 1), Home: () => goTo(0), End: () => goTo(browser.order.length - 1) });
  document.addEventListener("see", ({ detail }) => {
    if (stock.row_window[detail] === undefined) return;
    goToNumber(stock.row_window[detail]);
    byId("browser").scrollIntoView();
  });
  showWindow();
});
