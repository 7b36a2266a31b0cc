//! Pages of reports: they hold what the report says, need nothing from elsewhere, stay small, and work in a browser.
//!
//! What a reader does is done in headless Chromium (tests/html/*.js, put into a copy of the page). Where none is installed, that part says
//! so and is left out; `CHROMIUM` names another binary.

use assert_cmd::Command;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Ordinary programs stay below.
const LARGEST: usize = 2 << 20;

fn chronos(arguments: &[&str]) -> assert_cmd::assert::Assert {
    Command::cargo_bin("chronos").expect("the binary").args(arguments).timeout(Duration::from_mins(15)).assert()
}

/// A report and its page.
struct Made {
    report: Value,
    page: String,
    _folder: tempfile::TempDir,
}

fn made(arguments: &[&str], code: i32) -> Made {
    made_by("predict", arguments, code)
}

fn made_by(command: &str, arguments: &[&str], code: i32) -> Made {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (json, html) = (path("report.json"), path("report.html"));
    // In front: behind `--` they would be the program's.
    let output = [command, "-q", "--format", "json", "-o", &json, "--html", &html];
    chronos(&[&output, arguments].concat()).code(code);
    let read = |path: &str| std::fs::read_to_string(path).expect("written");
    let report = serde_json::from_str(&read(&json)).expect("JSON");
    Made { report, page: read(&html), _folder: folder }
}

const PI: [&str; 9] = [
    "testdata/programs/pi_send.c",
    "-n",
    "4",
    "--machine",
    "pentium2-350",
    "--machine",
    "epyc-zen5-gcc12-O2",
    "--c-library",
    "other",
];

fn data(page: &str) -> Value {
    let (_, rest) = page.split_once("<script type=\"application/json\" id=\"data\">").expect("data");
    let packed: Value = serde_json::from_str(rest.split_once("</script>").expect("its end").0).expect("JSON");
    Unpacker { shared: packed["shared"].as_array().expect("a list") }.value(&packed["data"])
}

/// The inverse of src/report/html/pack.rs, as unpack.js does it.
struct Unpacker<'a> {
    shared: &'a [Value],
}

impl Unpacker<'_> {
    fn value(&self, packed: &Value) -> Value {
        match packed {
            Value::Array(all) => all.iter().map(|value| self.value(value)).collect(),
            Value::Object(all) => self.object(all),
            other => other.clone(),
        }
    }

    fn object(&self, all: &Map<String, Value>) -> Value {
        let list = |key: &str| all[key].as_array().expect("a list").clone();
        let numbers = |key: &str| list(key).iter().map(|n| n.as_i64().expect("whole")).collect::<Vec<_>>();
        if let Some(at) = all.get("$s").and_then(Value::as_u64) {
            return self.value(&self.shared[at as usize]);
        }
        if all.contains_key("$k") {
            return self.table(all);
        }
        if all.contains_key("$d") {
            let each = self.value(&all["$d"]);
            return numbers("$i").into_iter().map(|at| each[at as usize].clone()).collect();
        }
        if all.contains_key("$p") {
            let parts = all["$p"].as_f64().expect("a number");
            let sums = numbers("$i").into_iter().scan(0, |sum, step| {
                *sum += step;
                Some(*sum as f64 / parts)
            });
            return sums.map(Value::from).collect();
        }
        if all.contains_key("$r") {
            let runs = list("$r");
            let run = |pair: &[Value]| vec![pair[0].clone(); pair[1].as_u64().expect("whole") as usize];
            return runs.chunks(2).flat_map(run).collect();
        }
        if all.contains_key("$l") {
            let rows = self.value(&all["$t"]);
            let mut rest = rows.as_array().expect("rows").iter().cloned();
            return numbers("$l")
                .into_iter()
                .map(|length| rest.by_ref().take(length as usize).collect::<Value>())
                .collect();
        }
        all.iter().map(|(key, value)| (key.clone(), self.value(value))).collect()
    }

    fn table(&self, all: &Map<String, Value>) -> Value {
        let rows = all["$n"].as_u64().expect("whole") as usize;
        let keys: Vec<&str> = all["$k"].as_array().expect("keys").iter().filter_map(Value::as_str).collect();
        let columns: Vec<Value> = all["$c"].as_array().expect("columns").iter().map(|c| self.column(c, rows)).collect();
        let alike = all.get("$u").map(|column| self.value(column));
        let row = |at: usize| {
            let mut row = alike.as_ref().and_then(|alike| alike[at].as_object().cloned()).unwrap_or_default();
            row.extend(keys.iter().zip(&columns).map(|(key, column)| ((*key).to_owned(), column[at].clone())));
            Value::Object(row)
        };
        (0..rows).map(row).collect()
    }

    fn column(&self, packed: &Value, rows: usize) -> Value {
        match packed.get("$v") {
            Some(one) => vec![self.value(one); rows].into(),
            None => self.value(packed),
        }
    }
}

