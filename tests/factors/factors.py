#!/usr/bin/env python3
"""How far predicted factors of placements and networks are from measured ones (Eom and Hollingsworth, load balancing and networking
factor).

    factors.py CHRONOS ROWS.csv --nodes A,B,C,D --mpirun "mpirun ... --host {hosts} -np {n}" --set-rate "switch --rate {rate}"
               [--work FOLDER] [--programs cg,nbody] [--is FOLDER] [--runs 5] [--records 5] [--slower 20] [--quantum 0.001]
               [--rates 100,10] [--effort --quick] [--calibrate-by "nice -n -20"]

It needs an Open MPI (mpicc) and four nodes that see this folder and the working one, on a network whose rate a command sets (Mbit/s).
Nodes may be emulated, by network namespaces say: what matters of them is the network. Computing is paced (pace.c): each node has one
processor, which is --slower times slower than this machine and serves its tasks in turn, for --quantum seconds each (0: all get equal
parts at any time).

Four tasks of each program are recorded on four nodes (`chronos record`), and the median of each stretch of computing is what all runs
are paced to and all predictions take (`chronos whatif --recorded`). So what is judged is how processors are shared, messages within a
node and the network, not how long computing takes. Networks are those that `chronos calibrate` measures on these nodes, for each rate
and within a node, with --calibrate-by in front of the benchmark: a high priority keeps other work of the machine out of message
times, and where emulated nodes share processors a library (LD_PRELOAD) must keep sched_setaffinity from it, by which it takes the
first processor on each node. There the MPI library must wait without spinning, too. Files in the working folder, measured times
included, are used again. IS of the NAS benchmarks, whose sources are not part of this repository, is measured with --is: a folder
with its C files and npbparams.h for four processes.

A row of the table is a setting of a program: measured seconds (median, least, most), by how much computing was late at most, predicted
seconds. Printed are the factors over four nodes at the first rate, as rows of a Markdown table, and the means of their errors.
"""

import argparse
import csv
import json
import pathlib
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACE = ROOT / "tests/factors/pace.c"
TASKS = 4
# What is compiled, in testdata, and its arguments.
PROGRAMS = {
    "cg": ("programs/cg.c", ["96", "100"]),
    "gridmul": ("programs/gridmul.c", ["360", "360"]),
    "heat2d": ("programs/heat2d.c", ["512", "250"]),
    "jacobi": ("programs/jacobi.c", ["768", "300"]),
    "matmul": ("programs/matmul.c", ["300"]),
    "nbody": ("programs/nbody.c", ["1000", "4"]),
    "prefix": ("programs/prefix.c", ["600000"]),
    "spa": ("whatif/spa.c", ["-DROUNDS=25", "-DRATE=3e6"]),
    "transpose": ("programs/transpose.c", ["192", "100"]),
}
# The node of each task.
PLACEMENTS = {4: "0,1,2,3", 2: "0,0,1,1", 1: "0,0,0,0"}
# Calls that a record has and that move nothing.
LOCAL = {"MPI_Init", "MPI_Init_thread", "MPI_Wtime"}
SECONDS = 1800


def options():
    numbers = lambda text: [int(word) for word in text.split(",")]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chronos")
    parser.add_argument("rows")
    parser.add_argument("--nodes", type=lambda text: text.split(","), required=True)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--set-rate", required=True)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("factors.work"))
    parser.add_argument("--programs", type=lambda text: text.split(","), default=list(PROGRAMS))
    parser.add_argument("--is", dest="npb_is", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--records", type=int, default=5)
    parser.add_argument("--slower", type=float, default=20.0)
    parser.add_argument("--quantum", type=float, default=0.001)
    parser.add_argument("--rates", type=numbers, default=[100, 10])
    parser.add_argument("--effort", default="--quick")
    parser.add_argument("--calibrate-by", default="")
    given = parser.parse_args()
    given.work = given.work.resolve()
    return given


def settings(given):
    """Number of nodes and rate; the first is what the others are divided by."""
    first, second = given.rates
    return [(4, first), (2, first), (1, first), (4, second), (2, second)]


def done(command, **more):
    ended = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, **more)
    if ended.returncode != 0:
        sys.exit(f"{shlex.join(map(str, command))}\n{ended.stdout[-2000:]}{ended.stderr[-2000:]}")
    return ended.stdout


def set_rate(given, rate):
    done(shlex.split(given.set_rate.format(rate=rate)))


def launcher(given, nodes, tasks="{n}"):
    """The command that starts programs with their tasks in blocks on so many nodes."""
    each = TASKS // nodes
    hosts = ",".join(f"{node}:{each}" for node in given.nodes[:nodes])
    return given.mpirun.replace("{hosts}", hosts).replace("{n}", str(tasks))


