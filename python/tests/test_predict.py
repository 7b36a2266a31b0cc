"""The module against the command, which `CHRONOS` names; run by `cargo test --test python`."""

import os
import pathlib
import unittest
import unittest.mock

import chronos_predict as chronos

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "testdata" / "programs"


def rows(frame):
    return frame if isinstance(frame, list) else frame.to_dict("records")


class Predictions(unittest.TestCase):
    def test_a_prediction_has_times_of_tasks_functions_and_blocks(self):
        one = chronos.predict(PROGRAMS / "jacobi.c", tasks=4, machine="epyc-zen5-gcc12-O2")
        self.assertEqual((one.machine, one.tasks_count), ("epyc-zen5-gcc12-O2", 4))
        self.assertTrue(one.interval_s[0] <= one.total_s <= one.interval_s[1])
        tasks = rows(one.tasks())
        self.assertEqual([task["rank"] for task in tasks], [0, 1, 2, 3])
        self.assertAlmostEqual(max(task["total_s"] for task in tasks), one.total_s)
        self.assertIn("main", [function["name"] for function in rows(one.functions())])
        self.assertGreater(sum(block["time_s"] for block in rows(one.blocks())), 0)

    def test_many_tasks_have_a_row_for_each_class(self):
        options = dict(tasks=70, machine="pentium2-350")
        classes, single = (chronos.predict(PROGRAMS / "jacobi.c", **options, **more) for more in ({}, {"per_task": True}))
        found = [rank for row in rows(classes.tasks()) for rank in self.ranks_of(row)]
        self.assertEqual(sorted(found), list(range(70)))
        self.assertLess(len(rows(classes.tasks())), 70)
        self.assertEqual([row["rank"] for row in rows(single.tasks())], list(range(70)))
        groups = rows(chronos.count(PROGRAMS / "jacobi.c", tasks=70).blocks())
        self.assertEqual(max(len(group["tasks"]) for group in groups), 70)

    @staticmethod
    def ranks_of(row):
        return chronos.ranks(row["ranks"]) if isinstance(row.get("ranks"), str) else [row["rank"]]

    def test_a_sweep_has_a_row_for_each_combination(self):
        lu = ROOT / "testdata" / "sequential" / "lu.c"
        found = rows(chronos.sweep(lu, machine=["pentium2-350", "epyc-zen5-gcc12-O2"], values={"N": [20, 40]}))
        self.assertEqual(len(found), 4)
        by = {(row["machine"], row["N"]): row["total_s"] for row in found}
        self.assertGreater(by["pentium2-350", 40], by["pentium2-350", 20])
        self.assertGreater(by["pentium2-350", 40], by["epyc-zen5-gcc12-O2", 40])

    def test_arguments_and_options_reach_the_command(self):
        options = dict(tasks=2, machine="pentium2-350", network="ethernet-1000")
        less, more = (chronos.predict(PROGRAMS / "jacobi.c", arguments=[64, turns], **options) for turns in (10, 20))
        self.assertEqual(less.network, "ethernet-1000")
        self.assertGreater(more.total_s, less.total_s)

    def test_counts_are_those_of_the_program(self):
        counted = chronos.count(PROGRAMS / "jacobi.c", tasks=2)
        self.assertTrue(all(block["count"] is not None for block in rows(counted.blocks())))
        lines = rows(counted.lines())
        self.assertTrue(lines and all(isinstance(line["count"], int) and line["tasks"] for line in lines))

    def test_what_cannot_begin_is_told(self):
        with self.assertRaisesRegex(chronos.ChronosError, "C0"):
            chronos.predict("no_such_file.c", machine="pentium2-350")
        with self.assertRaisesRegex(chronos.ChronosError, "pentum2"):
            chronos.predict(PROGRAMS / "jacobi.c", machine="pentum2-350")

    def test_a_missing_command_is_told(self):
        known = os.environ.pop("CHRONOS")
        path = os.environ["PATH"]
        os.environ["PATH"] = ""
        try:
            # An environment in which a wheel is installed has a command beside it.
            with unittest.mock.patch("sysconfig.get_path", return_value=""):
                with self.assertRaisesRegex(chronos.ChronosError, "not in the PATH"):
                    chronos.predict("a.c")
        finally:
            os.environ.update(CHRONOS=known, PATH=path)


if __name__ == "__main__":
    unittest.main()
