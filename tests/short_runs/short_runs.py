#!/usr/bin/env python3
"""How well a short recorded run calibrates the prediction of one that is 8 to 64 times as long (docs/record.md).

    short_runs.py prepare CHRONOS FOLDER [--polybench DIR] [--levels O2,O3] [--only NAME,...]
    short_runs.py measure FOLDER [--runs 3] [--only NAME,...]
    short_runs.py predict CHRONOS FOLDER [--machine O2=FILE --machine O3=FILE] [--half open|held] [--tag T] [--only NAME,...]

It needs an Open MPI (mpicc, mpirun) and PolyBench/C 4.2.1. The programs are PolyBench's kernels, one task, SMALL against MEDIUM,
each repeated until the short run computes for some milliseconds and with a barrier around the kernel; and programs of
testdata/programs on two tasks. `prepare` compiles and records each once, `measure` runs them again one by one (on a machine that
does nothing else): the short run once, the long one so often, of which the median by processor time counts. `predict` puts beside
it what chronos says without the short run and with it.

Half of the programs, by a hash of their names, are held out: they are only ever looked at as a whole.
"""

import argparse
import concurrent.futures
import hashlib
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FLAGS = {"O2": "-O2", "O3": "-O3 -march=native"}
MACHINES = {"O2": "epyc-zen5-gcc12-O2", "O3": "epyc-zen5-gcc12-O3-native"}
# The short run and long ones: of as much data with more iterations, or of more data.
MPI_PROGRAMS = {
    "cg": ["128 60", "128 1000", "400 100"],
    "gridmul": ["240 10", "480 20"],
    "heat2d": ["128 60", "128 1500", "384 150"],
    "intsort": ["100000", "2000000"],
    "jacobi": ["256 20", "256 600", "768 60"],
    "matmul": ["128", "384"],
    "nbody": ["256 3", "256 60", "1024 3"],
    "pi_reduce": ["100000 4", "400000 16"],
    "pi_send": ["100000 4", "400000 16"],
    "prefix": ["200000", "4000000"],
    "selfsched": ["20", "320"],
    "transpose": ["192 20", "192 400", "512 60"],
}
# Processor time that a short run of a kernel takes at least, by repetition.
LEAST_S = 5e-3
MOST_OF_READING_NS = 400
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def options():
    words = lambda text: text.split(",")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("step", choices=["prepare", "measure", "predict"])
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--polybench")
    parser.add_argument("--levels", type=words, default=list(FLAGS))
    parser.add_argument("--only", type=words)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--machine", action="append", default=[])
    parser.add_argument("--half", choices=["open", "held"])
    parser.add_argument("--tag", default="table")
    given = parser.parse_args()
    given.folder = pathlib.Path(given.paths[-1]).absolute()
    return given


def run(*command, **more):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, env=ENVIRONMENT, **more)


def is_held(name):
    return int(hashlib.sha1(name.encode()).hexdigest(), 16) % 2 == 0


def kernel(polybench, path):
    """A kernel as one file that repeats it REPS times, between barriers."""
    name = path.stem
    text, header = path.read_text(), path.with_suffix(".h").read_text()
    head, main = text[:text.index("int main(")], text[text.index("int main("):]
    allocate = "void *polybench_alloc_data(unsigned long long n, int size)\n" \
               "{ void *p = 0; if (posix_memalign(&p, 4096, n * size)) exit(1); return p; }\n"
    library = (polybench / "utilities/polybench.h").read_text()
    head = head.replace(f'#include "{name}.h"', header).replace("#include <polybench.h>", library + allocate)
    head = re.sub(r"(static\s*\n?\s*)((?:void|int|DATA_TYPE)\s+kernel_)", r"__attribute__((noinline)) \1\2", head)
    main = main.replace("{", "{\n  MPI_Init(&argc, &argv);", 1)
    main = main.replace("init_array", "for (int rep_ = 0; rep_ < REPS; rep_++) {\n  init_array", 1)
    main = main.replace("polybench_start_instruments;", "MPI_Barrier(MPI_COMM_WORLD);")
    main = main.replace("polybench_stop_instruments;", "MPI_Barrier(MPI_COMM_WORLD); }")
    main = main.replace("polybench_print_instruments;", "MPI_Finalize();")
    return "#define _POSIX_C_SOURCE 200112L\n#include <mpi.h>\n#include <stdlib.h>\n" + head + main


