// Light and dark, and print.
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
};
const repaint = () => {
  paintSwatches();
  figures.forEach((show) => show());
};
const setPrinting = (printing) => {
  state.printing = printing;
  document.documentElement.classList.toggle("printing", printing);
  repaint();
};
const listenToTheme = () => {
  byId("theme").addEventListener("click", () => {
    state.theme = state.theme === "dark" ? "light" : "dark";
    state.chosen = true;
    applyTheme();
    repaint();
  });
  byId("print").addEventListener("click", () => window.print());
  prefersDark.addEventListener("change", (event) => {
    if (state.chosen) return;
    state.theme = event.matches ? "dark" : "light";
    applyTheme();
    repaint();
  });
  onPaper.addEventListener("change", repaint);
  window.addEventListener("beforeprint", () => setPrinting(true));
  window.addEventListener("afterprint", () => setPrinting(false));
};
