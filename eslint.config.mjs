// Rules for the scripts of reports and their tests: eslint src tests
const browser = ["document", "window", "matchMedia", "getComputedStyle", "ResizeObserver", "CustomEvent", "atob", "Buffer"];
export default [{
  files: ["**/*.mjs"],
  languageOptions: { ecmaVersion: 2022, sourceType: "module", globals: Object.fromEntries(browser.map((name) => [name, "readonly"])) },
  rules: Object.fromEntries(["no-undef", "no-unused-vars", "no-unused-expressions", "no-redeclare", "no-shadow", "prefer-const", "eqeqeq", "no-var", "no-unreachable", "no-dupe-keys", "no-duplicate-imports"].map((rule) => [rule, "error"])),
}];
