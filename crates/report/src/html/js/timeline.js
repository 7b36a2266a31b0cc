// The timeline: tasks below one another, time to the right. Here is what hands do; timeline_draw.js paints.

const AXIS = 24;
const GUTTER = 52;

function timelineView() {
  const box = h("div", { class: "view-timeline" });
  const update = () => refill(box, timelineSection(STATE.prediction), pathSection(STATE.prediction));
  update();
  onChange(what => { if ("prediction" in what) update(); });
  return box;
}

function timelineSection(prediction) {
  const data = happened(prediction);
  if (data.rows.length === 0) {
    return section("Timeline", null, h("p", {}, "The report tells no timeline: it is of one task of an older report, or of expressions, or the program could not be followed to its end."));
  }
  const rows = data.rows.length;
  const tall = Math.min(620, rows * (rows <= 6 ? 44 : rows <= 16 ? 32 : 24));
  const view = { prediction, data, height: tall, from: 0, to: data.total, top: 0, rows: data.rows.length, messages: data.messages.length <= 4000, path: true, row: 0, span: null, hover: null };
  const { canvas, repaint, now } = drawing(timelineLabel(view), () => tall + AXIS, (context, width) => paintTimeline(view, context, width));
  Object.assign(view, { canvas, repaint, now });
  canvas.setAttribute("role", "application");
  canvas.setAttribute("aria-roledescription", "timeline");
  canvas.setAttribute("aria-describedby", "timeline-keys");
  canvas.tabIndex = 0;
  canvas.id = "timeline";
  canvas.view = view;
  handle(view);
  view.info = h("div", { class: "info", id: "timeline-info" }, h("span", { class: "hint" }, "Point at a span to see what it is; click it to keep it here."));
  const kinds = Object.values(SPAN_KINDS).map(([name, ink, hatched]) => [name, ink, hatched]);
  const keys = h("p", { class: "hint", id: "timeline-keys" }, "Drag to move, Ctrl and wheel or + and - to zoom, double click to zoom in, drag with Shift to choose a stretch. Arrow keys go from span to span and task to task, Enter shows the source, 0 shows everything.");
  const cut = data.cut.length > 0 ? h("p", { class: "banner warn small" }, "Kept in part: " + data.cut.join("; ") + ". " + (data.rows.some(row => row.far.length > 0) ? "What is left out is paler: there, each stretch shows what the task mostly did." : "What is left out is grey.") + " Option --timeline keeps more.") : null;
  return section("Timeline", null, timelineTools(view), cut, h("div", { class: "timeline-box" }, canvas), view.info, legend([...kinds, ["critical path", "path"]]), keys, spansTable(view));
}

function timelineLabel({ data, prediction }) {
  const path = data.path.length > 0 ? `, critical path of ${plural(data.path.length, "stretch", "stretches")}` : "";
  return `Timeline of ${plural(data.rows.length, "task")} over ${seconds(data.total)} on ${nameOf(prediction)}, ${plural(data.messages.length, "message")}${path}. The tables below have the same.`;
}

function timelineTools(view) {
  const button = (text, label, act) => h("button", { type: "button", "aria-label": label, title: label, onclick: act }, text);
  const box = (key, text) => h("label", { class: "check" }, h("input", { type: "checkbox", checked: view[key], onchange: event => { view[key] = event.target.checked; view.repaint(); } }), text);
  view.scale = h("span", { class: "hint", id: "timeline-range", role: "status" });
  const group = h("span", { class: "switch" }, button("+", "zoom in", () => zoom(view, 0.5)), button("−", "zoom out", () => zoom(view, 2)), button("whole", "show everything", () => whole(view)));
  return h("div", { class: "tools" }, group, box("messages", "messages"), view.data.path.length > 0 ? box("path", "critical path") : null, view.scale);
}

/** Zooms around a time; the middle unless one is given. */
function zoom(view, factor, around = (view.from + view.to) / 2) {
  const least = view.data.total * 1e-7;
  const length = Math.min(view.data.total, Math.max(least, (view.to - view.from) * factor));
  const share = (around - view.from) / (view.to - view.from);
  shift(view, around - share * length, length);
}

function shift(view, from, length = view.to - view.from) {
  view.from = Math.max(0, Math.min(view.data.total - length, from));
  view.to = view.from + length;
  view.repaint();
}

/** Zooms tasks around a row. */
function zoomRows(view, factor, around = view.top + view.rows / 2) {
  const all = view.data.rows.length;
  const rows = Math.min(all, Math.max(Math.min(4, all), view.rows * factor));
  const share = (around - view.top) / view.rows;
  view.rows = rows;
  view.top = Math.max(0, Math.min(all - rows, around - share * rows));
  view.repaint();
}

