// What the prediction rests on and what it lacks, each with its remedy.

/** Assumptions of all predictions, each once. */
function assumptions() {
  const found = new Map();
  for (const prediction of PREDICTIONS) {
    for (const one of prediction.assumptions) {
      const key = [one.file, one.line, one.text].join("\0");
      if (!found.has(key)) found.set(key, { ...one, of: [] });
      found.get(key).of.push(prediction);
    }
  }
  return [...found.values()];
}

const noteGroups = () => assumptions().length;

function notes() {
  const all = list(REPORT.diagnostics);
  const of = severity => all.filter(one => one.severity === severity);
  const groups = [["Errors", "error", "What the prediction lacks, or what is wrong with the program."], ["Warnings", "warning", "The result is complete under an assumption or an approximation."], ["Notes", "note", null]];
  const shown = groups.filter(([, severity]) => of(severity).length > 0)
    .map(([title, severity, hint]) => section(`${title} (${of(severity).length})`, hint, h("ul", { class: "notes" }, of(severity).map(diagnostic))));
  const nothing = shown.length === 0 && noteGroups() === 0 ? section("Nothing to tell", null, h("p", {}, "Every count is exact, and nothing was assumed.")) : null;
  return h("div", { class: "view-notes" }, nothing, assumptionsSection(), shown, certainty(), made());
}

function assumptionsSection() {
  const all = assumptions();
  if (all.length === 0) return null;
  const one = given => h("li", { class: "warning" }, h("p", {}, placeLink(given.file, given.line), " ", given.text),
    h("p", { class: "remedy" }, "To say what it is: ", copyable(given.remedy)),
    given.of.length < PREDICTIONS.length ? h("p", { class: "hint" }, "Of " + given.of.map(one => nameOf(one)).join("; ")) : null);
  return section(`Assumptions (${all.length})`, "Nobody gave these; the times rest on them.", h("ul", { class: "notes" }, all.map(one)));
}

function diagnostic(one) {
  const [main, ...origins] = list(one.labels);
  const place = label => placeLink(label.file, label.line);
  const chain = origins.map(label => h("li", {}, place(label), " ", label.text));
  return h("li", { class: one.severity }, h("p", {}, h("span", { class: "diag" }, one.code), " ", main ? [place(main), " "] : null, one.message),
    main && main.text ? h("p", { class: "hint" }, main.text) : null,
    chain.length > 0 ? h("ul", { class: "plain" }, chain) : null,
    one.help ? h("p", { class: "remedy" }, withCommands(one.help)) : null);
}

/** Options in a text can be copied. */
function withCommands(text) {
  return text.split(/(--[a-z][a-z-]* [^\s,;]+)/).map((part, at) => at % 2 === 1 ? copyable(part) : part);
}

/** How certain the counts are. */
function certainty() {
  const blocks = STATE.prediction.blocks;
  if (blocks.length === 0) return null;
  const numbers = CERTAINTY.map(source => [source, blocks.filter(block => block.source === source).length]).filter(([, number]) => number > 0);
  const item = ([source, number]) => h("li", {}, h("span", { class: "badge " + source }, source), " ", plural(number, "block"), h("span", { class: "hint" }, " " + SOURCES[source]));
  return section("How certain the counts are", null, h("ul", { class: "plain" }, numbers.map(item)));
}

function made() {
  const program = REPORT.program;
  return section("How it was made", null, facts([["files", program.files.join(" ")], ["arguments", program.arguments.join(" ")], ["defines", program.defines.join(" ")],
    ["predictions", h("ul", { class: "plain" }, PREDICTIONS.map(one => h("li", {}, nameOf(one, true) + ", model " + one.cost_model)))], ["format", REPORT.schema]]),
    h("p", { class: "hint" }, "Times are predicted by chronos from the source; the program was not run. What an interval holds, and what it takes as exact, is told beside the total."));
}
