#!/usr/bin/env python3
"""Counts what `chronos check --mpi` finds in two public collections of faulty and correct programs.

    score.py mbi FOLDER CHRONOS ROWS.csv        programs that the generators of the MPI Bugs Initiative have written
    score.py corrbench FOLDER CHRONOS ROWS.csv  micro-benches/0-level of MPI-CorrBench

Any error or warning that the last line of the check counts is a find. Each run has 20 s of processor time. Every run is a row of
the table: file, tasks, label, whether something was told, exit code, codes.
"""

import csv
import pathlib
import re
import resource
import subprocess
import sys

SECONDS = 20


def mbi(folder):
    """Tasks, arguments and labels stand in the header of each program."""
    for file in sorted(folder.glob("*.c")):
        header = file.read_text(errors="replace").split("END_MBI_TESTS")[0].split("BEGIN_MBI_TESTS")[-1]
        lines = header.splitlines()
        for line, label in zip(lines, lines[1:]):
            run = re.match(r"\s*\$ mpirun -np (\d+) \$\{EXE\}(.*)", line)
            if run:
                yield file, int(run[1]), run[2].split(), label.strip().removeprefix("| ").strip(), []


def corrbench(folder):
    """Correct programs have a folder of their own; those with OpenMP are left out."""
    include = ["-I", str(folder / "correct"), "-I", str(folder / "correct" / "include")]
    for file in sorted(folder.rglob("*.c")):
        kind = file.relative_to(folder).parts[:-1]
        if kind[0] != "openmp":
            label = "OK" if kind[0] == "correct" else "/".join(kind)
            yield file, 2, [], label, ["-I", str(file.parent), *include]


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))


def told(chronos, file, tasks, arguments, flags):
    """Whether something is told, the exit code, and the codes."""
    command = [chronos, "check", "--mpi", str(file), "-n", str(tasks), *flags]
    command += ["--", *arguments] if arguments else []
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", preexec_fn=limit)
    counted = re.findall(r"^MPI: (\d+) errors?, (\d+) warnings?", done.stdout, re.MULTILINE)
    codes = sorted(set(re.findall(r"(?:error|warning)\[(C\d+)\]", done.stderr)))
    return bool(counted) and counted[-1] != ("0", "0"), done.returncode, codes


def main(collection, folder, chronos, rows):
    counts = {}
    with open(rows, "w", newline="") as file:
        table = csv.writer(file)
        for source, tasks, arguments, label, flags in {"mbi": mbi, "corrbench": corrbench}[collection](pathlib.Path(folder)):
            found, code, codes = told(chronos, source, tasks, arguments, flags)
            table.writerow([source, tasks, label, found, code, " ".join(codes)])
            key = (label != "OK", found)
            counts[key] = counts.get(key, 0) + 1
    hit, missed = counts.get((True, True), 0), counts.get((True, False), 0)
    alarms, passed = counts.get((False, True), 0), counts.get((False, False), 0)
    print(f"{collection}: {hit} of {hit + missed} faulty runs found, {alarms} of {alarms + passed} correct ones told")
    print(f"recall {hit / max(hit + missed, 1):.3f}, precision by labels {hit / max(hit + alarms, 1):.3f}")


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
