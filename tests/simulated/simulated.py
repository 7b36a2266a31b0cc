#!/usr/bin/env python3
"""How far runs in virtual time and predictions are from real runs (Amakata, Shinano and Nakamori, section 3).

    simulated.py CHRONOS ROWS.csv [--programs product,knapsack] [--slaves 2,6,11] [--orders 200,400,600,800]
                 [--tasks 2,4] [--items 100,500,1000,2000] [--problems 10] [--runs 3] [--node-runs 20]
                 [--network ethernet-1000] [--machine NAME] [--slower 1] [--mpirun "mpirun --oversubscribe -np {n}"]
                 [--mpirun-spawn COMMAND]

It needs an Open MPI (mpicc, mpirun), and a machine that does nothing else. The network is to be that of the real runs: one that
`chronos calibrate --mpirun` or `chronos network fit` made. On an emulated cluster whose nodes are slower than this machine,
`--slower S` says how many times, and `--mpirun` how programs are started there; `--mpirun-spawn` the same for the program that starts
its slaves itself, where it needs another command ({n} is 1, {all} the number with slaves).

The paper's two programs: the product of matrices by slaves that are started (testdata/spawn/mm_master.c), and branch and bound for
the knapsack problem (testdata/simulated/knapsack.c), whose visited nodes depend on when messages arrive. Each is run for real, in
virtual time (`chronos run`, the processor's time) and predicted without a run (`chronos predict`). Times are those of the first task
from MPI_Init to MPI_Finalize, without MPI_Comm_spawn. A row of the table is a problem. Printed are, for runs in virtual time and for
predictions, the mean and the variance of E = (T - Treal) / Treal, the correlation of T and Treal over all problems, and for the
knapsack problem whether the visited nodes are those of the real runs: the same with two tasks, within the range of --node-runs real
runs with more.
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
MASTER, SLAVE = ROOT / "testdata/spawn/mm_master.c", ROOT / "testdata/spawn/mm_slave.c"
KNAPSACK, CLOCK = ROOT / "testdata/simulated/knapsack.c", ROOT / "tests/simulated/clock.c"
MPIRUN = "mpirun --oversubscribe -np {n}"
COLUMNS = ["program", "tasks", "size", "problem", "real_s", "run_s", "predicted_s", "real_nodes_least", "real_nodes_most", "run_nodes",
           "predicted_nodes"]
SECONDS = 600


def options():
    numbers = lambda text: [int(word) for word in text.split(",")]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chronos")
    parser.add_argument("rows")
    parser.add_argument("--programs", type=lambda text: text.split(","), default=["product", "knapsack"])
    parser.add_argument("--slaves", type=numbers, default=[2, 6, 11])
    parser.add_argument("--orders", type=numbers, default=[200, 400, 600, 800])
    parser.add_argument("--tasks", type=numbers, default=[2, 4])
    parser.add_argument("--items", type=numbers, default=[100, 500, 1000, 2000])
    parser.add_argument("--problems", type=int, default=10)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--node-runs", type=int, default=20)
    parser.add_argument("--network", default="ethernet-1000")
    parser.add_argument("--machine")
    parser.add_argument("--slower", type=float, default=1.0)
    parser.add_argument("--mpirun", default=MPIRUN)
    parser.add_argument("--mpirun-spawn")
    return parser.parse_args()


def done(command, folder):
    ended = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, cwd=folder)
    if ended.returncode != 0:
        sys.exit(f"{shlex.join(command)}\n{ended.stderr}")
    return ended


def compiled(folder):
    """The three programs, with the clock."""
    for source in (MASTER, SLAVE, KNAPSACK):
        done(["mpicc", "-O2", "-o", source.stem, str(source), str(CLOCK), "-ldl", "-rdynamic"], folder)


def real(template, tasks, everyone, program, arguments, folder):
    """Seconds, and visited nodes where they are printed."""
    start = shlex.split(template.format(n=tasks, all=everyone))
    said = done([*start, f"{folder}/{program}", *arguments], folder).stdout
    nodes = re.search(r"(\d+) nodes", said)
    return float(re.search(r"took (\S+) s", said).group(1)), nodes and int(nodes.group(1))


def virtual(given, command, sources, tasks, arguments):
    """Seconds of the first task, and visited nodes: printed by a run, counted by a prediction."""
    with tempfile.TemporaryDirectory() as folder:
        report = f"{folder}/report.json"
        own = ["--slower", str(given.slower)] if command == "run" else ["--scale", f"clock={1 / given.slower}"]
        own += ["--machine", given.machine] if given.machine else []
        said = done([given.chronos, command, *sources, "-n", str(tasks), "--network", given.network, *own, "--format", "json", "-o",
                     report, "--", *arguments], ROOT).stderr
        found = json.loads(pathlib.Path(report).read_text())["predictions"][0]
    starting = sum(call["time_s"] for call in found["calls"] if call["function"] == "MPI_Comm_spawn")
    nodes = re.search(r"(\d+) nodes", said)
    counted = [function["calls"] for function in found["functions"] if function["name"] == "branch"]
    visited = int(nodes.group(1)) if nodes else int(counted[0]) if counted and command == "predict" else None
    return found["tasks"][0]["total_s"] - starting, visited


def compared(given, name, tasks, size, problem, folder):
    """A row of the table."""
    if name == "product":
        program, sources, began, arguments = MASTER.stem, [str(MASTER), "--spawn", f"mm_slave={SLAVE}"], 1, [str(size), str(tasks)]
        template, everyone, repetitions = given.mpirun_spawn or given.mpirun, tasks + 1, given.runs
    else:
        program, sources, began, arguments = KNAPSACK.stem, [str(KNAPSACK)], tasks, [str(size), str(problem)]
        template, everyone, repetitions = given.mpirun, tasks, given.runs if tasks == 2 else max(given.runs, given.node_runs)
    truth = [real(template, began, everyone, program, arguments, folder) for _ in range(repetitions)]
    run, predicted = (virtual(given, command, sources, began, arguments) for command in ("run", "predict"))
    nodes = [visited for _, visited in truth if visited is not None]
    least, most = (min(nodes), max(nodes)) if nodes else (None, None)
    return [name, tasks, size, problem, statistics.median(time for time, _ in truth), run[0], predicted[0], least, most, run[1],
            predicted[1]]


def correlation(a, b):
    if len(a) < 2 or statistics.pstdev(a) == 0 or statistics.pstdev(b) == 0:
        return float("nan")
    return statistics.correlation(a, b)


def tell(name, rows):
    truth = [row[4] for row in rows]
    for column, what in ((5, "run"), (6, "predict")):
        times = [row[column] for row in rows]
        errors = [(time - real) / real for time, real in zip(times, truth)]
        print(f"{name:8} chronos {what:7}: E {statistics.mean(errors):+.3f} in the mean, variance {statistics.pvariance(errors):.4f}, "
              f"greatest {max(errors, key=abs):+.3f}; correlation {correlation(times, truth):.4f}; {len(rows)} problems")
    apart = [row[5] / row[6] - 1 for row in rows]
    print(f"{name:8} run / predict - 1: {statistics.mean(apart):+.3f} in the mean, greatest {max(apart, key=abs):+.3f}")


def tell_nodes(rows):
    for tasks in sorted({row[1] for row in rows}):
        own = [row for row in rows if row[1] == tasks]
        for column, what in ((9, "run"), (10, "predict")):
            inside = sum(row[7] <= row[column] <= row[8] for row in own)
            print(f"visited nodes, {tasks} tasks, chronos {what:7}: {inside} of {len(own)} problems as in real runs")


def main():
    given = options()
    sizes = {"product": (given.slaves, given.orders, [1]),
             "knapsack": (given.tasks, given.items, range(1, given.problems + 1))}
    with tempfile.TemporaryDirectory() as folder, open(given.rows, "w", newline="") as file:
        compiled(folder)
        table = csv.writer(file)
        table.writerow(COLUMNS)
        for name in given.programs:
            rows = []
            for tasks in sizes[name][0]:
                for size in sizes[name][1]:
                    for problem in sizes[name][2]:
                        rows.append(compared(given, name, tasks, size, problem, folder))
                        table.writerow(rows[-1])
                        file.flush()
            tell(name, rows)
            if name == "knapsack":
                tell_nodes(rows)


if __name__ == "__main__":
    main()
