"""Random C programs without undefined behaviour: arithmetic on all scalar types, arrays, branches, loops."""

from random import Random

INTEGERS = {
    "bool": "_Bool",
    "char": "char",
    "uchar": "unsigned char",
    "short": "short",
    "ushort": "unsigned short",
    "int": "int",
    "uint": "unsigned",
    "long": "long",
    "ulong": "unsigned long",
    "longlong": "long long",
    "ulonglong": "unsigned long long",
}
FLOATS = {"float": "float", "double": "double"}


class RandomProgram:
    """One program: ``text``, and ``inputs`` as raw bits in the order in which it reads them."""

    def __init__(self, seed: int, statements: int = 40, *, floats: bool = True) -> None:
        self.random = Random(seed)
        self.inputs: list[int] = []
        self.types: dict[str, str] = {}
        self.floats = floats
        body = [self._statement(2) for _ in range(statements)]
        reads = []
        kinds = [*INTEGERS, *FLOATS] if floats else list(INTEGERS)
        for kind in kinds:
            name = f"v_{kind}"
            reads.append(f"{name} = __VERIFIER_nondet_{kind}();")
            self.inputs.append(self._bits(kind))
        declared = [f"{(INTEGERS | FLOATS)[kind]} v_{kind};" for kind in kinds]
        declared += ["int array[8]; short shorts[4][3]; struct { char c; int i; unsigned b : 5; int s : 11; } record;"]
        lines = [*declared, "int main(void) {", "  unsigned k;", *reads, *body, "  return 0;", "}"]
        self.text = "\n".join(lines)

    def _bits(self, kind: str) -> int:
        if kind == "bool":
            return self.random.randrange(2)
        if kind == "float":
            return self.random.choice([0x3FC00000, 0xC0490FDB, 0x42F60000, 0x00000000, 0x80000000])
        if kind == "double":
            return self.random.choice([0x3FF8000000000000, 0xC00921FB54442D18, 0x405EC00000000000, 0])
        return self.random.choice([self.random.randrange(1 << 64), 0, 1, (1 << 64) - 1, 1 << 63, 1 << 31, 0x7FFFFFFF])

    def _integer(self, depth: int) -> str:
        choice = self.random.randrange(16)
        if depth == 0 or choice < 2:
            return self.random.choice([f"v_{kind}" for kind in INTEGERS] + ["array[v_uint & 7]", "record.s"])
        if choice == 2:
            return self.random.choice(["0", "1", "-1", "255u", "0x7fffffff", "4000000000u", "-5L", "7ull", "'x'"])
        left, right = self._integer(depth - 1), self._integer(depth - 1)
        match choice:
            case 3:
                return f"({left} / (({right} & 7) + 1))"
            case 4:
                return f"({left} % (({right} & 15) + 1))"
            case 5:
                return f"({left} << ({right} & 7))"
            case 6:
                return f"({left} >> ({right} & 7))"
            case 7:
                return f"(({self.random.choice(list(INTEGERS.values()))}){left})"
            case 8:
                return f"({self.random.choice('-~!')} {left})"
            case 9:
                return f"({left} {self.random.choice(['<', '<=', '>', '>=', '==', '!='])} {right})"
            case 10:
                return f"({left} {self.random.choice(['&&', '||'])} {right})"
            case 11:
                return f"({left} ? {right} : {self._integer(depth - 1)})"
            case 12:
                return self.random.choice(["shorts[v_uchar & 3][v_ushort % 3]", "record.b", "record.i", "record.c"])
        return f"({left} {self.random.choice('+-*&|^')} {right})"

    def _float(self, depth: int) -> str:
        choice = self.random.randrange(6)
        if depth == 0 or choice == 0:
            return self.random.choice(["v_float", "v_double", "1.5", "-0.1f", "3", "v_int", "v_ulong", "v_char"])
        if choice == 1:
            return f"({self.random.choice(list(FLOATS.values()))}){self._float(depth - 1)}"
        if choice == 2:
            return f"(- {self._float(depth - 1)})"
        # A quotient of integers might divide by zero.
        return f"((double){self._float(depth - 1)} {self.random.choice('+-*/')} {self._float(depth - 1)})"

    def _statement(self, depth: int) -> str:
        choice = self.random.randrange(14)
        value = self._integer(3)
        target = f"v_{self.random.choice(list(INTEGERS))}"
        match choice:
            case 0 if self.floats:
                kind = self.random.choice(list(FLOATS))
                # NaN has no fixed bits, so it is not kept.
                return f"  v_{kind} = {self._float(2)}; if (!(v_{kind} == v_{kind})) v_{kind} = 0;"
            case 1 if self.floats:
                compare = self.random.choice(["<", "<=", "==", "!=", ">", ">="])
                return f"  {target} = {self._float(2)} {compare} {self._float(2)};"
            case 2 if depth:
                return f"  if ({value}) {{ {self._statement(depth - 1)} }} else {{ {self._statement(depth - 1)} }}"
            case 3 if depth:
                # The counter is not read by expressions and has its own limit.
                return f"  for (k = 0; k < (v_uchar & 3); k++) {{ {self._plain()} }}"
            case 4:
                return f"  array[{self._integer(1)} & 7] = {value};"
            case 5:
                return f"  shorts[{self._integer(1)} & 3][(unsigned){self._integer(1)} % 3] = {value};"
            case 6:
                return f"  record.{self.random.choice('cibs')} = {value};"
            case 7:
                return f"  {target} {self.random.choice(['+=', '-=', '*=', '&=', '|=', '^='])} {value};"
            case 8:
                return f"  {target}{self.random.choice(['++', '--'])};"
            case 9 if depth:
                first, second = self._plain(), self._plain()
                return f"  switch ({value} & 3) {{ case 0: {first} break; case 2: {second} default: v_int += 3; }}"
        return f"  {target} = {value};"

    def _plain(self) -> str:
        """A statement that does not change what bounds a loop."""
        kind = self.random.choice([kind for kind in INTEGERS if kind != "uchar"])
        return f"v_{kind} = {self._integer(2)};"
