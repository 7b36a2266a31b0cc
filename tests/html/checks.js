// Reads the whole page as a person would and compares what it says with the report.
async function overviewHolds() {
  await view("overview");
  for (const [at, prediction] of report.predictions.entries()) {
    const shown = find(`[data-total="${at}"]`);
    if (!shown) continue;
    const known = prediction.total_s ?? prediction.known_s;
    check(`total ${at}: ${shown.textContent} is ${known}`, shows(shown.textContent, known));
    if (!prediction.symbolic) check(`total ${at} tells gaps`, (prediction.total_s === null) === shown.textContent.includes("at least"));
  }
  const [first] = report.predictions;
  intervalsHold(first);
  sweepsHold();
  const text = find("#view-overview").textContent;
  for (const given of first.assumptions.slice(0, 4)) check("remedy in plain sight: " + given.remedy, text.includes(given.remedy));
  const classes = first.tasks.some(task => task.class);
  const choice = find("#single-tasks input");
  check("single tasks can be chosen where the page has them beside classes", (choice !== null) === (!classes && first.tasks.length > 64));
  if (choice) choice.click();
  for (const row of all("#tasks-table tbody tr")) {
    const [cell] = row.children;
    const ranks = cell.querySelector("[title]") ? cell.querySelector("[title]").title : cell.textContent;
    const task = first.tasks.find(one => (one.class ? one.class.ranks : String(one.rank)) === ranks);
    check("tasks " + ranks + " are in the report", task !== undefined);
    if (classes) check("number of tasks " + ranks, whole(row.children[1].textContent) === (task.class ? task.class.count : 1));
    const at = all("#tasks-table thead th").findIndex(head => head.textContent.startsWith("compute"));
    check("task " + task.rank, task.compute_s === 0 || shows(row.children[at].textContent, task.compute_s));
  }
}

/** All bounds that the report has for the total, and what it leaves out of them. */
function intervalsHold(first) {
  const beside = report.predictions.filter(one => one.tasks_count === first.tasks_count && one.interval_s);
  const bounds = beside.flatMap(one => [one.interval_s, one.computing_interval_s, one.assumed_interval_s].filter(Boolean));
  const shown = all("#interval-table [data-low]");
  check("every part of the interval is shown", shown.length === bounds.length);
  for (const [low, high] of bounds) {
    // A page has as many digits of its data as it can show.
    const near = (told, expected) => Math.abs(told - expected) <= 1e-5 * expected + 1e-9;
    const cell = shown.find(one => near(Number(one.dataset.low), low) && near(Number(one.dataset.high), high));
    const ends = cell ? cell.textContent.split(" to ") : [];
    check(`interval ${low} to ${high}`, ends.length === 2 && shows(ends[0], low) && shows(ends[1], high));
  }
  for (const left of first.interval_without || []) check("taken as exact: " + left, find("#view-overview").textContent.includes(left));
}

/** A plot for whatever has several values, with a mark for each total. */
function sweepsHold() {
  const [{ sweep = [] }] = report.predictions;
  const several = value => new Set(report.predictions.map(value)).size > 1;
  const valueOf = (one, name) => one.sweep.find(value => value.name === name).value;
  const axes = [...(several(one => one.tasks_count) ? ["tasks"] : []), ...sweep.map(one => one.name).filter(name => several(one => valueOf(one, name)))];
  check("what is swept is plotted: " + axes, all("[data-axis]").map(box => box.dataset.axis).join() === axes.join());
  const totals = report.predictions.filter(one => one.total_s !== null).length;
  for (const box of all("[data-axis]")) check("each total is a point over " + box.dataset.axis, box.querySelector("svg").querySelectorAll(".mark").length >= totals);
}

const sizeOf = block => (block.line_end - block.line_start) * 10000 + block.column_end - block.column_start;
const chosen = blocks => { const title = find("#block-title"); return title ? blocks.find(block => block.id === Number(title.dataset.block)) : null; };

