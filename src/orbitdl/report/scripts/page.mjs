// The page: its data, its charts, light and dark, print.
import { drawChart } from "./chart.mjs";

const onPage = typeof document !== "undefined";
export const data = onPage ? JSON.parse(document.getElementById("data").textContent) : {};
export const byId = (id) => document.getElementById(id);
export const make = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
  element.append(...children);
  return element;
};
export const swatch = (j) => make("span", { class: `swatch c${j % 8} d${Math.floor(j / 8) % 4}`, "aria-hidden": "true" });
export const withUnit = (name) => (data.unit ? `${name} (${data.unit})` : name);
export const narrow = () => window.innerWidth < 560;

// A chart is as wide as its place, and is drawn again when that or the colours change.
const charts = new Map();
const follow = onPage && new ResizeObserver((entries) => entries.forEach(({ target }) => {
  if (target.chart && target.clientWidth && target.chart.width !== target.clientWidth) charts.get(target)();
}));
export const chart = (place, spec) => {
  const show = () => drawChart(place, spec(), data.sfreq);
  charts.set(place, show);
  follow.observe(place);
  return show;
};
const redraw = () => charts.forEach((show) => show());

// Keys act while an element has the focus, but not in its fields.
export const onKeys = (id, actions) => byId(id).addEventListener("keydown", (event) => {
  const busy = ["INPUT", "SELECT"].includes(event.target.tagName) || event.altKey || event.ctrlKey || event.metaKey;
  if (busy || !actions[event.key]) return;
  event.preventDefault();
  actions[event.key]();
});

// Sections register what is to be done at the start.
const starts = [];
export const atStart = (start) => starts.push(start);
export const startPage = () => {
  listenToTheme();
  starts.forEach((start) => start());
  Object.entries(data.charts).forEach(([name, spec]) => chart(byId(name), () => spec)());
};

const listenToTheme = () => {
  const root = document.documentElement, dark = matchMedia("(prefers-color-scheme: dark)"), button = byId("theme");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);
  const show = () => {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", `Change to ${isDark() ? "light" : "dark"} colours`);
    button.setAttribute("aria-pressed", String(isDark()));
    redraw();
  };
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    show();
  });
  dark.addEventListener("change", show);
  byId("print").addEventListener("click", () => window.print());
  matchMedia("print").addEventListener("change", redraw);
  const printing = (yes) => () => {
    root.classList.toggle("printing", yes);
    redraw();
  };
  window.addEventListener("beforeprint", printing(true));
  window.addEventListener("afterprint", printing(false));
  show();
};
