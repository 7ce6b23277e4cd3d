"use strict";
// The data of the page; colours of paper and components; numbers as text.
const data = JSON.parse(document.getElementById("data").textContent);
const view = data.view;
const unit = view.unit || "";
// Plotly reads tags in its texts: names from outside must not hold any.
const plain = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
view.channels = view.channels.map(plain);
view.images = view.images.map(plain);
view.unit = view.unit && plain(view.unit);
view.entries = view.entries && view.entries.map(plain);
const byId = (id) => document.getElementById(id);
const has = (name) => data[name] !== undefined;

// Those of all pictures, readable on both papers; further components get other dashes.
const PALETTE = data.palette;
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

const digits = (x, n = 3) => Number(x.toPrecision(n)).toString();
const percent = (x) => {
  const value = 100 * Math.max(0, x);
  if (value > 0 && value < 0.001) return "less than 0.001\u00a0%";
  return `${Number(value.toFixed(value >= 1 ? 1 : 3))}\u00a0%`;
};
const grouped = (n) => n.toString().replace(/\B(?=(\d{3})+$)/g, "\u00a0");
const several = (n, thing) => `${grouped(n)} ${thing}${n === 1 ? "" : "s"}`;
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
