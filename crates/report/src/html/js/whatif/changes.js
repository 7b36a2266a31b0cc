// The changes that were asked for, beside the program as it is.

function changesPanel() {
  const inside = h("div");
  const make = () => refill(inside, changeTable(ASKED.study), placements(ASKED.study));
  if (STUDIES.every(study => study.rows.length === 0)) return null;
  onAsked(what => { if ("study" in what) make(); });
  make();
  return section("Changes", "The bar is the total under the change; the program as it is stands first.", inside);
}

const labelOf = row => row.change + (row.matching ? " (" + (row.matching === "recorded" ? "recorded matching" : row.matching) + ")" : "");

function changeTable(study) {
  const base = { change: "as it is", total_s: study.base.total_s, factor: 1, saved_s: 0, saved_percent: 0, path: [], notes: [] };
  const rows = [base, ...study.rows];
  const most = Math.max(...rows.map(row => row.total_s ?? 0));
  const columns = [
    { label: "Change", value: labelOf, show: row => h("code", {}, labelOf(row)) },
    { label: "Time", numeric: true, value: row => row.total_s ?? Infinity, bar: row => (row.total_s ?? 0) / most, show: row => h("span", { "data-change": row.change }, row.total_s === null ? "does not end" : seconds(row.total_s)) },
    { label: "Factor", numeric: true, value: row => row.factor ?? Infinity, show: row => row.factor === null ? "-" : row.factor.toFixed(3) },
    { label: "Saved", numeric: true, value: row => row.saved_s ?? -Infinity, show: row => row.saved_s === null ? "-" : seconds(row.saved_s) },
    { label: "90 % interval", value: row => row.saved_s ?? -Infinity, show: row => interval(row.saved_interval_s) || "" },
    { label: "Saved %", numeric: true, value: row => row.saved_percent ?? -Infinity, show: row => row.saved_percent === null ? "-" : row.saved_percent.toFixed(1) + THIN + "%" },
    { label: "Then the path is in", value: row => row.path.length, show: pathOf },
    { label: "Notes", value: row => row.notes.length, show: row => h("ul", { class: "plain" }, remarksOf(row).map(note => h("li", {}, note))) },
  ];
  return sortable({ caption: "changes", columns, rows, sort: { column: 1, down: true } });
}

function pathOf(row) {
  return row.path.filter(part => part.share >= 0.0005).slice(0, 3).map(part => `${part.function} on task ${part.rank} (${percent(part.share, 1)})`).join(", ");
}

function remarksOf(row) {
  const path = row.without_path_share_s === undefined || row.without_path_share_s === null ? [] : [seconds(row.without_path_share_s) + " if the critical path could not move"];
  const figure = row.figure_8_s === undefined || row.figure_8_s === null ? [] : [seconds(row.figure_8_s) + " by the algorithm of Eom and Hollingsworth (figure 8)"];
  return [...path, ...figure, ...row.notes];
}

function placements(study) {
  const placed = study.rows.filter(row => row.placement && row.placement.length > 0);
  const columns = [
    { label: "Node", numeric: true, value: node => node.node, show: node => String(node.node) },
    { label: "Busy", numeric: true, value: node => node.busy_share, bar: node => Math.min(1, node.busy_share), show: node => percent(node.busy_share, 1) },
    { label: "Ready, without a processor", numeric: true, value: node => node.ready_s, show: node => seconds(node.ready_s) },
    { label: "Tasks", value: node => node.tasks.length, show: node => node.tasks.join(" ") },
  ];
  return placed.map(row => h("div", {}, h("h3", {}, "Nodes under ", h("code", {}, row.change)), sortable({ caption: "nodes under " + row.change, columns, rows: row.placement, sort: { column: 0 } })));
}