async function sourceHolds() {
  await view("source");
  const [first] = report.predictions;
  const text = report.sources[find("#view-source select").value];
  check("all lines are there", all("#view-source .src:not(.head)").length === text.split("\n").length);
  check("the source is shown as it is", all("#view-source .txt").slice(1).map(cell => cell.textContent).join("\n") === text.replace(/\r\n?/g, "\n"));
  const times = all("#view-source .src:not(.head) .time").map(cell => cell.textContent ? read(cell.textContent) : 0);
  const opened = find("#view-source .src.current");
  check("it opens at the hottest line", !opened || times[Number(opened.dataset.line) - 1] === Math.max(...times));
  const nested = first.blocks.filter(block => block.parent !== null && block.time_s > 0).sort((a, b) => b.time_s - a.time_s)[0];
  if (!nested || !text) return;
  await clicksGoOut(first, nested);
  await keysMove(first);
}

async function clicksGoOut(first, nested) {
  const line = find("#L" + nested.line_start);
  line.querySelector(".nr").click();
  await wait(20);
  let last = chosen(first.blocks);
  check("a click takes a block of its line", last && last.line_start <= nested.line_start && last.line_end >= nested.line_start);
  check("its lines are marked", all(".src.marked").length === last.line_end - last.line_start + 1);
  let steps = 0;
  for (; steps < 12; steps++) {
    blockHolds(chosen(first.blocks));
    line.querySelector(".nr").click();
    await wait(10);
    const next = chosen(first.blocks);
    if (sizeOf(next) <= sizeOf(last)) break;
    last = next;
  }
  check("clicks go outwards and begin anew", steps >= 1 && steps < 12);
}

/** What is told of a block is what the report says, on each machine. */
function blockHolds(block) {
  const place = ["file", "line_start", "column_start", "line_end", "column_end", "kind", "function"];
  check("count of block " + block.id, block.count === null ? find("[data-count]").textContent === "unknown" : Math.abs(whole(find("[data-count]").textContent) - block.count) <= 6e-4 * block.count);
  check("source of the count of block " + block.id, find(".side .badge").textContent === block.source);
  for (const own of all("[data-own]")) {
    const prediction = report.predictions[Number(own.dataset.own)];
    // Copies of a function in several source files have the same places: the copy counts.
    const alike = blocks => blocks.filter(other => place.every(key => other[key] === block[key]));
    const copy = alike(report.predictions[0].blocks).findIndex(other => other.id === block.id);
    const here = alike(prediction.blocks)[copy];
    check(`own time of block ${block.id} on ${prediction.platform.machine}`, shows(own.textContent, here.time_s / prediction.tasks_count));
    const inclusive = find(`[data-inclusive="${own.dataset.own}"]`);
    check(`inclusive time of block ${block.id}`, !inclusive || shows(inclusive.textContent, here.inclusive_s / prediction.tasks_count));
    const loop = (prediction.loops || []).find(loop => loop.block === here.id);
    const bound = find(`[data-bound="${own.dataset.own}"]`);
    check(`bound of block ${block.id}`, !loop || bound && bound.textContent === loop.bound);
  }
  check("every machine is told", all("[data-own]").length === report.predictions.filter(one => one.tasks_count === report.predictions[0].tasks_count).length);
  if (block.kind === "straight" && block.time_s > 0) classesHold(block);
}

function classesHold(block) {
  for (const row of all(".classes tbody tr")) {
    const name = row.children[0].textContent.replaceAll(" ", "_");
    const share = 100 * (block.classes[name] || 0) / block.time_s;
    check(`share of ${name} in block ${block.id}`, row.children[1].textContent.startsWith("<") ? share < 0.1 : Math.abs(whole(row.children[1].textContent) - share) < 0.06);
  }
}

async function keysMove(first) {
  const pane = find(".code");
  const before = chosen(first.blocks);
  key(pane, "Home");
  key(pane, "ArrowDown");
  check("arrow keys move", pane.getAttribute("aria-activedescendant") === "L2");
  key(pane, "h");
  await wait(20);
  const inner = chosen(first.blocks);
  check("h takes the hottest line", inner !== null && inner.time_s >= 0);
  key(pane, "o");
  await wait(20);
  const outer = chosen(first.blocks);
  check("o goes out", before !== undefined && sizeOf(outer) >= sizeOf(inner));
  key(pane, "Escape");
  await wait(20);
  check("Escape lets go", chosen(first.blocks) === null && all(".src.marked").length === 0);
}

