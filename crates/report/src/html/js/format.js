// Numbers as people read them. Times are seconds, sizes bytes.

const THIN = "\u202f";

/** Four significant digits and the unit that suits: 0.0421 is `42.10 ms`. */
function seconds(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "unknown";
  if (value === 0) return "0" + THIN + "s";
  const size = Math.abs(value);
  for (const [least, factor, unit] of [[0.99995, 1, "s"], [0.99995e-3, 1e3, "ms"], [0.99995e-6, 1e6, "µs"], [0.99995e-9, 1e9, "ns"]]) {
    if (size >= least) return digits(value * factor) + THIN + unit;
  }
  return size < 1e-12 ? "<1" + THIN + "ps" : digits(value * 1e12) + THIN + "ps";
}

/** Four significant digits; whole beyond. */
function digits(value) {
  const size = Math.abs(value);
  const behind = size >= 999.95 ? 0 : size >= 99.995 ? 1 : size >= 9.9995 ? 2 : 3;
  return behind === 0 ? grouped(Math.round(value)) : value.toFixed(behind);
}

function grouped(whole) {
  return String(whole).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

/** A count as the report has it: number, decimal text, or nothing where it is unknown. */
function count(value) {
  if (value === null || value === undefined) return "unknown";
  if (typeof value === "string") return grouped(value);
  if (Number.isInteger(value)) return grouped(value);
  return value >= 1e15 ? value.toExponential(3) : digits(value);
}

/** As a number, for sums and sorting. */
function amount(value) {
  return value === null || value === undefined ? 0 : Number(value);
}

function percent(part, whole) {
  if (!(whole > 0)) return "-";
  const share = 100 * part / whole;
  if (share > 0 && share < 0.05) return "<0.1" + THIN + "%";
  return share.toFixed(1) + THIN + "%";
}

function bytes(value) {
  for (const [size, unit] of [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]]) {
    if (value >= size) return digits(value / size) + THIN + unit;
  }
  return grouped(value) + THIN + "B";
}

/** `[low, high]` of a 90 % interval. */
function interval(bounds) {
  return bounds ? seconds(bounds[0]) + " to " + seconds(bounds[1]) : null;
}

function times(factor) {
  return factor >= 100 ? grouped(Math.round(factor)) + "×" : factor.toPrecision(3) + "×";
}

function plural(number, word, words = word + "s") {
  return grouped(number) + " " + (number === 1 ? word : words);
}

/** The last part of a path. */
function baseName(path) {
  return path.slice(path.lastIndexOf("/") + 1);
}
