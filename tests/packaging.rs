//! Recipes of packages and the ready step for CI: they say what the manifest says, and the step does what it says.

use std::path::Path;
use std::process::{Command, Output};

fn text(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn recipes_are_of_this_package_and_version() {
    let manifest = text("Cargo.toml");
    let line = |start: &str| manifest.lines().find_map(|line| line.strip_prefix(start)?.strip_suffix('"'));
    let (version, rust) = (line("version = \"").expect("a version"), line("rust-version = \"").expect("a version"));
    assert!(manifest.contains("name = \"chronos-hpc\""));
    let spack = text("packaging/spack/packages/chronos-hpc/package.py");
    assert!(
        spack.contains(&format!("version(\"{version}\")")) && spack.contains(&format!("\"rust@{rust}:\"")),
        "{spack}"
    );
    let conda = text("packaging/conda/recipe.yaml");
    assert!(conda.contains(&format!("version: \"{version}\"")) && conda.contains("name: chronos-hpc"), "{conda}");
    let python = text("python/pyproject.toml");
    assert!(python.contains(&format!("version = \"{version}\"")) && python.contains("name = \"chronos-predict\""));
    for tool in ["autoconf", "automake", "libtool"] {
        assert!(spack.contains(&format!("depends_on(\"{tool}\"")) && conda.contains(&format!("- {tool}\n")), "{tool}");
    }
}

#[test]
fn the_recipe_for_spack_is_python() {
    let recipe = Path::new("packaging/spack/packages/chronos-hpc/package.py");
    let parse = "import ast, sys; ast.parse(open(sys.argv[1]).read())";
    match Command::new("python3").arg("-c").arg(parse).arg(recipe).output() {
        Ok(output) => assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr)),
        Err(error) => eprintln!("left out: python3 cannot be run: {error}"),
    }
}

fn run(folder: &Path, program: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).env("CHRONOS", assert_cmd::cargo::cargo_bin("chronos"));
    // A commit needs a name, and looks into no settings of the user.
    for (name, value) in [("GIT_AUTHOR_NAME", "a"), ("GIT_AUTHOR_EMAIL", "a@b"), ("GIT_COMMITTER_NAME", "a")] {
        command.env(name, value);
    }
    command.env("GIT_COMMITTER_EMAIL", "a@b").output().expect("it runs")
}

/// The step in a repository whose program stands in a subfolder.
#[test]
fn the_step_for_ci_fails_where_the_program_is_slower() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("src");
    std::fs::create_dir(&place).expect("it is made");
    let program = |rounds: u32| {
        format!(
            "int v[1000];\nint main(void) {{\n    for (int i = 0; i < {rounds}; i++)\n        v[i % 1000] += i;\n    return v[0];\n}}\n"
        )
    };
    let write = |rounds| std::fs::write(place.join("a.c"), program(rounds)).expect("it is written");
    write(1000);
    for arguments in [&["init", "--quiet"][..], &["add", "."], &["commit", "--quiet", "--message", "a"]] {
        let made = run(folder.path(), "git", arguments);
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    }
    let step = std::fs::canonicalize("packaging/ci/slower.sh").expect("it is there").display().to_string();
    let step = |arguments: &[&str]| {
        let ran = run(&place, &step, arguments);
        (ran.status.code(), format!("{}{}", String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr)))
    };
    let options = ["HEAD", "5", "a.c", "--machine", "pentium2-350"];
    let (code, told) = step(&options);
    assert_eq!(code, Some(0), "{told}");
    write(2000);
    let (code, told) = step(&options);
    assert!(code == Some(1) && told.contains("error[C0945]"), "{code:?} {told}");
    assert_eq!(step(&["HEAD"]).0, Some(2));
    let (code, told) = step(&["no-such-branch", "5", "a.c", "--machine", "pentium2-350"]);
    assert!(code == Some(2) && told.contains("no-such-branch"), "{code:?} {told}");
    let trees = run(folder.path(), "git", &["worktree", "list"]);
    assert_eq!(String::from_utf8_lossy(&trees.stdout).lines().count(), 1);
}
