// Canvases that are as sharp as the screen and as wide as their place.

const drawings = [];

/** A canvas that `paint(context, width, height)` fills whenever its size, its colours or its content change. */
function drawing(label, height, paint) {
  const canvas = h("canvas", { role: "img", "aria-label": label });
  canvas.style.height = height() + "px";
  let waiting = false;
  const now = () => {
    waiting = false;
    const box = canvas.getBoundingClientRect();
    const scale = devicePixelRatio || 1;
    canvas.style.height = height() + "px";
    const [width, tall] = [Math.round(box.width), height()];
    if (width === 0) return;
    canvas.width = width * scale;
    canvas.height = tall * scale;
    const context = canvas.getContext("2d");
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, tall);
    context.font = "11px " + getComputedStyle(document.body).fontFamily;
    paint(context, width, tall);
  };
  const repaint = () => {
    if (!waiting) requestAnimationFrame(now);
    waiting = true;
  };
  new ResizeObserver(repaint).observe(canvas);
  painted(repaint);
  drawings.push(now);
  return { canvas, repaint, now };
}

/** Round steps of which about `wanted` fit between two numbers. */
function ticks(from, to, wanted) {
  const rough = (to - from) / Math.max(1, wanted);
  if (!(rough > 0) || !Number.isFinite(rough)) return [from];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(n => n * power).find(size => size >= rough) || 10 * power;
  const all = [];
  for (let at = Math.ceil(from / step); at * step <= to * (1 + 1e-12); at++) all.push(at * step);
  return all;
}

/** The next of 1, 2, 5, 10, 20, 50, ... */
function roundStep(least) {
  for (let power = 1; ; power *= 10) for (const digit of [1, 2, 5]) if (digit * power >= least) return digit * power;
}

/** A pattern of slanted lines in a colour: waiting looks different without colours too. */
function hatch(context, ink, ground) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 6;
  const pen = tile.getContext("2d");
  pen.fillStyle = ground;
  pen.fillRect(0, 0, 6, 6);
  pen.strokeStyle = ink;
  pen.lineWidth = 1.4;
  pen.beginPath();
  for (const shift of [-6, 0, 6]) { pen.moveTo(shift, 6); pen.lineTo(shift + 6, 0); }
  pen.stroke();
  return context.createPattern(tile, "repeat");
}
