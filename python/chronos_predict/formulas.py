"""The Python expressions of reports (`--symbolic`, `count --format json`) as formulas of sympy, and by its `lambdify` as
functions of numpy's arrays.

Their text is exact on Python's integers, where `a if N >= 1 else 0` needs a value of N; sympy has `Piecewise` for that.
sympy is imported where it is asked for: nothing else of this package needs it.
"""

import ast


def to_sympy(text):
    """The formula of a Python expression of a report; its symbols are integers (`sympy.Symbol(name, integer=True)`)."""
    try:
        return _Formula()(ast.parse(text, mode="eval").body)
    except SyntaxError as error:
        raise ValueError(f"not an expression of a report: {text}") from error


class _Formula:
    def __init__(self):
        import sympy

        self.sympy = sympy
        self.functions = {"max": sympy.Max, "min": sympy.Min, "sum": self.sum, "math.isqrt": self.isqrt,
                          "floor_log": self.floor_log, "ceil_log": self.ceil_log,
                          "math.sqrt": sympy.sqrt, "math.log2": lambda x: sympy.log(x) / sympy.log(2)}

    def __call__(self, node):
        write = getattr(self, type(node).__name__.lower(), None)
        if write is None:
            raise ValueError(f"expressions of reports have no {type(node).__name__}: {ast.dump(node)}")
        return write(node)

    def constant(self, node):
        return self.sympy.sympify(node.value)

    def name(self, node):
        return self.sympy.Symbol(node.id, integer=True)

    def unaryop(self, node):
        return -self(node.operand)

    def binop(self, node):
        left, right = self(node.left), self(node.right)
        operators = {
            ast.Add: lambda: left + right, ast.Sub: lambda: left - right, ast.Mult: lambda: left * right,
            ast.Div: lambda: left / right, ast.Pow: lambda: left ** right,
            ast.FloorDiv: lambda: self.sympy.floor(left / right), ast.Mod: lambda: self.sympy.Mod(left, right),
        }
        return operators[type(node.op)]()

    def compare(self, node):
        sides = [self(side) for side in [node.left, *node.comparators]]
        # `==` of sympy asks whether two formulas are written alike.
        relations = {ast.GtE: self.sympy.Ge, ast.LtE: self.sympy.Le, ast.Gt: self.sympy.Gt, ast.Lt: self.sympy.Lt,
                     ast.Eq: self.sympy.Eq, ast.NotEq: self.sympy.Ne}
        pairs = zip(node.ops, sides, sides[1:])
        return self.sympy.And(*(relations[type(op)](left, right) for op, left, right in pairs))

    def boolop(self, node):
        join = self.sympy.And if isinstance(node.op, ast.And) else self.sympy.Or
        return join(*(self(value) for value in node.values))

    def ifexp(self, node):
        return self.sympy.Piecewise((self(node.body), self(node.test)), (self(node.orelse), True))

    def call(self, node):
        owner = node.func.value.id + "." if isinstance(node.func, ast.Attribute) else ""
        name = owner + (node.func.attr if owner else node.func.id)
        if name not in self.functions:
            raise ValueError(f"expressions of reports have no function {name}")
        if name == "sum":
            return self.sum(node.args[0])
        return self.functions[name](*(self(argument) for argument in node.args))

    def sum(self, node):
        """`sum(f(i) for i in range(low, high+1))`: zero where the range is empty, as sympy's sums are not."""
        generator, = node.generators
        low, end = (self(limit) for limit in generator.iter.args)
        index, high = self(generator.target), end - 1
        total = self.sympy.Sum(self(node.elt), (index, low, high))
        return self.sympy.Piecewise((total, self.sympy.Ge(high, low)), (0, True))

    def isqrt(self, x):
        return self.sympy.floor(self.sympy.sqrt(x))

    # A half away from the integer, logarithms in floating point cannot fall on the wrong side of a power.
    def floor_log(self, base, x):
        return self.sympy.Piecewise((self.log(x + self.half(), base, self.sympy.floor), self.sympy.Ge(x, 1)), (-1, True))

    def ceil_log(self, base, x):
        return self.sympy.Piecewise((self.log(x - self.half(), base, self.sympy.ceiling), self.sympy.Ge(x, 2)), (0, True))

    def half(self):
        return self.sympy.Rational(1, 2)

    def log(self, x, base, rounding):
        return rounding(self.sympy.log(x) / self.sympy.log(base))