async function functionsHold() {
  await view("functions");
  if (report.predictions[0].functions.length === 0) return;
  for (const cell of all("[data-function]")) {
    const f = report.predictions[Number(cell.dataset.at)].functions.find(f => (f.unit ? f.name + " in " + f.unit : f.name) === cell.dataset.function);
    check(`${cell.dataset.key} of ${f.name}`, shows(cell.textContent, f[cell.dataset.key]));
  }
  const column = 2;
  const head = all("#functions-table thead th")[column];
  for (const order of ["ascending", "descending"]) {
    head.querySelector("button").click();
    await wait(10);
    const values = all(`#functions-table tbody tr td:nth-child(${column + 1})`).map(cell => read(cell.textContent) || 0);
    const sign = order === "ascending" ? 1 : -1;
    check("sorted " + order, head.getAttribute("aria-sort") === order && values.every((value, at) => at === 0 || sign * (value - values[at - 1]) >= 0));
  }
  await filterHolds();
  rooflineHolds(report.predictions[0]);
  const tree = report.predictions[0].call_tree || [];
  if (tree.length < 2) return;
  const cells = all(".flame-cell").length;
  check("the flame graph begins with main", find(".flame-cell .name").textContent === tree[0].name);
  all(".flame-cell")[1].click();
  await wait(10);
  check("a click shows a call alone", all(".flame-cell").length < cells);
  const rows = all("#call-tree tbody tr").length;
  const root = find("#call-tree tbody tr");
  key(root, "ArrowLeft");
  check("the tree closes", all("#call-tree tbody tr").length < rows);
}

/** Loops stand where their operations, bytes and times put them: below what the machine can do, as far as the prediction is. */
function rooflineHolds(first) {
  const dots = all("#view-functions [data-loop]");
  const known = (first.loops || []).filter(one => one.floating_operations > 0 && one.bytes > 0);
  check("a roofline only where loops compute on floating numbers", dots.length === 0 || (first.roofline && known.length > 0));
  for (const dot of dots) {
    const one = known.find(loop => loop.block === Number(dot.dataset.loop));
    check("a dot is a loop of the report", one !== undefined);
  }
  check("each level has a line", dots.length === 0 || all("#view-functions [data-level]").length === first.roofline.levels.length);
}

async function filterHolds() {
  const box = find("#functions-table .filter");
  const names = () => all("#functions-table tbody tr th").map(cell => cell.textContent);
  const every = names();
  if (!box) return check("one function needs no filter", every.length < 2);
  const type = text => { box.value = text; box.dispatchEvent(new Event("input", { bubbles: true })); };
  type(every[0].toUpperCase());
  check("a filter shows what has its words", names().includes(every[0]) && names().every(name => name.includes(every[0]) || every[0].length < 3));
  type("no such function");
  check("a filter hides the others", names().length === 0);
  type("");
  check("without words all are shown", names().length === every.length);
}

async function timelineHolds() {
  await view("timeline");
  const canvas = find("#timeline");
  const kept = report.predictions[0].replayed;
  check("there is a timeline where spans are kept", (canvas !== null) === Boolean(kept && kept.timeline.tasks.length));
  if (!canvas) return;
  const { view: state } = canvas;
  state.now();
  check("it is painted", isPainted(canvas));
  check("it shows every task", state.data.rows.length === (kept.timeline.coarse ? kept.timeline.coarse.tasks.length : kept.timeline.tasks.length));
  zooms(canvas, state);
  const row = state.data.rows.find(row => row.spans.length > 0);
  const span = [...row.spans].sort((a, b) => (b.end_s - b.begin_s) - (a.end_s - a.begin_s))[0];
  const x = 52 + (span.begin_s + span.end_s) / 2 / state.data.total * (canvas.clientWidth - 52);
  point(canvas, "pointermove", x, 24 + (state.data.rows.indexOf(row) + 0.5) / state.data.rows.length * state.height);
  check("hovering tells the span", !find("#tip").hidden && find("#tip").textContent.includes(row.name + ": " + span.kind) && row.name.startsWith("task " + row.rank));
  canvas.focus();
  key(canvas, "ArrowRight");
  await wait(10);
  check("arrow keys tell spans", find("#said").textContent.startsWith("task "));
}

