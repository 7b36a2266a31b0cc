// Plots of lines over numbers of tasks or other parameters.

/**
 * A plot of lines. `series`: [{name, points: [{x, y, low, high, title}], plain}], drawn in the order of SERIES; `plain` lines are thin, grey
 * references. `logX`, `logY`: logarithmic to base 2 and 10. `showX`, `showY` write numbers. Points with y null are left out.
 */
function linePlot({ title, xLabel, yLabel, series, logX, logY, showX = count, showY = digits, height = 260 }) {
  const size = { width: 560, height, left: 80, right: 14, top: 12, bottom: 40 };
  const points = series.flatMap(one => one.points.filter(known));
  if (points.length === 0) return h("p", { class: "hint" }, title + ": nothing to plot");
  const x = scale(points.map(p => p.x), logX, size.left, size.width - size.right);
  const lowest = p => p.low > 0 || !logY ? (p.low ?? p.y) : p.y;
  const y = scale(points.flatMap(p => [p.y, lowest(p), p.high ?? p.y]).concat(logY ? [] : [0]), logY, size.height - size.bottom, size.top);
  let next = 0;
  const drawn = series.map(one => ({ ...one, look: one.plain ? null : SERIES[next++ % SERIES.length] }));
  const picture = s("svg", { viewBox: `0 0 ${size.width} ${size.height}`, class: "plot", role: "img", "aria-label": summary(title, series, showX, showY) },
    axes(x, y, size, { xLabel, yLabel, showX, showY }, [...new Set(points.map(p => p.x))]),
    drawn.map(one => lineOf(one, x, y, { showX, showY, xLabel })));
  const entries = drawn.map(one => h("li", {}, sample(one.look), one.name));
  return h("figure", { class: "plot-box" }, h("figcaption", {}, title), picture, h("ul", { class: "legend" }, entries));
}

const known = point => point.y !== null && point.y !== undefined && Number.isFinite(point.y);

/** From values to places; knows its ticks. */
function scale(values, logarithmic, from, to) {
  let [low, high] = [Math.min(...values), Math.max(...values)];
  if (logarithmic && low > 0) {
    if (low === high) [low, high] = [low / 2, high * 2];
    const [a, b] = [Math.log(low), Math.log(high)];
    const place = value => from + (Math.log(Math.max(value, low / 2)) - a) / (b - a) * (to - from);
    return { place, ticks: () => powers(low, high) };
  }
  if (low === high) high = low + (Math.abs(low) || 1);
  const room = (high - low) * 0.04;
  const place = value => from + (value - low) / (high + room - low) * (to - from);
  return { place, ticks: () => ticks(low, high + room, 5) };
}

function powers(low, high) {
  const all = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
    for (const digit of high / low > 200 ? [1] : [1, 2, 5]) all.push(digit * 10 ** power);
  }
  const inside = all.filter(at => at >= low * 0.999 && at <= high * 1.001);
  return inside.length > 1 ? inside : [low, high];
}

function axes(x, y, size, { xLabel, yLabel, showX, showY }, xs) {
  const bottom = size.height - size.bottom;
  const below = xs.length <= 10 ? xs : x.ticks();
  const vertical = below.map(at => [
    s("line", { class: "tick", x1: x.place(at), x2: x.place(at), y1: bottom, y2: bottom + 4 }),
    s("text", { x: x.place(at), y: bottom + 16, "text-anchor": "middle" }, showX(at))]);
  const horizontal = y.ticks().map(at => [
    s("line", { class: "grid", x1: size.left, x2: size.width - size.right, y1: y.place(at), y2: y.place(at) }),
    s("text", { x: size.left - 6, y: y.place(at) + 4, "text-anchor": "end" }, showY(at))]);
  return s("g", { class: "axes", "aria-hidden": "true" }, horizontal, vertical,
    s("line", { class: "axis", x1: size.left, x2: size.width - size.right, y1: bottom, y2: bottom }),
    s("text", { x: (size.left + size.width) / 2, y: size.height - 6, "text-anchor": "middle", class: "label" }, xLabel),
    s("text", { x: 12, y: (size.top + bottom) / 2, transform: `rotate(-90 12 ${(size.top + bottom) / 2})`, "text-anchor": "middle", class: "label" }, yLabel));
}

function lineOf({ name, points, look }, x, y, { showX, showY, xLabel }) {
  const all = points.filter(known).sort((a, b) => a.x - b.x);
  const at = p => x.place(p.x).toFixed(1) + "," + y.place(p.y).toFixed(1);
  const ink = look ? "var(--" + look.colour + ")" : "var(--faint)";
  const line = s("polyline", { class: look ? "line" : "line plain", points: all.map(at).join(" "), style: { stroke: ink, "stroke-dasharray": look ? look.dash : "3 3" } });
  if (!look) return s("g", {}, line);
  const spread = all.filter(p => p.low !== undefined && p.high !== undefined).map(p =>
    s("line", { class: "spread", x1: x.place(p.x), x2: x.place(p.x), y1: y.place(p.low), y2: y.place(p.high), style: { stroke: ink } }));
  const marks = all.map(p => {
    const text = () => [h("b", {}, name), facts([[xLabel, showX(p.x)], ["", p.title || showY(p.y)], ["90 % interval", p.low === undefined ? null : showY(p.low) + " to " + showY(p.high)]])];
    return withTip(mark(look.mark, x.place(p.x), y.place(p.y), ink), text);
  });
  return s("g", {}, spread, line, marks);
}

function mark(shape, x, y, ink) {
  const paths = { square: "M-4-4h8v8h-8z", triangle: "M0-5l5 9h-10z", diamond: "M0-5l5 5l-5 5l-5-5z" };
  if (shape === "circle") return s("circle", { class: "mark", cx: x, cy: y, r: 4.2, style: { fill: ink } });
  return s("path", { class: "mark", d: paths[shape], transform: `translate(${x} ${y})`, style: { fill: ink } });
}

function sample(look) {
  const ink = look ? "var(--" + look.colour + ")" : "var(--faint)";
  return s("svg", { width: 30, height: 12, class: "sample", "aria-hidden": "true" },
    s("line", { x1: 0, x2: 30, y1: 6, y2: 6, style: { stroke: ink, "stroke-width": 2, "stroke-dasharray": look ? look.dash : "3 3" } }),
    look && mark(look.mark, 15, 6, ink));
}

function summary(title, series, showX, showY) {
  const ends = ({ name, points }) => {
    const all = points.filter(known);
    if (all.length === 0) return name + ": nothing known";
    const [first, last] = [all[0], all[all.length - 1]];
    return `${name}: ${showY(first.y)} at ${showX(first.x)}, ${showY(last.y)} at ${showX(last.x)}`;
  };
  return title + ". " + series.filter(one => !one.plain).map(ends).join(". ");
}
