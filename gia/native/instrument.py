"""Weaves observation into a C program: each probe's text is wrapped so that it reports what happens.

The wrapped text computes the same values in the same order, with every side effect once; only the
type of a condition changes (to ``int`` 0 or 1), which nothing can see.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable

from msgspec import Struct

from gia.cfa.goals import ERROR_FUNCTIONS
from gia.cfa.graph import Program
from gia.cfa.operations import Call, Halt, Input
from gia.cfa.types import FloatType, IntegerType, PointerType
from gia.frontend.library import RETURNING_TWICE, STACK_ALLOCATION
from gia.frontend.probes import (
    CallProbe,
    ConditionProbe,
    InstrumentableSource,
    LengthProbe,
    NoValueProbe,
    Probe,
    StatementProbe,
    SwitchProbe,
)
from gia.frontend.weaving import Wrap, weave
from gia.native.execution import BranchEvent
from gia.native.texts import PREFIX, compares_texts, define_observers
from gia.native.unwritten import ALLOCATION

PRELUDE = """\
extern char *__gia_last[], *__gia_segment;
extern void __gia_record(unsigned), __gia_site(unsigned), __gia_result(unsigned, unsigned, const void *);
extern unsigned long __gia_length(long long, unsigned long);
extern void __gia_taken(void *, unsigned long);
extern long long __gia_no_value;
static __inline__ __attribute__((always_inline, unused)) void __gia_reach(unsigned outcome)
{ if (__gia_last[outcome] != __gia_segment) __gia_record(outcome); }
"""
"""What the woven text uses; ``runtime/probes.c`` defines it."""

_FILLED = (
    "__auto_type __gia_top = (char *)__builtin_alloca(0); __auto_type __gia_bottom = (char *)",
    "; __gia_taken(__gia_bottom, __gia_top - __gia_bottom); (void *)__gia_bottom; })",
)
"""Around a call of ``alloca``, whose argument is evaluated once: the stack has grown by what it gives."""

MAY_RETURN_TWICE = RETURNING_TWICE | {"savectx", "vfork", "getcontext"}
"""They may only be called where the standard allows it."""

_NAME_OF_CALL = re.compile(r"(\w+)(?:\s|#[^\n]*\n)*\(")
"""In linked programs, the positions of tokens stand between them."""

LARGEST_RESULT = 64
"""The width of the results that are observed, at most: ``runtime/probes.c`` takes so many bits."""


class InstrumentedText(Struct, frozen=True):
    """An instrumented program.

    ``outcomes[i]`` is what it means when outcome ``i`` is recorded. ``sites[i]`` is the CFA edge of the
    i-th call of an input, ``results[i]`` that of the i-th call of the library whose result is observed.
    """

    text: str
    outcomes: tuple[BranchEvent, ...]
    sites: tuple[int, ...]
    results: tuple[int, ...] = ()


def instrument(
    source: InstrumentableSource, program: Program, input_functions: Collection[str], watch: Collection[int]
) -> InstrumentedText:
    """Weave all probes of conditions and switches into ``source``, and of calls and statements those that matter.

    These are calls of ``input_functions`` (to tell by which call an input was read), calls of error
    functions, and calls and statements whose CFA edge is in ``watch`` (decisions are observed by their
    conditions). A call whose arguments contain calls is never observed, since an argument may end the
    program before the call happens. What calls of the library give is observed where it is used, and what texts they
    compare.
    """
    weaver = _Weaver(program, input_functions, watch, [p for p in source.probes if isinstance(p, CallProbe)])
    for probe in source.probes:
        weaver.add(probe, source.text)
    text = PRELUDE + define_observers(weaver.comparisons) + weave(source.text, weaver.wraps)
    return InstrumentedText(text, tuple(weaver.outcomes), tuple(weaver.sites), tuple(weaver.results))


class _Weaver:
    """Collects the wraps of probes and numbers their outcomes."""

    def __init__(
        self, program: Program, input_functions: Collection[str], watch: Collection[int], calls: list[CallProbe]
    ) -> None:
        self.wraps: list[Wrap] = []
        self.outcomes: list[BranchEvent] = []
        self.sites: list[int] = []
        self.results: list[int] = []
        self.comparisons: set[str] = set()
        """Spellings of the functions that compare texts, where that is observed."""
        self._program = program
        self._edges = program.edge_list
        self._input_functions = input_functions
        self._watch = watch
        self._call_extents = sorted((call.start, -call.end) for call in calls)

    def add(self, probe: Probe, text: str) -> None:
        """Wrap the text of ``probe`` if it is to be observed."""
        match probe:
            case ConditionProbe(start=start, end=end):
                first = self._number(probe.number, reversed(probe.edges))
                if start == end:
                    self._wrap(probe, 2, f"(__gia_reach({first + 1}u), 1)", "")
                else:
                    self._wrap(probe, 2, "((", f") ? (__gia_reach({first + 1}u), 1) : (__gia_reach({first}u), 0))")
            case SwitchProbe(cases=cases, default=default):
                first = self._number(probe.number, (*(edge for _, edge in cases), default))
                selection = _selection([label for label, _ in cases], first)
                if probe.constant is not None:
                    self._wrap(probe, 1, "(({ switch (", f") {selection} }}), {probe.constant})")
                else:  # ``+ 0`` promotes as the switch would, and makes a bit-field a value that ``__auto_type`` takes
                    after = f") + 0; switch (__gia_case) {selection} __gia_case; }})"
                    self._wrap(probe, 1, "({ __auto_type __gia_case = (", after)
            case StatementProbe(edge=edge, is_declaration=is_declaration) if edge in self._watch:
                # in braces, since it may be the body of an if or a loop; but what is declared must stay visible
                opening, closing = ("", "") if is_declaration else ("{ ", " }")
                self._wrap(probe, 0, f"{opening}__gia_reach({self._number(probe.number, (edge,))}u); ", closing)
            case CallProbe():
                self._add_call(probe, text)
            case LengthProbe(element=element, inner_lengths=inner):
                bytes_ = "".join([f"{element}ul", *(f" * ({text[start:end]})" for start, end in inner)])
                self._wrap(probe, 2, "__gia_length((", f"), {bytes_})")
            case NoValueProbe():
                self._wrap(probe, 4, "{ return __gia_no_value; ", "}")

    def _add_call(self, probe: CallProbe, text: str) -> None:
        callee = self._callee(probe, text)
        before = ""
        if (probe.edge in self._watch or callee in ERROR_FUNCTIONS) and not self._contains_call(probe):
            before += f"__gia_reach({self._number(probe.number, (probe.edge,))}u); "
        if callee in self._input_functions:
            before += f"__gia_site({len(self.sites)}u); "
            self.sites.append(probe.edge)
        if self._gives_a_number(probe):
            giving = f"__gia_result({len(self.results)}u, sizeof __gia_given, &__gia_given); __gia_given"
            self.results.append(probe.edge)
            self._wrap(probe, 3, f"({{ {before}__auto_type __gia_given = ", f"; {giving}; }})")
        elif callee in STACK_ALLOCATION and callee not in self._program.functions:
            self._wrap(probe, 3, f"({{ {before}{_FILLED[0]}", _FILLED[1])
        elif before:  # not with the comma operator: gcc may move its left side away from its right side
            self._wrap(probe, 3, f"({{ {before}", "; })")
        self._observe_comparison(probe, text)

    def _observe_comparison(self, probe: CallProbe, text: str) -> None:
        """If it is a call of the library that compares texts, what observes it is called instead."""
        match self._edges[probe.edge].operation, _NAME_OF_CALL.match(text, probe.start, probe.end):
            case Call(function=name) as call, re.Match() as found if name not in self._program.functions:
                spelling, declared = found[1], self._program.externals.get(name)
                if declared is not None and compares_texts(call, spelling, declared.type.result):
                    self.comparisons.add(spelling)
                    self.wraps.append(Wrap(probe.start, probe.start + len(spelling), 4, PREFIX, ""))

    def _gives_a_number(self, probe: CallProbe) -> bool:
        """Whether a probe is a call of the library whose result is used, and is a number or an address."""
        match self._edges[probe.edge].operation:
            case Call(target=target, function=name) if target is not None and name not in self._program.functions:
                if name in ALLOCATION or name in MAY_RETURN_TWICE:
                    return False
                type_ = target.type
                return isinstance(type_, PointerType) or (
                    isinstance(type_, IntegerType | FloatType) and type_.width <= LARGEST_RESULT
                )
        return False

    def _callee(self, probe: CallProbe, text: str) -> str:
        match self._edges[probe.edge].operation:
            case Input(function=name) | Call(function=name) | Halt(function=name):
                return name
        found = re.match(r"\w+", text[probe.start : probe.end])
        return found[0] if found else ""

    def _contains_call(self, probe: CallProbe) -> bool:
        following = bisect_right(self._call_extents, (probe.start, -probe.end))
        return following < len(self._call_extents) and self._call_extents[following][0] < probe.end

    def _number(self, probe: int, edges: Iterable[int]) -> int:
        """Number the outcomes of a probe in the order of ``edges``; the first number."""
        first = len(self.outcomes)
        self.outcomes.extend(BranchEvent(probe, outcome, edge) for outcome, edge in enumerate(edges))
        return first

    def _wrap(self, probe: Probe, rank: int, before: str, after: str) -> None:
        self.wraps.append(Wrap(probe.start, probe.end, rank, before, after))


def _selection(labels: list[str], first: int) -> str:
    """The body of a ``switch`` that reports which label its value matches."""
    cases = "".join(f"case {label}: __gia_reach({first + i}u); break; " for i, label in enumerate(labels))
    return f"{{ {cases}default: __gia_reach({first + len(labels)}u); }}"
