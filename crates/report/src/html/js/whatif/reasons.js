// Why it takes as long as it does: efficiencies, causes of waiting, tolerance.

/** From here on an efficiency is called good, as the POP centre of excellence has it. */
const GOOD = 0.8;

const TREE = [
  [0, "global", "Global efficiency", "parallel efficiency times computation scaling"],
  [1, "computation_scaling", "Computation scaling", "computing time of the fewest tasks over that of these"],
  [1, "parallel", "Parallel efficiency", "mean computing time over time"],
  [2, "load_balance", "Load balance", "mean over greatest computing time of a task"],
  [2, "communication", "Communication", "greatest computing time over time"],
  [3, "serialisation", "Serialisation", "what waiting leaves where messages take no time"],
  [3, "transfer", "Transfer", "what the time of messages leaves"],
];

function efficiencyPanel() {
  if (STUDIES.every(study => !study.efficiency)) return null;
  const inside = h("div");
  const make = () => refill(inside, ASKED.study.efficiency ? tree(ASKED.study.efficiency) : null, efficiencyTable());
  onAsked(what => { if ("study" in what) make(); });
  make();
  return section("Efficiencies", "Each is the product of those below it. From 80 % on it is good; what is lower is where to look.", inside);
}

function tree(efficiency) {
  const known = TREE.filter(([, key]) => efficiency[key] !== null && efficiency[key] !== undefined);
  const one = ([depth, key, name, what]) => {
    const value = efficiency[key], good = value >= GOOD;
    const bar = h("span", { class: "stacked pop-bar", "aria-hidden": "true" }, h("span", { style: { width: Math.min(100, 100 * value) + "%", "--ink": good ? "var(--collective)" : "var(--bad)" } }));
    return h("li", { style: { "padding-left": 1.6 * depth + "em" }, "data-efficiency": key }, h("span", { class: "pop-name" }, name), bar, h("b", { class: "number" }, percent(value, 1)), h("span", { class: good ? "pop-good" : "pop-low" }, good ? "good" : "low"), h("span", { class: "hint" }, what));
  };
  return h("ul", { class: "plain pop" }, known.map(one));
}

/** Of all numbers of tasks, where there are several. */
function efficiencyTable() {
  const rows = STUDIES.filter(study => study.efficiency);
  if (rows.length < 2) return null;
  const cell = ([, key, label]) => ({ label, numeric: true, value: study => study.efficiency[key] ?? -1, show: study => study.efficiency[key] === null || study.efficiency[key] === undefined ? "-" : percent(study.efficiency[key], 1) });
  const columns = [
    { label: "Prediction", value: studyName, show: study => h("button", { type: "button", class: "link", onclick: () => ask({ study }) }, studyName(study)) },
    { label: "Time", numeric: true, value: study => study.base.total_s, show: study => seconds(study.base.total_s) },
    ...TREE.map(cell),
  ];
  return sortable({ caption: "efficiencies by prediction", columns, rows, sort: { column: 1, down: true }, chosen: study => study === ASKED.study });
}

function causesPanel() {
  if (STUDIES.every(study => !study.waiting)) return null;
  const inside = h("div");
  const make = () => refill(inside, ASKED.study.waiting ? causes(ASKED.study.waiting) : h("p", { class: "hint" }, "Nothing is known of it here."));
  onAsked(what => { if ("study" in what) make(); });
  make();
  return section("Why tasks wait", "Direct: others waited for a task that was late because of it. Passed on: they waited for one that had itself waited because of it.", inside);
}

const CAUSES = { message: "message between them", ready: "waiting for a processor", duration: "computing" };

function causes(waiting) {
  const name = cause => CAUSES[cause.kind] || cause.name + (cause.kind === "no_task" ? " (for no task)" : "");
  const whole = cause => cause.direct_s + cause.passed_on_s;
  const all = cause => cause.tasks.length + (cause.more_tasks || 0);
  const by = cause => cause.tasks.slice(0, 3).map(task => `task ${task.rank} (${percent(task.direct_s + task.passed_on_s, whole(cause))})`).join(", ") + (all(cause) > 3 ? ` and ${all(cause) - 3} more` : "");
  const columns = [
    { label: "Cause", value: name, show: name },
    { label: "Called at", value: placeOf, show: placeOf },
    { label: "Direct", numeric: true, value: cause => cause.direct_s, show: cause => seconds(cause.direct_s) },
    { label: "Passed on", numeric: true, value: cause => cause.passed_on_s, show: cause => seconds(cause.passed_on_s) },
    { label: "Share", numeric: true, value: whole, bar: cause => cause.share, show: cause => percent(cause.share, 1) },
    { label: "By", value: all, show: by },
  ];
  return [h("p", {}, h("b", { id: "idle" }, seconds(waiting.idle_s)), " of idle time, summed over the tasks"), sortable({ caption: "causes of waiting", columns, rows: waiting.causes, sort: { column: 4, down: true } })];
}

function tolerancePanel() {
  if (STUDIES.every(study => !study.tolerance)) return null;
  const inside = h("div");
  const make = () => refill(inside, ASKED.study.tolerance ? tolerances(ASKED.study.tolerance) : null);
  onAsked(what => { if ("study" in what) make(); });
  make();
  return section("Tolerance", "How many times as long a part may take before the total grows by 1, 2 and 5 percent.", inside);
}

function tolerances(rows) {
  const factor = (row, percent) => row.factors[percent] === null || row.factors[percent] === undefined ? "> " + row.most_factor : row.factors[percent].toFixed(3) + "×";
  const limit = percent => ({ label: percent + " %", numeric: true, value: row => row.factors[percent] ?? Infinity, show: row => factor(row, percent) });
  const columns = [
    { label: "Part", value: row => row.part, show: row => h("code", {}, row.part) },
    { label: "Sensitivity", title: "1: the total is all due to it", numeric: true, value: row => row.sensitivity, bar: row => Math.max(0, Math.min(1, row.sensitivity)), show: row => row.sensitivity.toFixed(3) },
    limit(1), limit(2), limit(5),
    { label: "The path changes at", value: row => row.breakpoints.length, show: row => row.breakpoints.map(at => at.toFixed(3)).join(", ") || "-" },
  ];
  const latency = rows.find(row => row.latency_s && row.latency_s[5]);
  return [sortable({ caption: "tolerance", columns, rows, sort: { column: 1, down: true } }), latency ? h("p", {}, "The latency may grow to ", seconds(latency.latency_s[5]), " before the program loses 5 %.") : null];
}
