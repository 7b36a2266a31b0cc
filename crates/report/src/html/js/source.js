// The source with what each line takes. A click takes the innermost block there, the next click the one around it.

/** Lines that are laid out together; those out of sight cost nothing. */
const CHUNK = 60;

function sourceView() {
  const pane = h("div", { class: "code", tabindex: "0", role: "grid", "aria-label": "source lines with their time", "aria-describedby": "source-keys" });
  const box = h("div", { class: "view-source" });
  const side = h("div", { class: "side card", role: "region", "aria-label": "selected block" });
  const view = { pane, side, rows: [], line: 0, marked: [] };
  refill(box, h("div", { class: "source-box card" }, sourceTools(view), pane,
    h("p", { class: "hint", id: "source-keys" }, "Click a line for its innermost block, again for the one around it. Keys: arrows move, Enter takes the block, o goes out, i goes in, h jumps to the next hottest line.")), side);
  pane.addEventListener("click", event => clicked(view, event));
  pane.addEventListener("keydown", event => keyed(view, event));
  onChange(what => follow(view, what));
  load(view, STATE.file || firstFile(STATE.prediction));
  select(view, STATE.block, false);
  requestAnimationFrame(() => STATE.block ? select(view, STATE.block, true) : current(view, hottestLines(view)[0], true));
  return box;
}

/** The file with the most time. */
function firstFile(prediction) {
  const times = [...lineTimes(prediction)].map(([file, lines]) => [[...lines.values()].reduce((all, line) => all + line.own, 0), file]);
  times.sort((a, b) => b[0] - a[0]);
  const known = times.map(([, file]) => file).find(file => FILES.includes(file));
  return known || REPORT.program.files.find(file => FILES.includes(file)) || FILES[0] || null;
}

function sourceTools(view) {
  const files = [...FILES].sort((a, b) => fileTime(b) - fileTime(a));
  const option = file => h("option", { value: file }, file + (fileTime(file) > 0 ? "  (" + percent(fileTime(file), allTime()) + ")" : ""));
  view.picker = h("select", { "aria-label": "file", onchange: () => change({ file: view.picker.value, block: null }) }, files.map(option));
  const heat = (mode, label, title) => h("button", { type: "button", "aria-pressed": String(STATE.heat === mode), title, onclick: () => change({ heat: mode }) }, label);
  view.heats = [["own", heat("own", "own time", "time of what stands on the line")], ["whole", heat("whole", "with calls", "with the functions that the line calls")]];
  return h("div", { class: "tools" }, h("label", {}, "File ", view.picker),
    h("span", { class: "switch", role: "group", "aria-label": "heat of lines" }, view.heats.map(([, button]) => button)),
    h("span", { class: "heat-legend", role: "img", "aria-label": "the bar and colour of a line grow with its time; the hottest line is full" }, "0", h("span", { class: "ramp" }), "hottest line"));
}

const allTime = () => taskSeconds(STATE.prediction) / Math.max(1, STATE.prediction.tasks_count);
const fileTime = file => [...(lineTimes(STATE.prediction).get(file) || new Map()).values()].reduce((all, line) => all + line.own, 0);

function load(view, file) {
  view.file = file;
  view.rows = [];
  view.marked = [];
  view.line = 0;
  if (file === null) return refill(view.pane, h("p", { class: "empty" }, "The report holds no source."));
  view.picker.value = file;
  const rows = tokensOf(file).map((tokens, at) => sourceLine(file, at + 1, tokens));
  view.rows = rows;
  const chunks = [];
  for (let at = 0; at < rows.length; at += CHUNK) {
    const part = rows.slice(at, at + CHUNK);
    chunks.push(h("div", { class: "chunk", role: "rowgroup", style: { "contain-intrinsic-size": `auto ${part.length * 1.5}em` } }, part));
  }
  const head = h("div", { class: "src head", role: "row" }, ["line", "time", "count", "source"].map((name, at) =>
    h("span", { role: "columnheader", class: ["nr", "time", "cnt", "txt"][at], title: ["", "mean over the tasks", "sum over the tasks", ""][at] || null }, name)));
  refill(view.pane, h("div", { role: "rowgroup" }, head), chunks);
  view.pane.setAttribute("aria-rowcount", String(rows.length + 1));
  heatUp(view);
}

function sourceLine(file, number, tokens) {
  return h("div", { class: "src", role: "row", id: "L" + number, "data-line": number, "aria-rowindex": number + 1 },
    h("span", { class: "nr", role: "rowheader" }, number), h("span", { class: "time", role: "gridcell" }), h("span", { class: "cnt", role: "gridcell" }),
    h("span", { class: "txt", role: "gridcell" }, shownLine(tokens, 0, -1)));
}

/** Writes time and count of every line. */
function heatUp(view) {
  const lines = lineTimes(STATE.prediction).get(view.file) || new Map();
  const every = [...lineTimes(STATE.prediction).values()].flatMap(file => [...file.values()]);
  const most = Math.max(0, ...every.map(line => line[STATE.heat]));
  const whole = allTime();
  view.heats.forEach(([mode, button]) => button.setAttribute("aria-pressed", String(mode === STATE.heat)));
  view.rows.forEach((row, at) => {
    const line = lines.get(at + 1);
    const time = line ? line[STATE.heat] : 0;
    const [, timeCell, countCell] = row.children;
    row.style.setProperty("--share", most > 0 ? (time / most).toFixed(4) : "0");
    row.classList.toggle("idle", !line || line.count === 0 && !line.isUnknown);
    timeCell.textContent = time > 0 ? seconds(time) : "";
    timeCell.title = time > 0 ? percent(time, whole) + " of a task's time in the mean" : "";
    countCell.textContent = !line ? "" : line.isUnknown && !line.count ? "?" : count(line.count);
    countCell.className = "cnt" + (line && line.source !== "static" ? " " + line.source : "");
    countCell.title = line ? SOURCES[line.isUnknown ? "unknown" : line.source] : "";
  });
}