def calibrated(given):
    """A network file for each rate, with messages within a node."""
    for name, nodes, tasks, rate in [("within", 1, "2", None), *((f"rate-{rate}", 4, "2,4", rate) for rate in given.rates)]:
        file = given.work / f"{name}.json"
        if file.exists():
            continue
        if rate:
            set_rate(given, rate)
        rest = ["--rest", given.work / "within.json"] if rate else []
        # Tasks of an emulated node share processors with others, and wait without using them.
        start = f"{launcher(given, nodes)} {given.calibrate_by}".strip()
        done([given.chronos, "calibrate", "--mpirun", start, "--tasks", tasks, *given.effort.split(), "--allow-noise", *rest, "-o", file])


# --- records ---


def sources(given, name):
    """Files and macros, and the arguments of a run."""
    if name == "is":
        return sorted(given.npb_is.glob("*.c")), []
    file, words = PROGRAMS[name]
    macros = [word for word in words if word.startswith("-D")]
    return [ROOT / "testdata" / file, *macros], [word for word in words if not word.startswith("-D")]


def record_once(given, name, folder):
    files, arguments = sources(given, name)
    done([given.chronos, "record", *files, "-n", str(TASKS), "--mpirun", launcher(given, TASKS), "-o", folder, "--", *arguments])


def parsed(text):
    """The lines of a task's record, in words; a task leaves zeros behind its last line."""
    return [line.split(" ") for line in text.split("\0")[0].splitlines()]


def calls(lines):
    """The function of each call and the processor time before it, in ns."""
    places = {}
    for line in lines:
        if line[0] == "P":
            places[line[1]] = line[2]
        elif line[0] == "C":
            yield places[line[1]], int(line[2])


def merged_task(texts):
    """A task's record with the median of the processor time in front of each call. What is before MPI_Init and behind MPI_Finalize is
    no part of the program."""
    runs = [parsed(text) for text in texts]
    names, times = zip(*(zip(*calls(run)) for run in runs))
    if len(set(names)) != 1:
        sys.exit("the calls differ from run to run")
    middle = iter([0, *(round(statistics.median(own)) for own in list(zip(*times))[1:])])
    for line in runs[0]:
        if line[0] == "C":
            line[2] = str(next(middle))
        elif line[0] == "END":
            line[2] = "0"
    return "".join(" ".join(line) + "\n" for line in runs[0])


def recorded(given, name):
    """The record of medians."""
    folder = given.work / f"{name}.rec"
    if folder.exists():
        return folder
    set_rate(given, given.rates[0])
    runs = [given.work / f"{name}.run-{run}.rec" for run in range(given.records)]
    for run in runs:
        record_once(given, name, run)
    shutil.copytree(runs[0], folder)
    for rank in range(TASKS):
        file = f"task-{rank}.rec"
        (folder / file).write_text(merged_task([(run / file).read_text() for run in runs]))
    for run in runs:
        shutil.rmtree(run)
    return folder


# --- measured ---


def paced_calls():
    return set(re.findall(r"^PACED\((\w+),", PACE.read_text(), re.MULTILINE)) | {"MPI_Finalize"}


def stretches(text, slower):
    """A record as pace.c reads it: each paced call, and the seconds that are computed before it."""
    paced, lines, seconds = paced_calls(), [], 0.0
    for call, own in calls(parsed(text)):
        seconds += slower * own / 1e9
        if call in paced:
            lines.append(f"{call} {seconds:.9f}\n")
            seconds = 0.0
        elif call not in LOCAL:
            sys.exit(f"{PACE}: it has no {call}")
    return "".join(lines)


def compiled(given, name):
    program = given.work / name
    files, _ = sources(given, name)
    done(["mpicc", "-O2", "-w", "-o", program, *files, PACE, "-lm"])
    return program


def run_once(given, name, program, record, nodes):
    """Seconds of the task that ends last, and by how much computing was late at most."""
    _, arguments = sources(given, name)
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        for rank in range(TASKS):
            times = stretches((record / f"task-{rank}.rec").read_text(), given.slower)
            (pathlib.Path(folder) / f"task-{rank}").write_text(times)
        pace = ["env", f"PACE_FOLDER={folder}", f"PACE_QUANTUM={given.quantum}"]
        said = done([*shlex.split(launcher(given, nodes, TASKS)), *pace, program, *arguments])
    found = re.findall(r"^paced \d+ total (\S+) late (\S+)$", said, re.MULTILINE)
    if len(found) != TASKS:
        sys.exit(f"{name} on {nodes} nodes: {said}")
    return max(float(total) for total, _ in found), max(float(late) for _, late in found)


def kept_runs(given):
    file = given.work / "measured.json"
    return {tuple(setting): runs for setting, runs in json.loads(file.read_text())} if file.exists() else {}


