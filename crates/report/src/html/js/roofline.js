// The roofline: what each loop computes per second, by how much it computes per byte, below what the machine can do.

/** Loops that compute on floating numbers and take at least a hundredth of the computing time, the longest first. */
function rooflineLoops(prediction) {
  const whole = prediction.tasks.reduce((all, task) => all + task.compute_s * countOf(task), 0);
  return prediction.loops.filter(one => one.floating_operations > 0 && one.bytes > 0 && one.time_s > whole / 100)
    .sort((a, b) => b.time_s - a.time_s).slice(0, 40);
}

function roofline(prediction) {
  const machine = prediction.roofline;
  const loops = machine ? rooflineLoops(prediction) : [];
  if (loops.length === 0) return null;
  const points = loops.map(one => ({ one, x: one.floating_operations / one.bytes, y: one.floating_operations / one.time_s }));
  const peak = machine.floating_operations_per_s;
  const knees = machine.levels.map(level => peak / level.bytes_per_s);
  const ends = [Math.min(...points.map(p => p.x), ...knees) / 3, Math.max(...points.map(p => p.x), ...knees) * 3];
  const size = { width: 760, height: 360, left: 80, right: 14, top: 12, bottom: 40 };
  const x = scale(ends, true, size.left, size.width - size.right);
  const least = Math.min(...points.map(p => p.y)) / 2;
  const y = scale([least, peak * 1.5], true, size.height - size.bottom, size.top);
  const showX = value => digits(value), showY = value => digits(value / 1e9);
  const picture = s("svg", { viewBox: `0 0 ${size.width} ${size.height}`, class: "plot roofline", role: "img", "aria-label": rooflineSummary(points, machine) },
    axes(x, y, size, { xLabel: "operations on floating numbers per byte", yLabel: "10^9 of them per second", showX, showY }, x.ticks()),
    machine.levels.map((level, at) => roof(level, at, peak, least, ends, x, y)), ceiling(peak, machine, ends, x, y),
    points.map(point => rooflinePoint(point, prediction, x, y)));
  const hint = "One processor. Bytes are those that the source reads and writes in memory, whatever level has them (cache-aware roofline). A loop below the lines waits for something else: its bound says for what.";
  return section("Roofline of loops", hint, h("figure", { class: "plot-box wide" }, picture), rooflineTable(points, machine));
}

/** The line of a level: its bandwidth, up to where the peak is reached. */
function roof(level, at, peak, least, [from], x, y) {
  const knee = peak / level.bytes_per_s;
  const start = Math.max(from, least / level.bytes_per_s);
  const line = `${x.place(start)},${y.place(start * level.bytes_per_s)} ${x.place(knee)},${y.place(peak)}`;
  // Levels of like bandwidth lie on each other: their names stand one behind the other.
  const place = Math.min(start * 2.4 * 1.7 ** at, knee);
  const label = s("text", { x: x.place(place) - 4, y: y.place(place * level.bytes_per_s) - 4, "text-anchor": "end" }, `${level.name} ${digits(level.bytes_per_s / 1e9)} GB/s`);
  return s("g", { "data-level": level.name }, s("polyline", { class: "line plain", points: line, style: { stroke: "var(--faint)" } }), label);
}

function ceiling(peak, machine, [, to], x, y) {
  const least = Math.min(...machine.levels.map(level => peak / level.bytes_per_s));
  return s("g", {}, s("polyline", { class: "line plain", points: `${x.place(least)},${y.place(peak)} ${x.place(to)},${y.place(peak)}`, style: { stroke: "var(--faint)" } }),
    s("text", { x: x.place(to), y: y.place(peak) - 5, "text-anchor": "end" }, digits(peak / 1e9) + " GFLOP/s"));
}

function rooflinePoint({ one, x: intensity, y: rate }, prediction, x, y) {
  const block = blocksById(prediction).get(one.block);
  const text = () => [h("b", {}, `${one.function}, ${baseName(one.file)}:${one.line_start}`),
    facts([["per second", digits(rate / 1e9) + " GFLOP"], ["per byte", digits(intensity)], ["time per task", seconds(one.time_s / prediction.tasks_count)], ["bound", one.bound]])];
  const dot = s("circle", { class: "mark", cx: x.place(intensity), cy: y.place(rate), r: 4.5, tabindex: 0, "data-loop": one.block, style: { fill: "var(--series-1)", cursor: "pointer" }, onclick: () => block && visit(block) });
  return withTip(dot, text);
}

/** The same in words and numbers: which part of its roof each loop reaches. */
function rooflineTable(points, machine) {
  const [nearest] = machine.levels;
  const roofOf = ({ x }) => Math.min(machine.floating_operations_per_s, x * nearest.bytes_per_s);
  const columns = [
    { label: "loop", value: p => p.one.function + p.one.line_start, show: p => placeLink(p.one.file, p.one.line_start, `${p.one.function}, ${baseName(p.one.file)}:${p.one.line_start}`) },
    { label: "time", numeric: true, title: "of all tasks", value: p => p.one.time_s, show: p => seconds(p.one.time_s) },
    { label: "per byte", numeric: true, title: "operations on floating numbers per byte", value: p => p.x, show: p => digits(p.x) },
    { label: "GFLOP/s", numeric: true, value: p => p.y, show: p => digits(p.y / 1e9) },
    { label: "of the roof", numeric: true, title: "of what the nearest memory and the units allow", value: p => p.y / roofOf(p), show: p => percent(p.y, roofOf(p)) },
    { label: "bound", value: p => p.one.bound, show: p => p.one.bound },
  ];
  return sortable({ caption: "Loops below the roofline", columns, rows: points, sort: { column: 1, down: true }, chosen: () => false, words: p => p.one.function + " " + p.one.file });
}

function rooflineSummary(points, machine) {
  const most = points[0];
  return `Roofline of ${plural(points.length, "loop")}; the longest reaches ${digits(most.y / 1e9)} of ${digits(machine.floating_operations_per_s / 1e9)} GFLOP per second at ${digits(most.x)} operations per byte`;
}
