// Who talks with whom: the communication matrix, MPI calls, messages.

function communicationView() {
  const box = h("div", { class: "view-communication" });
  const update = () => refill(box, matrixSection(STATE.prediction), callsSection(STATE.prediction), messagesSection(STATE.prediction));
  update();
  onChange(what => { if ("prediction" in what) update(); });
  return box;
}

function matrixSection(prediction) {
  const kept = prediction.replayed && prediction.replayed.matrix;
  const pairs = list(kept && kept.pairs);
  if (pairs.length === 0) return section("Communication matrix", null, h("p", {}, "No messages between tasks, or the report tells none. Collective operations are in the calls below."));
  const view = { key: "bytes", tasks: prediction.tasks_count, pairs, at: new Map(pairs.map(pair => [pair.from * prediction.tasks_count + pair.to, pair])) };
  const { canvas, repaint } = drawing(`Matrix of messages: ${plural(pairs.length, "pair")} of ${plural(view.tasks, "task")}; the table beside it has the numbers.`, () => matrixSize(view) + 34, (context, width) => paintMatrix(view, context, width));
  canvas.addEventListener("pointermove", event => matrixTip(view, event));
  canvas.addEventListener("pointerleave", () => tip(null));
  canvas.id = "matrix";
  const choice = ["bytes", "messages"].map(key => h("button", { type: "button", "aria-pressed": String(key === view.key), onclick: event => {
    view.key = key;
    for (const other of event.target.parentElement.children) other.setAttribute("aria-pressed", String(other === event.target));
    repaint();
  } }, key));
  const columns = [
    { label: "sender", numeric: true, value: pair => pair.from, show: pair => pair.from }, { label: "receiver", numeric: true, value: pair => pair.to, show: pair => pair.to },
    { label: "messages", numeric: true, value: pair => pair.messages, show: pair => grouped(pair.messages) }, { label: "bytes", numeric: true, value: pair => pair.bytes, show: pair => bytes(pair.bytes) },
  ];
  const all = prediction.replayed.messages;
  const hint = `Point-to-point: ${plural(all.count, "message")}, ${bytes(all.bytes)}. ` + (kept.cut || "");
  return section("Communication matrix", hint, h("div", { class: "matrix-box" },
    h("div", {}, h("div", { class: "tools" }, h("span", { class: "switch", role: "group", "aria-label": "what cells show" }, choice), h("span", { class: "heat-legend", "aria-hidden": "true" }, "little", h("span", { class: "ramp" }), "most")), canvas),
    sortable({ caption: "Pairs of tasks", columns, rows: pairs, sort: { column: 3, down: true } })));
}

const matrixSize = view => Math.min(460, Math.max(120, view.tasks * 26));
const MATRIX_LEFT = 40;

function paintMatrix(view, context, width) {
  const size = Math.min(matrixSize(view), width - MATRIX_LEFT - 4);
  const cell = size / view.tasks;
  view.cell = cell;
  const most = Math.max(...view.pairs.map(pair => pair[view.key]), 1);
  const strength = value => 0.18 + 0.82 * Math.log1p(value) / Math.log1p(most);
  context.fillStyle = colour("empty");
  context.fillRect(MATRIX_LEFT, 24, size, size);
  context.fillStyle = colour("heat");
  for (const pair of view.pairs) {
    context.globalAlpha = strength(pair[view.key]);
    context.fillRect(MATRIX_LEFT + pair.to * cell, 24 + pair.from * cell, Math.max(1, cell - (cell > 4 ? 1 : 0)), Math.max(1, cell - (cell > 4 ? 1 : 0)));
  }
  context.globalAlpha = 1;
  const every = roundStep((view.tasks > 100 ? 32 : 20) / cell);
  for (let rank = 0; rank < view.tasks; rank += every) {
    number(context, String(rank), MATRIX_LEFT - 6, 24 + (rank + 0.5) * cell);
    context.textAlign = "center";
    context.fillText(String(rank), MATRIX_LEFT + (rank + 0.5) * cell, 14);
  }
}

function matrixTip(view, event) {
  const [to, from] = [Math.floor((event.offsetX - MATRIX_LEFT) / view.cell), Math.floor((event.offsetY - 24) / view.cell)];
  if (from < 0 || to < 0 || from >= view.tasks || to >= view.tasks) return tip(null);
  const pair = view.at.get(from * view.tasks + to);
  tip([h("b", {}, `task ${from} → task ${to}`), pair ? facts([["messages", grouped(pair.messages)], ["bytes", bytes(pair.bytes)], ["mean size", bytes(Math.round(pair.bytes / pair.messages))]]) : h("div", {}, "no message")], event.clientX, event.clientY);
}

/** MPI calls of the source. */
function callsSection(prediction) {
  if (prediction.calls.length === 0) return section("MPI calls", null, h("p", {}, "The program calls no MPI function."));
  const tasks = Math.max(1, prediction.tasks_count);
  const most = Math.max(...prediction.calls.map(call => call.time_s));
  const columns = [
    { label: "call", value: call => call.function, show: call => h("span", { class: "tok-m" }, call.function) },
    { label: "calls", numeric: true, title: "by all tasks", value: call => amount(call.calls), show: call => count(call.calls) },
    { label: "time", numeric: true, title: "mean over the tasks, waiting included", value: call => call.time_s, bar: call => most > 0 ? call.time_s / most : 0, show: call => seconds(call.time_s / tasks) },
    { label: "waiting", numeric: true, title: "mean over the tasks", value: call => call.idle_s, show: call => call.idle_s > 0 ? seconds(call.idle_s / tasks) : "" },
    { label: "share", numeric: true, title: "of all tasks' time", value: call => call.time_s, show: call => percent(call.time_s, taskSeconds(prediction)) },
    { label: "at", value: call => call.file + "\0" + String(call.line).padStart(9, "0"), show: call => placeLink(call.file, call.line) },
  ];
  const table = sortable({ caption: "MPI calls", columns, rows: prediction.calls, sort: { column: 2, down: true } });
  table.id = "calls-table";
  return section("MPI calls", "Means over the tasks.", table);
}

function messagesSection(prediction) {
  const kept = prediction.replayed && prediction.replayed.messages;
  if (!kept || list(kept.list).length === 0) return null;
  const end = key => ({ value: m => m[key] ? m[key].line : 0, show: m => m[key] ? placeLink(m[key].file, m[key].line) : "" });
  const columns = [
    { label: "sent", numeric: true, value: m => m.sent_s, show: m => seconds(m.sent_s) }, { label: "on the way", numeric: true, value: m => m.received_s - m.sent_s, show: m => seconds(m.received_s - m.sent_s) },
    { label: "from", numeric: true, value: m => m.from, show: m => m.from }, { label: "to", numeric: true, value: m => m.to, show: m => m.to },
    { label: "bytes", numeric: true, value: m => m.bytes, show: m => bytes(m.bytes) }, { label: "tag", numeric: true, value: m => m.tag, show: m => m.tag },
    { label: "sent at", ...end("send") }, { label: "received at", ...end("receive") },
  ];
  const place = h("div");
  const details = h("details", {}, h("summary", {}, plural(kept.list.length, "message") + " as a table"), place);
  details.addEventListener("toggle", () => { if (details.open && !place.hasChildNodes()) refill(place, sortable({ caption: "Messages", columns, rows: kept.list, sort: { column: 0, down: false } })); });
  return section("Messages", kept.cut || null, details);
}
