// Reads the page of a what-if study as a person would and compares what it says with the report.
/** A percentage; less than any that is shown is none. */
const figure = text => text.includes("<") ? 0 : Number(text.replace(/[^\d.-]/g, ""));

async function rankHolds(study) {
  const rows = study.rank || [];
  for (const percent of [5, 20, 50, 100]) {
    const slider = find("#percent");
    slider.value = String(percent);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    await wait(30);
    check("the slider says " + percent, whole(find("#percent-said").textContent) === percent);
    for (const row of rows.filter(row => row.y)) {
      const shown = all("[data-saved]").filter(cell => cell.dataset.saved === row.name).map(cell => figure(cell.textContent));
      const expected = 100 * row.y[percent];
      check(`${row.name} saves ${expected} at ${percent}: ${shown}`, shown.some(value => Math.abs(value - expected) <= 0.0501));
    }
    const saved = all("[data-saved]").map(cell => cell.textContent).filter(text => text !== "-").map(figure);
    check("the most comes first at " + percent, saved.every((value, at) => at === 0 || value <= saved[at - 1] + 0.1));
  }
}

async function kindsHold(study) {
  const kinds = [...new Set((study.rank || []).map(row => row.kind))];
  for (const kind of kinds) {
    const picker = find("#kind");
    picker.value = kind;
    picker.dispatchEvent(new Event("change", { bubbles: true }));
    await wait(30);
    check("rows of kind " + kind, all("[data-saved]").length === study.rank.filter(row => row.kind === kind).length);
  }
  find("#kind").value = "";
  find("#kind").dispatchEvent(new Event("change", { bubbles: true }));
  await wait(30);
}

/** Rows that are chosen stand side by side, with the command that replays both. */
async function choosingHolds(study) {
  const functions = (study.rank || []).filter(row => row.kind === "function").slice(0, 2);
  const slider = find("#percent");
  slider.value = "50";
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  for (const row of functions) {
    const button = all("tbody th button").find(button => button.textContent === row.name && !button.closest("tr").classList.contains("chosen"));
    button.click();
    await wait(30);
  }
  const text = find("#answer").textContent;
  for (const row of functions) check("the command asks for " + row.name, text.includes(`speed=${row.name}:2`));
  check("a plot of the chosen", all("#answer .plot .line").length === functions.length);
}

function changesHold(study) {
  for (const row of study.rows) {
    const cells = all("[data-change]").filter(cell => cell.dataset.change === row.change);
    check("change " + row.change, cells.some(cell => row.total_s === null ? cell.textContent.includes("does not end") : shows(cell.textContent, row.total_s)));
    for (const note of row.notes) check("note: " + note, find("main").textContent.includes(note));
  }
}

function efficienciesHold(study) {
  if (!study.efficiency) return;
  for (const item of all("[data-efficiency]")) {
    const value = study.efficiency[item.dataset.efficiency];
    const [, shown] = /([\d.]+)\s*%/.exec(item.textContent.replaceAll("\u202f", " "));
    check("efficiency " + item.dataset.efficiency, Math.abs(Number(shown) - 100 * value) <= 0.0501);
    check("what is low is said: " + item.dataset.efficiency, item.textContent.includes(value >= 0.8 ? "good" : "low"));
  }
  check("all efficiencies", all("[data-efficiency]").length >= 5);
}

function reasonsHold(study) {
  const text = find("main").textContent;
  if (study.waiting) check("idle time", shows(find("#idle").textContent, study.waiting.idle_s));
  for (const part of study.tolerance || []) check("tolerance of " + part.part, text.includes(part.part) && text.includes(part.sensitivity.toFixed(3)));
}

/** The processor twice as fast takes half of what the path holds of computing. */
async function slidersHold(study) {
  const compute = (study.tolerance || []).find(part => part.part === "compute");
  if (!compute) return;
  const slider = find("[data-part=compute]");
  const move = async value => {
    slider.value = String(value);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    await wait(30);
    return find("#parts-total b").textContent;
  };
  check("as predicted", shows(find("#parts-total b").textContent, study.base.total_s));
  check("twice as fast", shows(await move(1), study.base.total_s * (1 - compute.sensitivity / 2)));
  check("half as fast", shows(await move(-1), study.base.total_s * (1 + compute.sensitivity)));
  check("what is not known is said", find("#parts-total").textContent.includes("To know it"));
}

async function everyStudy() {
  for (const [at, study] of report.studies.entries()) {
    if (report.studies.length > 1) {
      const picker = find("#study");
      picker.value = String(at);
      picker.dispatchEvent(new Event("change", { bubbles: true }));
      await wait(40);
    }
    check("total of study " + at, shows(find("#total").textContent, study.base.total_s));
    if (study.rank) {
      await rankHolds(study);
      await kindsHold(study);
      await choosingHolds(study);
    }
    await slidersHold(study);
    changesHold(study);
    efficienciesHold(study);
    reasonsHold(study);
  }
  for (const one of report.diagnostics) check("note " + one.code, find("main").textContent.includes(one.message));
  check("headings name all panels", all("section.card").every(card => document.getElementById(card.getAttribute("aria-labelledby"))));
  find("#theme").click();
}

function namesHold() {
  const nameless = all("button, select, input, [role=region]").filter(one => !(one.textContent.trim() || one.getAttribute("aria-label") || one.getAttribute("aria-labelledby") || one.closest("label")));
  check("everything has a name for screen readers: " + nameless.map(one => one.outerHTML.slice(0, 80)).join(), nameless.length === 0);
  const ids = all("[id]").map(one => one.id);
  check("ids are unique", new Set(ids).size === ids.length);
}

everyStudy().then(namesHold).catch(error => failed.push("the checks fail: " + error.stack)).then(tell);
