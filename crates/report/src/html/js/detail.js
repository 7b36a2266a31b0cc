// What is known of one block, on every machine.

function noBlock() {
  return [h("h2", {}, "No block selected"), h("p", {}, "Click a line of the source, or take one of these:"),
    h("ol", { class: "plain" }, hottest(STATE.prediction, 8).map(({ block, time }) =>
      h("li", {}, blockLink(block, titleOf(block, STATE.prediction)), h("span", { class: "hint" }, " " + percent(time, taskSeconds(STATE.prediction))))))];
}

function detail(block) {
  const prediction = STATE.prediction;
  const path = outwards(block, prediction);
  return [crumbs(path, prediction), h("h2", { id: "block-title", "data-block": block.id }, titleOf(block, prediction)), counts(block, prediction),
    expressionsOf(block), timesOf(block), boundsOf(block, path), classesOf(block), perTask(block, prediction)];
}

/** The blocks around it, outermost first. */
function crumbs(path, prediction) {
  const [block] = path;
  const name = one => one.kind === "straight" ? "code" : one.kind === "call" || one.kind === "mpi" ? calleeOf(one, prediction) || one.kind : one.kind;
  const item = one => h("li", {}, one === block ? h("span", { "aria-current": "true" }, `${name(one)} ${one.line_start}`) : blockLink(one, `${name(one)} ${one.line_start}`));
  const owner = h("button", { type: "button", class: "link", onclick: () => change({ view: "functions" }) }, block.function);
  return h("nav", { "aria-label": "blocks around" }, h("ol", { class: "crumbs" }, h("li", {}, owner), [...path].reverse().map(item)));
}

function counts(block, prediction) {
  if (block.expressions) return null;
  const rows = [["executed", [h("b", { "data-count": block.id }, count(block.count)), " ", h("span", { class: "badge " + block.source, title: SOURCES[block.source] }, block.source)]]];
  const product = factors(block, prediction);
  if (block.kind === "loop") {
    rows[0][0] = "iterations";
    rows.push(["entered", count(block.entries)]);
    if (amount(block.entries) > 0 && block.count !== null) rows.push(["per entry", digits(amount(block.count) / amount(block.entries))]);
  }
  if (product) rows.push(["that is", product]);
  list(block.taken).forEach((taken, arm) => rows.push([armName(block, arm), count(taken) + (taken !== null && amount(block.count) > 0 ? " (" + percent(amount(taken), amount(block.count)) + ")" : "")]));
  if (block.source !== "static") rows.push(["because", [SOURCES[block.source], remedyOf(block, prediction)]]);
  return facts(rows);
}

const armName = (block, arm) => block.taken.length <= 2 ? ["taken", "else taken"][arm] : "arm " + (arm + 1) + " taken";

function remedyOf(block, prediction) {
  const given = prediction.assumptions.find(one => one.file === block.file && one.line === block.line_start);
  return given ? h("div", { class: "remedy" }, given.text + ": ", copyable(given.remedy)) : null;
}

/** How the count comes about: calls of the function, iterations of the loops around. */
function factors(block, prediction) {
  const ids = blocksById(prediction);
  const loops = [];
  for (let around = ids.get(block.parent); around; around = ids.get(around.parent)) if (around.kind === "loop") loops.unshift(around);
  const f = prediction.functions.find(one => one.name === block.function && one.file === block.file && (one.unit || null) === (block.unit || null));
  if (!f || block.count === null || f.calls === null || loops.some(loop => loop.count === null || loop.entries === null)) return null;
  let sofar = amount(f.calls);
  const parts = [plural(sofar, "call")];
  const scale = (to, text) => { if (sofar > 0 && Math.abs(to / sofar - 1) > 1e-9) parts.push(text(to / sofar)); sofar = to; };
  for (const loop of loops) {
    scale(amount(loop.entries), share => digits(share) + " entries of the loop at " + loop.line_start);
    scale(amount(loop.count), share => digits(share) + " iterations at " + loop.line_start);
  }
  if (block.kind === "loop") scale(amount(block.entries), share => digits(share) + " entries");
  scale(amount(block.count), share => digits(share) + (block.kind === "loop" ? " iterations" : " executions"));
  return parts.length > 1 && sofar > 0 ? parts.join(" × ") : null;
}