function follow(view, what) {
  if ("file" in what && what.file && what.file !== view.file) load(view, what.file);
  else if ("prediction" in what || "heat" in what) heatUp(view);
  if ("block" in what || "prediction" in what) select(view, STATE.block, "block" in what);
}

/** Marks a block and shows what is known of it. */
function select(view, block, scroll) {
  for (const line of view.marked) redraw(view, line, 0, -1);
  view.marked = [];
  if (block && block.file === view.file) {
    for (let line = block.line_start; line <= Math.min(block.line_end, view.rows.length); line++) {
      const [from, to] = columnsOf(block, line);
      redraw(view, line, from, to);
      view.marked.push(line);
    }
    current(view, view.marked.includes(view.line) ? view.line : block.line_start, scroll);
  }
  refill(view.side, block ? detail(block) : noBlock());
}

function redraw(view, line, from, to) {
  const row = view.rows[line - 1];
  if (!row) return;
  row.classList.toggle("marked", to >= from);
  row.setAttribute("aria-selected", String(to >= from));
  refill(row.children[3], shownLine(tokensOf(view.file)[line - 1], from, to));
}

function columnsOf(block, line) {
  const isLine = block.line_start === block.line_end && block.column_start === 1 && block.column_end === 1;
  const first = (linesOf(block.file)[line - 1] || "").search(/\S/) + 1;
  const from = line === block.line_start ? block.column_start : Math.max(1, first);
  return [from, line === block.line_end && !isLine ? block.column_end : Infinity];
}

function current(view, line, scroll) {
  const row = view.rows[line - 1];
  if (!row) return;
  if (view.rows[view.line - 1]) view.rows[view.line - 1].classList.remove("current");
  view.line = line;
  row.classList.add("current");
  view.pane.setAttribute("aria-activedescendant", row.id);
  if (scroll) into(view.pane, row);
}

/** Scrolls a row into sight inside its pane alone. */
function into(pane, row) {
  const [outer, inner] = [pane.getBoundingClientRect(), row.getBoundingClientRect()];
  const head = 34;
  if (inner.top < outer.top + head || inner.bottom > outer.bottom) pane.scrollTop += inner.top - outer.top - outer.height / 3;
}

function clicked(view, event) {
  const row = event.target.closest("[data-line]");
  if (!row || String(getSelection()).length > 1) return;
  const line = Number(row.dataset.line);
  const text = event.target.closest(".txt");
  pick(view, line, text ? columnAt(text, event.clientX, event.clientY) : null);
}

/** The column of a line under the pointer; nothing where there is no character. */
function columnAt(cell, x, y) {
  const at = document.caretPositionFromPoint ? document.caretPositionFromPoint(x, y) : null;
  const range = at ? null : document.caretRangeFromPoint ? document.caretRangeFromPoint(x, y) : null;
  const [node, offset] = at ? [at.offsetNode, at.offset] : range ? [range.startContainer, range.startOffset] : [null, 0];
  if (!node || !cell.contains(node) || node.nodeType !== Node.TEXT_NODE) return null;
  const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  let column = 1;
  while (walker.nextNode() && walker.currentNode !== node) column += walker.currentNode.length;
  return column + Math.min(offset, node.length - 1);
}

/** The innermost block; where one of those there is taken already, the one around it. */
function pick(view, line, column) {
  const prediction = STATE.prediction;
  const here = blocksAt(prediction, view.file, line, column);
  const all = here.length > 0 ? here : blocksAt(prediction, view.file, line, null);
  current(view, line, false);
  if (all.length === 0) return change({ block: null });
  const chain = outwards(all[0], prediction);
  const at = chain.indexOf(STATE.block);
  const block = at < 0 ? chain[0] : chain[(at + 1) % chain.length];
  change({ block });
  say(titleOf(block, prediction) + ", " + seconds(block.inclusive_s / prediction.tasks_count));
}

function keyed(view, event) {
  const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20 }[event.key];
  const to = event.key === "Home" ? 1 : event.key === "End" ? view.rows.length : step ? view.line + step : null;
  if (to !== null && !event.altKey) current(view, Math.max(1, Math.min(view.rows.length, to)), true);
  else if (event.key === "Enter" || event.key === " ") pick(view, view.line || 1, null);
  else if (event.key === "o" || event.altKey && event.key === "ArrowUp") go(outwards(STATE.block || {}, STATE.prediction)[1]);
  else if (event.key === "i" || event.altKey && event.key === "ArrowDown") go(STATE.block && inwards(STATE.block, STATE.prediction));
  else if (event.key === "h") hotter(view);
  else if (event.key === "Escape") change({ block: null });
  else return;
  event.preventDefault();
}

function go(block) {
  if (!block) return;
  change({ block });
  say(titleOf(block, STATE.prediction));
}

/** Numbers of the lines of the file that take time, the hottest one first. */
function hottestLines(view) {
  const lines = [...(lineTimes(STATE.prediction).get(view.file) || new Map())].filter(([, line]) => line[STATE.heat] > 0);
  return lines.sort((a, b) => b[1][STATE.heat] - a[1][STATE.heat]).map(([line]) => line);
}

/** From the hottest line to the next one. */
function hotter(view) {
  const lines = hottestLines(view);
  const next = lines[(lines.indexOf(view.line) + 1) % Math.max(1, lines.length)];
  if (next === undefined) return;
  current(view, next, true);
  pick(view, next, null);
}
