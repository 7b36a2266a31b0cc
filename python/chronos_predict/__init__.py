"""Predicted times of C/MPI programs, as the command `chronos` finds them.

The command does the work; this module writes its flags and reads its reports in JSON. Keyword arguments that are not
named here become options of the command: `mpi_library="mpich"` is `--mpi-library mpich`, `strict=True` is `--strict`,
a list repeats the option.
"""

import json
import os
import shutil
import subprocess
import sysconfig

from .formulas import to_sympy

__all__ = ["ChronosError", "Counts", "Prediction", "Report", "count", "predict", "ranks", "sweep", "to_sympy"]

# Exit codes of the command with which there is a report: all known, and parts of it unknown.
_REPORTED = (0, 1)


class ChronosError(Exception):
    """The command could not begin; the text is what it said."""


def predict(files, tasks=1, machine=None, arguments=(), **options):
    """The first prediction of `report(...)`: of one program with one number of tasks on one machine."""
    return report(files, tasks, machine, arguments, **options).predictions[0]


def sweep(files, tasks=1, machine=None, arguments=(), values=None, **options):
    """One row per prediction, for lists of numbers of tasks, of machines, and of values of macros and arguments
    (`values={"N": [100, 200]}`)."""
    names = [f"{name}={_joined(numbers)}" for name, numbers in (values or {}).items()]
    found = report(files, tasks, machine, arguments, sweep=names, **options)
    return _frame([one.row() for one in found.predictions])


def report(files, tasks=1, machine=None, arguments=(), **options):
    """All predictions of one call of `chronos predict`."""
    return Report(_run("predict", files, tasks, arguments, dict(options, machine=machine)))


def count(files, tasks=1, arguments=(), **options):
    """How often blocks, functions and lines are executed (`chronos count`)."""
    return Counts(_run("count", files, tasks, arguments, options))


class Report:
    """A report of `chronos predict`; `json` is all of it."""

    def __init__(self, data):
        self.json = data
        self.predictions = [Prediction(one, data) for one in data["predictions"]]


class Prediction:
    """One program with one number of tasks on one system; times are in seconds."""

    def __init__(self, data, whole):
        self.json = data
        self.machine = data["platform"]["machine"]
        self.network = data["platform"].get("network")
        self.tasks_count = data["tasks_count"]
        #: None where the prediction is incomplete; then `known_s` is a lower bound.
        self.total_s = data["total_s"]
        self.known_s = data["known_s"]
        self.interval_s = data.get("interval_s")
        self.diagnostics = whole["diagnostics"]

    def row(self):
        """The prediction in one row, as `sweep` has it."""
        lower, upper = self.interval_s or (None, None)
        row = {"machine": self.machine, "network": self.network, "tasks": self.tasks_count}
        row.update((value["name"], _number(value["value"])) for value in self.json.get("sweep", []))
        row.update(total_s=self.total_s, known_s=self.known_s, lower_s=lower, upper_s=upper)
        efficiency = self.json.get("efficiency") or {}
        row.update({name: efficiency.get(name) for name in ("parallel", "load_balance", "communication")})
        return row

    def tasks(self):
        """Where each task spends its time. Of many tasks, a row stands for a class of them (`ranks`, `count`) and has their
        means, which differ by up to `spread_s`; `per_task=True` asks for a row for each."""
        return _frame([_of_class(one) for one in self.json["tasks"]])

    def functions(self):
        """Inclusive and exclusive times, means over the tasks."""
        return _frame([_plain(one) for one in self.json["functions"]])

    def blocks(self):
        """Counts and times of all blocks, sums over the tasks."""
        return _frame([_plain(one) for one in self.json["blocks"]])

    def loops(self):
        """What bounds each loop."""
        return _frame(self.json.get("loops", []))

    def calls(self):
        """Times of MPI calls by their places."""
        return _frame(self.json.get("calls", []))

    def __repr__(self):
        total = "incomplete" if self.total_s is None else f"{self.total_s:.6g} s"
        return f"<Prediction: {self.tasks_count} tasks on {self.machine}: {total}>"


class Counts:
    """A report of `chronos count`; `json` is all of it."""

    def __init__(self, data):
        self.json = data
        self.diagnostics = data["diagnostics"]

    def blocks(self):
        """One row for each block and group of tasks that execute it alike."""
        return _of_groups(self.json["blocks"])

    def lines(self):
        """One row for each line and group of tasks that execute it alike."""
        return _of_groups(self.json["lines"])


def ranks(text):
    """The ranks that `0,4-7,9-15:2` stands for: ranges with both ends, every so many of them behind a colon."""
    found = []
    for part in text.split(","):
        bounds, _, step = part.partition(":")
        first, _, last = bounds.partition("-")
        found += range(int(first), int(last or first) + 1, int(step or 1))
    return found


def _of_groups(counted):
    """Rows of what tasks execute in groups."""
    rows = []
    for one in counted:
        for group in one["counts"]:
            tasks = group["tasks"] if "tasks" in group else ranks(group["ranks"])
            row = _plain({name: value for name, value in one.items() if name != "counts"})
            row.update(tasks=tasks, count=group["count"], source=group["source"])
            rows.append(row)
    return _frame(rows)


def _of_class(row):
    row = dict(row)
    row.update(row.pop("class", {}))
    return row


def _run(command, files, tasks, arguments, options):
    files = [files] if isinstance(files, (str, os.PathLike)) else list(files)
    line = [_command(), command, *map(os.fspath, files), "-n", _joined(tasks), "--format", "json"]
    for name, value in options.items():
        line += _option("--" + name.replace("_", "-"), value)
    if arguments:
        line += ["--", *map(str, arguments)]
    done = subprocess.run(line, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode not in _REPORTED or not done.stdout.lstrip().startswith("{"):
        raise ChronosError(done.stderr.strip() or f"{line[0]} ended with {done.returncode}")
    return json.loads(done.stdout)


def _command():
    found = os.environ.get("CHRONOS") or _installed_beside() or shutil.which("chronos")
    if not found:
        raise ChronosError("the command chronos is not in the PATH; install it, or name it by the variable CHRONOS")
    return found


def _installed_beside():
    """The command of the same wheel, also where its folder is not in the PATH (a notebook in an environment of its own)."""
    user = "posix_user" if os.name == "posix" else "nt_user"
    folders = (sysconfig.get_path("scripts"), sysconfig.get_path("scripts", user))
    return next(filter(None, (shutil.which("chronos", path=folder) for folder in folders)), None)


def _option(flag, value):
    if value is None or value is False:
        return []
    if value is True:
        return [flag]
    if isinstance(value, (list, tuple)):
        return [word for one in value for word in (flag, str(one))]
    return [flag, str(value)]


def _joined(numbers):
    return ",".join(map(str, numbers)) if isinstance(numbers, (list, tuple, range)) else str(numbers)


def _number(text):
    """Swept values are texts in reports, since arguments of a program may be any word."""
    for kind in (int, float):
        try:
            return kind(text)
        except (TypeError, ValueError):
            pass
    return text


def _plain(row):
    """Without what is no column: values of each task, shares of instruction classes."""
    row = dict(row)
    interval = row.pop("interval_s", None)
    if interval:
        row["lower_s"], row["upper_s"] = interval
    return {name: value for name, value in row.items() if not isinstance(value, (dict, list))}


def _frame(rows):
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows)
