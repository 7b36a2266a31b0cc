// Paints the timeline: spans, messages, the critical path, the axis.

/** So many messages are drawn at once; more would be a grey wall. */
const MESSAGES_DRAWN = 6000;

function paintTimeline(view, context, width) {
  const looks = {};
  for (const [kind, [, ink, hatched]] of Object.entries(SPAN_KINDS)) looks[kind] = hatched ? hatch(context, colour("wait-ink"), colour(ink)) : colour(ink);
  const frame = {
    context, width, looks, tall: view.height / view.rows,
    x: time => GUTTER + (time - view.from) / (view.to - view.from) * (width - GUTTER),
    y: row => AXIS + (row - view.top) / view.rows * view.height,
  };
  context.save();
  context.beginPath();
  context.rect(GUTTER, AXIS, width - GUTTER, view.height);
  context.clip();
  paintRows(view, frame);
  if (view.messages) paintMessages(view, frame);
  if (view.path) paintPath(view, frame);
  paintChoice(view, frame);
  context.restore();
  paintAxis(view, frame);
  paintRanks(view, frame);
  view.scale.textContent = `${seconds(view.from)} to ${seconds(view.to)} (${seconds(view.to - view.from)})`;
}

function paintRows(view, frame) {
  const gap = frame.tall > 8 ? 3 : frame.tall > 4 ? 1 : 0;
  const last = Math.min(view.data.rows.length, Math.ceil(view.top + view.rows));
  for (let row = Math.floor(view.top); row < last; row++) {
    const box = { top: frame.y(row) + gap / 2, tall: Math.max(1, frame.tall - gap) };
    paintRest(view, frame, row, box);
    paintFar(view, frame, view.data.rows[row], box);
    paintSpans(view, frame, view.data.rows[row].spans, box);
  }
}

/** What was not kept of a task. */
function paintRest(view, frame, row, { top, tall }) {
  const { task, spans } = view.data.rows[row];
  const end = spans.length > 0 ? spans[spans.length - 1].end_s : 0;
  // The total of a class is a mean.
  const near = Math.max(1e-9 * view.data.total, task && task.class ? task.class.spread_s : 0);
  if (!task || task.total_s - end <= near) return;
  frame.context.fillStyle = colour("rest");
  frame.context.fillRect(frame.x(end), top, frame.x(task.total_s) - frame.x(end), tall);
}

/** Paler, behind the last span that was kept. */
function paintFar(view, { context, x, looks }, { spans, far }, { top, tall }) {
  const known = spans.length > 0 ? spans[spans.length - 1].end_s : 0;
  context.globalAlpha = 0.62;
  for (let at = spanFrom(far, Math.max(view.from, known)); at < far.length && far[at].begin_s < view.to; at++) {
    const left = x(Math.max(known, far[at].begin_s));
    context.fillStyle = looks[far[at].kind];
    context.fillRect(left, top, Math.max(0.5, x(far[at].end_s) - left), tall);
  }
  context.globalAlpha = 1;
}

/** Spans narrower than a pixel share it; the kind with the most time has it. */
function paintSpans(view, { context, x, looks }, spans, { top, tall }) {
  let pixel = -1;
  let shares = null;
  const flush = () => {
    if (!shares) return;
    const [kind] = Object.entries(shares).reduce((a, b) => (b[1] > a[1] ? b : a));
    context.fillStyle = looks[kind] || looks.compute;
    context.fillRect(pixel, top, 1, tall);
    shares = null;
  };
  for (let at = spanFrom(spans, view.from); at < spans.length && spans[at].begin_s < view.to; at++) {
    const span = spans[at];
    const [left, right] = [x(span.begin_s), x(span.end_s)];
    if (right - left >= 1) {
      flush();
      context.fillStyle = looks[span.kind] || looks.compute;
      context.fillRect(left, top, right - left, tall);
      label(context, span, left, right, top, tall);
      continue;
    }
    if (Math.floor(left) !== pixel) { flush(); pixel = Math.floor(left); shares = {}; }
    shares = shares || {};
    shares[span.kind] = (shares[span.kind] || 0) + right - left;
  }
  flush();
}

function label(context, span, left, right, top, tall) {
  const text = callOf(span) || "";
  const room = Math.min(right, context.canvas.clientWidth) - Math.max(left, GUTTER);
  if (tall < 13 || room < 40 || !text || context.measureText(text).width > room - 8) return;
  context.fillStyle = colour(span.kind === "wait" ? "on-wait" : "on-" + SPAN_KINDS[span.kind][1]);
  context.textAlign = "left";
  context.textBaseline = "middle";
  context.fillText(text, Math.max(left, GUTTER) + 4, top + tall / 2 + 0.5);
}

