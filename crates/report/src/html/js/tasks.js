// What tasks do with their time: waiting by cause, balance, one bar for each.

function waiting(prediction) {
  const idle = sum(prediction.tasks, "idle_s");
  const whole = taskSeconds(prediction);
  if (prediction.tasks_count < 2 || prediction.tasks.length === 0) return null;
  const rows = CAUSES.map(([name, key, why]) => ({ name, why, time: sum(prediction.tasks, key) }));
  const rest = idle - rows.reduce((all, row) => all + row.time, 0);
  if (rest > 1e-6 * idle && rest > 0) rows.push({ name: "other", why: "cut off by MPI_Abort or by the end of what is known", time: rest });
  const item = row => h("li", { class: row.time > 0 ? null : "none" }, h("span", { class: "bar wait", "aria-hidden": "true", style: { "--share": String(idle > 0 ? row.time / idle : 0) } }),
    h("span", { class: "share" }, percent(row.time, whole)), h("span", {}, row.name, ", ", seconds(row.time / prediction.tasks_count), " per task", h("br"), h("span", { class: "hint" }, row.why)));
  return section("Waiting", `Idle until the awaited partner arrived: ${percent(idle, whole)} of all tasks' time.`,
    idle > 0 ? [h("ul", { class: "hot" }, rows.map(item)), waitingCalls(prediction)] : h("p", {}, "No task waits for another."));
}

const sumOf = (rows, value) => rows.reduce((all, row) => all + value(row), 0);

/** Of all tasks. */
const sum = (rows, key) => sumOf(rows, row => (row[key] || 0) * countOf(row));

/** The calls that wait longest. */
function waitingCalls(prediction) {
  const all = prediction.calls.filter(call => call.idle_s > 0).sort((a, b) => b.idle_s - a.idle_s).slice(0, 5);
  if (all.length === 0) return null;
  const item = call => h("li", {}, call.function, " at ", placeLink(call.file, call.line), h("span", { class: "hint" }, " waits " + seconds(call.idle_s / prediction.tasks_count) + " per task"));
  return [h("h3", {}, "Calls that wait longest"), h("ol", { class: "plain" }, all.map(item))];
}

function balance(prediction) {
  if (prediction.tasks_count < 2 || prediction.tasks.length === 0) return null;
  const times = prediction.tasks.map(task => task.compute_s);
  const told = prediction.replayed && prediction.tasks.some(task => task.class) ? prediction.replayed.imbalance : null;
  const [most, mean] = told ? [told.busiest_s, told.mean_s] : [Math.max(...times), sum(prediction.tasks, "compute_s") / sumOf(prediction.tasks, countOf)];
  const busiest = told ? told.busiest_rank : prediction.tasks[times.indexOf(most)].rank;
  const critical = prediction.replayed && prediction.replayed.critical;
  return section("Load balance", "By how much the busiest task computes longer than the mean.",
    facts([["imbalance", h("strong", { id: "imbalance" }, percent(most - mean, most))], ["busiest", `task ${busiest}, ${seconds(most)} of computation`],
      ["mean", seconds(mean)], ["gain of an even spread", "at most " + seconds(most - mean)]]),
    critical ? criticalShares(critical) : null);
}

function criticalShares(critical) {
  const item = (name, share, time) => h("li", {}, h("span", { class: "bar path", "aria-hidden": "true", style: { "--share": String(share) } }),
    h("span", { class: "share" }, percent(share, 1)), h("span", {}, name, h("span", { class: "hint" }, " " + seconds(time))));
  const functions = critical.functions.filter(one => one.share >= 0.0005).slice(0, 6).map(one => item(one.function, one.share, one.seconds));
  const links = critical.links.filter(one => one.share >= 0.0005).slice(0, 3).map(one => item(`${plural(one.messages, "message")} ${one.from} → ${one.to}`, one.share, one.seconds));
  if (functions.length + links.length === 0) return null;
  return [h("h3", {}, "On the critical path"), h("ul", { class: "hot" }, functions, links)];
}

/** What would change if parts of the network were worse. */
function worse(prediction) {
  if (prediction.sensitivity.length === 0) return null;
  const rows = prediction.sensitivity.map(one => [one.part + " 1 % worse", "+" + seconds(one.seconds) + " (" + one.percent.toPrecision(2) + " %)"]);
  return section("Sensitivity", "How much longer the program takes.", facts(rows));
}

