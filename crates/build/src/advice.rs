//! Commands to type, made of the command that did not do.

use std::path::Path;

/// How everything is built anew by the same build system.
pub fn anew(command: &str) -> String {
    let words = shlex::split(command).unwrap_or_default();
    let tool = words.first().and_then(|word| Path::new(word).file_name()).and_then(|name| name.to_str());
    let quoted = |text: String| format!("--build {}", shlex::try_quote(&text).unwrap_or_default());
    match tool {
        _ if command.contains([';', '&', '|', '<', '>', '\n']) => {
            "make clean, or cmake --build DIR --clean-first".to_owned()
        }
        Some("make" | "gmake") => quoted(format!("{} clean; {command}", without_targets(&words))),
        Some("ninja") => quoted(format!("{command} -t clean; {command}")),
        Some("cmake") if words.iter().any(|word| word == "--build") => quoted(format!("{command} --clean-first")),
        _ => "make clean, or cmake --build DIR --clean-first".to_owned(),
    }
}

/// The words of a `make` that are no targets: options with their arguments, and values of variables.
fn without_targets(words: &[String]) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut words = words.iter().map(String::as_str);
    kept.extend(words.next());
    while let Some(word) = words.next() {
        match word {
            "-C" | "-f" | "-I" => kept.extend(std::iter::once(word).chain(words.next())),
            _ if word.starts_with('-') || word.contains('=') => kept.push(word),
            _ => {}
        }
    }
    kept.into_iter().map(as_word).collect::<Vec<_>>().join(" ")
}

/// A word as a person would type it: quoted only where the shell would take it apart.
fn as_word(word: &str) -> String {
    let is_plain = word.chars().all(|c| c.is_ascii_alphanumeric() || "-_=./:,+@%".contains(c));
    let quoted = || shlex::try_quote(word).map(String::from).unwrap_or_default();
    if is_plain && !word.is_empty() { word.to_owned() } else { quoted() }
}

/// What somebody means who gives `--build` a path that is no command.
pub fn of_no_command(command: &str) -> String {
    let path = Path::new(command.trim());
    match of_path(path) {
        Some(build) => format!("give a command of the shell: {build}"),
        None => "give a command of the shell: --build 'make CC=mpicc'".to_owned(),
    }
}

/// The option that builds what a folder, a makefile or a CMakeLists.txt is of; `None` where a path is none of these.
pub fn of_path(path: &Path) -> Option<String> {
    let has = |name: &str| path.join(name).is_file();
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let folder = if path.is_dir() { Some(path) } else { path.parent() };
    let folder = folder.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let quoted = |text: String| format!("--build {}", shlex::try_quote(&text).unwrap_or_default());
    let shown = shlex::try_quote(&folder.display().to_string()).map(String::from).unwrap_or_default();
    let makefiles = ["Makefile", "makefile", "GNUmakefile"];
    if makefiles.contains(&name) || makefiles.iter().any(|name| has(name)) {
        let make = if folder == Path::new(".") { "make".to_owned() } else { format!("make -C {shown}") };
        return Some(quoted(make));
    }
    let is_cmake = name == "CMakeLists.txt" || has("CMakeLists.txt");
    is_cmake.then(|| quoted(format!("cmake -S {shown} -B {shown}/build && cmake --build {shown}/build --clean-first")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_is_repeated_with_its_own_words() {
        let check = |command: &str, expected: &str| assert_eq!(anew(command), expected);
        check("make", "--build 'make clean; make'");
        check(
            "make -C src CC=mpicc -j4 solver",
            "--build 'make -C src CC=mpicc -j4 clean; make -C src CC=mpicc -j4 solver'",
        );
        check("cmake --build out", "--build 'cmake --build out --clean-first'");
        check("./build.sh", "make clean, or cmake --build DIR --clean-first");
        check("cd src && make", "make clean, or cmake --build DIR --clean-first");
    }

    #[test]
    fn a_folder_is_built_by_what_it_has() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(of_path(folder.path()), None);
        std::fs::write(folder.path().join("CMakeLists.txt"), "").expect("written");
        let shown = folder.path().display();
        let cmake = format!("--build 'cmake -S {shown} -B {shown}/build && cmake --build {shown}/build --clean-first'");
        assert_eq!(of_path(folder.path()), Some(cmake));
        std::fs::write(folder.path().join("Makefile"), "").expect("written");
        assert_eq!(of_path(&folder.path().join("Makefile")), Some(format!("--build 'make -C {shown}'")));
    }
}