/// Everything that the report says is in the page; numbers to what a page shows. What is null may be absent.
fn holds(page: &Value, report: &Value, place: &str) {
    match (page, report) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().expect("a number"), b.as_f64().expect("a number"));
            assert!((a - b).abs() <= 1e-5 * b.abs() + 1e-9, "{place}: {a} of {b}");
        }
        (Value::Array(a), Value::Array(b)) => {
            assert_eq!(a.len(), b.len(), "{place}");
            a.iter().zip(b).enumerate().for_each(|(at, (a, b))| holds(a, b, &format!("{place}[{at}]")));
        }
        (Value::Object(_), Value::Object(b)) => {
            b.iter().for_each(|(key, b)| holds(&page[key], b, &format!("{place}.{key}")));
        }
        (a, b) => assert_eq!(a, b, "{place}"),
    }
}

#[test]
fn a_page_holds_the_report() {
    let Made { report, page, .. } = made(&PI, 0);
    holds(&data(&page), &report, "report");
    let Made { report, page, .. } = made(&["testdata/programs/cg.c", "-n", "64", "--machine", "pentium2-350"], 0);
    holds(&data(&page), &report, "report");
}

#[test]
fn a_page_needs_nothing_from_elsewhere() {
    let Made { page, .. } = made(&PI, 0);
    for foreign in
        ["http:", "https:", "src=", "<link", "@import", "url(", "fetch(", "XMLHttpRequest", "WebSocket", "import("]
    {
        assert!(!page.contains(foreign), "{foreign}");
    }
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn pages_stay_small() {
    let size = |arguments: &[&str]| made(arguments, 0).page.len();
    assert!(size(&PI) < 300 << 10);
    assert!(size(&["testdata/programs/ring.c", "-n", "1000", "--machine", "pentium2-350"]) < LARGEST);
    assert!(
        size(&[
            "testdata/programs/jacobi.c",
            "-n",
            "64",
            "--machine",
            "pentium2-350",
            "--machine",
            "epyc-zen5-gcc12-O2"
        ]) < LARGEST
    );
}

#[test]
fn a_saved_report_makes_the_same_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (json, one, two) = (path("r.json"), path("one.html"), path("two.html"));
    chronos(&[&["predict"], &PI[..], &["-q", "--format", "json", "-o", &json, "--html", &one]].concat()).code(0);
    chronos(&["report", &json, "-o", &two]).code(0);
    let read = |path: &str| std::fs::read_to_string(path).expect("written");
    assert_eq!(read(&one), read(&two));
}

/// The browser, where there is one.
fn chromium() -> Option<PathBuf> {
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let names = ["chromium", "chromium-browser", "google-chrome"].map(PathBuf::from);
    let works = |name: &PathBuf| {
        std::process::Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success())
    };
    named.into_iter().chain(names).find(works)
}

/// Does in a copy of the page what its reader would do; what did not hold.
fn verdict(chromium: &Path, made: &Made) -> String {
    verdict_by("checks", chromium, made)
}

