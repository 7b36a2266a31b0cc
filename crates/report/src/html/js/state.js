// What is looked at: one prediction, one view, one block. It stands in the address, so that a place in a report can be passed on.

const STATE = { prediction: PREDICTIONS[0], view: "overview", block: null, file: null, heat: "own" };
const listeners = [];

/** Calls back with what changed, an object with the same keys as STATE. */
function onChange(listener) {
  listeners.push(listener);
}

function change(what) {
  Object.assign(STATE, what);
  if ("prediction" in what && STATE.block) STATE.block = sameBlock(STATE.block, STATE.prediction);
  listeners.forEach(listener => listener(what));
  remember();
}

/** Looks at a block in the source. */
function visit(block) {
  change({ block, file: block.file, view: "source" });
}

/** Looks at a line, or at the innermost block there. */
function visitLine(file, line) {
  const block = blocksAt(STATE.prediction, file, line, null)[0];
  if (block) visit(block);
  else change({ file, view: "source" });
}

function remember() {
  const parts = [["view", STATE.view], ["prediction", STATE.prediction.at || null], ["block", STATE.block ? STATE.block.id : null]];
  const text = parts.filter(([, value]) => value !== null).map(pair => pair.join("=")).join("&");
  try { history.replaceState(null, "", "#" + text); } catch (refused) { /* a frame may forbid it; only the address suffers */ }
}

function recall() {
  const given = new URLSearchParams(location.hash.slice(1));
  const prediction = PREDICTIONS[Number(given.get("prediction"))] || PREDICTIONS[0];
  const block = given.has("block") ? blocksById(prediction).get(Number(given.get("block"))) || null : null;
  return { prediction, block, file: block ? block.file : null, view: given.get("view") || "overview" };
}

/** A link to a place in the source. */
function placeLink(file, line, text) {
  const label = text || baseName(file) + ":" + line;
  if (!FILES.includes(file)) return h("span", {}, label);
  return h("button", { type: "button", class: "link", title: file + ":" + line, onclick: () => visitLine(file, line) }, label);
}

function blockLink(block, text) {
  return h("button", { type: "button", class: "link", title: block.file + ":" + block.line_start, onclick: () => visit(block) }, text);
}
