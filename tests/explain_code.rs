//! `chronos explain-code`: what must hold whatever the version of the compiler.

use assert_cmd::Command;

fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "double f(const double *a, long n) {\n  double s = 0;\n  for (long i = 0; i < n; i++)\n    s += a[i];\n  return s;\n}\n";
    std::fs::write(folder.path().join("sum.c"), text).expect("written");
    let mut command = Command::cargo_bin("chronos").expect("the binary");
    let output = command.current_dir(folder.path()).arg("explain-code").args(arguments).output().expect("it runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_loop_is_told_with_its_cycles() {
    let base = ["sum.c", "--function", "f", "--cc", "gcc -O2", "--core", "zen5"];
    let (code, out, _) = run(&base);
    assert_eq!(code, Some(0));
    assert!(out.contains("2.00 cycles per iteration, limited by latency chain"), "{out}");
    assert!(out.contains("1 elements per iteration by an estimate"), "{out}");
    assert!(out.contains("4: s += a[i];"), "{out}");
    let (_, out, _) = run(&[&base[..], &["--format", "json"]].concat());
    let json: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(json["loops"][0]["ways"][0]["cycles"], 2.0);
    assert_eq!(json["loops"][0]["estimated_elements_per_iteration"], 1);
}

#[test]
fn what_is_missing_is_told() {
    for (arguments, code) in [
        (&["sum.c", "--function", "g", "--cc", "gcc", "--core", "zen5"][..], "C1305"),
        (&["sum.c", "--function", "f", "--cc", "no-such-compiler", "--core", "zen5"], "C1301"),
        (&["sum.c", "--function", "f", "--cc", "gcc", "--core", "zen9"], "C1307"),
        (&["sum.c", "--function", "f", "--cc", "gcc", "--machine", "raspberry-pi4-cortex-a72-gcc12-O2"], "C1311"),
        (&["sum.c", "--function", "f", "--cc", "gcc", "--machine", "pentium2-350"], "C1307"),
        (&["missing.c", "--function", "f", "--cc", "gcc", "--core", "zen5"], "C1302"),
    ] {
        let (exit, _, error) = run(arguments);
        assert_eq!(exit, Some(2), "{arguments:?}");
        assert!(error.contains(code), "{arguments:?}: {error}");
    }
}

/// A compiler of whatever this computer is not: it hands out an object that gcc 12 made for aarch64.
#[cfg(unix)]
#[test]
fn code_for_aarch64_is_told_with_its_cycles() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().expect("a folder");
    let root = env!("CARGO_MANIFEST_DIR");
    let compiler = folder.path().join("arm-cc");
    let script = format!(
        "#!/bin/sh\nwhile [ $# -gt 1 ]; do [ \"$1\" = -o ] && exec cp {root}/testdata/compiled/kernels-aarch64.o \"$2\"; shift; done\n"
    );
    std::fs::write(&compiler, script).expect("written");
    std::fs::set_permissions(&compiler, std::fs::Permissions::from_mode(0o755)).expect("executable");
    let mut command = Command::cargo_bin("chronos").expect("the binary");
    let file = format!("{root}/testdata/compiled/kernels-aarch64.c");
    let compiler = compiler.display().to_string();
    let arguments = ["explain-code", &file, "--function", "dot", "--cc", &compiler, "--core", "neoverse-n1"];
    let output = command.args(arguments).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    for line in [
        "loop of line 3, 1 elements per iteration",
        "2.00 cycles per iteration, limited by latency chain (front end 1.50, ports 1.00, latency chain 2.00)",
        "whose figures were not compared with a processor",
        "    2.00  fmadd d0, d2, d1, d0                               v0|v1",
        "    0.00  ldr d2, [x0, x3, lsl #3]                           l0|l1",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
}