/// The same by other checks.
fn verdict_by(checks: &str, chromium: &Path, Made { report, page, .. }: &Made) -> String {
    let script = |name: &str| std::fs::read_to_string(format!("tests/html/{name}.js")).expect("it is there");
    let expected = report.to_string().replace('<', "\\u003c");
    let checks = format!(
        "<script type=\"application/json\" id=\"expected\">{expected}</script><script>{}{}</script></body>",
        script("hands"),
        script(checks)
    );
    let page = page.replacen("<head>", &format!("<head><script>{}</script>", script("watch")), 1);
    let (before, after) = page.rsplit_once("</body>").expect("a body");
    let folder = tempfile::tempdir().expect("a folder");
    let copy = folder.path().join("copy.html");
    std::fs::write(&copy, format!("{before}{checks}{after}")).expect("written");
    let output = std::process::Command::new(chromium)
        .args([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--window-size=1300,1000",
            "--virtual-time-budget=60000",
            "--dump-dom",
        ])
        .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
        .arg(format!("file://{}", copy.display()))
        .output()
        .expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let verdict = text.split_once("<pre id=\"verdict\">").and_then(|(_, rest)| rest.split_once("</pre>"));
    verdict.map_or_else(
        || format!("no verdict: {}", String::from_utf8_lossy(&output.stderr)),
        |(verdict, _)| verdict.to_owned(),
    )
}

/// Programs of all kinds, read by hand; `code` is the exit code of the prediction.
fn reads_well(arguments: &[&str], code: i32) {
    let Some(chromium) = chromium() else {
        eprintln!("LEFT OUT: no Chromium is installed, so nobody clicked through the page of {}", arguments[0]);
        return;
    };
    let verdict = verdict(&chromium, &made(arguments, code));
    assert!(verdict.starts_with("all ") && verdict.ends_with(" checks hold"), "{arguments:?}:\n{verdict}");
}

#[test]
fn pi_on_two_machines_reads_well() {
    reads_well(&PI, 0);
}

#[test]
fn programs_that_talk_read_well() {
    reads_well(&["testdata/programs/cg.c", "-n", "4", "--machine", "epyc-zen5-gcc12-O2"], 0);
    reads_well(&["testdata/programs/selfsched.c", "-n", "8", "--machine", "epyc-zen5-gcc12-O2"], 0);
}

#[test]
fn sequential_programs_read_well() {
    reads_well(&["testdata/sequential/lu.c", "--machine", "epyc-zen5-gcc12-O2", "--machine", "epyc-zen5-gcc12-O0"], 0);
}

#[test]
fn formulas_are_set_as_mathematics() {
    let machine = ["--machine", "epyc-zen5-gcc12-O2"];
    for (program, more) in [
        ("testdata/sequential/lu.c", &["--symbolic", "N"][..]),
        ("testdata/programs/ring.c", &["-n", "4", "--symbolic", "argv1,argv2", "--", "100", "8"]),
        ("testdata/programs/jacobi.c", &["-n", "4", "--symbolic", "argv1", "--", "64", "10"]),
    ] {
        reads_well(&[&[program], &machine[..], more].concat(), 0);
    }
}

/// A static function of a header is another one in each file.
#[test]
fn functions_of_one_name_and_place_read_well() {
    let (few, many) = ("testdata/projects/copies/few.c", "testdata/projects/copies/many.c");
    let arguments = [few, many, "--machine", "epyc-zen5-gcc12-O2"];
    reads_well(&arguments, 0);
    let report = made(&arguments, 0).report;
    let all = report["predictions"][0]["functions"].as_array().expect("functions").iter();
    let copies: Vec<_> = all.filter(|f| f["name"] == "clear").map(|f| f["unit"].as_str()).collect();
    assert_eq!(copies, [Some(many), Some(few)]);
}

#[test]
fn several_numbers_of_tasks_read_well() {
    reads_well(
        &["testdata/programs/jacobi.c", "-n", "2,4,8", "--machine", "epyc-zen5-gcc12-O2", "--machine", "pentium2-350"],
        0,
    );
}

#[test]
fn swept_values_read_well() {
    let options = ["--machine", "epyc-zen5-gcc12-O2", "--sweep", "N=10,20,40,80"];
    reads_well(&[&["testdata/sequential/lu.c"], &options[..]].concat(), 0);
    let both = ["-n", "1,2,4", "--machine", "pentium2-350", "--sweep", "argv1=64,128", "--", "64", "10"];
    reads_well(&[&["testdata/programs/jacobi.c"], &both[..]].concat(), 0);
}

#[test]
fn a_thousand_tasks_read_well() {
    reads_well(&["testdata/programs/ring.c", "-n", "1000", "--machine", "epyc-zen5-gcc12-O2"], 0);
    reads_well(&["testdata/programs/jacobi.c", "-n", "100", "--machine", "pentium2-350", "--per-task"], 0);
}

