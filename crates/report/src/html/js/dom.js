// Elements. Text goes in as text, so nothing of a report is ever read as markup.

/** An element: attributes, `on...` handlers, `style` as an object, then children (texts, elements, lists, nothing). */
function h(tag, attributes, ...children) {
  return dress(document.createElement(tag), attributes, children);
}

/** An element of a drawing. */
function s(tag, attributes, ...children) {
  const space = document.getElementById("shapes").namespaceURI;
  return dress(document.createElementNS(space, tag), attributes, children);
}

function dress(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, text] of Object.entries(value)) element.style.setProperty(key, text);
    else element.setAttribute(name, value === true ? "" : value);
  }
  fill(element, children);
  return element;
}

function fill(element, children) {
  for (const child of [children].flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/** Puts children in the place of those that are there. */
function refill(element, ...children) {
  element.replaceChildren();
  fill(element, children);
}

/** Tells those who cannot see. */
function say(text) {
  document.getElementById("said").textContent = text;
}

/** A text beside the pointer; `null` hides it. */
function tip(content, x, y) {
  const box = document.getElementById("tip");
  box.hidden = content === null;
  if (content === null) return;
  refill(box, content);
  const { width, height } = box.getBoundingClientRect();
  const left = Math.min(x + 14, innerWidth - width - 8);
  const top = y + 18 + height > innerHeight ? y - height - 10 : y + 18;
  box.style.left = Math.max(4, left) + "px";
  box.style.top = Math.max(4, top) + "px";
}

/** Shows a text as long as the pointer or the focus is on an element. */
function withTip(element, content) {
  const show = (x, y) => tip(typeof content === "function" ? content() : content, x, y);
  element.addEventListener("pointermove", event => show(event.clientX, event.clientY));
  element.addEventListener("pointerleave", () => tip(null));
  element.addEventListener("focus", () => {
    if (!element.matches(":focus-visible")) return;
    const box = element.getBoundingClientRect();
    show(box.left, box.bottom - 14);
  });
  element.addEventListener("blur", () => tip(null));
  return element;
}

/** Lines of names and values, for tips and details. */
function facts(pairs) {
  const shown = pairs.filter(pair => pair && pair[1] !== undefined && pair[1] !== null && pair[1] !== "");
  return h("dl", { class: "facts" }, shown.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}

/** A section with a heading that names it. */
function section(title, hint, ...children) {
  const id = "heading-" + section.count++;
  return h("section", { class: "card", "aria-labelledby": id },
    h("div", { class: "card-head" }, h("h2", { id }, title), hint && h("p", { class: "hint" }, hint)), children);
}
section.count = 0;

/** A text with a button that copies it. */
function copyable(text) {
  const done = () => { button.textContent = "copied"; setTimeout(() => { button.textContent = "copy"; }, 1200); };
  const byHand = () => { getSelection().selectAllChildren(code); document.execCommand("copy"); done(); };
  const copy = () => navigator.clipboard ? navigator.clipboard.writeText(text).then(done, byHand) : byHand();
  const code = h("code", {}, text);
  const button = h("button", { class: "copy", type: "button", onclick: copy, "aria-label": "copy " + text }, "copy");
  return h("span", { class: "copyable" }, code, button);
}

/** Moves the focus among buttons of a group by arrow keys. */
function arrowKeys(group, selector) {
  group.addEventListener("keydown", event => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const all = [...group.querySelectorAll(selector)];
    const at = all.indexOf(document.activeElement);
    if (!step && event.key !== "Home" && event.key !== "End" || at < 0) return;
    const next = event.key === "Home" ? 0 : event.key === "End" ? all.length - 1 : (at + step + all.length) % all.length;
    event.preventDefault();
    all[next].focus();
    all[next].click();
  });
}
