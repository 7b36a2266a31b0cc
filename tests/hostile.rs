//! Sources, projects and folders of strangers, and the accidents of newcomers: every command ends in success or with an error
//! that says what is wrong; nothing that a project brings along runs, is overwritten or is quoted.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const PROGRAM: &str = "int main(void) { return 0; }\n";
/// Flags that leave a trace where a compiler reads them from a file.
const INJECTED: &str = "-DINJECTED -o injected";

struct Place(TempDir);

impl Place {
    fn with(files: &[(&str, &str)]) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        for (name, text) in files {
            let path = place.path(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn chronos(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_chronos"));
        command.args(words).current_dir(self.0.path());
        command
    }

    fn run(&self, words: &[&str]) -> (Option<i32>, String, String) {
        told(self.chronos(words).output().unwrap())
    }

    /// Succeeds, or is refused with the texts.
    #[track_caller]
    fn ends(&self, words: &[&str], error: Option<&str>) {
        let (code, stdout, stderr) = self.run(words);
        match error {
            None => assert_eq!(code, Some(0), "{words:?}: {stdout}{stderr}"),
            Some(text) => {
                assert!(matches!(code, Some(1 | 2)), "{words:?}: {code:?} {stdout}{stderr}");
                assert!(stderr.contains(text) && stderr.contains("error[C"), "{words:?}: {stderr}");
            }
        }
        assert!(!self.path("injected").exists(), "{words:?}: flags were read from a file");
    }
}

fn told(output: Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn names_of_sources_are_no_flags() {
    let database = r#"[{"directory": ".", "file": "-x.c", "arguments": ["cc", "-I", "@flags", "-I@flags", "-include", "@flags", "-c", "-x.c"]}]"#;
    let files = [("-x.c", PROGRAM), ("@flags", ""), ("flags", INJECTED), ("compile_commands.json", database)];
    let place = Place::with(&files);
    let (code, stdout, stderr) = place.run(&["count", "compile_commands.json"]);
    assert!(code == Some(0) && stdout.starts_with("-x.c: 1 task\n"), "{stdout}{stderr}");
    fs::write(place.path("@flags"), INJECTED).unwrap();
    place.run(&["count", "compile_commands.json"]);
    assert!(!place.path("injected").exists());
    let folder = Place::with(&[("@d/a.c", PROGRAM), ("d", INJECTED), ("-d/a.c", PROGRAM)]);
    ["@d/a.c", "./-d/a.c"].iter().for_each(|file| folder.ends(&["count", file, "-I", "@d"], None));
    folder.ends(&["validate", "@d/a.c", "--runs", "1", "--machine", "epyc-zen5-gcc12-O2"], None);
}

/// GCC hands the last part of a name and each definition to its own parts as words.
#[test]
fn names_that_compilers_hand_on_are_no_flags() {
    let place = Place::with(&[("@a.c", PROGRAM), ("a.c", INJECTED), ("b.c", PROGRAM)]);
    place.ends(&["count", "@a.c"], Some("begin with `@`"));
    place.ends(&["count", &place.path("@a.c").to_string_lossy()], Some("begin with `@`"));
    let database =
        |flag: &str| format!(r#"[{{"directory": ".", "file": "b.c", "arguments": ["cc", "{flag}", "-c", "b.c"]}}]"#);
    for flag in ["-D@a.c", "-U@a.c", "-Wp,-D@a.c"] {
        fs::write(place.path("compile_commands.json"), database(flag)).unwrap();
        place.ends(&["count", "compile_commands.json"], Some("C0115"));
    }
}

#[test]
fn odd_sources_are_read_or_refused() {
    let place = Place::with(&[]);
    let accepted: [(&[u8], &str); 7] = [
        (b"a b.c", PROGRAM),
        (b"q'\"u$(x)`.c", PROGRAM),
        (b"n\nl.c", PROGRAM),
        (b"\xff.c", PROGRAM),
        (b"crlf.c", "int main(void) {\r\n  return 0;\r\n}\r\n"),
        (b"bom.c", "\u{feff}int main(void) { return 0; }\n"),
        (b"no-end.c", "int main(void) { return 0; }"),
    ];
    for (name, text) in accepted {
        let name = OsStr::from_bytes(name);
        fs::write(place.0.path().join(name), text).unwrap();
        let (code, stdout, stderr) = told(place.chronos(&["count"]).arg(name).output().unwrap());
        assert!(code == Some(0) && stdout.contains("1:   1: int main"), "{name:?}: {stdout}{stderr}");
    }
    fs::create_dir(place.path("folder.c")).unwrap();
    fs::write(place.path("empty.c"), "").unwrap();
    fs::write(place.path("null.c"), "a\0b").unwrap();
    fs::File::create(place.path("huge.c")).unwrap().set_len(1 << 33).unwrap();
    let refused = [
        ("folder.c", "is a directory"),
        ("empty.c", "main"),
        ("null.c", "null bytes"),
        ("huge.c", "too large"),
        ("none.c", "no such file"),
        ("/dev/zero", "device"),
        ("/dev/stdin", "device or a pipe"),
    ];
    for (name, text) in refused {
        place.ends(&["count", name], Some(text));
    }
}

#[test]
fn odd_surroundings_are_told() {
    let place = Place::with(&[("a.c", PROGRAM)]);
    let with = |name: &str, value: &str| told(place.chronos(&["count", "a.c"]).env(name, value).output().unwrap());
    let (code, _, stderr) = with("TMPDIR", "/nowhere");
    assert!(code == Some(2) && stderr.contains("TMPDIR"), "{stderr}");
    let (code, ..) = told(place.chronos(&["count", "a.c"]).env_remove("HOME").output().unwrap());
    assert_eq!(code, Some(0));
    let closed = format!("'{}' count a.c >&-", env!("CARGO_BIN_EXE_chronos"));
    let (code, _, stderr) =
        told(Command::new("sh").args(["-c", &closed]).current_dir(place.0.path()).output().unwrap());
    assert!(matches!(code, Some(0 | 2)) && !stderr.contains("panicked"), "{stderr}");
}

#[test]
fn only_what_was_opened_is_quoted() {
    let source =
        |name: &str| format!("#line 1 \"{name}\"\nint main(void) {{ int i; for (i = 0; i < 3; i++); return 0; }}\n");
    let place = Place::with(&[("secret", "SECRET\n"), ("p/error.c", "#line 1 \"../secret\"\n#error x\n")]);
    let place_of = place.path("secret").to_string_lossy().into_owned();
    fs::write(place.path("p/a.c"), source(&place_of)).unwrap();
    let other = format!("# 1 \"{place_of}\" 1\nint main(void) {{ int i; for (i = 0; i < 3; i++); return 0; }}\n");
    fs::write(place.path("p/b.c"), other).unwrap();
    for name in ["p/a.c", "p/b.c", "p/error.c"] {
        for words in [
            vec!["count"],
            vec!["dump", "--phase", "program"],
            vec!["predict", "--machine", "pentium2-350", "--format", "json"],
        ] {
            let (_, stdout, stderr) = place.run(&[words, vec![name]].concat());
            assert!(!stdout.contains("SECRET") && !stderr.contains("SECRET"), "{name}: {stdout}{stderr}");
        }
    }
    // A header elsewhere is what it always was.
    let program = "#include \"../common/loop.h\"\nint main(void) { return f(); }\n";
    let header = "static int f(void) { int s = 0; for (int i = 0; i < 5; i++) s += i; return s; }\n";
    let place = Place::with(&[("p/a.c", program), ("common/loop.h", header)]);
    let (code, stdout, _) = place.run(&["count", "p/a.c"]);
    assert!(code == Some(0) && stdout.contains("for (int i = 0; i < 5; i++)"), "{stdout}");
}

#[test]
fn headers_that_do_not_end_are_given_up() {
    let place = Place::with(&[("zero.c", "#include \"/dev/zero\"\n"), ("pipe.c", "#include \"pipe.h\"\n")]);
    assert!(Command::new("mkfifo").arg(place.path("pipe.h")).status().unwrap().success());
    // Whether the compiler gives up by itself first depends on it and on the memory that there is.
    let (code, _, stderr) = place.run(&["count", "zero.c", "--limit", "memory=2GiB"]);
    let told = ["zero.c cannot be preprocessed", "zero.c was not preprocessed to its end"];
    assert!(matches!(code, Some(1 | 2)) && told.iter().any(|text| stderr.contains(text)), "{stderr}");
    let (code, stdout, stderr) = place.run(&["count", "pipe.c", "--limit", "1s"]);
    assert!(
        matches!(code, Some(1 | 2)) && stderr.contains("C0950") && stderr.contains("preprocessing"),
        "{stdout}{stderr}"
    );
    let endless = "#!/bin/sh\nexec yes\n";
    fs::write(place.path("cc.sh"), endless).unwrap();
    fs::set_permissions(place.path("cc.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    place.ends(&["count", "pipe.c", "--cc", "./cc.sh"], Some("256 MiB"));
}

#[test]
fn files_are_replaced_as_what_they_were() {
    let place = Place::with(&[("a.c", PROGRAM), ("old", "old"), ("kept", "kept")]);
    fs::set_permissions(place.path("old"), fs::Permissions::from_mode(0o640)).unwrap();
    place.ends(&["count", "a.c", "-o", "old"], None);
    assert!(fs::read_to_string(place.path("old")).unwrap().contains("a.c: 1 task"));
    assert_eq!(fs::metadata(place.path("old")).unwrap().permissions().mode() & 0o7777, 0o640);
    symlink("kept", place.path("link")).unwrap();
    symlink("nowhere", place.path("dangling")).unwrap();
    let refused = [
        ("link", "cannot write link: it is a symbolic link"),
        ("dangling", "cannot write dangling: it is a symbolic link"),
        ("/dev/full", "cannot write /dev/full: no space left"),
        ("none/x", "cannot write none/x: no such file"),
        ("a.c/x", "cannot write a.c/x: not a directory"),
        (".", "cannot write .: is a directory"),
    ];
    for (file, text) in refused {
        place.ends(&["count", "a.c", "-o", file], Some(text));
    }
    assert_eq!(fs::read_to_string(place.path("kept")).unwrap(), "kept");
    let names = fs::read_dir(place.0.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>();
    assert!(names.iter().all(|name| !name.to_string_lossy().starts_with(".chronos")), "{names:?}");
}

#[test]
fn standard_output_is_a_stream() {
    let place = Place::with(&[("a.c", PROGRAM), ("log", "first\n")]);
    let log = || fs::OpenOptions::new().append(true).open(place.path("log")).unwrap();
    for name in ["/dev/stdout", "/dev/fd/1"] {
        assert!(place.chronos(&["count", "a.c", "-o", name]).stdout(log()).status().unwrap().success());
    }
    let text = fs::read_to_string(place.path("log")).unwrap();
    assert!(text.starts_with("first\n") && text.matches("a.c: 1 task").count() == 2, "{text}");
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let (code, _, stderr) =
        told(place.chronos(&["count", "a.c"]).stdout(full).stderr(Stdio::piped()).output().unwrap());
    assert!(code == Some(2) && stderr.contains("cannot write standard output"), "{stderr}");
}

#[test]
fn instrumented_sources_do_not_replace_their_originals() {
    let program = "#include <time.h>\nint main(void) { while (clock() % 7); return 0; }\n";
    let place = Place::with(&[("a.c", program), ("other/a.c", "int kept;\n")]);
    for folder in [".", "other"] {
        place.ends(&["instrument", "a.c", "-o", folder], Some("is a source that was not instrumented"));
    }
    assert_eq!(fs::read_to_string(place.path("a.c")).unwrap(), program);
    assert_eq!(fs::read_to_string(place.path("other/a.c")).unwrap(), "int kept;\n");
    // Those of an earlier command are replaced.
    (0..2).for_each(|_| place.ends(&["instrument", "a.c", "-o", "new"], None));
}
