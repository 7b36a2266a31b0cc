// How times go on with what was swept: the number of tasks, or a macro or an argument.

/** Plots over everything that has several values here. */
function scaling() {
  const axes = [...(same("tasks_count") ? [] : [overTasks()]), ...sweptNames().map(overValues)].filter(Boolean);
  return axes.length > 0 ? section("Scaling", null, axes) : null;
}

const short = value => String(Number(value.toPrecision(3)));

/** Names of `--sweep` whose values are numbers that differ. */
function sweptNames() {
  const values = name => PREDICTIONS.map(one => valueOf(one, name));
  return PREDICTIONS[0].sweep.map(one => one.name).filter(name => values(name).every(Number.isFinite) && new Set(values(name)).size > 1);
}

const valueOf = (prediction, name) => Number((prediction.sweep.find(one => one.name === name) || {}).value);

/** One line for each combination of all else, sorted by `x`. */
function linesOver(x, keyOf, nameIt) {
  const lines = new Map();
  for (const one of PREDICTIONS) {
    const key = keyOf(one);
    if (!lines.has(key)) lines.set(key, { name: nameIt(one), all: [] });
    lines.get(key).all.push(one);
  }
  for (const line of lines.values()) line.all.sort((a, b) => x(a) - x(b));
  return [...lines.values()];
}

const timePoint = (x, one) => ({ x, y: one.total_s, low: one.interval_s ? one.interval_s[0] : undefined, high: one.interval_s ? one.interval_s[1] : undefined });
const sweptText = (one, but) => one.sweep.filter(value => value.name !== but).map(value => value.name + " = " + value.value);
const platformText = one => [one.machine, ...(same("network") ? [] : [one.network])];

function overTasks() {
  const tasks = one => one.tasks_count;
  const lines = linesOver(tasks, one => JSON.stringify([one.machine, one.network, one.sweep]), one => [...platformText(one), ...sweptText(one)].join(", "));
  const counts = [...new Set(PREDICTIONS.map(tasks))].sort((a, b) => a - b);
  const gain = (line, one) => line.all[0].total_s && one.total_s ? line.all[0].total_s / one.total_s : null;
  const of = y => lines.map(line => ({ name: line.name, points: line.all.map(one => ({ x: tasks(one), y: y(line, one) })) }));
  const share = (line, one) => { const speedup = gain(line, one); return speedup === null ? null : 100 * speedup * tasks(line.all[0]) / tasks(one); };
  const ideal = { name: "ideal", plain: true, points: counts.map(n => ({ x: n, y: n / counts[0] })) };
  const whole = { name: "ideal", plain: true, points: counts.map(n => ({ x: n, y: 100 })) };
  const over = "over " + plural(counts[0], "task");
  return h("div", { class: "plots", "data-axis": "tasks" },
    linePlot({ title: "Total time", xLabel: "tasks", yLabel: "time", series: lines.map(line => ({ name: line.name, points: line.all.map(one => timePoint(tasks(one), one)) })), logX: true, logY: true, showX: grouped, showY: seconds }),
    linePlot({ title: "Speedup " + over, xLabel: "tasks", yLabel: "speedup", series: [...of(gain), ideal], logX: true, logY: true, showX: grouped, showY: short }),
    linePlot({ title: "Efficiency " + over, xLabel: "tasks", yLabel: "efficiency", series: [...of(share), whole], logX: true, showX: grouped, showY: value => short(value) + THIN + "%" }));
}

/** Values that go over a decade are told apart on a logarithmic axis, few steps on a plain one. */
function overValues(name) {
  const x = one => valueOf(one, name);
  const others = one => [one.machine, one.network, one.tasks_count, one.sweep.filter(value => value.name !== name)];
  const lines = linesOver(x, one => JSON.stringify(others(one)), one => [...platformText(one), ...(same("tasks_count") ? [] : [plural(one.tasks_count, "task")]), ...sweptText(one, name)].join(", "));
  const [least, most] = [Math.min(...PREDICTIONS.map(x)), Math.max(...PREDICTIONS.map(x))];
  const far = least > 0 && most / least >= 8;
  return h("div", { class: "plots", "data-axis": name },
    linePlot({ title: "Total time over " + name, xLabel: name, yLabel: "time", series: lines.map(line => ({ name: line.name, points: line.all.map(one => timePoint(x(one), one)) })), logX: far, logY: far, showX: value => Number.isInteger(value) ? grouped(value) : String(value), showY: seconds }));
}