function paintMessages(view, frame) {
  const shown = view.data.messages.filter(m => m.received_s >= view.from && m.sent_s <= view.to && view.data.rowOf.has(m.from) && view.data.rowOf.has(m.to));
  const few = shown.length <= 400;
  const stride = Math.max(1, Math.ceil(shown.length / MESSAGES_DRAWN));
  frame.context.strokeStyle = colour("message");
  frame.context.globalAlpha = few ? 0.8 : Math.max(0.15, 0.6 - shown.length / 8000);
  frame.context.lineWidth = 1;
  for (let at = 0; at < shown.length; at += stride) arrow(view, frame, shown[at], few);
  frame.context.globalAlpha = 1;
}

function arrow(view, { context, x, y, tall }, message, head) {
  const [from, to] = [view.data.rowOf.get(message.from), view.data.rowOf.get(message.to)];
  const [x1, x2] = [x(message.sent_s), x(message.received_s)];
  const [y1, y2] = [y(from) + tall * (from < to ? 0.8 : 0.2), y(to) + tall * (from < to ? 0.2 : 0.8)];
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  if (head) {
    const turn = Math.atan2(y2 - y1, x2 - x1);
    for (const side of [-0.45, 0.45]) {
      context.moveTo(x2, y2);
      context.lineTo(x2 - 6 * Math.cos(turn + side), y2 - 6 * Math.sin(turn + side));
    }
  }
  context.stroke();
}

function paintPath(view, { context, x, y, tall }) {
  const middle = rank => y(view.data.rowOf.get(rank)) + tall / 2;
  const draw = () => {
    context.beginPath();
    let started = false;
    for (const part of view.data.path) {
      if (!view.data.rowOf.has(part.rank)) continue;
      const at = middle(part.rank);
      if (started) context.lineTo(x(part.begin_s), at);
      else context.moveTo(x(part.begin_s), at);
      context.lineTo(x(part.end_s), at);
      started = true;
    }
    context.stroke();
  };
  context.lineJoin = "round";
  context.lineWidth = tall > 6 ? 5 : 3.5;
  context.strokeStyle = colour("ground");
  draw();
  context.lineWidth = tall > 6 ? 2.5 : 1.75;
  context.strokeStyle = colour("path");
  draw();
  context.lineWidth = 1;
}

/** What is pointed at and what is kept, with its messages. */
function paintChoice(view, frame) {
  const { context, x, y, tall } = frame;
  for (const found of [view.hover, view.span]) {
    if (!found) continue;
    context.strokeStyle = colour("text");
    context.lineWidth = 2;
    const [left, right] = [x(found.span.begin_s), x(found.span.end_s)];
    context.strokeRect(left, y(found.row) + 1, Math.max(2, right - left), Math.max(2, tall - 2));
    messagesOf(view.data, found.task.rank, found.span).filter(m => view.data.rowOf.has(m.from) && view.data.rowOf.has(m.to)).slice(0, 50).forEach(m => arrow(view, frame, m, true));
  }
  if (view.stretch) {
    context.fillStyle = colour("choice");
    context.fillRect(view.stretch[0], AXIS, view.stretch[1] - view.stretch[0], view.height);
  }
}

function paintAxis(view, { context, width, x }) {
  context.fillStyle = colour("faint");
  context.strokeStyle = colour("rule");
  context.textBaseline = "middle";
  context.textAlign = "center";
  const steps = ticks(view.from, view.to, (width - GUTTER) / 110);
  const unit = steps.length > 1 ? steps[1] - steps[0] : view.to - view.from;
  for (const at of steps) {
    const place = Math.round(x(at)) + 0.5;
    context.beginPath();
    context.moveTo(place, AXIS - 5);
    context.lineTo(place, AXIS + view.height);
    context.globalAlpha = 0.5;
    context.stroke();
    context.globalAlpha = 1;
    context.fillText(tickText(at, unit), Math.max(GUTTER + 18, Math.min(width - 26, place)), AXIS / 2 - 1);
  }
}

/** As many digits as neighbouring ticks need. */
function tickText(at, step) {
  const [factor, unit] = at >= 1 || step >= 1 ? [1, "s"] : at >= 1e-3 || step >= 1e-3 ? [1e3, "ms"] : at >= 1e-6 || step >= 1e-6 ? [1e6, "µs"] : [1e9, "ns"];
  const behind = Math.max(0, Math.min(9, -Math.floor(Math.log10(step * factor) + 1e-9)));
  return at === 0 ? "0" : (at * factor).toFixed(behind) + " " + unit;
}

function paintRanks(view, { context, tall, y }) {
  const every = roundStep(13 / tall);
  const last = Math.min(view.data.rows.length, Math.ceil(view.top + view.rows));
  for (let row = Math.ceil(Math.max(0, view.top - 0.5) / every) * every; row < last; row += every) {
    const middle = y(row) + tall / 2;
    if (middle > AXIS - 2 && middle < AXIS + view.height) number(context, String(view.data.rows[row].rank), GUTTER - 8, Math.max(AXIS + 6, middle));
  }
}
