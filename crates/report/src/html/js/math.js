// Formulas as mathematics (MathML Core), from the LaTeX that a report has beside each formula's text: what chronos writes, not all of LaTeX.

/** An element of mathematics. */
function mathElement(tag, attributes, ...children) {
  const space = document.getElementById("mathematics").namespaceURI;
  return dress(document.createElementNS(space, tag), attributes, children);
}

const MATH_SIGNS = {
  cdot: "·", le: "≤", ge: "≥", equiv: "≡", bmod: "mod", sum: "∑", lfloor: "⌊", rfloor: "⌋", lceil: "⌈", rceil: "⌉",
  l: "", r: "", "{": "{", "}": "}", "-": "−", "*": "·",
};
const MATH_NAMES = { log: "log", max: "max", min: "min", mu: "µ" };
const MATH_TOKEN = /\\[a-zA-Z]+|\\.|\d+(?:\.\d+)?|[a-zA-Z]+|\s+|./gu;

/** Reads the tokens of a formula; throws where it has something that is not known here. */
class MathReader {
  constructor(latex) {
    this.tokens = latex.match(MATH_TOKEN).filter(token => token.startsWith("\\") || token.trim() !== "");
    this.at = 0;
  }

  get next() { return this.tokens[this.at]; }

  take(expected) {
    const token = this.tokens[this.at++];
    if (token === undefined || expected && token !== expected) throw new Error(`formula: ${token} at ${this.at}`);
    return token;
  }

  /** What stands before one of `ends`, which is left. */
  row(...ends) {
    const found = [];
    while (this.next !== undefined && !ends.includes(this.next)) found.push(this.scripted());
    return mathElement("mrow", {}, found);
  }

  group() {
    this.take("{");
    const inside = this.row("}");
    this.take("}");
    return inside;
  }

  /** The letters of a group as they are. */
  words() {
    this.take("{");
    let text = "";
    while (this.next !== "}") {
      const token = this.take(), name = token.replace("\\", "");
      text += token === name ? name : MATH_NAMES[name] ?? name;
    }
    this.take("}");
    return text;
  }

  /** One thing with what stands below and above it. */
  scripted() {
    const isSum = this.next === "\\sum", base = this.one(), parts = {};
    while (this.next === "^" || this.next === "_") parts[this.take()] = this.next === "{" ? this.group() : this.one();
    const [below, above] = [parts["_"], parts["^"]];
    if (below && above) return mathElement(isSum ? "munderover" : "msubsup", {}, base, below, above);
    if (below) return mathElement(isSum ? "munder" : "msub", {}, base, below);
    return above ? mathElement("msup", {}, base, above) : base;
  }

  one() {
    const token = this.take();
    if (token === "{") { this.at--; return this.group(); }
    if (/^\d/.test(token)) return mathElement("mn", {}, token);
    if (/^[a-zA-Z]/.test(token)) return mathElement("mi", {}, token);
    if (!token.startsWith("\\")) return mathElement("mo", {}, MATH_SIGNS[token] ?? token);
    return this.command(token.slice(1));
  }

  command(name) {
    switch (name) {
      case ",": return mathElement("mspace", { width: "0.17em" });
      case " ": return mathElement("mspace", { width: "0.33em" });
      case "frac": return mathElement("mfrac", {}, this.group(), this.group());
      case "sqrt": return mathElement("msqrt", {}, this.group());
      case "mathrm": case "text": return mathElement("mtext", {}, this.words());
      case "mathit": return mathElement("mi", {}, this.words());
      case "pmod": return mathElement("mrow", {}, mathElement("mtext", {}, " (mod "), this.group(), mathElement("mo", {}, ")"));
      case "left": return this.fenced();
      case "begin": return this.cases();
    }
    if (name in MATH_NAMES) return mathElement("mi", { mathvariant: "normal" }, MATH_NAMES[name]);
    if (name in MATH_SIGNS) return mathElement("mo", {}, MATH_SIGNS[name]);
    throw new Error(`formula: \\${name}`);
  }

  fence() {
    const token = this.take(), name = token.replace("\\", "");
    return mathElement("mo", { stretchy: "true" }, name === "." ? "" : MATH_SIGNS[name] ?? name);
  }

  fenced() {
    const [begin, inside] = [this.fence(), this.row("\\right")];
    this.take("\\right");
    return mathElement("mrow", {}, begin, inside, this.fence());
  }

  /** Pieces with their ranges, below each other. */
  cases() {
    const kind = this.words(), rows = [];
    while (this.next !== "\\end") {
      const cells = [this.row("&", "\\\\", "\\end")];
      while (this.next === "&") { this.take(); cells.push(this.row("&", "\\\\", "\\end")); }
      if (this.next === "\\\\") this.take();
      rows.push(mathElement("mtr", {}, cells.map(cell => mathElement("mtd", { style: { "text-align": "left" } }, cell))));
    }
    this.take("\\end");
    if (this.words() !== kind) throw new Error("formula: " + kind);
    return mathElement("mrow", {}, mathElement("mo", { stretchy: "true" }, "{"), mathElement("mtable", {}, rows));
  }
}

/** A formula as mathematics, its text where it has no other form; the text is what is copied. */
function formulaText({ text, latex }) {
  if (!latex) return h("code", {}, text);
  try {
    return mathElement("math", { display: "inline", title: text, "aria-label": text }, new MathReader(latex).row());
  } catch (error) {
    return h("code", { "data-unread": String(error) }, text);
  }
}
