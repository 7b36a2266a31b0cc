// Blocks as a tree, and what lines of the source take.

const childrenOf = lazily(prediction => {
  const children = new Map();
  for (const block of prediction.blocks) {
    if (!children.has(block.parent)) children.set(block.parent, []);
    children.get(block.parent).push(block);
  }
  return children;
});

/** Calls stand inside the straight block that drives them, though the tree has them beside it. */
function holds(outer, line, column) {
  const after = line > outer.line_start || line === outer.line_start && column >= outer.column_start;
  return after && (line < outer.line_end || line === outer.line_end && column <= outer.column_end);
}

const extent = block => (block.line_end - block.line_start) * 10000 + block.column_end - block.column_start;

const blocksByLine = lazily(prediction => {
  const lines = new Map();
  for (const block of prediction.blocks) {
    for (let line = block.line_start; line <= block.line_end; line++) {
      const key = block.file + "\0" + line;
      if (!lines.has(key)) lines.set(key, []);
      lines.get(key).push(block);
    }
  }
  return lines;
});

/** Blocks around a place of a line, innermost first; without a column, those that the line has a part in. */
function blocksAt(prediction, file, line, column) {
  const all = blocksByLine(prediction).get(file + "\0" + line) || [];
  const here = column === null ? all : all.filter(block => holds(block, line, column));
  return [...here].sort((a, b) => extent(a) - extent(b) || b.id - a.id);
}

/** From a block outwards: itself, then what is around it, each larger than the one before. */
function outwards(block, prediction) {
  const path = [block];
  const around = blocksAt(prediction, block.file, block.line_start, block.column_start);
  for (const outer of around.sort((a, b) => extent(a) - extent(b) || b.id - a.id)) {
    const last = path[path.length - 1];
    const wraps = outer.function === block.function && outer.unit === block.unit && extent(outer) > extent(last) && holds(outer, block.line_end, block.column_end);
    if (wraps) path.push(outer);
  }
  return path;
}

/** The next smaller block inside, the one with the most time. */
function inwards(block, prediction) {
  const inside = prediction.blocks.filter(other => other !== block && other.file === block.file && other.function === block.function && other.unit === block.unit
    && holds(block, other.line_start, other.column_start) && holds(block, other.line_end, other.column_end) && extent(other) < extent(block));
  const direct = inside.filter(one => outwards(one, prediction)[1] === block);
  return direct.sort((a, b) => b.inclusive_s - a.inclusive_s || a.id - b.id)[0] || null;
}

/** Lines with something to execute: not blank, no comment, no brace alone. */
const isCode = text => !/^\s*(?:[{}();,]*\s*|\/\/.*|\/\*.*|\*.*|#.*)$/.test(text);

/**
 * Time of each line, mean over the tasks: `own` of what stands there, `whole` with called functions. Straight code over several lines is
 * spread evenly over those that hold code. Counts are those of the block that is executed most.
 */
const lineTimes = lazily(prediction => {
  const files = new Map();
  const tasks = Math.max(1, prediction.tasks_count);
  const at = (file, line) => {
    if (!files.has(file)) files.set(file, new Map());
    const lines = files.get(file);
    if (!lines.has(line)) lines.set(line, { own: 0, whole: 0, count: null, source: "static", isUnknown: false });
    return lines.get(line);
  };
  for (const block of prediction.blocks) {
    const lines = spread(block);
    const whole = block.kind === "call" ? block.inclusive_s : block.time_s;
    for (const line of lines) {
      const entry = at(block.file, line);
      entry.own += block.time_s / tasks / lines.length;
      entry.whole += (whole ?? block.time_s) / tasks / lines.length;
      countLine(entry, block);
    }
  }
  return files;
});

const CERTAINTY = ["static", "trace", "probability", "assumed", "timing", "unknown"];

function countLine(entry, block) {
  if (block.count === null) entry.isUnknown = true;
  if (entry.count === null || amount(block.count) > amount(entry.count)) {
    entry.count = block.count;
    entry.source = block.source;
  }
}

function spread(block) {
  if (block.kind === "loop" || block.kind === "branch" || block.line_end === block.line_start) return [block.line_start];
  if (block.kind === "call" || block.kind === "mpi") return [block.line_start];
  const texts = linesOf(block.file);
  const lines = [];
  for (let line = block.line_start; line <= block.line_end; line++) if (isCode(texts[line - 1] || "")) lines.push(line);
  return lines.length > 0 ? lines : [block.line_start];
}

/** Lines and loops with the most time of their own, for a first look. */
function hottest(prediction, wanted) {
  const byBlock = new Map();
  for (const block of prediction.blocks) {
    const inside = block.kind === "mpi" ? block : innermostLoop(block, prediction);
    byBlock.set(inside, (byBlock.get(inside) || 0) + block.time_s);
  }
  const all = [...byBlock].map(([block, time]) => ({ block, time })).filter(({ time }) => time > 0);
  return all.sort((a, b) => b.time - a.time).slice(0, wanted);
}

function innermostLoop(block, prediction) {
  const ids = blocksById(prediction);
  for (let around = block; around; around = ids.get(around.parent)) if (around.kind === "loop") return around;
  let top = block;
  while (top.parent !== null && top.parent !== undefined && ids.get(top.parent)) top = ids.get(top.parent);
  return top;
}
