//! Which file is chosen for which processor and build.

use super::{Build, Processor, Surroundings};

fn surroundings(cpu: &str, prefix: Option<&'static str>, command: &str) -> Surroundings {
    let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
    let version = if words[0] == "clang" { "Debian clang version 14.0.6" } else { "gcc (Debian 12.2.0-14) 12.2.0" };
    Surroundings {
        processor: Processor { name: cpu.to_owned(), shipped_prefix: prefix },
        build: Build::of(&words, version),
        named_compiler: true,
        kept: Vec::new(),
    }
}

fn zen5(command: &str) -> Surroundings {
    surroundings("AMD EPYC (family 26 model 2)", Some("epyc-zen5"), command)
}

/// What is chosen, and what is said: `note` or `warning` with the message.
fn check(surroundings: &Surroundings, name: &str, machine: &str, said: &[&str]) {
    let chosen = surroundings.machine(name).expect("there is such a machine");
    assert_eq!(chosen.machine.name, machine);
    let diagnostics = chosen.diagnostics;
    let messages: Vec<String> =
        diagnostics.iter().map(|found| format!("{:?}: {}", found.severity, found.message)).collect();
    assert_eq!(messages, said);
}

#[test]
fn the_build_chooses_among_the_files_of_this_processor() {
    let what = "shipped, of this processor (AMD EPYC (family 26 model 2))";
    let chosen = |name: &str| format!("Note: the machine is {name}: {what}");
    check(&zen5("gcc -O2"), "native", "epyc-zen5-gcc12-O2", &[&chosen("epyc-zen5-gcc12-O2")]);
    check(&zen5("gcc -O1 -Wall"), "native", "epyc-zen5-gcc12-O1", &[&chosen("epyc-zen5-gcc12-O1")]);
    check(&zen5("clang -O2"), "native", "epyc-zen5-clang14-O2", &[&chosen("epyc-zen5-clang14-O2")]);
    let native = "epyc-zen5-gcc12-O3-native";
    check(&zen5("gcc -O3 -march=native"), "native", native, &[&chosen(native)]);
    let assumed = format!("{}; -O2 is assumed, --cc \"gcc -O3\" says otherwise", chosen("epyc-zen5-gcc12-O2"));
    check(&zen5("gcc"), "native", "epyc-zen5-gcc12-O2", &[&assumed]);
}

#[test]
fn a_file_of_another_build_is_warned_of() {
    let warning = "Warning: the machine `epyc-zen5-gcc12-O2` is of `gcc -O2`, the program is built with `gcc -O3`";
    check(&zen5("gcc -O3"), "epyc-zen5-gcc12-O2", "epyc-zen5-gcc12-O2", &[warning]);
    check(&zen5("gcc"), "epyc-zen5-gcc12-O2", "epyc-zen5-gcc12-O2", &[]);
    let fast =
        "Warning: the machine `epyc-zen5-gcc12-O2` is of `gcc -O2`, the program is built with `gcc -O2 -ffast-math`";
    check(&zen5("gcc -O2 -ffast-math -fPIC"), "epyc-zen5-gcc12-O2", "epyc-zen5-gcc12-O2", &[fast]);
    let chosen = zen5("gcc -O1").machine("epyc-zen5-gcc12-O2").expect("it is shipped");
    assert_eq!(chosen.diagnostics[0].help.as_deref(), Some("--machine epyc-zen5-gcc12-O1 is of this build"));
}

#[test]
fn a_part_of_a_name_stands_for_a_processor() {
    let here = surroundings("another", None, "gcc -O2");
    let said = "Note: the machine is epyc-zen4-gcc12-O2: the shipped file that fits `zen4`";
    check(&here, "zen4", "epyc-zen4-gcc12-O2", &[said]);
    let said = "Note: the machine is xeon-emerald-gcc12-O2: the shipped file that fits `emerald`";
    check(&here, "emerald", "xeon-emerald-gcc12-O2", &[said]);
    let several = here.machine("xeon").expect_err("three processors");
    assert_eq!(several.message, "`xeon` stands for machines of several processors");
    assert_eq!(here.machine("zen6").expect_err("none").message, "there is no machine `zen6`");
}

#[test]
fn the_same_cores_stand_for_a_processor_and_are_said_to() {
    let here = surroundings("AMD Ryzen 9 9950X (family 26 model 68)", Some("epyc-zen5"), "gcc -O2");
    let said = "Note: the machine is epyc-zen5-gcc12-O2: shipped, of a processor with the same cores as this one \
                (AMD Ryzen 9 9950X (family 26 model 68)), clock and caches may differ";
    check(&here, "native", "epyc-zen5-gcc12-O2", &[said]);
}

/// A virtual machine shows a model that is not that of its cores.
#[test]
fn the_name_of_the_processor_finds_the_file_that_was_measured_on_it() {
    let cpu = "Intel(R) Xeon(R) Processor (family 6 model 167)";
    let said = format!("Note: the machine is xeon-granite-gcc12-O2: shipped, of this processor ({cpu})");
    check(&surroundings(cpu, None, "gcc -O2"), "native", "xeon-granite-gcc12-O2", &[&said]);
}

#[test]
fn an_unknown_processor_is_an_error_with_the_command_that_measures_it() {
    let here = surroundings("Some CPU (family 6 model 186)", None, "gcc");
    assert!(!here.knows_native());
    let error = here.machine("native").expect_err("nobody knows it");
    assert_eq!(error.message, "there is no machine file of this processor (Some CPU (family 6 model 186)) with `gcc`");
    assert!(error.help.is_some_and(|help| help.starts_with("chronos calibrate --brief --cc \"gcc -O2\"")));
}

#[test]
fn a_file_that_was_measured_here_comes_first_while_its_build_is_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("kept.json");
    let mut machine = crate::Machine::load("epyc-zen5-gcc12-O2").expect("it is shipped");
    machine.name = "kept".to_owned();
    std::fs::write(&path, machine.to_json()).expect("it is written");
    let mut here = zen5("gcc -O2");
    here.kept = vec![path.clone()];
    check(&here, "native", "kept", &["Note: the machine is kept: measured here"]);
    let mut other = zen5("gcc -O1");
    other.kept = vec![path];
    assert_eq!(other.machine("native").expect("one is shipped").reference, "epyc-zen5-gcc12-O1");
}