def repetitions(given, source):
    """So many that the short run computes for LEAST_S."""
    exe, record = given.folder / "bin" / f"{source.stem}.once", given.folder / "records" / "once.rec"
    record.mkdir(exist_ok=True)
    compiled("-O2", "-DSMALL_DATASET", "-DREPS=8", source, "-o", exe, "-lm")
    run("mpirun", "-np", 1, *preloaded(given, record), exe)
    return min(4096, max(3, math.ceil(8 * LEAST_S / computed(record))))


def compiled(*arguments):
    built = run("mpicc", "-w", *arguments)
    if built.returncode:
        sys.exit(built.stderr)


def preloaded(given, record):
    return ["env", f"CHRONOS_RECORD={record}", f"LD_PRELOAD={given.folder / 'recorder.so'}"]


def jobs(given):
    """Name, level, tasks, and the sizes: macros and arguments; the first is that of the short run."""
    sources = given.folder / "sources"
    reps = json.loads((sources / "repetitions.json").read_text())
    for level in given.levels:
        for name, count in sorted(reps.items()):
            yield name, level, 1, [([f"{size}_DATASET", f"REPS={count}"], []) for size in ("SMALL", "MEDIUM")]
        for name, sizes in MPI_PROGRAMS.items():
            yield name, level, 2, [([], size.split()) for size in sizes]


def chosen(given):
    for job in jobs(given):
        if (not given.only or job[0] in given.only) and (not given.half or is_held(job[0]) == (given.half == "held")):
            yield job


def source_of(given, name, tasks):
    return given.folder / "sources" / f"{name}.c" if tasks == 1 else ROOT / "testdata/programs" / f"{name}.c"


def record_of(given, name, level, size):
    return given.folder / "records" / f"{name}-{level}-{size}.rec"


def exe_of(given, name, level, size, tasks):
    # Arguments give the sizes of MPI programs: one executable.
    return given.folder / "bin" / f"{name}-{level}-{size if tasks == 1 else 0}"


def write_kernels(given, polybench):
    sources, reps = given.folder / "sources", {}
    for line in (polybench / "utilities/benchmark_list").read_text().split():
        path = polybench / line
        source = sources / path.name
        source.write_text(kernel(polybench, path))
        reps[path.stem] = repetitions(given, source)
    (sources / "repetitions.json").write_text(json.dumps(reps))


def prepare(given):
    for part in ("sources", "records", "bin"):
        (given.folder / part).mkdir(parents=True, exist_ok=True)
    # As `chronos record --exe` does, compiled once for all.
    texts = [path for path in (ROOT / "runtime").glob("*.c") if path.name != "chronos_trace.c" and "live" not in path.name]
    compiled(*"-std=gnu11 -O2 -DCHRONOS_WITH_MPI -DCHRONOS_RECORD -fPIC -shared".split(), *texts, "-o", given.folder / "recorder.so")
    if given.polybench:
        write_kernels(given, pathlib.Path(given.polybench))
    for name, level, tasks, sizes in chosen(given):
        for size, (macros, arguments) in enumerate(sizes):
            exe = exe_of(given, name, level, size, tasks)
            defines = [f"-D{macro}" for macro in macros]
            if tasks == 1 or size == 0:
                compiled("-g", *FLAGS[level].split(), *defines, source_of(given, name, tasks), "-o", exe, "-lm")
            record = record_of(given, name, level, size)
            done = run(given.paths[0], "record", "--exe", exe, "-n", tasks, "-o", record, "--", *arguments)
            info = json.loads((record / "record.json").read_text())
            info["defines"] = macros
            (record / "record.json").write_text(json.dumps(info))
            print(name, level, size, done.stdout.strip().split("\n")[-1] or done.stderr, flush=True)


def execute(given, name, level, size, tasks, arguments):
    record = record_of(given, name, level, size)
    run("mpirun", "--bind-to", "core", "-np", tasks, *preloaded(given, record), exe_of(given, name, level, size, tasks), *arguments)
    return computed(record)


def computed(record):
    """Processor time of all tasks from MPI_Init on, outside of MPI, in seconds: without readings of the clock, as chronos has it."""
    stretches = [found for path in sorted(record.glob("task-*.rec")) for found in stretches_of(path)]
    reading = min([MOST_OF_READING_NS, *stretches])
    return sum(stretch - reading for stretch in stretches) * 1e-9


def stretches_of(path):
    lines = [line.split() for line in path.read_text(errors="replace").splitlines()]
    return [int(words[2]) for words in lines if words[:1] in (["C"], ["END"])][1:]


def measure(given):
    path = given.folder / "measured.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    for name, level, tasks, sizes in chosen(given):
        for size, (_, arguments) in enumerate(sizes):
            runs = [execute(given, name, level, size, tasks, arguments) for _ in range(1 if size == 0 else given.runs)]
            known[f"{name}-{level}-{size}"] = runs
        path.write_text(json.dumps(known, indent=0))


