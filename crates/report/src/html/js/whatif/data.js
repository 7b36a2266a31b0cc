// The studies of a what-if report, and which one is looked at.

const REPORT = DATA;
const STUDIES = REPORT.studies;
const ASKED = { study: STUDIES[0], percent: 20, kind: "", chosen: new Set() };
const askers = [];

/** Calls back whenever another study or percent is looked at. */
function onAsked(listener) {
  askers.push(listener);
}

function ask(what) {
  if ("study" in what) ASKED.chosen = new Set();
  Object.assign(ASKED, what);
  askers.forEach(listener => listener(what));
}

const KINDS = { function: "function", loop: "loop", task: "task", mpi_call: "MPI call", link: "link", topology_link: "topology link" };

/** The name of a study among all. */
function studyName({ base }) {
  const values = base.sweep.map(one => one.name + " = " + one.value);
  return [plural(base.tasks, "task"), base.platform.machine, "network " + base.platform.network, ...values].join(", ");
}

const pointsOf = row => row.y ? [[0, 0], ...Object.entries(row.y).map(([percent, saved]) => [Number(percent), saved])] : null;

/** The part of the total that is saved where a row takes so many percent less time; null where nothing was replayed. */
function savedAt(row, percent) {
  const points = pointsOf(row);
  if (!points) return null;
  const above = points.findIndex(([at]) => at >= percent);
  const [right, high] = points[above];
  if (right === percent || above === 0) return high;
  const [left, low] = points[above - 1];
  return low + (high - low) * (percent - left) / (right - left);
}

const placeOf = row => row.file ? baseName(row.file) + ":" + row.line : "";

/** The change that makes a row take so many percent less time, as the command takes it. */
function changeOf(row, percent) {
  const factor = percent < 100 ? Number((100 / (100 - percent)).toPrecision(6)) : null;
  if (row.kind === "function") return factor === null ? "zero=" + row.name : `speed=${row.name}:${factor}`;
  if (factor === null || row.kind === "link" || row.kind === "topology_link") return null;
  return row.kind === "task" ? `node=${row.name.replace("task ", "")}:${factor}` : `speed=${row.file}:${row.line}:${factor}`;
}

/** Texts of a command that a shell may take apart are quoted. */
const word = text => /^[\w@%+=:,./-]+$/.test(text) ? text : "'" + text.replaceAll("'", "'\\''") + "'";

function commandOf(study, changes) {
  const { base, program } = study;
  const system = ["--machine", base.platform.machine, "--network", base.platform.network];
  return ["chronos", "whatif", ...program, "-n", String(base.tasks), ...system, changes.join(" + ")].map(word).join(" ");
}
