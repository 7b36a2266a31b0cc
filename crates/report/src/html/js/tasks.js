// What tasks do with their time: waiting by cause, balance, one bar for each.

function waiting(prediction) {
  const idle = sum(prediction.tasks, "idle_s");
  const whole = taskSeconds(prediction);
  if (prediction.tasks.length < 2) return null;
  const rows = CAUSES.map(([name, key, why]) => ({ name, why, time: sum(prediction.tasks, key) }));
  const rest = idle - rows.reduce((all, row) => all + row.time, 0);
  if (rest > 1e-6 * idle && rest > 0) rows.push({ name: "other", why: "cut off by MPI_Abort or by the end of what is known", time: rest });
  const item = row => h("li", { class: row.time > 0 ? null : "none" }, h("span", { class: "bar wait", "aria-hidden": "true", style: { "--share": String(idle > 0 ? row.time / idle : 0) } }),
    h("span", { class: "share" }, percent(row.time, whole)), h("span", {}, row.name, ", ", seconds(row.time / prediction.tasks.length), " per task", h("br"), h("span", { class: "hint" }, row.why)));
  return section("Waiting", `Idle until the awaited partner arrived: ${percent(idle, whole)} of all tasks' time.`,
    idle > 0 ? [h("ul", { class: "hot" }, rows.map(item)), waitingCalls(prediction)] : h("p", {}, "No task waits for another."));
}

const sum = (rows, key) => rows.reduce((all, row) => all + (row[key] || 0), 0);

/** The calls that wait longest. */
function waitingCalls(prediction) {
  const all = prediction.calls.filter(call => call.idle_s > 0).sort((a, b) => b.idle_s - a.idle_s).slice(0, 5);
  if (all.length === 0) return null;
  const item = call => h("li", {}, call.function, " at ", placeLink(call.file, call.line), h("span", { class: "hint" }, " waits " + seconds(call.idle_s / prediction.tasks.length) + " per task"));
  return [h("h3", {}, "Calls that wait longest"), h("ol", { class: "plain" }, all.map(item))];
}

function balance(prediction) {
  if (prediction.tasks.length < 2) return null;
  const times = prediction.tasks.map(task => task.compute_s);
  const [most, mean] = [Math.max(...times), times.reduce((a, b) => a + b, 0) / times.length];
  const busiest = times.indexOf(most);
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

/** All tasks: bars for the eye, a table for the details. */
function tasksSection(prediction) {
  if (prediction.tasks.length === 0) return null;
  const bars = prediction.tasks.length > 1 ? taskBars(prediction) : null;
  const cell = key => ({ numeric: true, value: task => task[key], show: task => task[key] > 0 ? seconds(task[key]) : h("span", { class: "faint" }, "0") });
  const several = new Set(prediction.tasks.map(task => task.machine)).size > 1;
  const columns = [
    { label: "task", numeric: true, value: task => task.rank, show: task => String(task.rank) },
    ...(several ? [{ label: "machine", value: task => task.machine, show: task => task.machine }] : []),
    { label: "total", ...cell("total_s") }, ...PARTS.map(([name, key]) => ({ label: name, ...cell(key) })),
    ...CAUSES.map(([name, key, why]) => ({ label: name, title: "waiting: " + why, ...cell(key) })),
  ];
  const table = sortable({ caption: "Tasks", columns, rows: prediction.tasks, sort: { column: 0, down: false } });
  table.id = "tasks-table";
  const details = h("details", { open: prediction.tasks.length <= 16 }, h("summary", {}, "Table of " + plural(prediction.tasks.length, "task")), table);
  return section("Tasks", bars ? "What each task does with its time; hover or use the table for numbers." : null, bars, details);
}

function taskBars(prediction) {
  const tasks = prediction.tasks;
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
  const label = `Time of ${tasks.length} tasks by what they do; the table below has the numbers.`;
  const { canvas } = drawing(label, () => Math.max(24, Math.ceil(tasks.length * tall)), paint);
  withTip(canvas, null);
  canvas.addEventListener("pointermove", event => {
    const task = tasks[Math.floor(event.offsetY / tall)];
    if (task) tip([h("b", {}, "task " + task.rank), facts([["total", seconds(task.total_s)], ...PARTS.map(([name, key]) => [name, task[key] ? seconds(task[key]) : null])])], event.clientX, event.clientY);
  });
  return h("div", { class: "task-bars" }, canvas);
}

function number(context, text, right, middle) {
  context.fillStyle = colour("faint");
  context.textAlign = "right";
  context.textBaseline = "middle";
  context.fillText(text, right, middle);
}