/** All tasks, or classes of them: bars for the eye, a table for the details. */
function tasksSection(prediction) {
  if (prediction.tasks.length === 0) return null;
  const box = h("div");
  const show = rows => refill(box, rows.length > 1 ? taskBars(rows) : null, tasksTable(rows));
  show(prediction.tasks);
  const single = prediction.single_tasks;
  const choice = single.length > 0 ? h("label", { class: "check", id: "single-tasks" },
    h("input", { type: "checkbox", onchange: event => show(event.target.checked ? single : prediction.tasks) }), "single tasks") : null;
  return section("Tasks", tasksHint(prediction), choice, box);
}

function tasksHint(prediction) {
  if (prediction.tasks.length < 2) return null;
  const hint = "What each task does with its time; hover or use the table for numbers.";
  const spread = Math.max(0, ...prediction.tasks.map(task => task.class ? task.class.spread_s : 0));
  if (!prediction.tasks.some(task => task.class)) return hint;
  const within = spread > 0 ? `in one row, times differ by up to ${seconds(spread)}` : "tasks of a row have the same times";
  const all = prediction.single_tasks.length > 0 ? "" : " Option --per-task keeps a row for each.";
  return `What tasks do with their time: ${plural(prediction.tasks.length, "class", "classes")} of ${plural(prediction.tasks_count, "task")}, means; ${within}.${all}`;
}

function tasksTable(rows) {
  const cell = key => ({ numeric: true, value: task => task[key], show: task => task[key] > 0 ? seconds(task[key]) : h("span", { class: "faint" }, "0") });
  const several = new Set(rows.map(task => task.machine)).size > 1;
  const classes = rows.some(task => task.class);
  const columns = [
    { label: classes ? "tasks" : "task", numeric: true, value: task => task.rank, show: task => h("span", { title: task.class ? task.class.ranks : null }, ranksOf(task)) },
    ...(classes ? [{ label: "number", numeric: true, value: countOf, show: task => grouped(countOf(task)) }] : []),
    ...(several ? [{ label: "machine", value: task => task.machine, show: task => task.machine }] : []),
    { label: "total", ...cell("total_s") }, ...PARTS.map(([name, key]) => ({ label: name, ...cell(key) })),
    ...CAUSES.map(([name, key, why]) => ({ label: name, title: "waiting: " + why, ...cell(key) })),
  ];
  const table = sortable({ caption: "Tasks", columns, rows, sort: { column: 0, down: false } });
  table.id = "tasks-table";
  const title = classes ? plural(rows.length, "class", "classes") : plural(rows.length, "task");
  return h("details", { open: rows.length <= 16 }, h("summary", {}, "Table of " + title), table);
}

function taskBars(tasks) {
  const longest = Math.max(...tasks.map(task => task.total_s));
  const tall = tasks.length <= 16 ? 16 : tasks.length <= 64 ? 8 : Math.max(1, Math.min(4, 480 / tasks.length));
  const left = 38;
  const paint = (context, width) => {
    const place = time => left + time / longest * (width - left - 4);
    const looks = Object.fromEntries(PARTS.map(([, key, ink, hatched]) => [key, hatched ? hatch(context, colour("wait-ink"), colour(ink)) : colour(ink)]));
    const every = roundStep(14 / tall);
    tasks.forEach((task, at) => {
      let from = 0;
      for (const [, key] of PARTS) {
        context.fillStyle = looks[key];
        context.fillRect(place(from), at * tall, place(from + task[key]) - place(from), tall > 3 ? tall - 1 : tall);
        from += task[key];
      }
      if (at % every === 0) number(context, String(task.rank), left - 6, Math.max(6, at * tall + tall / 2));
    });
  };
  const label = `Time of ${tasks.some(task => task.class) ? plural(tasks.length, "class", "classes") + " of tasks" : plural(tasks.length, "task")} by what they do; the table below has the numbers.`;
  const { canvas } = drawing(label, () => Math.max(24, Math.ceil(tasks.length * tall)), paint);
  withTip(canvas, null);
  canvas.addEventListener("pointermove", event => {
    const task = tasks[Math.floor(event.offsetY / tall)];
    if (task) tip([h("b", {}, nameOfTask(task)), facts([["total", seconds(task.total_s)], ...PARTS.map(([name, key]) => [name, task[key] ? seconds(task[key]) : null])])], event.clientX, event.clientY);
  });
  return h("div", { class: "task-bars" }, canvas);
}

/** A row, in words. */
const nameOfTask = row => row.class ? `${plural(row.class.count, "task")}: ${ranksOf(row, 60)}` : "task " + row.rank;

function number(context, text, right, middle) {
  context.fillStyle = colour("faint");
  context.textAlign = "right";
  context.textBaseline = "middle";
  context.fillText(text, right, middle);
}