/** Time on each machine. */
function timesOf(block) {
  const shown = beside(STATE.prediction).map(prediction => ({ prediction, block: sameBlock(block, prediction) })).filter(one => one.block);
  const whole = block.kind === "loop" || block.kind === "branch" ? "with what is inside" : block.kind === "call" ? "with the function called" : "with calls";
  const hasWhole = shown.some(({ block }) => Math.abs(block.inclusive_s - block.time_s) > 1e-12 * block.inclusive_s);
  const hasInterval = shown.some(({ block }) => block.interval_s);
  const row = ({ prediction, block: here }) => h("tr", { class: prediction === STATE.prediction ? "chosen" : null },
    h("th", { scope: "row" }, nameOf(prediction)),
    hasWhole ? h("td", { class: "number", "data-inclusive": prediction.at }, seconds(here.inclusive_s / prediction.tasks_count)) : null,
    h("td", { class: "number", "data-own": prediction.at }, seconds(here.time_s / prediction.tasks_count)),
    h("td", { class: "number" }, percent(hasWhole ? here.inclusive_s : here.time_s, taskSeconds(prediction))),
    hasInterval ? h("td", { class: "number" }, here.interval_s ? here.interval_s.map(end => seconds(end / prediction.tasks_count)).join(" to ") : "-") : null,
    h("td", { class: "number" }, each(here)));
  const heads = [["machine", ""], hasWhole ? [whole, "number"] : null, ["own time", "number"], ["share", "number"], hasInterval ? ["90 % interval", "number"] : null, ["each", "number"]];
  return [h("h3", {}, "Time per task"), h("div", { class: "table-box" }, h("table", { class: "small" }, h("caption", { class: "unseen" }, "Time of the block on each machine"),
    h("thead", {}, h("tr", {}, heads.filter(Boolean).map(([name, kind]) => h("th", { scope: "col", class: kind || null }, name)))), h("tbody", {}, shown.map(row))))];
}

/** Of one execution. */
function each(block) {
  const times = amount(block.count);
  return times > 0 ? seconds((block.kind === "loop" || block.kind === "branch" || block.kind === "call" ? block.inclusive_s : block.time_s) / times) : "-";
}

/** Which bound wins, for the block's loop or the one around it. */
function boundsOf(block, path) {
  const ids = blocksById(STATE.prediction);
  let loop = path.find(one => one.kind === "loop");
  for (let around = block; around && !loop; around = ids.get(around.parent)) if (around.kind === "loop") loop = around;
  if (!loop) return null;
  const found = beside(STATE.prediction).map(prediction => ({ prediction, bound: boundIn(loop, prediction) })).filter(one => one.bound);
  if (found.length === 0) return null;
  const title = loop === block ? "What bounds the loop" : ["What bounds the loop at ", blockLink(loop, "line " + loop.line_start)];
  return [h("h3", {}, title), found.map(({ prediction, bound }) => boundBox(prediction, bound, found.length > 1))];
}

function boundIn(loop, prediction) {
  const here = sameBlock(loop, prediction);
  return here ? loopsById(prediction).get(here.id) : null;
}

