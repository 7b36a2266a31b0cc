use super::*;
use std::os::unix::fs::PermissionsExt as _;

/// Flags as they are handed on, what is refused, or what is not known.
fn check(flags: &str) -> String {
    let command = crate::flags::parse(&format!("gcc {flags}")).expect("balanced quotes");
    match checked(&command, false, &Trust::default()) {
        Ok((allowed, unknown)) if unknown.is_empty() => allowed.flags.join(" "),
        Ok((_, unknown)) => format!("unknown: {}", unknown.join(" ")),
        Err(refusal) => refusal.what,
    }
}

#[test]
fn flags_that_decide_what_is_read_are_kept() {
    let same = [
        "-DA=1 -UB",
        "-I inc -isystem /opt/x -iquote . -idirafter d -include conf.h -imacros m.h",
        "-std=gnu99 -ansi -O2 -Ofast -O",
        "-march=native -mtune=x86-64-v3 -msse4.2 -mabi=ms",
        "-fopenmp -fPIC -ffast-math -fno-strict-aliasing -fsigned-char -fpack-struct=1 -fvisibility=hidden",
        "-pthread -nostdinc -undef",
    ];
    for flags in same {
        assert_eq!(check(flags), flags);
    }
    assert_eq!(
        check("-D A -I/inc --include-directory=i -includeconf.h -target arm-none-eabi"),
        "-DA -I /inc -I i -include conf.h --target=arm-none-eabi"
    );
    assert_eq!(check("-Wp,-DA=1,-UB -Wp,-MD,a.d"), "-DA=1 -UB");
}

#[test]
fn flags_that_do_not_are_left_out() {
    assert_eq!(
        check("-c -o a.o -Wall -g -flto=auto -static -fprofile-use=/x -fdump-tree-all --param x=1 b.o -fuse-ld=gold"),
        ""
    );
    assert_eq!(check("-qopenmp -fnew=/a/path --sysroot-suffix -xHost"), "unknown: -qopenmp -fnew=/a/path -xHost");
}

/// Headers are looked for in another system; programs of the compiler are not.
#[test]
fn another_system_has_headers_alone() {
    assert_eq!(check("--sysroot=/s"), "-isysroot /s");
    assert_eq!(check("--sysroot /s"), "-isysroot /s");
}

#[test]
fn flags_that_run_load_or_hide_something_are_refused() {
    let all = "-fplugin=./x.so|-fplugin-arg-x-y|-fpass-plugin=x|-wrapper x,y|-B.|-B .|--prefix=.|-specs=s|-specs s|--specs=s|@flags|-D@x|-U @x|-Wp,-D@x|-Wp,-D,@x|-Xclang -load|\
               -Xpreprocessor -x|-mllvm -load=x|--config x|-cc=./x|-fmodule-mapper=|x|-Wp,-fplugin=x|-Wp,-imacros,x|-D'A=`x`'|-D'A=$(x)'|-I'$(x)'|\
               -Qlocation,cpp,.";
    for flag in all.split('|').filter(|flag| flag.starts_with(['-', '@'])) {
        let said = check(flag);
        assert!(said.starts_with("the flag `"), "{flag}: {said}");
    }
    assert_eq!(check("-DA -fplugin=./x.so"), "the flag `-fplugin=./x.so`, which makes a compiler load code");
}

/// What follows a flag that takes a word is that word, for compilers too.
#[test]
fn words_behind_flags_are_no_flags() {
    assert_eq!(check("-I -fplugin=x -include @x -D -B"), "-I ./-fplugin=x -include ./@x -D-B");
    assert_eq!(check("-I@x -iquote@y --sysroot=@z"), "-I ./@x -iquote ./@y -isysroot ./@z");
}

#[test]
fn compilers_are_known_by_name() {
    let known = "cc gcc gcc-12 gcc12 clang-14 /usr/bin/aarch64-linux-gnu-gcc-12 x86_64-w64-mingw32-gcc-posix mpicc mpicc.openmpi c99 \
                 mpicc-openmpi-mp /opt/clang+llvm/bin/clang xlc_r gcc-4.8.5";
    for name in known.split_whitespace() {
        assert!(compilers::is_known(name), "{name}");
    }
    for name in
        "sh ./configure gcc.sh evilgcc gcc-evil -gcc python3 gcc-2evil tools/gcc2evil /bin/true make 12 gcc; 'gcc"
            .split_whitespace()
    {
        assert!(!compilers::is_known(name), "{name}");
    }
}

fn program(folder: &std::path::Path, name: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, "#!/bin/sh\n").expect("written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("set");
    path.to_str().expect("UTF-8").to_owned()
}

#[test]
fn programs_are_taken_from_the_search_path_alone() {
    let (tools, project) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let (own, foreign) = (program(tools.path(), "gcc"), program(project.path(), "gcc"));
    let trust = Trust::checked([".".into(), "".into(), tools.path().to_owned()].into_iter());
    let run = |program: &str, trust: &Trust| {
        let command = Command { program: program.to_owned(), flags: Vec::new(), model: None };
        checked(&command, true, trust)
            .map(|(command, _)| command.program)
            .map_err(|refusal| (refusal.code.id, refusal.what))
    };
    assert_eq!(run("gcc", &trust), Ok(own.clone()));
    assert_eq!(run(&own, &trust), Ok(own));
    let elsewhere = format!("the program `{foreign}`, which does not lie in a folder of PATH");
    assert_eq!(run(&foreign, &trust), Err(("C0115", elsewhere)));
    assert_eq!(run("./gcc", &trust).map_err(|(code, _)| code), Err("C0115"));
    assert_eq!(run("clang", &trust), Err(("C0102", "the C compiler `clang`, which is not found".to_owned())));
    assert_eq!(run(&foreign, &Trust::Full), Ok(foreign));
    let nobody = Trust::checked([PathBuf::from(".")].into_iter());
    assert_eq!(run("gcc", &nobody).map_err(|(code, _)| code), Err("C0102"));
}

/// A machine file names a compiler too.
#[test]
fn commands_that_compile_keep_their_flags_or_are_not_run() {
    let trust = Trust::checked([PathBuf::from("/usr/bin")].into_iter());
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let kept = "gcc -O3 -funroll-loops -march=native -g3 -Wall -Wno-x -flto=auto --param x=1 -lm -fopenmp -DA=a/b -I inc -qopt";
    assert_eq!(trust.refuses(&words(kept)), None);
    let all = "-o x|-ox|x.c|x.so|-MF x|-Wl,-rpath|-Wa,-o,x|-T x|-Lx|-L x|-save-temps=obj|-fprofile-generate=x|-Xlinker x|-new=/x|-l:/x/y|-fdump-tree-all=x|-D@x";
    for flags in all.split('|') {
        assert!(trust.refuses(&words(&format!("gcc {flags}"))).is_some(), "{flags}");
    }
    assert!(trust.refuses(&words("gcc -O3 -fplugin=x")).is_some_and(|what| what.contains("-fplugin=x")));
    assert!(trust.refuses(&words("sh -c x")).is_some_and(|what| what.contains("`sh`")));
    assert!(trust.refuses(&words("./gcc -O2")).is_some_and(|what| what.contains("`./gcc`")));
    assert_eq!(Trust::Full.refuses(&words("sh -c x")), None);
}
