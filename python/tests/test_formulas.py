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


def value_of(text, number):
    helpers = {"math": math, "floor_log": floor_log, "ceil_log": ceil_log}
    return eval(text, helpers, {"N": number}) if "sum(" not in text else eval(text, dict(helpers, N=number))


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
        lu = ROOT / "testdata" / "sequential" / "lu.c"
        command = [os.environ["CHRONOS"], "predict", lu, "--machine", "pentium2-350", "--symbolic", "N", "--format", "json"]
        written = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
        texts = sorted(set(self.texts(written)))
        self.assertGreater(len(texts), 5)
        for text in texts:
            formula = to_sympy(text)
            for number in (0, 1, 2, 3, 40):
                with self.subTest(text=text, N=number):
                    expected = value_of(text, number)
                    self.assertAlmostEqual(float(formula.subs(self.N, number)), expected, delta=1e-9 * abs(expected))

    def texts(self, part):
        parts = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
        for key, inner in parts:
            if key == "python" and isinstance(inner, str):
                yield inner
            else:
                yield from self.texts(inner)

    def test_other_text_is_refused(self):
        for text in ("N if", "[N]", "__import__('os')", "f(N)"):
            with self.assertRaises(ValueError):
                to_sympy(text)


if __name__ == "__main__":
    unittest.main()
