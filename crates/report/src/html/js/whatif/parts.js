// Another processor or network, by sliders: the path of the study with other times of its parts.

/** What a slider says of a part; `isRate`: to the right it is faster, and its time shorter. */
const PARTS = {
  compute: ["Processor", "as fast", true],
  "network.latency": ["Latency", "as long", false],
  "network.bandwidth": ["Bandwidth", "as wide", true],
  "network.overhead": ["Overhead of processors for messages", "as long", false],
};
/** Sliders go from the 16th part to sixteen times, in steps of a tenth of a doubling. */
const DOUBLINGS = 4;

function partsPanel() {
  if (STUDIES.every(study => !study.tolerance)) return null;
  const inside = h("div");
  const make = () => refill(inside, ASKED.study.tolerance ? partsOf(ASKED.study) : h("p", { class: "hint" }, "Nothing is known of it here."));
  onAsked(what => { if ("study" in what) make(); });
  make();
  return section("Another processor or network", "The critical path of this study with other times of its parts.", inside);
}

function partsOf(study) {
  const rows = study.tolerance.filter(row => PARTS[row.part]);
  const factors = new Map(rows.map(row => [row, 1]));
  const said = h("p", { id: "parts-total", "aria-live": "polite" });
  const update = () => refill(said, partsAnswer(study, factors));
  const sliders = rows.map(row => partSlider(row, factor => {
    factors.set(row, factor);
    update();
  }));
  update();
  return [h("ul", { class: "plain parts" }, sliders), said];
}

function partSlider(row, changed) {
  const [name, unit] = PARTS[row.part];
  const shown = h("output", { class: "number" });
  const input = h("input", { type: "range", min: -DOUBLINGS, max: DOUBLINGS, step: 0.1, value: 0, "data-part": row.part, oninput: event => move(Number(event.target.value)) });
  const say = factor => refill(shown, times(factor) + " ", h("span", { class: "hint" }, unit));
  const move = doublings => {
    const factor = 2 ** doublings;
    say(factor);
    changed(factor);
  };
  say(1);
  return h("li", {}, h("label", {}, h("span", { class: "pop-name" }, name), input), shown, h("span", { class: "hint" }, percent(row.sensitivity, 1) + " of the total"));
}

/** The path is as long as its parts; what is on none of them stays as it is. */
function partsTotal(study, factors) {
  const parts = [...factors].map(([row, factor]) => row.sensitivity * ((PARTS[row.part][2] ? 1 / factor : factor) - 1));
  return study.base.total_s * Math.max(0, 1 + parts.reduce((sum, part) => sum + part, 0));
}

function partsAnswer(study, factors) {
  const total = partsTotal(study, factors);
  const same = [...factors.values()].every(factor => factor === 1);
  if (same) return [h("b", {}, seconds(total)), " as predicted. Move a slider."];
  const shares = REPORT.diagnostics.some(one => one.code === "C1406");
  const bound = shares ? "About " : "At least ";
  const why = shares ? "Tasks or messages share something here, so that this holds for small changes." : "It is just that while the critical path stays where it is; where another path becomes the longest one, it is more.";
  return [bound, h("b", {}, seconds(total)), `, ${times(total / study.base.total_s)} the time. ${why} To know it, predict for a machine and a network of your own (chronos machine scale, --scale, --network FILE).`];
}