function boundBox(prediction, bound, named) {
  const most = Math.max(bound.chain_s, bound.throughput_s + bound.memory_s);
  const tasks = Math.max(1, prediction.tasks_count);
  const bar = (name, parts, wins) => h("div", { class: "bound" + (wins ? " wins" : "") }, h("span", {}, name), stacked(parts.map(([label, time, ink, hatched]) => [label, time / tasks, ink, hatched]), most / tasks, name));
  const chain = bound.chain_s > bound.throughput_s + bound.memory_s;
  return h("div", { class: "bound-box" }, named ? h("h4", {}, nameOf(prediction)) : null,
    h("p", {}, h("strong", { "data-bound": prediction.at }, bound.bound), bound.lanes > 1 ? `, ${bound.lanes} iterations side by side in a vector` : ""),
    most > 0 ? [bar("recurrence", [["recurrence", bound.chain_s, "series-3"]], chain), bar("throughput and memory", [["throughput", bound.throughput_s, "series-1"], ["memory", bound.memory_s, "series-2", true]], !chain)] : null,
    h("p", { class: "hint" }, sentence(bound.why)));
}

const sentence = text => text ? text[0].toUpperCase() + text.slice(1) + "." : "";

/** Classes of the block and of the blocks inside it. */
function classTimes(block, prediction) {
  const times = new Map();
  const add = one => {
    for (const [name, time] of Object.entries(one.classes || {})) times.set(name, (times.get(name) || 0) + time);
    (childrenOf(prediction).get(one.id) || []).forEach(add);
  };
  add(block);
  return times;
}

function classesOf(block) {
  const shown = beside(STATE.prediction).map(prediction => ({ prediction, block: sameBlock(block, prediction) })).filter(one => one.block)
    .map(({ prediction, block }) => ({ prediction, times: classTimes(block, prediction) })).map(one => ({ ...one, whole: [...one.times.values()].reduce((a, b) => a + b, 0) }));
  const active = shown.find(one => one.prediction === STATE.prediction);
  if (!active || shown.every(one => one.whole === 0)) return null;
  const names = [...new Set(shown.flatMap(one => [...one.times.keys()]))];
  const most = name => Math.max(...shown.map(one => one.whole > 0 ? (one.times.get(name) || 0) / one.whole : 0));
  names.sort((a, b) => (active.times.get(b) || 0) - (active.times.get(a) || 0) || most(b) - most(a));
  const cell = (one, name) => {
    const time = one.times.get(name) || 0;
    return h("td", { class: "number", title: seconds(time / Math.max(1, one.prediction.tasks_count)) + " per task" },
      h("span", { class: "bar", "aria-hidden": "true", style: { "--share": String(one.whole > 0 ? time / one.whole : 0) } }), percent(time, one.whole));
  };
  const row = name => h("tr", {}, h("th", { scope: "row" }, name.replaceAll("_", " ")), shown.map(one => cell(one, name)));
  const title = block.kind === "loop" || block.kind === "branch" ? "Where its time goes, with what is inside" : "Where its time goes";
  return [h("h3", {}, title), h("div", { class: "table-box" }, h("table", { class: "small classes" }, h("caption", { class: "unseen" }, "Share of each instruction class"),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "class"), shown.map(one => h("th", { scope: "col", class: "number" }, nameOf(one.prediction))))), h("tbody", {}, names.slice(0, 14).map(row))))];
}

/** How tasks differ. */
function perTask(block, prediction) {
  const values = block.per_task && block.per_task.time_s;
  if (!values || values.length < 2 || !values.some(time => time > 0)) return null;
  const most = Math.max(...values);
  const bar = (time, rank) => withTip(h("span", { style: { height: Math.max(1, 100 * time / most) + "%" } }), () =>
    [h("b", {}, "task " + rank), facts([["time", seconds(time)], ["count", count(block.per_task.counts[rank])]])]);
  const low = Math.min(...values);
  const text = low === most ? "the same on all tasks" : `from ${seconds(low)} (task ${values.indexOf(low)}) to ${seconds(most)} (task ${values.indexOf(most)})`;
  return [h("h3", {}, "Own time by task"), h("div", { class: "spark", role: "img", "aria-label": "own time by task: " + text }, values.map(bar)), h("p", { class: "hint" }, text)];
}
