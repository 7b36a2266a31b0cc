#!/usr/bin/env python3
"""Whether the estimate of a recorded run stays where other programs take the processors (Drozdowski 2001, section 3).

    loads.py CHRONOS ROWS.csv [--tasks 2,3,4] [--loads 0,1,2,3,4,5] [--runs 3] [--network ethernet-1000]
             [--mpirun "mpirun --oversubscribe -np {n}"] [--dedicated COMMAND --slower 20]

It needs an Open MPI (mpicc, mpirun). `--dedicated` says how programs are started where nothing else runs, {n} tasks on a node each: then
the estimates are compared with the time that passes there (the median of the runs). On an emulated cluster whose nodes are slower than
this machine, `--slower S` says how many times.

The three applications of the paper (testdata/recorded) are recorded with so many programs beside each task that compute without
end. Loads are gone through once in each run, so that what else the machine does meets all of them. Each record is a row of the
table: application, tasks, loads, seconds that passed, processor time, the prediction by replay, the longest path. Printed are
medians: how many times as long the most loaded run takes, and by how much both estimates change over the loads, in percent of
that without load.
"""

import argparse
import csv
import json
import pathlib
import re
import shlex
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Some tenths of a second of processor time each.
APPLICATIONS = {"search": ["20000000", "100000"], "stripes": ["720"], "julia": ["600", "4", "5000"]}
CLOCK = ROOT / "tests/simulated/clock.c"
SECONDS = 120


def options():
    numbers = lambda text: [int(word) for word in text.split(",")]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chronos")
    parser.add_argument("rows")
    parser.add_argument("--tasks", type=numbers, default=[2, 3, 4])
    parser.add_argument("--loads", type=numbers, default=[0, 1, 2, 3, 4, 5])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--network", default="ethernet-1000")
    parser.add_argument("--mpirun", default="mpirun --oversubscribe -np {n}")
    parser.add_argument("--dedicated")
    parser.add_argument("--slower", type=float, default=1.0)
    return parser.parse_args()


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return done.stdout


def under(count, command):
    """Runs a command beside so many programs that compute as long as it lasts."""
    spin = ["sh", "-c", "while :; do :; done"]
    loaders = [subprocess.Popen(spin) for _ in range(count)]
    try:
        return subprocess.run(command).returncode
    finally:
        for loader in loaders:
            loader.kill()
            loader.wait()


def measured(given, name, tasks, loads):
    """Seconds that passed, processor time, prediction by replay, longest path."""
    with tempfile.TemporaryDirectory() as folder:
        record, source = f"{folder}/record", str(ROOT / "testdata/recorded" / f"{name}.c")
        # Beside the run alone, not beside the compiler.
        start = f"{sys.executable} {__file__} under {loads * tasks} {given.mpirun}"
        run(given.chronos, "record", source, "-n", str(tasks), "--mpirun", start, "-o", record, "--", *APPLICATIONS[name])
        report = run(given.chronos, "predict", "--recorded", record, "--network", given.network, "--model", "paper",
                     "--machine-ratio", str(given.slower), "--format", "json")
    found = json.loads(report)["predictions"][0]
    recorded = found["recorded"]
    return recorded["wall_s"], recorded["processor_s"], found["total_s"], recorded["longest_path_s"]


def dedicated(given, name, tasks):
    """Seconds of a run beside which nothing else runs, from MPI_Init to MPI_Finalize."""
    with tempfile.TemporaryDirectory() as folder:
        program, source = f"{folder}/{name}", str(ROOT / "testdata/recorded" / f"{name}.c")
        run("mpicc", "-O2", "-o", program, source, str(CLOCK), "-ldl", "-rdynamic")
        command = [*shlex.split(given.dedicated.format(n=tasks)), program, *APPLICATIONS[name]]
        took = [float(re.search(r"took (\S+) s", run(*command)).group(1)) for _ in range(given.runs)]
    return statistics.median(took)


def change(values):
    """By loads, the first without any."""
    return 100 * (max(values) - min(values)) / values[0]


def tell(name, tasks, by_load, truth):
    medians = [[statistics.median(column) for column in zip(*by_load[loads])] for loads in sorted(by_load)]
    walls, _, totals, paths = zip(*medians)
    if truth is not None:
        errors = lambda values: ", ".join(f"{100 * (value / truth - 1):+.1f}" for value in values)
        print(f"{name:8} {tasks} tasks: {truth:.3f} s on nodes of their own; by loads, the estimate is off by {errors(totals)} %, the longest "
              f"path by {errors(paths)} %")
    print(f"{name:8} {tasks} tasks: {walls[0]:.2f} s pass without load, {max(walls):.2f} s with it ({max(walls) / walls[0]:.1f} times); "
          f"estimate {totals[0]:.3f} s, changes by {change(totals):.1f} %; longest path {paths[0]:.3f} s, {change(paths):.1f} %",
          flush=True)


def main():
    given = options()
    with open(given.rows, "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["application", "tasks", "loads", "wall_s", "processor_s", "replay_s", "longest_path_s"])
        for name in APPLICATIONS:
            for tasks in given.tasks:
                by_load = {loads: [] for loads in given.loads}
                truth = dedicated(given, name, tasks) if given.dedicated else None
                for _ in range(given.runs):
                    for loads in given.loads:
                        row = measured(given, name, tasks, loads)
                        by_load[loads].append(row)
                        table.writerow([name, tasks, loads, *row])
                        file.flush()
                tell(name, tasks, by_load, truth)


if __name__ == "__main__":
    if sys.argv[1:2] == ["under"]:
        sys.exit(under(int(sys.argv[2]), sys.argv[3:]))
    main()
