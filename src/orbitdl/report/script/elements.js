// Elements of the page that are made here.
const make = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
  element.append(...children);
  return element;
};
const swatch = (j) => make("span", { class: "swatch", "data-component": j, "aria-hidden": "true" });
const line = (name) => make("span", { class: "swatch", "data-line": name, "aria-hidden": "true" });
