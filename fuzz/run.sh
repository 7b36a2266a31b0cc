#!/bin/sh
# Coverage-guided fuzzing of one target with a stable compiler:
#   fuzz/run.sh TARGET [CORPUS] [-runs=N] [-max_total_time=SECONDS]
# Targets are the files of fuzz/fuzz_targets. CORPUS is a folder with inputs to begin with; new ones are added to it.
set -e
target=${1:?"a target: $(ls "$(dirname "$0")/fuzz_targets" | sed 's/\.rs$//' | tr '\n' ' ')"}
shift
coverage="-sanitizer-coverage-level=4 -sanitizer-coverage-inline-8bit-counters -sanitizer-coverage-pc-table -sanitizer-coverage-trace-compares"
RUSTFLAGS="-Cpasses=sancov-module --cfg fuzzing -Cdebug-assertions=on"
for option in $coverage; do RUSTFLAGS="$RUSTFLAGS -Cllvm-args=$option"; done
export RUSTFLAGS CARGO_PROFILE_RELEASE_LTO=off
host=$(rustc -vV | sed -n 's/^host: //p')
exec cargo run --quiet --release --target "$host" --manifest-path "$(dirname "$0")/Cargo.toml" --bin "$target" -- "$@"
