// The tree of calls as a flame graph that hangs: callers above, width is time.

/** Pixels of a row. */
const FLAME_ROW = 22;

function flame(prediction) {
  const tree = prediction.call_tree;
  if (tree.length < 2) return null;
  const { roots } = callChildren(prediction);
  const box = h("div", { class: "flame", id: "flame", role: "group", "aria-label": "flame graph of calls; the call tree below has the same as a table" });
  const reset = h("button", { type: "button", class: "quiet", onclick: () => show(null) }, "whole program");
  const path = h("span", { class: "hint" });
  function show(root) {
    reset.hidden = root === null;
    path.textContent = root === null ? "Click a call to see it alone." : pathOf(tree, root).map(at => tree[at].name).join(" → ");
    const tops = root === null ? roots : [root];
    const whole = tops.reduce((all, at) => all + tree[at].inclusive_s, 0);
    const cells = [];
    let deepest = 0;
    let from = 0;
    for (const top of tops) {
      place(prediction, top, 0, from, whole, (at, depth, left, width) => { deepest = Math.max(deepest, depth); cells.push(flameCell(prediction, at, depth, left, width, whole, () => show(at === root ? null : at))); });
      from += tree[top].inclusive_s;
    }
    box.style.height = (deepest + 1) * FLAME_ROW + "px";
    refill(box, cells);
  }
  show(null);
  box.show = show;
  return section("Flame graph", null, h("div", { class: "tools" }, reset, path), box, legend([["function", "flame-function"], ["MPI call", "flame-mpi"], ["waiting, of an MPI call", "wait", true]]));
}

function pathOf(tree, at) {
  const path = [];
  for (let node = at; node !== null && node !== undefined; node = tree[node].parent) path.unshift(node);
  return path;
}

/** Visits nodes that are wide enough to be seen. */
function place(prediction, at, depth, from, whole, add) {
  const node = prediction.call_tree[at];
  const width = whole > 0 ? node.inclusive_s / whole : 0;
  if (width < 0.0008) return;
  add(at, depth, from / whole, width);
  let next = from;
  for (const child of callChildren(prediction).children[at]) {
    place(prediction, child, depth + 1, next, whole, add);
    next += prediction.call_tree[child].inclusive_s;
  }
}

function flameCell(prediction, at, depth, left, width, whole, onclick) {
  const node = prediction.call_tree[at];
  const block = node.block === null ? null : blocksById(prediction).get(node.block);
  const idle = node.idle_s > 0 ? h("span", { class: "hatched idle", style: { width: 100 * node.idle_s / node.inclusive_s + "%", "--ink": "var(--wait)" } }) : null;
  const text = () => [h("b", {}, node.name), facts([["inclusive", seconds(node.inclusive_s) + " (" + percent(node.inclusive_s, whole) + ")"], ["own", seconds(node.exclusive_s)],
    ["waiting", node.idle_s > 0 ? seconds(node.idle_s) : null], ["calls", count(node.calls)], ["called at", block ? baseName(block.file) + ":" + block.line_start : null]])];
  const button = h("button", { type: "button", class: "flame-cell " + node.kind, onclick, "data-node": at, "aria-label": `${node.name}, ${seconds(node.inclusive_s)}, ${percent(node.inclusive_s, whole)}`,
    style: { left: 100 * left + "%", width: 100 * width + "%", top: depth * FLAME_ROW + "px", "--shade": String(shade(node.name)) } }, idle, h("span", { class: "name" }, node.name));
  return withTip(button, text);
}

/** The same name has the same shade everywhere. */
function shade(name) {
  let hash = 0;
  for (const letter of name) hash = (hash * 31 + letter.charCodeAt(0)) % 997;
  return hash / 997;
}
