// What the 90 % interval of the total holds, and what it takes as exact.

/** An assumption that widens less than this, as greatest over least total, needs no row. */
const WIDENS = 1.02;

function intervalText(one) {
  if (one.interval_s) return "90 %: " + interval(one.interval_s) + (networkIsExact(one) ? ", network taken as exact" : "");
  if (one.symbolic) return "";
  return one.complete ? "no interval: the machine file has no residuals" : "no interval: the prediction is incomplete";
}

/** Who sees an interval must know where it leaves the network out. */
const networkIsExact = one => one.tasks_count > 1 && !one.computing_interval_s;

/** The whole interval and its parts, of each prediction beside each other. */
function intervalSection(prediction) {
  const shown = beside(prediction).filter(one => one.interval_s);
  if (shown.length === 0) return null;
  const row = (name, of) => shown.some(one => of(one)) ? h("tr", {}, h("th", { scope: "row" }, name), shown.map(one => boundsCell(one, of(one)))) : null;
  const table = h("table", { class: "plain", id: "interval-table" },
    shown.length > 1 ? h("thead", {}, h("tr", {}, h("td"), shown.map(one => h("th", { scope: "col" }, nameOf(one))))) : null,
    h("tbody", {}, row("all of it", one => one.interval_s), row("computing times and assumptions alone", one => one.computing_interval_s),
      row("assumptions alone", one => one.assumed_interval_s)));
  return section("How certain the total is", "In nine of ten cases, the measured time lies in the interval.", h("div", { class: "scroll" }, table), widening(prediction), takenAsExact(prediction));
}

function boundsCell(one, bounds) {
  const above = bounds && one.total_s > 0 ? bounds.map(end => difference(end, one.total_s)).join(" to ") : null;
  return h("td", {}, bounds ? [h("span", { "data-low": bounds[0], "data-high": bounds[1] }, interval(bounds)), above ? h("span", { class: "faint" }, " (" + above + ")") : null] : "-");
}

function difference(end, total) {
  const share = 100 * (end - total) / total;
  return (share > 0 ? "+" : "") + share.toFixed(Math.abs(share) < 10 ? 1 : 0) + THIN + "%";
}

/** Assumptions that widen it, the widest first, each with the option that narrows it. */
function widening(prediction) {
  const ratio = one => one.total_s[1] / Math.max(one.total_s[0], Number.MIN_VALUE);
  const wide = prediction.assumptions.filter(one => one.total_s && ratio(one) > WIDENS).sort((a, b) => ratio(b) - ratio(a)).slice(0, TOLD);
  if (wide.length === 0) return null;
  return [h("p", {}, "What widens it most:"), h("ul", { class: "told" }, wide.map(one =>
    h("li", {}, placeLink(one.file, one.line), " ", one.text.split(": ")[0], `: ${interval(one.total_s)} by that alone; narrower with `, copyable(one.remedy))))];
}

function takenAsExact(prediction) {
  const left = list(prediction.interval_without);
  return left.length > 0 ? h("p", { class: "hint" }, "It takes as exact: " + left.join("; ") + ".") : null;
}
