// The page of a what-if report: a head with the prediction that is looked at, and a panel for each question.

function start() {
  if (STUDIES.length === 0) {
    refill(document.getElementById("page"), h("p", {}, "Nothing could be studied: the notes say why."), found());
    return;
  }
  const panels = [askPanel(), partsPanel(), changesPanel(), efficiencyPanel(), causesPanel(), tolerancePanel(), found()];
  const made = h("footer", {}, "Made by chronos; nothing on this page comes from elsewhere.");
  refill(document.getElementById("page"), head(), h("main", {}, panels), made);
  addEventListener("beforeprint", () => drawings.forEach(paint => paint()));
  document.documentElement.dataset.ready = performance.now().toFixed(1);
}

function head() {
  const names = STUDIES[0].program.map(baseName).slice(0, 3).join(", ");
  const options = STUDIES.map((study, at) => h("option", { value: at }, studyName(study)));
  const picker = h("select", { id: "study", "aria-label": "prediction", onchange: event => ask({ study: STUDIES[Number(event.target.value)] }) }, options);
  const total = h("b", { id: "total" });
  const said = h("span");
  const update = () => {
    picker.value = String(STUDIES.indexOf(ASKED.study));
    total.textContent = seconds(ASKED.study.base.total_s);
    refill(said, matching(ASKED.study.base));
  };
  onAsked(what => { if ("study" in what) update(); });
  update();
  const place = STUDIES.length > 1 ? picker : studyName(STUDIES[0]);
  return h("header", {}, h("div", {}, h("h1", { title: STUDIES[0].program.join("\n") }, "What if: " + names), h("p", { class: "hint" }, place, " · ", total, said)), themeButton());
}

function matching(base) {
  if (base.recorded_matching) return "; messages match under each change as in this run" + (base.re_evaluated ? ", and the program is followed again" : "");
  return base.re_evaluated ? "; followed again under each change" : "";
}

/** Diagnostics, those that are worst first. */
function found() {
  const all = REPORT.diagnostics;
  if (all.length === 0) return null;
  const place = one => one.labels && one.labels[0] ? baseName(one.labels[0].file) + ":" + one.labels[0].line + " " : "";
  const item = one => h("li", { class: one.severity }, h("p", {}, h("span", { class: "diag" }, one.code), " ", place(one), one.message), one.help ? h("p", { class: "remedy" }, one.help) : null);
  const order = ["error", "warning", "note"];
  const sorted = [...all].sort((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity));
  return section(`Notes (${all.length})`, null, h("ul", { class: "notes" }, sorted.map(item)));
}

start();