#[test]
fn wrong_and_unknown_programs_read_well() {
    reads_well(&["testdata/wrong/deadlock_ring.c", "-n", "4", "--machine", "epyc-zen5-gcc12-O2"], 1);
    reads_well(&["testdata/wrong/unknown_trips.c", "--machine", "epyc-zen5-gcc12-O2"], 1);
}

#[test]
fn odd_names_and_texts_are_shown_as_they_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a <b> & 'c' \"d\" \u{e9}.c");
    let text = "#include <stdio.h>\n/* </script><script>alert(1)</script> <!-- \u{2028} */\nint main(void)\n{\n\tint sum = 0;\n\tfor (int i = 0; i < 100; i++) { sum += i; }\n\tprintf(\"</script>%d\\n\", sum);\n\treturn 0;\n}\n";
    std::fs::write(&file, text).expect("written");
    reads_well(&[&file.display().to_string(), "--machine", "epyc-zen5-gcc12-O2"], 0);
}

const SPA: [&str; 9] = [
    "testdata/whatif/spa.c",
    "-DROUNDS=20",
    "-n",
    "4",
    "--machine",
    "pentium2-350",
    "--network",
    "shared-memory",
    "--show=efficiency,rank,causes,tolerance",
];

/// Studies with all that a page shows: changes, ranking, efficiencies, causes, tolerance, of one prediction and of several.
#[test]
fn studies_read_well() {
    let changes = ["zero=servBusy1", "move=servBusy2:0->2,3", "place=0,0,1,1", "speed=spin:2 + node=0:2"];
    let jacobi = ["testdata/programs/jacobi.c", "-n", "2,4", "--machine", "pentium2-350", "--show=efficiency,rank"];
    let fat_tree = ["testdata/programs/jacobi.c", "-n", "8", "--platform", "testdata/platforms/fat-tree-16.json"];
    for arguments in [&[&SPA[..], &changes].concat()[..], &jacobi, &fat_tree] {
        let made = made_by("whatif", arguments, 0);
        holds(&data(&made.page), &made.report, "study");
        assert!(made.page.contains("default-src 'none'") && !made.page.contains("http:"));
        assert!(made.page.len() < LARGEST);
        let Some(chromium) = chromium() else {
            eprintln!("LEFT OUT: no Chromium is installed, so nobody asked anything on the page of {}", arguments[0]);
            continue;
        };
        let verdict = verdict_by("whatif", &chromium, &made);
        assert!(verdict.starts_with("all ") && verdict.ends_with(" checks hold"), "{arguments:?}:\n{verdict}");
    }
}

/// A study is kept and taken again until a change, a file or an option is another one.
#[test]
fn kept_studies_are_taken_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (kept, network) = (path("kept"), path("network.json"));
    std::fs::copy("networks/ethernet-1000.json", &network).expect("copied");
    let asked = |change: &str, name: &str| {
        let (json, change) = (path(name), change.to_owned());
        let output = ["-q", "--format", "json", "-o", &json, "--resume", &kept, &change];
        chronos(&[&["whatif"], &SPA[..], &output].concat()).code(0);
        let answers = std::fs::read_dir(&kept).expect("a folder").count();
        (std::fs::read_to_string(&json).expect("written"), answers)
    };
    let change = format!("network={network}");
    let first = asked(&change, "one.json");
    assert_eq!(asked(&change, "two.json"), first, "to the last digit, and nothing new is kept");
    assert_eq!(first.1, 1);
    assert_eq!(asked("zero=servBusy1", "three.json").1, 2);
    std::fs::copy("networks/ethernet-100.json", &network).expect("copied");
    let other = asked(&change, "four.json");
    assert_eq!(other.1, 3, "the network is another one");
    assert_ne!(other.0, first.0);
}

#[test]
fn the_checks_notice_what_is_wrong() {
    let Some(chromium) = chromium() else {
        return eprintln!("LEFT OUT: no Chromium is installed");
    };
    let mut wrong = made(&PI, 0);
    wrong.report["predictions"][0]["total_s"] = 1.0.into();
    assert!(verdict(&chromium, &wrong).contains("total 0"));
}
