//! `chronos scale` against the figures of Zuberek (2004), against programs of his classes, and against replays of more
//! tasks than its models were fitted to.

use serde_json::Value;

/// What `chronos scale` with these arguments prints as JSON.
fn scale(arguments: &[&str]) -> Value {
    run(&[arguments, &["--format", "json", "-q"]].concat())
}

fn run(arguments: &[&str]) -> Value {
    let mut command = assert_cmd::Command::cargo_bin("chronos").expect("the binary");
    let output = command.arg("scale").args(arguments).output().expect("it runs");
    let told = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {told}"))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// All points of the figures 1 to 3, by the formulas that the paper prints.
#[test]
fn the_figures_of_the_paper_are_drawn_to_four_digits() {
    type Speedup = fn(f64, f64) -> f64;
    let figures: [(&str, &str, Speedup); 3] = [
        ("flat", "10,20,30,40,50,60,70,80,90,100", |n, r| r / (r / n + n + 1.0)),
        ("hierarchical", "10,20,30,40,50,60,70,80,90,100", |n, r| r / (r / n + 2.0 * n.sqrt() + 1.0)),
        ("state-space", "1,5,10,15,20,25", |n, r| n * r / r.max(n - 1.0)),
    ];
    for (name, ratios, speedup) in figures {
        let report = scale(&["--model", name, "--r", ratios, "-n", "2..20+1"]);
        let models = report["analytic"].as_array().expect("models");
        assert_eq!(models.len(), ratios.split(',').count());
        for model in models {
            let (r, points) = (number(&model["ratio"]), model["points"].as_array().expect("points"));
            assert_eq!(points.len(), 19);
            for point in points {
                let (wanted, found) = (speedup(number(&point["tasks"]), r), number(&point["speedup"]));
                assert!((found / wanted - 1.0).abs() < 5e-5, "{name}, r = {r}: {point}, not {wanted}");
            }
        }
    }
}

/// The program of a class, replayed, is told to be of it, and its ratio is found again.
#[test]
fn programs_of_the_classes_are_recognised_with_their_ratio() {
    let solver = |file: &'static str, class: &'static str, tasks: &'static str| (file, class, tasks);
    for (file, class, tasks) in [
        solver("testdata/scaling/flat.c", "flat", "1..64x2"),
        solver("testdata/scaling/groups.c", "hierarchical", "4,9,16,25,36,49,64"),
    ] {
        for ratio in [10, 50, 100] {
            let (define, network) = (format!("-DRATIO={ratio}"), "linear:a=0,b=0");
            let place = ["--machine", "pentium2-350", "--network", network, "-n", tasks];
            let report = scale(&[&[file, define.as_str()][..], &place].concat());
            recognised(&report, class, f64::from(ratio), 0.02);
        }
    }
}

/// Between both lies the number of tasks from which on the medium limits, so points beyond it are needed.
#[test]
fn exploration_through_one_medium_is_recognised_with_its_ratio() {
    let file = "testdata/scaling/states.c";
    let place = ["--platform", "testdata/platforms/bus-256.json"];
    // A state of 1000 bytes takes 100 us on the medium: so much analysis is a ratio of one.
    let alone = scale(&[&[file, "-n", "1"], &place[..]].concat());
    let per_iteration = number(&alone["series"][0]["points"][0]["total_s"]) / 10240.0 / 10000.0;
    for (ratio, tasks) in [(10.0, "2..64x2"), (50.0, "4..128x2"), (100.0, "8,16,32,64,128,160")] {
        let define = format!("-DANALYSIS={}", (ratio * 1e-4 / per_iteration).round());
        let report = scale(&[&[file, define.as_str(), "-n", tasks][..], &place].concat());
        recognised(&report, "state-space", ratio, 0.05);
    }
}

fn recognised(report: &Value, class: &str, ratio: f64, within: f64) {
    let series = &report["series"][0];
    assert_eq!(series["class"]["name"], class, "{}", series["name"]);
    let found = number(&series["models"][0]["ratio"]);
    assert!((found / ratio - 1.0).abs() <= within, "{}: r = {found} instead of {ratio}", series["name"]);
}

/// Halos of a grid of n columns take n, its work n * n: with c times the tasks, c * c times the work keeps the efficiency
/// where messages are long, and c times where they are short.
#[test]
fn the_work_that_keeps_the_efficiency_is_found_over_a_sweep() {
    let program = ["testdata/programs/jacobi.c", "--sweep", "argv1=512,1024,2048,4096"];
    let place = ["--machine", "epyc-zen5-gcc12-O2", "--network", "ethernet-1000", "-n", "1..32x2"];
    let report = run(&[&program[..], &place, &["--format", "json", "-q", "--", "512", "20"]].concat());
    let found = report["isoefficiency"].as_array().expect("an array");
    let half = found.iter().find(|data| data["efficiency"] == 0.5).unwrap_or_else(|| panic!("{found:?}"));
    let (points, exponent) = (half["points"].as_array().expect("points"), number(&half["exponent"]));
    let tasks: Vec<f64> = points.iter().map(|point| number(&point["tasks"])).collect();
    assert!(points.len() >= 3 && tasks.is_sorted(), "{half}");
    assert!((0.9..=2.2).contains(&exponent), "{half}");
}

/// Models from up to 32 tasks beside replays of 128 and 256 tasks; once with more tasks than there are rows.
#[test]
fn extrapolated_times_are_those_of_replays() {
    let programs: [(&str, &[&str]); 7] = [
        ("pi_reduce", &[]),
        ("ring", &["3"]),
        ("transpose", &["1024", "1"]),
        ("heat2d", &["1024", "3"]),
        ("jacobi", &["1024", "20"]),
        ("cg", &["256", "2"]),
        ("cg", &["100", "2"]),
    ];
    let (mut errors, mut held) = (Vec::new(), 0);
    for (program, arguments) in programs {
        let file = format!("testdata/programs/{program}.c");
        let tasks = if program == "ring" { "2..32x2" } else { "1..32x2" };
        let place =
            ["--machine", "epyc-zen5-gcc12-O2", "--network", "ethernet-1000", "-n", tasks, "--c-library", "other"];
        let asked = ["--verify", "128,256"];
        let behind: &[&str] = if arguments.is_empty() { &[] } else { &["--"] };
        let (format, place) = (["--format", "json", "-q"], [&[file.as_str()], &place[..], &asked].concat());
        let report = run(&[&place[..], &format, behind, arguments].concat());
        let verified = report["series"][0]["verified"].as_array().expect("an array");
        assert_eq!(verified.len(), 2, "{program}");
        for point in verified {
            errors.push((number(&point["error_percent"]).abs(), format!("{program}: {point}")));
            held += usize::from(point["holds"] == true);
        }
    }
    errors.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (median, worst) = (&errors[errors.len() / 2], &errors[errors.len() - 1]);
    assert!(median.0 <= 10.0 && worst.0 <= 30.0, "{errors:#?}");
    assert!(held * 10 >= errors.len() * 9, "{held} of {}: {errors:#?}", errors.len());
}

/// With 64 tasks half of them run on machines so much faster that they only wait for the others, as no point shows.
#[test]
fn faster_machines_beyond_the_points_shorten_nothing() {
    let place = ["--machine", "pentium2-350:32,epyc-zen5-gcc12-O2:32", "--network", "ethernet-1000"];
    let asked = ["-n", "2..32x2", "--verify", "64", "--c-library", "other"];
    let report = scale(&[&["testdata/programs/jacobi.c"][..], &place, &asked].concat());
    let verified = &report["series"][0]["verified"][0];
    assert!(number(&verified["error_percent"]).abs() < 10.0, "{verified}");
}
