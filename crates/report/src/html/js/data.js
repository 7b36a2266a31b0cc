// The report, with what every view wants to know of it. Nothing is computed here that the report does not say.

const REPORT = DATA;
const PREDICTIONS = REPORT.predictions.map((prediction, at) => enriched(prediction, at));
const FILES = Object.keys(REPORT.sources || {});

function enriched(prediction, at) {
  const { machine, network } = prediction.platform;
  return {
    ...prediction, at, machine, network,
    complete: prediction.symbolic ? prediction.symbolic.complete : prediction.total_s !== null,
    tasks: list(prediction.tasks).map(taskRow), single_tasks: list(prediction.single_tasks).map(taskRow), functions: list(prediction.functions), calls: list(prediction.calls),
    sweep: list(prediction.sweep), loops: list(prediction.loops), call_tree: list(prediction.call_tree), assumptions: list(prediction.assumptions),
    critical_path: list(prediction.critical_path), wtime: list(prediction.wtime), sensitivity: list(prediction.sensitivity),
    blocks: prediction.symbolic ? symbolicBlocks(prediction.symbolic, prediction.tasks_count) : list(prediction.blocks),
    replayed: prediction.replayed || null,
  };
}

function taskRow(task) {
  return { ready_s: 0, ...task };
}

/** How many tasks a row stands for: one, or a class of tasks that spend their time alike. */
const countOf = row => row.class ? row.class.count : 1;

/** The ranks of a row; a long set is cut. */
function ranksOf(row, room = 24) {
  const text = row.class ? row.class.ranks : String(row.rank);
  return text.length <= room ? text : text.slice(0, text.lastIndexOf(",", room - 3) + 1) + "...";
}

function list(maybe) {
  return Array.isArray(maybe) ? maybe : [];
}

/** Whether something is the same for all predictions. */
const same = key => PREDICTIONS.every(prediction => prediction[key] === PREDICTIONS[0][key]);

/** What tells a prediction from the others. */
function nameOf(prediction, wholly) {
  const parts = [prediction.machine];
  if (wholly || !same("network")) parts.push(prediction.network);
  if (wholly || !same("tasks_count")) parts.push(plural(prediction.tasks_count, "task"));
  parts.push(...prediction.sweep.map(one => one.name + " = " + one.value));
  const name = parts.join(", ");
  const alike = PREDICTIONS.filter(other => pointOf(other) === pointOf(prediction));
  return alike.length > 1 ? name + " (" + (alike.indexOf(prediction) + 1) + ")" : name;
}

/** All that a prediction was asked for with, but for the files of one name. */
const pointOf = one => JSON.stringify([one.machine, one.network, one.tasks_count, one.sweep]);

/** Predictions of the same number of tasks: what can be compared side by side. */
function beside(prediction) {
  return PREDICTIONS.filter(other => other.tasks_count === prediction.tasks_count);
}

const lazily = make => { const made = new Map(); return key => { if (!made.has(key)) made.set(key, make(key)); return made.get(key); }; };

/** The same block or function in another prediction: its place is the same, whatever its number. */
const placeOf = block => [block.file, block.line_start, block.column_start, block.line_end, block.column_end, block.kind, block.function, block.unit].join("\0");
const blocksByPlace = lazily(prediction => new Map(prediction.blocks.map(block => [placeOf(block), block])));
const functionPlaceOf = f => [f.name, f.file, f.line, f.unit].join("\0");
const functionsByPlace = lazily(prediction => new Map(prediction.functions.map(f => [functionPlaceOf(f), f])));
const sameBlock = (block, prediction) => blocksByPlace(prediction).get(placeOf(block)) || null;
const sameFunction = (f, prediction) => functionsByPlace(prediction).get(functionPlaceOf(f)) || null;

const blocksById = lazily(prediction => new Map(prediction.blocks.map(block => [block.id, block])));
const loopsById = lazily(prediction => new Map(prediction.loops.map(loop => [loop.block, loop])));
const callsById = lazily(prediction => new Map(prediction.calls.map(call => [call.block, call])));

/** Time of all tasks together: what sums over tasks are shares of. */
const taskSeconds = lazily(prediction => {
  const parts = prediction.symbolic ? prediction.blocks.map(block => block.time_s) : prediction.tasks.map(task => task.total_s * countOf(task));
  return parts.reduce((all, part) => all + part, 0);
});

/** A function's name, with the source file whose copy it is where several have one. */
const functionTitle = f => f.unit ? f.name + " in " + f.unit : f.name;

/** The parts of time; ready: without a processor, where tasks share them: [name, key, colour name, is hatched]. */
const PARTS = [
  ["compute", "compute_s", "compute"], ["send", "send_s", "send"], ["receive", "recv_s", "receive"],
  ["collective", "collective_s", "collective"], ["wait", "idle_s", "wait", true],
  ...(PREDICTIONS.some(prediction => prediction.tasks.some(task => task.ready_s > 0)) ? [["ready", "ready_s", "compute", true]] : []),
];

/** Causes of idle time: [name, key, what it means]. */
const CAUSES = [
  ["late sender", "late_sender_s", "a receive waited for a message that had not been sent"],
  ["late receiver", "late_receiver_s", "a send waited for a receive that had not been posted"],
  ["late member", "late_member_s", "a collective operation waited for members that had not come"],
];

const SOURCES = {
  static: "exact: follows from the source",
  trace: "from a trace of a run",
  probability: "weighted by a probability or trip count that was given",
  assumed: "weighted by a probability that nobody gave",
  timing: "depends on the order in which messages arrive",
  unknown: "nobody knows",
};

const KINDS = { straight: "straight-line code", call: "call", mpi: "MPI call", loop: "loop", branch: "branch" };

/** The name of what a call block calls, read from the source where the report has no name. */
function calleeOf(block, prediction) {
  if (block.callee) return block.callee;
  const call = callsById(prediction).get(block.id);
  if (call) return call.function;
  const lines = linesOf(block.file);
  const text = lines[block.line_start - 1] || "";
  const name = /^[A-Za-z_]\w*/.exec(text.slice(block.column_start - 1));
  return name ? name[0] : "";
}

const linesOf = lazily(file => ((REPORT.sources || {})[file] || "").replace(/\r\n?/g, "\n").split("\n"));

/** What a block is called: `loop at 16`, `call of sqr`, ... */
function titleOf(block, prediction) {
  const lines = block.line_start === block.line_end ? "line " + block.line_start : "lines " + block.line_start + " to " + block.line_end;
  if (block.kind === "call" || block.kind === "mpi") return (calleeOf(block, prediction) || KINDS[block.kind]) + ", " + lines;
  return KINDS[block.kind] + ", " + lines;
}