def measured(given, names, records):
    """Runs of each program in each setting, as far as they are not kept; a rate is set once."""
    found = kept_runs(given)
    programs = {name: compiled(given, name) for name in names}
    for rate in given.rates:
        todo = [(name, nodes) for name in names for nodes, own in settings(given) if own == rate and (name, nodes, rate) not in found]
        if todo:
            set_rate(given, rate)
        for name, nodes in todo:
            runs = [run_once(given, name, programs[name], records[name], nodes) for _ in range(given.runs)]
            found[name, nodes, rate] = runs
            (given.work / "measured.json").write_text(json.dumps(list(found.items())))
            print(f"measured: {name}, {nodes} nodes, {rate} Mbit/s: {' '.join(f'{total:.4f}' for total, _ in runs)} s, "
                  f"late {max(late for _, late in runs):.4f} s", file=sys.stderr, flush=True)
    return found


# --- predicted ---


def predicted(given, record):
    """Seconds of each setting."""
    network = {rate: given.work / f"rate-{rate}.json" for rate in given.rates}
    first, *others = settings(given)
    changes = []
    for nodes, rate in others:
        parts = [f"place={PLACEMENTS[nodes]}"] if nodes != first[0] else []
        parts += [f"network={network[rate]}"] if rate != first[1] else []
        changes.append(" + ".join(parts))
    said = done([given.chronos, "whatif", "--recorded", record, "--machine-ratio", str(given.slower), "--network", network[first[1]],
                 *changes, "--format", "json", "-q"])
    study = json.loads(said)["studies"][0]
    times = [study["base"]["total_s"], *(row["total_s"] for row in study["rows"])]
    return dict(zip(settings(given), times))


# --- the table ---


def percent(factor, truth):
    return 100 * (factor / truth - 1)


def factors(given, times):
    """Measured and predicted factor of each setting but the first."""
    first, *others = settings(given)
    return {setting: (times[setting][0] / times[first][0], times[setting][1] / times[first][1]) for setting in others}


def tell(given, names, times):
    first, *others = settings(given)
    print("| program | arguments | " + f"{first[0]} nodes, {first[1]} Mbit/s: measured, error | " +
          " | ".join(f"{nodes} nodes, {rate} Mbit/s: measured, predicted factor" for nodes, rate in others) + " |")
    print("|" + " --- |" * (3 + len(others)))
    for name in names:
        arguments = " ".join(PROGRAMS[name][1]) if name in PROGRAMS else ""
        truth, guess = times[name][first]
        cells = [f"{a:.3f}, {b:.3f} ({percent(b, a):+.1f} %)" for a, b in factors(given, times[name]).values()]
        print(f"| {name} | {arguments} | {truth:.3f} s, {percent(guess, truth):+.1f} % | {' | '.join(cells)} |")
    tell_means(given, names, times)


def tell_means(given, names, times):
    first, *others = settings(given)
    kinds = {"placement": [other for other in others if other[1] == first[1]],
             "network": [other for other in others if other[0] == first[0]],
             "both": [other for other in others if other[0] != first[0] and other[1] != first[1]]}
    for what, whose in (("all programs", names), ("without is", [name for name in names if name != "is"])):
        errors = {setting: [abs(percent(b, a)) for a, b in (factors(given, times[name])[setting] for name in whose)]
                  for setting in others}
        for (nodes, rate), own in errors.items():
            print(f"{what}: {nodes} nodes, {rate} Mbit/s: mean {statistics.mean(own):.1f} %, greatest {max(own):.1f} %")
        for kind, of in kinds.items():
            own = [error for setting in of for error in errors[setting]]
            print(f"{what}: {kind}: mean {statistics.mean(own):.1f} %, median {statistics.median(own):.1f} %, greatest {max(own):.1f} %")


def main():
    given = options()
    given.work.mkdir(parents=True, exist_ok=True)
    names = given.programs + (["is"] if given.npb_is else [])
    calibrated(given)
    records = {name: recorded(given, name) for name in names}
    runs = measured(given, names, records)
    times = {}
    with open(given.rows, "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["program", "nodes", "rate_mbit_s", "measured_s", "least_s", "most_s", "late_s", "predicted_s"])
        for name in names:
            guesses = predicted(given, records[name])
            times[name] = {}
            for nodes, rate in settings(given):
                totals, lates = zip(*runs[name, nodes, rate])
                times[name][nodes, rate] = statistics.median(totals), guesses[nodes, rate]
                table.writerow([name, nodes, rate, statistics.median(totals), min(totals), max(totals), max(lates), guesses[nodes, rate]])
    tell(given, names, times)


if __name__ == "__main__":
    main()