function whole(view) {
  Object.assign(view, { from: 0, to: view.data.total, top: 0, rows: view.data.rows.length });
  view.repaint();
}

const timeAt = (view, x) => view.from + (x - GUTTER) / (view.canvas.clientWidth - GUTTER) * (view.to - view.from);
const rowAt = (view, y) => view.top + (y - AXIS) / view.height * view.rows;

/** The row and span at a place of the canvas. */
function hit(view, x, y) {
  const row = Math.floor(rowAt(view, y));
  const task = view.data.rows[row];
  if (!task || x < GUTTER || y < AXIS) return null;
  const time = timeAt(view, x);
  const slack = (view.to - view.from) / view.canvas.clientWidth * 2;
  const at = spanFrom(task.spans, time);
  const near = [at, at - 1].find(index => task.spans[index] && task.spans[index].begin_s <= time + slack && task.spans[index].end_s >= time - slack);
  if (near !== undefined) return { row, at: near, task, span: task.spans[near] };
  const far = task.far[spanFrom(task.far, time)];
  return far && far.begin_s <= time ? { row, at: -1, task, span: far } : null;
}

function handle(view) {
  const { canvas } = view;
  let drag = null;
  canvas.addEventListener("pointerdown", event => {
    drag = { x: event.offsetX, y: event.offsetY, from: view.from, top: view.top, moved: false, choosing: event.shiftKey };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", event => (drag ? dragged(view, drag, event) : hovered(view, event)));
  canvas.addEventListener("pointerup", event => {
    if (drag && drag.moved && drag.choosing) chosen(view, drag, event);
    else if (drag && !drag.moved) keep(view, hit(view, event.offsetX, event.offsetY));
    drag = null;
    view.stretch = null;
    view.repaint();
  });
  canvas.addEventListener("pointerleave", () => { tip(null); view.hover = null; view.repaint(); });
  canvas.addEventListener("dblclick", event => zoom(view, 0.4, timeAt(view, event.offsetX)));
  canvas.addEventListener("wheel", event => {
    if (event.ctrlKey || event.metaKey) zoom(view, Math.exp(event.deltaY * 0.0025), timeAt(view, event.offsetX));
    else if (event.altKey) zoomRows(view, Math.exp(event.deltaY * 0.0025), rowAt(view, event.offsetY));
    else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) shift(view, view.from + (event.deltaX || event.deltaY) / canvas.clientWidth * (view.to - view.from));
    else return;
    event.preventDefault();
  }, { passive: false });
  canvas.addEventListener("keydown", event => timelineKeyed(view, event));
}

function dragged(view, drag, event) {
  const [dx, dy] = [event.offsetX - drag.x, event.offsetY - drag.y];
  drag.moved = drag.moved || Math.abs(dx) + Math.abs(dy) > 3;
  if (!drag.moved) return;
  tip(null);
  if (drag.choosing) { view.stretch = [drag.x, event.offsetX]; return view.repaint(); }
  const rows = view.data.rows.length;
  view.top = Math.max(0, Math.min(rows - view.rows, drag.top - dy / view.height * view.rows));
  shift(view, drag.from - dx / (view.canvas.clientWidth - GUTTER) * (view.to - view.from));
}

function chosen(view, drag, event) {
  const [a, b] = [timeAt(view, drag.x), timeAt(view, event.offsetX)].sort((x, y) => x - y);
  if (b > a) shift(view, a, Math.max(b - a, view.data.total * 1e-7));
}

function hovered(view, event) {
  const found = hit(view, event.offsetX, event.offsetY);
  view.hover = found;
  view.repaint();
  tip(found ? spanFacts(found.task, found.span, messagesOf(view.data, found.task.rank, found.span)) : null, event.clientX, event.clientY);
}

/** Keeps a span below the drawing. */
function keep(view, found) {
  view.span = found;
  if (!found) return refill(view.info, h("span", { class: "hint" }, "Nothing there."));
  view.row = found.row;
  const { task, span } = found;
  const messages = messagesOf(view.data, task.rank, span);
  const link = span.place ? placeLink(span.place.file, span.place.line) : null;
  refill(view.info, spanFacts(task, span, messages), link);
  view.repaint();
}

function timelineKeyed(view, event) {
  const length = view.to - view.from;
  const act = {
    "+": () => zoom(view, 0.5), "=": () => zoom(view, 0.5), "-": () => zoom(view, 2), 0: () => whole(view),
    Home: () => shift(view, 0), End: () => shift(view, view.data.total),
    ArrowRight: () => event.shiftKey ? shift(view, view.from + length / 4) : step(view, 0, 1), ArrowLeft: () => event.shiftKey ? shift(view, view.from - length / 4) : step(view, 0, -1),
    ArrowDown: () => step(view, 1, 0), ArrowUp: () => step(view, -1, 0),
    PageDown: () => zoomRows(view, 2), PageUp: () => zoomRows(view, 0.5),
    Enter: () => { const place = view.span && view.span.span.place; if (place) visitLine(place.file, place.line); },
  }[event.key];
  if (!act || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  act();
}

/** To the next span, or to the span of the next task at the same time. */
function step(view, rows, spans) {
  const row = Math.max(0, Math.min(view.data.rows.length - 1, view.row + rows));
  const task = view.data.rows[row];
  const time = view.span ? view.span.span.begin_s : view.from;
  const at = view.span && rows === 0 ? view.span.at + spans : spanFrom(task.spans, time);
  const index = Math.max(0, Math.min(task.spans.length - 1, at));
  if (!task.spans[index]) return;
  const found = { row, at: index, task, span: task.spans[index] };
  keep(view, found);
  intoView(view, found);
  say(spanText(task, found.span));
}

function intoView(view, { row, span }) {
  const length = view.to - view.from;
  if (span.begin_s < view.from || span.begin_s > view.to) shift(view, span.begin_s - length / 4);
  if (row < view.top || row >= view.top + view.rows) view.top = Math.max(0, Math.min(view.data.rows.length - view.rows, row - view.rows / 2));
  view.repaint();
}

/** The spans of one task as a table, made when it is opened. */
function spansTable(view) {
  const place = h("div");
  const options = view.data.rows.map(row => h("option", { value: row.rank }, row.name));
  const columns = [
    { label: "from", numeric: true, value: span => span.begin_s, show: span => seconds(span.begin_s) },
    { label: "takes", numeric: true, value: span => span.end_s - span.begin_s, show: span => seconds(span.end_s - span.begin_s) },
    { label: "what", value: span => span.kind, show: span => span.kind },
    { label: "call", value: callOf, show: span => callOf(span) },
    { label: "partner", numeric: true, value: span => span.partner ?? -1, show: span => span.partner ?? "" },
    { label: "bytes", numeric: true, value: span => span.bytes ?? -1, show: span => span.bytes === undefined || span.bytes === null ? "" : bytes(span.bytes) },
    { label: "at", value: span => span.place ? span.place.line : 0, show: span => span.place ? placeLink(span.place.file, span.place.line) : "" },
  ];
  const fillTable = rank => refill(place, sortable({ caption: "Spans of task " + rank, columns, rows: view.data.rows.find(row => row.rank === rank).spans, sort: { column: 0, down: false } }));
  const select = h("select", { "aria-label": "task", onchange: event => fillTable(Number(event.target.value)) }, options);
  const details = h("details", {}, h("summary", {}, "Spans as a table"), h("div", { class: "tools" }, select), place);
  details.addEventListener("toggle", () => { if (details.open && !place.hasChildNodes()) fillTable(view.data.rows[0].rank); });
  return details;
}

/** The critical path as a table. */
function pathSection(prediction) {
  if (prediction.critical_path.length === 0) return null;
  const columns = [
    { label: "from", numeric: true, value: part => part.begin_s, show: part => seconds(part.begin_s) },
    { label: "takes", numeric: true, value: part => part.end_s - part.begin_s, show: part => seconds(part.end_s - part.begin_s) },
    { label: "task", numeric: true, value: part => part.rank, show: part => String(part.rank) },
    { label: "message before", numeric: true, title: "time of the message that ended the wait", value: part => part.message_s, show: part => part.message_s > 0 ? seconds(part.message_s) : "" },
    { label: "begins", value: part => part.what, show: part => part.what },
  ];
  const table = sortable({ caption: "Critical path", columns, rows: prediction.critical_path, sort: { column: 0, down: false } });
  const all = prediction.critical_path_of || prediction.critical_path.length;
  const shown = all > prediction.critical_path.length ? ` Shown are ${grouped(prediction.critical_path.length)} of them, evenly.` : "";
  return section("Critical path", `What the total depends on: ${plural(all, "stretch", "stretches")} of computing and calls, joined by messages.${shown}`,
    h("details", { open: prediction.critical_path.length <= 12 }, h("summary", {}, "Table"), table));
}
