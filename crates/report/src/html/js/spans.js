// What happened when: spans of tasks, messages between them, the critical path, as the timeline wants them.

const SPAN_KINDS = {
  compute: ["compute", "compute"], send: ["send", "send"], receive: ["receive", "receive"],
  collective: ["collective", "collective"], wait: ["wait", "wait", true],
};

const happened = lazily(prediction => {
  const kept = prediction.replayed || {};
  const coarse = kept.timeline && kept.timeline.coarse;
  const spans = new Map(list(kept.timeline && kept.timeline.tasks).map(task => [task.rank, list(task.spans)]));
  const far = coarse && list(coarse.ranks).length > 0 ? coarse.ranks : coarse && coarse.tasks.map((_, rank) => rank);
  const ranks = far || [...spans.keys()];
  const alike = new Map(prediction.tasks.map(task => [task.rank, task]));
  const name = rank => alike.has(rank) && alike.get(rank).class ? `task ${rank}, one of ${grouped(countOf(alike.get(rank)))} alike` : "task " + rank;
  const rows = ranks.map((rank, at) => ({ rank, name: name(rank), task: alike.get(rank), spans: spans.get(rank) || [], far: coarse ? stretches(coarse, at) : [] }));
  const rowOf = new Map(rows.map((row, at) => [row.rank, at]));
  const messages = list(kept.messages && kept.messages.list);
  const byTask = new Map();
  const note = (rank, message) => { if (!byTask.has(rank)) byTask.set(rank, []); byTask.get(rank).push(message); };
  messages.forEach(message => { note(message.from, message); if (message.to !== message.from) note(message.to, message); });
  const ends = rows.map(row => row.spans.length > 0 ? row.spans[row.spans.length - 1].end_s : 0);
  const total = Math.max(prediction.known_s || 0, ...prediction.tasks.map(task => task.total_s), ...ends, 1e-12);
  return { rows, rowOf, messages, byTask, total, path: prediction.critical_path, cut: [kept.timeline, kept.messages, kept.matrix].map(part => part && part.cut).filter(Boolean), until: kept.timeline ? kept.timeline.complete_until_s : 0 };
});

const FAR_KINDS = { c: "compute", s: "send", r: "receive", g: "collective", w: "wait" };

/** From `12c3w` to stretches of time in which a task mostly did one thing. */
function stretches({ step_s, tasks }, row) {
  let at = 0;
  const all = [];
  for (const [, times, letter] of (tasks[row] || "").matchAll(/(\d+)(.)/g)) {
    const end = at + Number(times);
    if (FAR_KINDS[letter]) all.push({ kind: FAR_KINDS[letter], begin_s: at * step_s, end_s: end * step_s, far: true });
    at = end;
  }
  return all;
}

/** The first span that ends behind a time. */
function spanFrom(spans, time) {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (spans[middle].end_s > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Messages that a span has to do with. */
function messagesOf(data, rank, span) {
  if (!span || span.kind === "compute" || span.kind === "collective") return [];
  const near = 1e-9 * data.total;
  const inside = time => time >= span.begin_s - near && time <= span.end_s + near;
  const fits = message => span.partner === undefined || span.partner === null || message.from === span.partner || message.to === span.partner;
  return (data.byTask.get(rank) || []).filter(message => fits(message) && (message.from === rank && inside(message.sent_s) || message.to === rank && inside(message.received_s)));
}

const callOf = span => span.place ? span.place.call : "";

/** What a span is, in words. */
function spanText({ name }, span) {
  const place = span.place ? ` in ${callOf(span)} at ${baseName(span.place.file)}:${span.place.line}` : "";
  return `${name}: ${span.far ? "mostly " : ""}${span.kind}${place}, ${seconds(span.end_s - span.begin_s)} from ${seconds(span.begin_s)}`;
}

function spanFacts({ rank, name }, span, messages) {
  if (span.far) return [h("b", {}, `${name}: mostly ${span.kind}`), facts([["from", seconds(span.begin_s)], ["to", seconds(span.end_s)]]), h("div", { class: "hint" }, "from afar: single spans were not kept here")];
  const has = value => value !== undefined && value !== null;
  const [message] = messages;
  const size = has(span.bytes) ? span.bytes : message && message.bytes;
  const partner = has(span.partner) ? span.partner : message && (message.from === rank ? message.to : message.from);
  const other = message && (message.from === rank ? message.receive : message.send);
  return [h("b", {}, `${name}: ${span.kind}${span.place ? ", " + callOf(span) : ""}`), facts([
    ["takes", seconds(span.end_s - span.begin_s)], ["from", seconds(span.begin_s)], ["to", seconds(span.end_s)],
    ["partner", has(partner) ? "task " + partner : null], ["bytes", has(size) ? bytes(size) : null], ["tag", has(span.tag) ? span.tag : message ? message.tag : null],
    ["at", span.place ? baseName(span.place.file) + ":" + span.place.line : null], ["other end", other ? `${other.call} at ${baseName(other.file)}:${other.line}` : null],
    ["messages", messages.length > 1 ? grouped(messages.length) : null]])];
}