function zooms(canvas, state) {
  const length = () => state.to - state.from;
  const total = length();
  key(canvas, "+");
  check("+ zooms in", Math.abs(length() - total / 2) < 1e-9 * total);
  point(canvas, "pointerdown", 300, 60);
  point(canvas, "pointermove", 260, 60);
  const from = state.from;
  point(canvas, "pointerup", 260, 60);
  check("dragging pans", from > total / 4);
  point(canvas, "wheel", 300, 60, { deltaY: -200, ctrlKey: true });
  check("Ctrl and wheel zoom", length() < total / 2);
  key(canvas, "0");
  check("0 shows everything", state.from === 0 && length() === total);
}

function isPainted(canvas) {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const inks = new Set();
  for (let at = 0; at < data.length; at += 4 * 97) if (data[at + 3] > 0) inks.add(data[at] + data[at + 1] * 256 + data[at + 2] * 65536);
  return inks.size > 1;
}

async function restHolds() {
  await view("communication");
  const kept = report.predictions[0].replayed;
  if (find("#matrix")) check("every pair is in the table", Math.min(200, kept.matrix.pairs.length) === all(".matrix-box tbody tr").length);
  await view("notes");
  const text = find("#view-notes").textContent;
  for (const one of report.diagnostics) check("told: " + one.code, text.includes(one.code) && text.includes(one.message));
  const theme = document.documentElement.dataset.theme;
  find("#theme").click();
  await wait(30);
  check("the theme changes", document.documentElement.dataset.theme !== theme);
  await predictionsChange();
}

async function predictionsChange() {
  const picker = find("#prediction");
  if (!picker) return;
  picker.value = "1";
  picker.dispatchEvent(new Event("change"));
  await view("overview");
  check("the other prediction is chosen", find(".total.chosen [data-total]").dataset.total === "1");
}

/** Expressions are set as mathematics, none as text because something of it was not understood. */
function formulasHold() {
  const { symbolic } = report.predictions[0];
  if (!symbolic) return;
  const unread = all("[data-unread]").map(one => one.dataset.unread + " in " + one.textContent);
  check("formulas are understood: " + unread.join("; "), unread.length === 0);
  const set = all(".formula math");
  check("formulas are mathematics", set.length >= symbolic.functions.length && set.every(one => one.getAttribute("aria-label").length > 0));
  const names = symbolic.parameters.map(one => one.name).filter(name => symbolic.functions.some(f => f.inclusive.text.includes(name)));
  const shown = all(".formula mi, .formula mtext").map(one => one.textContent);
  for (const name of names) check("mathematics has " + name, shown.includes(name));
  const fraction = symbolic.functions.some(f => f.inclusive.latex && f.inclusive.latex.includes("\\frac"));
  check("fractions are fractions", !fraction || find(".formula mfrac") !== null);
}

async function paperHolds() {
  dispatchEvent(new Event("beforeprint"));
  check("paper shows all views", all("[role=tabpanel]").every(panel => !panel.hidden && panel.textContent.length > 20));
  if (find("#timeline")) check("paper shows the timeline", isPainted(find("#timeline")));
  dispatchEvent(new Event("afterprint"));
  check("the screen has one view again", all("[role=tabpanel]").filter(panel => !panel.hidden).length === 1);
}

function namesHold() {
  const nameless = all("button, select, canvas, [role=region], [role=tab]").filter(one => !(one.textContent.trim() || one.getAttribute("aria-label") || one.getAttribute("aria-labelledby")));
  check("everything has a name for screen readers: " + nameless.map(one => one.outerHTML.slice(0, 80)).join(), nameless.length === 0);
  const ids = all("[id]").map(one => one.id);
  check("ids are unique", new Set(ids).size === ids.length);
}

(async () => {
  try {
    for (const part of [overviewHolds, sourceHolds, functionsHold, timelineHolds, restHolds, formulasHold, paperHolds, namesHold]) await part();
  } catch (error) {
    failed.push("the checks broke: " + error.stack);
  }
  tell();
})();
