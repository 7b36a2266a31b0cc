// Functions: a table for all machines, the tree of calls, and its flame graph.

function functionsView() {
  const box = h("div", { class: "view-functions" });
  const update = () => refill(box, functionsTable(STATE.prediction), flame(STATE.prediction), callTree(STATE.prediction), roofline(STATE.prediction));
  update();
  onChange(what => { if ("prediction" in what) update(); });
  return box;
}

function functionsTable(prediction) {
  if (prediction.functions.length === 0) return section("Functions", null, h("p", { class: "hint" }, "The report tells no times of functions."));
  const shown = beside(prediction);
  const most = shown.map(one => Math.max(...one.functions.map(f => f.inclusive_s), 0));
  const time = (one, at, key, label) => ({
    label: shown.length > 1 ? `${label}, ${nameOf(one)}` : label, numeric: true,
    title: key === "inclusive_s" ? "with callees, MPI and waiting; recursion counts once; mean over the tasks" : "with its own MPI calls, without callees; mean over the tasks",
    value: f => (sameFunction(f, one) || {})[key] || 0,
    bar: f => most[at] > 0 ? ((sameFunction(f, one) || {})[key] || 0) / most[at] : 0,
    show: f => { const here = sameFunction(f, one); return here ? h("span", { "data-function": functionTitle(f), "data-key": key, "data-at": one.at, title: intervalTitle(here, key) }, seconds(here[key])) : "-"; },
  });
  const spread = { label: "90 % interval", numeric: true, title: "of the inclusive time", value: f => f.interval_s ? f.interval_s[1] - f.interval_s[0] : 0, show: f => f.interval_s ? interval(f.interval_s) : "-" };
  const busiest = { label: "busiest task", numeric: true, title: "the task with the most exclusive time", value: f => Math.max(...f.per_task.exclusive_s), show: f => prediction.tasks_count > 1 ? busiestTask(f, prediction) : "-" };
  const columns = [
    { label: "function", value: functionTitle, show: f => placeLink(f.file, f.line, functionTitle(f)) },
    { label: "calls", numeric: true, title: "by all tasks", value: f => amount(f.calls), show: f => count(f.calls) },
    ...shown.flatMap((one, at) => [time(one, at, "inclusive_s", "inclusive"), time(one, at, "exclusive_s", "exclusive")]),
    ...(prediction.functions.some(f => f.interval_s) ? [spread] : []), ...(prediction.tasks_count > 1 ? [busiest] : []),
    { label: "place", value: f => f.file + f.line, show: f => baseName(f.file) + ":" + f.line },
  ];
  const rows = prediction.functions;
  const chosen = f => STATE.block && f.name === STATE.block.function && (f.unit || null) === (STATE.block.unit || null);
  const table = sortable({ caption: "Functions", columns, rows, sort: { column: 2, down: true }, chosen, words: f => functionTitle(f) + " " + f.file });
  table.id = "functions-table";
  return section("Functions", "Means over the tasks. Click a heading to sort, a name to see its source; type words to filter.", table);
}

const intervalTitle = (f, key) => key === "inclusive_s" && f.interval_s ? "90 %: " + interval(f.interval_s) : null;

function busiestTask(f, prediction) {
  const times = f.per_task.exclusive_s;
  const most = Math.max(...times);
  const at = times.indexOf(most);
  return most > 0 ? `${seconds(most)} on ${prediction.tasks[at] ? ranksOf(prediction.tasks[at], 12) : at}` : "-";
}

const callChildren = lazily(prediction => {
  const children = prediction.call_tree.map(() => []);
  const roots = [];
  prediction.call_tree.forEach((node, at) => (node.parent === null || node.parent === undefined ? roots : children[node.parent]).push(at));
  const byTime = (a, b) => prediction.call_tree[b].inclusive_s - prediction.call_tree[a].inclusive_s || a - b;
  children.forEach(all => all.sort(byTime));
  return { children, roots: roots.sort(byTime) };
});

/** Rows that open and close: a table that is a tree. */
function callTree(prediction) {
  if (prediction.call_tree.length === 0) return null;
  const { children, roots } = callChildren(prediction);
  const whole = roots.reduce((all, at) => all + prediction.call_tree[at].inclusive_s, 0);
  const open = new Set();
  const start = (at, depth) => { if (depth < 3 || prediction.call_tree[at].inclusive_s > 0.1 * whole && depth < 8) { open.add(at); children[at].forEach(child => start(child, depth + 1)); } };
  roots.forEach(root => start(root, 0));
  const body = h("tbody");
  const update = focus => {
    const rows = [];
    const add = (at, level) => { rows.push(row(at, level)); if (open.has(at)) children[at].forEach(child => add(child, level + 1)); };
    roots.forEach(root => add(root, 1));
    refill(body, rows);
    if (focus !== undefined) { const again = body.querySelector(`[data-node="${focus}"]`); if (again) again.focus(); }
  };
  const toggle = at => { if (open.has(at)) open.delete(at); else open.add(at); update(at); };
  function row(at, level) {
    const node = prediction.call_tree[at];
    const inner = children[at].length > 0;
    const block = node.block === null ? null : blocksById(prediction).get(node.block);
    const opener = inner ? h("span", { class: "opener", "aria-hidden": "true", onclick: () => toggle(at) }, open.has(at) ? "▾" : "▸") : h("span", { class: "opener" });
    const cell = (value, extra) => h("td", { class: "number", role: "gridcell" }, extra, value);
    const key = event => {
      if (event.key === "ArrowRight" && inner && !open.has(at) || event.key === "ArrowLeft" && open.has(at)) toggle(at);
      else if (event.key === "ArrowDown" && tr.nextElementSibling) tr.nextElementSibling.focus();
      else if (event.key === "ArrowUp" && tr.previousElementSibling) tr.previousElementSibling.focus();
      else if (event.key === "Enter" && block && event.target === tr) visit(block);
      else return;
      event.preventDefault();
    };
    const tr = h("tr", { role: "row", tabindex: level === 1 ? "0" : "-1", "aria-level": level, "aria-expanded": inner ? String(open.has(at)) : null, "data-node": at, onkeydown: key },
      h("th", { scope: "row", role: "rowheader", style: { "--level": level } }, opener, h("span", { class: node.kind === "mpi" ? "tok-m" : null }, node.name)),
      cell(percent(node.inclusive_s, whole), h("span", { class: "bar", "aria-hidden": "true", style: { "--share": String(whole > 0 ? node.inclusive_s / whole : 0) } })),
      cell(seconds(node.inclusive_s)), cell(seconds(node.exclusive_s)), cell(node.idle_s > 0 ? seconds(node.idle_s) : ""), cell(count(node.calls)),
      h("td", { role: "gridcell" }, block ? blockLink(block, baseName(block.file) + ":" + block.line_start) : ""));
    return tr;
  }
  update();
  const heads = ["call", "share", "inclusive", "own", "waiting", "calls", "called at"].map((name, at) => h("th", { scope: "col", role: "columnheader", class: at > 0 && at < 6 ? "number" : null }, name));
  const table = h("table", { role: "treegrid", "aria-label": "call tree" }, h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, heads)), body);
  body.setAttribute("role", "rowgroup");
  return section("Call tree", "Means over the tasks; own time is computation alone. Arrow keys open and close.", h("div", { class: "table-box", id: "call-tree" }, table));
}
