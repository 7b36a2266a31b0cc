// Light and dark, and the colours of drawings.

/** What drawings are painted with: names of properties in base.css. */
function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

/** Colours and marks of lines in plots: apart by lightness and shape too. */
const SERIES = [
  { colour: "series-1", dash: "", mark: "circle" }, { colour: "series-2", dash: "6 3", mark: "square" },
  { colour: "series-3", dash: "2 3", mark: "triangle" }, { colour: "series-4", dash: "8 3 2 3", mark: "diamond" },
  { colour: "series-5", dash: "1 2", mark: "circle" }, { colour: "series-6", dash: "10 4", mark: "square" },
];

const repaints = [];

/** Calls back now and whenever colours change. */
function painted(paint) {
  repaints.push(paint);
}

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function themeButton() {
  const button = h("button", { type: "button", class: "quiet", id: "theme", onclick: toggle });
  const label = () => {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", "switch to " + (isDark() ? "light" : "dark") + " colours");
  };
  function toggle() {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    changed();
  }
  const changed = () => { label(); repaints.forEach(paint => paint()); };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
  label();
  return button;
}
