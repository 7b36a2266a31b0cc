// The page: a head with what it is about, tabs, one view at a time; all of them on paper.

const VIEWS = [
  ["overview", "Overview", overview], ["source", "Source", sourceView], ["functions", "Functions", functionsView],
  ["timeline", "Timeline", timelineView], ["communication", "Communication", communicationView], ["notes", "Notes", notes],
];

const panels = new Map();

function start() {
  Object.assign(STATE, recall());
  if (!VIEWS.some(([name]) => name === STATE.view)) STATE.view = "overview";
  const tabs = VIEWS.map(([name, title]) => tab(name, title));
  const row = h("div", { class: "tabs", role: "tablist", "aria-label": "views" }, tabs);
  arrowKeys(row, "[role=tab]");
  const main = h("main", {}, VIEWS.map(([name, title]) => { const panel = h("div", { role: "tabpanel", id: "view-" + name, "aria-labelledby": "tab-" + name, "data-title": title, hidden: true }); panels.set(name, panel); return panel; }));
  refill(document.getElementById("page"), head(), row, main, h("footer", {}, "Made by chronos from ", plural(REPORT.program.files.length, "source file"), "; nothing on this page comes from elsewhere."));
  onChange(what => { if ("view" in what) show(); });
  show();
  addEventListener("hashchange", () => change(recall()));
  addEventListener("beforeprint", everything);
  document.documentElement.dataset.ready = performance.now().toFixed(1);
}

function head() {
  const { files, arguments: given, defines } = REPORT.program;
  const name = files.map(baseName).slice(0, 3).join(", ") + (files.length > 3 ? ` and ${files.length - 3} more` : "");
  const options = PREDICTIONS.map(one => h("option", { value: one.at, selected: one === STATE.prediction }, nameOf(one, true)));
  const picker = h("select", { id: "prediction", "aria-label": "prediction", onchange: event => change({ prediction: PREDICTIONS[Number(event.target.value)] }) }, options);
  onChange(what => { if ("prediction" in what) picker.value = String(STATE.prediction.at); });
  const facts = [given.length > 0 ? "arguments " + given.join(" ") : null, defines.length > 0 ? "with " + defines.join(" ") : null].filter(Boolean).join(", ");
  return h("header", {}, h("div", {}, h("h1", { title: files.join("\n") }, name), h("p", { class: "hint" }, PREDICTIONS.length > 1 ? picker : nameOf(PREDICTIONS[0], true), facts ? [" · ", facts] : null)), themeButton());
}

function tab(name, title) {
  const number = name === "notes" ? noteGroups() + list(REPORT.diagnostics).filter(one => one.severity === "error").length : 0;
  return h("button", { role: "tab", type: "button", id: "tab-" + name, "aria-controls": "view-" + name, onclick: () => change({ view: name }) }, title, number > 0 ? h("span", { class: "count", "aria-label": plural(number, "open point") }, number) : null);
}

function show() {
  for (const [name, panel] of panels) {
    const chosen = name === STATE.view;
    const button = document.getElementById("tab-" + name);
    button.setAttribute("aria-selected", String(chosen));
    button.tabIndex = chosen ? 0 : -1;
    panel.hidden = !chosen;
    if (chosen) build(name, panel);
  }
}

/** A view is made when it is first looked at. */
function build(name, panel) {
  if (panel.hasChildNodes()) return;
  const [, , make] = VIEWS.find(([one]) => one === name);
  refill(panel, make());
}

/** Paper has no tabs, and is light. */
function everything() {
  const theme = document.documentElement.dataset.theme;
  document.documentElement.dataset.theme = "light";
  for (const [name, panel] of panels) {
    panel.hidden = false;
    build(name, panel);
  }
  drawings.forEach(paint => paint());
  addEventListener("afterprint", () => again(theme), { once: true });
}

function again(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  show();
  repaints.forEach(paint => paint());
}

start();
