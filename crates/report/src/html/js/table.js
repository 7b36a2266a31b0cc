// Tables that sort by the headings of their columns.

/** So many rows are shown before one asks for more. */
const ROWS = 200;

/**
 * `columns`: {label, title, value(row) for sorting, show(row), numeric, bar(row) from 0 to 1}; the first names the row.
 * `sort`: {column, down}; `words(row)`: the text that a filter looks for, where there is to be one. Returns the element; `element.sortBy(column, down)` sorts.
 */
function sortable({ caption, columns, rows, sort, chosen, label, words }) {
  const body = h("tbody");
  let limit = ROWS;
  let order = { ...sort };
  let wanted = [];
  const more = h("button", { type: "button", class: "quiet more", onclick: () => { limit = Infinity; update(); } });
  const heads = columns.map((column, at) => heading(column, () => by(at)));
  const table = h("table", { class: "sortable" }, h("caption", { class: "unseen" }, caption), h("thead", {}, h("tr", {}, heads)), body);

  function by(at, down) {
    order = { column: at, down: down !== undefined ? down : order.column === at ? !order.down : !!columns[at].numeric };
    update();
    say(caption + ": sorted by " + columns[at].label + (order.down ? ", descending" : ", ascending"));
  }
  function update() {
    const { value } = columns[order.column];
    const shown = rows.filter(row => wanted.every(word => words(row).toLowerCase().includes(word)));
    const sorted = shown.map((row, at) => [value(row), at, row]).sort((a, b) => {
      const less = typeof a[0] === "string" ? a[0].localeCompare(b[0], "en") : a[0] - b[0];
      return (order.down ? -less : less) || a[1] - b[1];
    });
    heads.forEach((head, at) => head.setAttribute("aria-sort", at === order.column ? (order.down ? "descending" : "ascending") : "none"));
    refill(body, sorted.slice(0, limit).map(([, , row]) => line(row, columns, chosen)));
    more.hidden = sorted.length <= limit;
    more.textContent = "show all " + grouped(sorted.length) + " rows";
  }
  function filter(text) {
    wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
    update();
    say(caption + ": " + plural(body.children.length, "row"));
  }
  update();
  const search = words && rows.length > 1 ? h("input", { type: "search", class: "filter", placeholder: "filter by name or file", "aria-label": "filter " + caption, oninput: event => filter(event.target.value) }) : null;
  const box = h("div", { class: "table-box", tabindex: "0", role: "region", "aria-label": label || caption }, search, table, more);
  box.sortBy = by;
  box.showAll = () => { limit = Infinity; update(); };
  return box;
}

function heading({ label, title, numeric }, onclick) {
  const button = h("button", { type: "button", onclick, title: title || null }, label, h("span", { class: "arrow", "aria-hidden": "true" }));
  return h("th", { scope: "col", class: numeric ? "number" : null }, button);
}

function line(row, columns, chosen) {
  const cells = columns.map((column, at) => {
    const bar = column.bar ? h("span", { class: "bar", "aria-hidden": "true", style: { "--share": String(column.bar(row)) } }) : null;
    const kind = column.numeric ? "number" : column.kind || null;
    return h(at === 0 ? "th" : "td", { class: kind, scope: at === 0 ? "row" : null }, bar, column.show(row));
  });
  return h("tr", { class: chosen && chosen(row) ? "chosen" : null }, cells);
}

/** Parts of a whole as one bar with its legend: parts are [name, value, colour name, is hatched]. */
function stacked(parts, whole, label) {
  const shown = parts.filter(([, value]) => value > 0);
  const text = label + ": " + shown.map(([name, value]) => name + " " + percent(value, whole)).join(", ");
  const piece = ([name, value, ink, hatched]) => {
    const part = h("span", { class: hatched ? "hatched" : null, style: { width: 100 * value / whole + "%", "--ink": "var(--" + ink + ")" } });
    return withTip(part, () => name + " " + seconds(value) + " (" + percent(value, whole) + ")");
  };
  return h("div", { class: "stacked", role: "img", "aria-label": text }, whole > 0 ? shown.map(piece) : null);
}

/** What colours mean: entries are [name, colour name, is hatched]. */
function legend(entries) {
  const one = ([name, ink, hatched]) =>
    h("li", {}, h("span", { class: "swatch" + (hatched ? " hatched" : ""), style: { "--ink": "var(--" + ink + ")" } }), name);
  return h("ul", { class: "legend", "aria-label": "colours" }, entries.map(one));
}
