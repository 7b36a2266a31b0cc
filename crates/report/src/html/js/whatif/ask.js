// What would help: everything on the critical path, by what the program saves where it takes less time.

function askPanel() {
  const inside = h("div");
  const make = () => refill(inside, ASKED.study.rank ? asking(ASKED.study) : h("p", { class: "hint" }, "The ranking was not asked for: --show rank."));
  onAsked(what => { if ("study" in what) make(); });
  make();
  return section("What would help", "Each row is something on the critical path. What is saved was replayed at 5, 10, 20, 50 and 100 percent; between them at least what the straight line says is saved.", inside);
}

function asking(study) {
  const said = h("output", { id: "percent-said", for: "percent" });
  const slider = h("input", { id: "percent", type: "range", min: 1, max: 100, step: 1, value: ASKED.percent, oninput: event => ask({ percent: Number(event.target.value) }) });
  const present = Object.keys(KINDS).filter(kind => study.rank.some(row => row.kind === kind));
  if (!present.includes(ASKED.kind)) ASKED.kind = "";
  const kinds = h("select", { id: "kind", "aria-label": "kind", onchange: event => ask({ kind: event.target.value }) }, h("option", { value: "" }, "everything"), present.map(kind => h("option", { value: kind, selected: kind === ASKED.kind }, KINDS[kind] + "s")));
  const table = h("div"), answer = h("div", { id: "answer" });
  const update = () => {
    said.textContent = ASKED.percent + THIN + "%";
    refill(table, rankTable(study));
    refill(answer, chosenRows(study));
  };
  const listener = what => { if (table.isConnected && !("study" in what)) update(); };
  onAsked(listener);
  update();
  return [h("div", { class: "tools" }, h("label", { class: "check" }, "if it took", slider, said, "less time"), h("label", { class: "check" }, "show", kinds)), table, answer];
}

function rankTable(study) {
  const rows = study.rank.filter(row => !ASKED.kind || row.kind === ASKED.kind);
  // What is faster can make others wait for the network that it now shares with them: a saving may be negative.
  const saved = row => savedAt(row, ASKED.percent) ?? -Infinity;
  const most = Math.max(1e-12, ...rows.map(saved));
  const shown = value => value === -Infinity ? "-" : percent(value, 1);
  const columns = [
    { label: "What", value: row => row.name, show: row => choice(row) },
    { label: "Kind", value: row => KINDS[row.kind], show: row => KINDS[row.kind] },
    { label: "Place", value: placeOf, show: placeOf },
    { label: "On the path", title: "what the total falls by at first", numeric: true, value: row => row.path_s, show: row => seconds(row.path_s) },
    { label: "Slope", title: "seconds saved by the first percent", numeric: true, value: row => row.path_s, show: row => seconds(row.path_s / 100) },
    { label: "Saved", title: "of the total", numeric: true, value: saved, bar: row => Math.max(0, saved(row)) / most, show: row => h("span", { "data-saved": row.name }, shown(saved(row))) },
    { label: "New total", numeric: true, value: saved, show: row => saved(row) === -Infinity ? "-" : seconds(study.base.total_s * (1 - saved(row))) },
    { label: "Saved at 100 %", numeric: true, value: row => savedAt(row, 100) ?? -Infinity, show: row => shown(savedAt(row, 100) ?? -Infinity) },
    { label: "Knee", title: "beyond it a percent saves less than a tenth of what the first one saved", numeric: true, value: row => row.knee_percent ?? 101, show: row => row.knee_percent === null || row.knee_percent === undefined ? "-" : row.knee_percent.toFixed(0) + THIN + "%" },
  ];
  return sortable({ caption: "what would help", columns, rows, sort: { column: 5, down: true }, chosen: row => ASKED.chosen.has(row) });
}

/** The name of a row as a button that puts it beside others. */
function choice(row) {
  const toggle = () => {
    if (!ASKED.chosen.delete(row)) ASKED.chosen.add(row);
    ask({});
  };
  return h("button", { type: "button", class: "link", "aria-pressed": String(ASKED.chosen.has(row)), title: "compare with others", onclick: toggle }, row.name);
}

/** The rows that were chosen, side by side, and how to ask about all of them at once. */
function chosenRows(study) {
  const chosen = study.rank.filter(row => ASKED.chosen.has(row));
  if (chosen.length === 0) return h("p", { class: "hint" }, "A click on a name puts it beside others, and gives the command that replays them together.");
  const name = row => row.name + (row.file ? " (" + placeOf(row) + ")" : "");
  const line = row => ({ name: name(row), points: (pointsOf(row) || []).map(([x, y]) => ({ x, y: study.base.total_s * (1 - y) })) });
  const plot = linePlot({ title: "The total by how much less time a part takes", xLabel: "less time, in percent", yLabel: "total", series: chosen.map(line), showY: seconds, showX: value => digits(value).replace(/\.?0+$/, "") });
  const changes = chosen.map(row => changeOf(row, ASKED.percent)).filter(Boolean);
  const command = changes.length === 0 ? h("p", { class: "hint" }, "No change of the command makes this faster by itself: another network does (network=NAME).")
    : h("p", {}, changes.length > 1 ? "What these save together is not the sum, because the path moves. To know it, with the other options of this study: " : "To replay it with where the path goes then, with the other options of this study: ", copyable(commandOf(study, changes)));
  return [h("div", { class: "plots" }, plot), command];
}