def predicted(given, name, level, size, tasks, macros, arguments, short):
    machine = dict(MACHINES, **dict(word.split("=", 1) for word in given.machine))[level]
    command = [given.paths[0], "predict", source_of(given, name, tasks), "-n", tasks, "--machine", machine, "--network",
               "ethernet-1000", "--format", "json", "--timeline", "0", *[f"-D{macro}" for macro in macros]]
    command += ["--tasks-per-node", tasks]
    if short:
        command += ["--calibrated-by", record_of(given, name, level, 0)]
    done = run(*command, "--", *arguments)
    try:
        found = json.loads(done.stdout)["predictions"][0]
        # What MPI does to memory is none of the program's processor time.
        blocks_s = [block["time_s"] for block in found["blocks"] if block["kind"] != "mpi"]
    except (ValueError, KeyError, IndexError):
        return None, done.stderr[-300:]
    blocks = found["total_interval_s"] if "total_interval_s" in found else found.get("interval_s")
    total = found["total_s"]
    # The interval of the whole, as factors.
    factors = [bound / total for bound in blocks] if blocks and total else [1, 1]
    codes = set(re.findall(r"C\d{4}", done.stderr))
    return (sum(blocks_s), *factors, sorted(codes & {"C1708", "C1709", "C1710"})), None


def row(given, known, job):
    name, level, tasks, sizes = job
    rows = []
    for size, (macros, arguments) in list(enumerate(sizes))[1:]:
        truth = statistics.median(known[f"{name}-{level}-{size}"])
        short = known[f"{name}-{level}-0"][0]
        found = [predicted(given, name, level, size, tasks, macros, arguments, by) for by in (False, True)]
        if any(error for _, error in found):
            rows.append((name, level, size, None, str([error for _, error in found])))
            continue
        (alone, *_), (with_short, low, high, codes) = found[0][0], found[1][0]
        inside = low * with_short <= truth <= high * with_short
        rows.append((name, level, size, dict(short=short, truth=truth, alone=alone / truth - 1, calibrated=with_short / truth - 1,
                                             inside=inside, low=low, high=high, codes=codes), None))
    return rows


def tell(rows, what):
    if not rows:
        return
    quantile = lambda values, share: sorted(values)[min(len(values) - 1, math.ceil(share * len(values)) - 1)]
    line = f"{what:34} {len(rows):3} pairs"
    for key in ("alone", "calibrated"):
        errors = [abs(row[key]) for row in rows]
        line += f"; {key} {100 * statistics.median(errors):.1f} / {100 * quantile(errors, 0.9):.0f} / {100 * max(errors):.0f} %"
    print(f"{line}; {100 * statistics.mean(row['inside'] for row in rows):.0f} % inside")


def predict(given):
    known = json.loads((given.folder / "measured.json").read_text())
    all_jobs = [job for job in chosen(given) if f"{job[0]}-{job[1]}-0" in known]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        rows = [found for rows in pool.map(lambda job: row(given, known, job), all_jobs) for found in rows]
    for name, level, size, found, error in rows:
        if is_held(name) and given.half != "held" and not given.only:
            continue
        if error:
            print(f"{name:16} {level} {size} {error}")
            continue
        print(f"{name:16} {level} {size} {1e3 * found['short']:8.2f} ms {1e3 * found['truth']:9.2f} ms x{found['truth'] / found['short']:5.1f} "
              f"alone {100 * found['alone']:+6.1f} % calibrated {100 * found['calibrated']:+6.1f} % "
              f"[{found['low']:.2f} {found['high']:.2f}] {'' if found['inside'] else 'outside'} {' '.join(found['codes'])}")
    (given.folder / f"{given.tag}.json").write_text(json.dumps(rows, indent=0))
    for level in given.levels:
        for kind, is_of in (("kernels", lambda name: name not in MPI_PROGRAMS), ("MPI programs", lambda name: name in MPI_PROGRAMS)):
            for half in (False, True):
                of = [row[3] for row in rows if row[1] == level and is_of(row[0]) and is_held(row[0]) == half and row[3]]
                tell(of, f"-{level} {kind}, {'held out' if half else 'open'}")
                tell([row for row in of if "C1710" not in row["codes"]], "    without C1710")
    tell([row[3] for row in rows if row[3]], "all")
    tell([row[3] for row in rows if row[3] and "C1710" not in row[3]["codes"]], "    without C1710")


if __name__ == "__main__":
    given = options()
    {"prepare": prepare, "measure": measure, "predict": predict}[given.step](given)
