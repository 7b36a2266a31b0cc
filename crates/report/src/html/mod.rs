//! Pages for a browser: one self-contained file each, that opens from disk without a network.
//!
//! A page is a frame (page.html), its style, its scripts and its data. Scripts are plain files, joined when chronos is
//! built; the data is JSON, packed (pack.rs) and unpacked by unpack.js. This module must not know how results were
//! computed, and knows of the data only what a title needs: everything else is read by the scripts from the report as
//! it is.

mod pack;

use crate::classes::{FEW, in_classes};
use crate::model::Prediction;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// What every page has: helpers, formats, tables and plots.
const COMMON: &[&str] = &[
    include_str!("js/dom.js"),
    include_str!("js/format.js"),
    include_str!("js/unpack.js"),
    include_str!("js/theme.js"),
    include_str!("js/table.js"),
    include_str!("js/plot.js"),
    include_str!("js/canvas.js"),
];

/// What shows a report.
const REPORT: &[&str] = &[
    include_str!("js/data.js"),
    include_str!("js/blocks.js"),
    include_str!("js/state.js"),
    include_str!("js/overview.js"),
    include_str!("js/intervals.js"),
    include_str!("js/scaling.js"),
    include_str!("js/tasks.js"),
    include_str!("js/notes.js"),
    include_str!("js/highlight.js"),
    include_str!("js/source.js"),
    include_str!("js/detail.js"),
    include_str!("js/roofline.js"),
    include_str!("js/functions.js"),
    include_str!("js/flame.js"),
    include_str!("js/spans.js"),
    include_str!("js/timeline.js"),
    include_str!("js/timeline_draw.js"),
    include_str!("js/matrix.js"),
    include_str!("js/math.js"),
    include_str!("js/symbolic.js"),
    include_str!("js/main.js"),
];

/// What shows a `chronos-whatif/1`.
const WHATIF: &[&str] = &[
    include_str!("js/whatif/data.js"),
    include_str!("js/whatif/ask.js"),
    include_str!("js/whatif/parts.js"),
    include_str!("js/whatif/changes.js"),
    include_str!("js/whatif/reasons.js"),
    include_str!("js/whatif/main.js"),
];

const STYLES: &[&str] = &[
    include_str!("css/base.css"),
    include_str!("css/parts.css"),
    include_str!("css/views.css"),
    include_str!("css/whatif.css"),
    include_str!("css/print.css"),
];

/// The page of a `chronos-report/1` or `/2`.
pub fn render(report: &Value) -> String {
    let files = report["program"]["files"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let name = files.map(|file| file.rsplit('/').next().unwrap_or(file)).next().unwrap_or("report");
    let mut report = report.clone();
    array_in(&mut report, "predictions").into_iter().flatten().for_each(thin);
    page(&format!("{name} - chronos"), &report, REPORT)
}

/// The page of a `chronos-whatif/1`.
pub fn whatif(report: &Value) -> String {
    let files = report["studies"][0]["program"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let name = files.map(|file| file.rsplit('/').next().unwrap_or(file)).next().unwrap_or("nothing");
    page(&format!("What if: {name} - chronos"), report, WHATIF)
}

/// Stretches of the critical path that a page draws; of more, every so many are left, and how many there were is kept.
const PATH: usize = 4000;

/// Indexing for change would panic where the value is no object.
fn array_in<'a>(value: &'a mut Value, key: &str) -> Option<&'a mut Vec<Value>> {
    value.get_mut(key).and_then(Value::as_array_mut)
}

fn thin(prediction: &mut Value) {
    join_tasks(prediction);
    thin_path(prediction);
}

/// A row for each class of many tasks; single ones are beside it.
fn join_tasks(prediction: &mut Value) {
    let tasks = array_in(prediction, "tasks").map_or(0, |tasks| tasks.len());
    let read = (tasks > FEW).then(|| serde_json::from_value::<Prediction>(prediction.clone()).ok()).flatten();
    let Some(mut joined) = read.filter(|read| read.symbolic.is_none()) else { return };
    if in_classes(&mut joined) {
        prediction["single_tasks"] = prediction["tasks"].take();
        prediction["tasks"] = json!(joined.tasks);
        prediction["functions"] = json!(joined.functions);
        prediction["wtime"] = json!(joined.wtime);
    }
}

fn thin_path(prediction: &mut Value) {
    let Some(path) = array_in(prediction, "critical_path").filter(|path| path.len() > PATH) else { return };
    let (all, step) = (path.len(), path.len().div_ceil(PATH));
    let mut at = 0;
    path.retain(|_| {
        at += 1;
        at % step == 1 || at == all
    });
    prediction["critical_path_of"] = all.into();
}

/// A page of `data`, which `scripts` find as the global `DATA`, behind the common ones.
pub fn page(title: &str, data: &Value, scripts: &[&str]) -> String {
    let data = in_script(&pack::pack(data).to_string());
    let mut page = String::from(concat!("<!DOCTYPE html>\n", include_str!("head.html")));
    let _ = write!(page, "<title>{}</title>\n<style>\n{}</style>\n</head>\n", escaped(title), STYLES.concat());
    page.push_str(include_str!("page.html"));
    let _ = writeln!(page, "<script type=\"application/json\" id=\"data\">{data}</script>");
    let _ = write!(
        page,
        "<script>\n(() => {{\n\"use strict\";\n{}{}}})();\n</script>\n",
        COMMON.concat(),
        scripts.concat()
    );
    page.push_str("</body>\n</html>\n");
    page
}

/// JSON that nothing in it can end: every `<` is in a string, where it may be written as an escape.
fn in_script(json: &str) -> String {
    json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

/// Text as HTML and XML take it.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_the_data_ends_the_script_or_the_title() {
        let report = json!({"program": {"files": ["a/</title><b>.c"]}, "sources": {"x": "</script><script>alert(1)</script>\u{2028}"}});
        let page = render(&report);
        assert!(!page.contains("</script><script>alert") && !page.contains("<b>.c") && !page.contains('\u{2028}'));
        assert!(page.contains("\\u003c/script>") && page.contains("<title>title&gt;&lt;b&gt;.c - chronos</title>"));
    }

    #[test]
    fn json_that_is_no_report_makes_a_page() {
        for report in [json!(22), json!(null), json!([1]), json!({"predictions": [1, null, {"critical_path": 3}]})] {
            assert!(render(&report).contains("<title>report - chronos</title>"), "{report}");
        }
    }

    #[test]
    fn a_study_of_nothing_makes_a_page() {
        for report in
            [json!(null), json!({"studies": [], "diagnostics": []}), json!({"studies": [{"program": ["a/b.c"]}]})]
        {
            assert!(whatif(&report).contains("<title>What if: "), "{report}");
        }
    }

    #[test]
    fn scripts_and_styles_name_no_other_place() {
        for text in COMMON.iter().chain(REPORT).chain(WHATIF).chain(STYLES) {
            let foreign = ["http:", "https:", "//cdn", "@import", "url(", "fetch(", "XMLHttp", "</script"];
            let found =
                foreign.iter().find(|word| text.contains(**word) && !text.contains("http://www.w3.org/2000/svg"));
            assert_eq!(found, None);
        }
    }
}
