// What a reader of the page does, and how checks are told: `check(what, holds)`.
const report = JSON.parse(document.getElementById("expected").textContent);
const failed = [];
let checks = 0;

function check(what, holds) {
  checks++;
  if (!holds) failed.push(what);
}

const wait = ms => new Promise(done => setTimeout(done, ms));
const find = selector => document.querySelector(selector);
const all = selector => [...document.querySelectorAll(selector)];

/** Seconds that a text says. */
function read(text) {
  const [, number, unit] = /(-?[\d.,]+)\s*(ps|ns|µs|ms|s)\b/.exec(text.replaceAll("\u202f", " ")) || [];
  return Number((number || "NaN").replaceAll(",", "")) * { ps: 1e-12, ns: 1e-9, "µs": 1e-6, ms: 1e-3, s: 1 }[unit];
}

/** A text shows four digits. */
function shows(text, value) {
  const seen = value === 0 ? 0 : read(text);
  return Math.abs(seen - value) <= 6e-4 * Math.abs(value) + (text.includes("<") ? 1e-12 : 0);
}

const whole = text => Number(text.replace(/[^\d.]/g, ""));

async function view(name) {
  find("#tab-" + name).click();
  await wait(60);
  check(name + ": the tab is chosen", find("#tab-" + name).getAttribute("aria-selected") === "true");
  check(name + ": the view is there and not empty", !find("#view-" + name).hidden && find("#view-" + name).textContent.length > 20);
}

function key(element, name, more) {
  element.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true, ...more }));
}

function point(element, kind, x, y, more) {
  const box = element.getBoundingClientRect();
  const place = { clientX: box.left + x, clientY: box.top + y, bubbles: true, cancelable: true, pointerId: 1, ...more };
  element.dispatchEvent(kind === "wheel" ? new WheelEvent(kind, place) : new PointerEvent(kind, place));
}

function tell() {
  for (const one of window.complaints) failed.push("the page complains: " + one);
  const verdict = document.createElement("pre");
  verdict.id = "verdict";
  verdict.textContent = failed.length === 0 ? `all ${checks} checks hold` : failed.join("\n");
  document.body.append(verdict);
}
