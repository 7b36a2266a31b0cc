// The first look: totals on each machine, what takes the time, what waits, what is not certain.

function overview() {
  const box = h("div", { class: "view-overview" });
  const update = () => {
    const prediction = STATE.prediction;
    refill(box, warnings(), totals(prediction), intervalSection(prediction), scaling(), symbolicSection(prediction),
      h("div", { class: "columns" }, h("div", {}, first(prediction), clocks(prediction)), h("div", {}, waiting(prediction), balance(prediction), worse(prediction))),
      tasksSection(prediction));
  };
  update();
  onChange(what => { if ("prediction" in what) update(); });
  return box;
}

/** So many are told at once. */
const TOLD = 4;

/** What must not be overlooked: gaps, errors, assumptions, each with its remedy. */
function warnings() {
  const errors = list(REPORT.diagnostics).filter(one => one.severity === "error");
  const assumed = assumptions();
  const open = PREDICTIONS.filter(prediction => !prediction.complete);
  if (open.length + errors.length + assumed.length === 0) return null;
  const of = open.length === PREDICTIONS.length ? "" : " of " + open.map(one => nameOf(one)).join("; ");
  const bad = open.length > 0 || errors.length > 0;
  const more = errors.length + assumed.length - Math.min(TOLD, errors.length) - Math.min(TOLD, assumed.length);
  const all = h("button", { type: "button", class: "link", onclick: () => change({ view: "notes" }) }, more > 0 ? `See the other ${grouped(more)} too` : "More in the notes");
  return h("aside", { class: "banner " + (bad ? "bad" : "warn"), role: "note", "aria-label": "gaps and assumptions" },
    open.length > 0 ? h("p", {}, h("strong", {}, "Incomplete. "), `The prediction${of} has gaps: times are what is known up to there.`) : null,
    errors.length > 0 ? [h("p", {}, h("strong", {}, plural(errors.length, "error"))), h("ul", { class: "told" }, errors.slice(0, TOLD).map(told))] : null,
    assumed.length > 0 ? [h("p", {}, h("strong", {}, plural(assumed.length, "assumption"), " that nobody gave")), h("ul", { class: "told" }, assumed.slice(0, TOLD).map(given =>
      h("li", {}, placeLink(given.file, given.line), " ", given.text, " ", copyable(given.remedy))))] : null,
    h("p", {}, all));
}

function told(error) {
  const [main] = list(error.labels);
  return h("li", {}, main ? [placeLink(main.file, main.line), " "] : null, error.message, error.help ? h("div", { class: "remedy" }, withCommands(error.help)) : null);
}

function totals(prediction) {
  const shown = beside(prediction);
  const best = Math.min(...shown.filter(one => one.complete && one.total_s > 0).map(one => one.total_s));
  const cards = shown.map(one => totalCard(one, best, shown.length > 1));
  const group = h("div", { class: "totals", role: "group", "aria-label": "predictions" }, cards);
  arrowKeys(group, ".total");
  return section("Total time" + (same("tasks_count") ? "" : " with " + plural(prediction.tasks_count, "task")), totalHint(shown),
    group, legend(PARTS.map(([name, , ink, hatched]) => [name, ink, hatched])));
}

function totalHint(shown) {
  return shown.length > 1 ? "Until the last task ends; the bars are means over the tasks. Click a machine to look at it." : "Until the last task ends; the bar is a mean over the tasks.";
}

function totalCard(one, best, several) {
  const value = one.symbolic ? null : one.complete ? one.total_s : one.known_s;
  const text = one.symbolic ? "expressions" : (one.complete ? "" : "at least ") + seconds(value);
  const factor = several && one.complete && best > 0 && one.total_s > best ? times(one.total_s / best) + " the fastest" : several && one.total_s === best ? "fastest" : null;
  const sums = PARTS.map(([name, key, ink, hatched]) => [name, sum(one.tasks, key) / Math.max(1, sumOf(one.tasks, countOf)), ink, hatched]);
  const whole = sums.reduce((sum, part) => sum + part[1], 0);
  const chosen = one === STATE.prediction;
  return h("button", { type: "button", class: "total" + (chosen ? " chosen" : ""), "aria-pressed": String(chosen), onclick: () => choose(one) },
    h("span", { class: "total-name" }, nameOf(one)),
    h("span", { class: "total-time", "data-total": one.at }, text),
    h("span", { class: "total-more" }, intervalText(one)),
    h("span", { class: "total-more" }, [factor, one.network, "model " + one.cost_model].filter(Boolean).join(" · ")),
    whole > 0 ? stacked(sums, whole, "mean over the tasks") : null);
}

function choose(prediction) {
  const at = prediction.at;
  change({ prediction });
  const again = document.querySelector(`[data-total="${at}"]`);
  if (again) again.closest("button").focus();
  say("looking at " + nameOf(prediction));
}

/** Where to look first. */
function first(prediction) {
  const all = hottest(prediction, 7);
  if (all.length === 0) return null;
  const whole = taskSeconds(prediction);
  const one = ({ block, time }) => {
    const loop = loopsById(prediction).get(block.id);
    const what = block.kind === "loop" ? "loop" : block.kind === "mpi" ? calleeOf(block, prediction) : "code";
    return h("li", {}, h("span", { class: "bar", "aria-hidden": "true", style: { "--share": String(time / whole) } }),
      h("span", { class: "share" }, percent(time, whole)),
      h("span", {}, blockLink(block, `${what} in ${block.function}`), " ", h("span", { class: "faint" }, baseName(block.file) + ":" + block.line_start),
        h("br"), h("span", { class: "hint" }, seconds(time / Math.max(1, prediction.tasks_count)), " per task", loop ? ", bound by " + loop.bound.replace(/^throughput of /, "") : "")));
  };
  return section("Where the time goes", "Loops without the loops inside them, MPI calls and other code; share of all tasks' time.", h("ol", { class: "hot" }, all.map(one)));
}

function clocks(prediction) {
  if (prediction.wtime.length === 0) return null;
  const spans = new Map();
  for (const one of prediction.wtime) {
    const key = one.from + " to " + one.to;
    if (!spans.has(key)) spans.set(key, []);
    spans.get(key).push(one);
  }
  const row = ([place, all]) => {
    const every = all.map(one => one.total_s);
    const [from, to] = [all[0].from, all[0].to].map(place => { const [file, line] = split(place); return placeLink(file, line); });
    return h("li", {}, seconds(Math.min(...every)), Math.max(...every) > Math.min(...every) ? " to " + seconds(Math.max(...every)) : "",
      h("span", { class: "hint" }, " on ", plural(sumOf(all, countOf), "task"), ", from ", from, " to ", to, all[0].times > 1 ? ", " + grouped(all[0].times) + " times" : ""));
  };
  return section("What the program's own clocks say", "Differences of MPI_Wtime and clock readings that it would print.", h("ul", { class: "plain" }, [...spans].slice(0, 12).map(row)));
}

function split(place) {
  const at = place.lastIndexOf(":");
  return [place.slice(0, at), Number(place.slice(at + 1))];
}
