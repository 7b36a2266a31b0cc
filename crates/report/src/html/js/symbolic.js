// Times as expressions of parameters, where the report has those in place of numbers.

/** Blocks of expressions, with their values at the defaults of all parameters as times. */
function symbolicBlocks(symbolic, tasks) {
  const found = new Map();
  for (const one of symbolic.blocks) {
    if (!found.has(one.id)) found.set(one.id, { ...one, parent: null, count: undefined, source: one.time.source, time_s: 0, inclusive_s: 0, classes: {}, expressions: [] });
    const block = found.get(one.id);
    const time = (one.time.at_defaults_s || 0) * (one.tasks.length || tasks);
    block.time_s += time;
    block.inclusive_s += time;
    block.expressions.push({ tasks: one.tasks, time: one.time });
  }
  return [...found.values()];
}

const tasksText = tasks => tasks.length > 6 ? `tasks ${tasks[0]} to ${tasks[tasks.length - 1]} (${tasks.length})` : tasks.length === 1 ? "task " + tasks[0] : "tasks " + tasks.join(", ");

function formula(time) {
  return h("div", { class: "formula" }, formulaText(time), time.at_defaults_s !== null ? h("span", { class: "hint" }, " " + seconds(time.at_defaults_s) + " at the defaults") : null,
    time.complete ? null : h("p", { class: "hint" }, "Incomplete" + (time.reason ? ": " + time.reason : "")));
}

function expressionsOf(block) {
  if (!block.expressions) return null;
  return [h("h3", {}, "Time as an expression"), block.expressions.map(({ tasks, time }) => [tasks.length > 1 || block.expressions.length > 1 ? h("h4", {}, tasksText(tasks)) : null, formula(time)])];
}

/** The total with its communication: a fit, with what tells how far it can be believed. */
function communicatingTotal(found) {
  if (!found) return null;
  const at = checked => found.ranges.map((range, axis) => `${range.name} = ${grouped(checked.values[axis])}`).join(", ");
  const off = checked => difference(checked.formula_s, checked.replayed_s);
  const worst = [...found.checked].sort((a, b) => Math.abs(b.formula_s / b.replayed_s - 1) - Math.abs(a.formula_s / a.replayed_s - 1))[0];
  return [h("h3", {}, "Total, with communication"), h("div", { class: "formula", id: "communicating-total" }, formulaText(found.total)),
    h("p", { class: "hint" }, "For ", found.ranges.map(range => `${grouped(range.least)} ≤ ${range.name} ≤ ${grouped(range.greatest)}`).join(" and "),
      `. Fitted to ${grouped(found.fitted)} replays; of ${grouped(found.checked.length)} others, it is off by ${off(worst)} at most (at ${at(worst)}).`),
    facts([["computing", formulaText(found.computing)], ["communication and waiting", formulaText(found.communication)]])];
}

function symbolicSection(prediction) {
  const symbolic = prediction.symbolic;
  if (!symbolic) return null;
  const parameter = one => h("li", {}, h("code", {}, one.name), ` (${one.kind})`, one.default !== null ? ", default " + grouped(one.default) : "", one.file ? [", ", placeLink(one.file, one.line)] : null);
  const functions = symbolic.functions.slice(0, 30).map(f => h("li", {}, placeLink(f.file, f.line, functionTitle(f)), h("span", { class: "hint" }, f.tasks.length > 1 ? " on " + tasksText(f.tasks) : ""), formula(f.inclusive)));
  return section("Times as expressions", "Of computing; what MPI calls take is part of the total alone.", communicatingTotal(symbolic.communicating_total), h("h3", {}, "Parameters"), h("ul", { class: "plain" }, symbolic.parameters.map(parameter)),
    symbolic.total ? [h("h3", {}, "Total"), formula(symbolic.total)] : null,
    symbolic.total && symbolic.tasks.length < 2 ? null : symbolic.tasks.map(one => [h("h3", {}, tasksText(one.tasks)), formula(one.compute)]),
    functions.length > 0 ? [h("h3", {}, "Functions, with those that they call"), h("ul", { class: "plain" }, functions)] : null);
}
