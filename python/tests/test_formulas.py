"""Expressions of reports as formulas of sympy: the same values, in sympy and in numpy's functions."""

import json
import math
import os
import pathlib
import subprocess
import unittest

from chronos_predict import to_sympy

try:
    import sympy
except ImportError:
    sympy = None
try:
    import numpy
except ImportError:
    numpy = None

ROOT = pathlib.Path(__file__).resolve().parents[2]


def floor_log(base, x):
    return max((k for k in range(64) if base**k <= x), default=-1)


def ceil_log(base, x):
    return min(k for k in range(64) if base**k >= x)


# As crates/math, crates/symbolic and crates/predict write them.
TEXTS = [
    "0.0",
    "((N*(N-1))//2 if N >= 2 else 0)",
    "(0.5*N**2 + 12.5*N - 1234567.0 if N >= 1 else 0.0) + (-1234567.0 if N <= 0 else 0.0)",
    "(3*N if 3 <= N <= 5 and N % 2 == 0 else 0) + (((N+1)//3) if (N+1) % 3 == 1 else 0)",
    "(7 if N == 4 else 0)",
    "max(-N, N-3) * min(N, 9)",
    "sum(((N)//i) for i in range(1, N+1))",
    "math.isqrt(max(N, 0)) + 2**max(N, 0)",
    "floor_log(2, N) + ceil_log(3, N) + floor_log(5, N)",
    "(N//max(N-7, 1)) + (N % 4)",
]
VALUES = [*range(-4, 12), 25, 27, 32, 64, 81, 125]


# Programs whose expressions have pieces: by one parameter, by two, of tasks that communicate, of remainders.
REPORTS = [
    ("sequential/lu.c", ["--symbolic", "N"], [], [{"N": number} for number in (0, 1, 2, 3, 40)]),
    ("sequential/stencil.c", ["--symbolic", "argv1"], ["50"], [{"argv1": number} for number in (-3, 0, 1, 2, 3, 50, 1001)]),
    ("programs/ring.c", ["-n", "4", "--symbolic", "argv1,argv2"], ["100", "8"],
     [{"argv1": rounds, "argv2": length} for rounds in (-1, 0, 1, 100) for length in (-5000000000, -7, 0, 1, 8)]),
    ("programs/jacobi.c", ["-n", "4", "--symbolic", "argv1,argv2"], ["256", "100"],
     [{"argv1": points, "argv2": steps} for points in (4, 7, 256) for steps in (0, 1, 19, 20, 100)]),
]


def value_of(text, N=None, **others):
    # As globals, the generator of a sum sees them, too.
    return eval(text, {"math": math, "floor_log": floor_log, "ceil_log": ceil_log, "N": N, **others})


@unittest.skipIf(sympy is None, "sympy is not installed")
class Formulas(unittest.TestCase):
    N = sympy and sympy.Symbol("N", integer=True)

    def test_they_have_the_values_of_the_text(self):
        for text in TEXTS:
            formula = to_sympy(text)
            for number in VALUES:
                with self.subTest(text=text, N=number):
                    self.assertAlmostEqual(float(formula.subs(self.N, number).doit()), value_of(text, number))

    def test_ranges_are_pieces_with_relations(self):
        triangle = to_sympy(TEXTS[1])
        self.assertIsInstance(triangle, sympy.Piecewise)
        self.assertEqual(triangle.args[0][1], self.N >= 2)
        slope = sympy.diff(to_sympy("(0.5*N**2 if N >= 1 else 0.0)"), self.N)
        self.assertEqual((float(slope.subs(self.N, 8)), float(slope.subs(self.N, -8))), (8, 0))

    @unittest.skipIf(numpy is None, "numpy is not installed")
    def test_numpy_takes_arrays(self):
        for text in (text for text in TEXTS[1:] if "sum(" not in text):
            numbers = numpy.array([float(number) for number in VALUES])
            found = sympy.lambdify(self.N, to_sympy(text), "numpy")(numbers)
            expected = [float(value_of(text, number)) for number in VALUES]
            numpy.testing.assert_allclose(found, expected, err_msg=text)

    def test_all_expressions_of_a_report_are_taken(self):
        for program, options, arguments, points in REPORTS:
            texts = self.expressions(program, options, arguments)
            self.assertGreater(len(texts), 5)
            for text in texts:
                formula = to_sympy(text)
                self.assertLessEqual({str(symbol) for symbol in formula.free_symbols}, set(points[0]))
                for point in points:
                    with self.subTest(program=program, text=text, **point):
                        self.assert_same(formula, text, point)

    def expressions(self, program, options, arguments):
        return sorted(set(self.texts(self.report(program, options, arguments))))

    def report(self, program, options, arguments):
        command = [os.environ["CHRONOS"], "predict", ROOT / "testdata" / program, "--machine", "pentium2-350", *options,
                   "--format", "json", "--", *arguments]
        return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)

    def assert_same(self, formula, text, point):
        expected = value_of(text, **point)
        numbers = {sympy.Symbol(name, integer=True): number for name, number in point.items()}
        self.assertAlmostEqual(float(formula.subs(numbers).doit()), expected, delta=1e-9 * abs(expected))

    def texts(self, part):
        parts = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
        for key, inner in parts:
            # A fit has no value outside its range: see below.
            if key == "communicating_total":
                continue
            if key == "python" and isinstance(inner, str):
                yield inner
            else:
                yield from self.texts(inner)

    def test_the_total_of_a_program_that_communicates_is_a_formula_of_its_size_and_tasks(self):
        written = self.report("programs/ring.c", ["-n", "2..16x2", "--symbolic", "argv1,argv2"], ["100", "64"])
        for prediction in written["predictions"]:
            found = prediction["symbolic"]["communicating_total"]
            names = [one["name"] for one in found["ranges"]]
            self.assertEqual(names, ["argv1", "argv2", "P"])
            formula = to_sympy(found["total"]["python"])
            for checked in found["checked"]:
                point = dict(zip(names, checked["values"]))
                self.assert_same(formula, found["total"]["python"], point)
                self.assertAlmostEqual(value_of(found["total"]["python"], **point) / 1e9, checked["formula_s"], delta=1e-9)
                self.assertLess(abs(checked["formula_s"] / checked["replayed_s"] - 1), 0.05)

    def test_other_text_is_refused(self):
        for text in ("N if", "[N]", "__import__('os')", "f(N)"):
            with self.assertRaises(ValueError):
                to_sympy(text)


if __name__ == "__main__":
    unittest.main()
