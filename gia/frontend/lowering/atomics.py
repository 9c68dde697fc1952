"""``__sync_…`` and ``__atomic_…``: what they do where nothing else runs at the same time.

Source: GCC manual, *Legacy __sync Built-in Functions* and *Built-in Functions for Memory Model Aware Atomic
Operations*. A program with threads is one about which nothing is proven (:mod:`gia.cfa.hiding`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from gia.cfa.expressions import Expression, LValue
from gia.cfa.types import BOOL, CHAR, INT, IntegerType, PointerType
from gia.frontend import operators
from gia.frontend.conversions import as_unsigned, convert, integer
from gia.frontend.lowering.context import FunctionContext
from gia.frontend.operators import TypingError
from gia.frontend.parsing.syntax import Node

_OPERATORS: Final = MappingProxyType({"add": "+", "sub": "-", "and": "&", "or": "|", "xor": "^", "nand": "&"})
_FETCHING: Final[Mapping[str, tuple[str, bool]]] = MappingProxyType(
    {f"__sync_fetch_and_{name}": (name, True) for name in _OPERATORS}
    | {f"__sync_{name}_and_fetch": (name, False) for name in _OPERATORS}
    | {f"__atomic_fetch_{name}": (name, True) for name in _OPERATORS}
    | {f"__atomic_{name}_fetch": (name, False) for name in _OPERATORS}
)
"""What is done, and whether the call gives what was there before."""
_FENCES: Final = frozenset({"__sync_synchronize", "__atomic_thread_fence", "__atomic_signal_fence"})


class Atomics:
    """Lowers the calls of such functions in one function."""

    def __init__(self, context: FunctionContext) -> None:
        self._context = context
        self._others: Mapping[str, Callable[[Node, Sequence[Expression]], Expression]] = {
            "__atomic_load_n": lambda node, args: self._old(node, args[0]),
            "__atomic_load": lambda node, args: self._store(node, args[1], self._old(node, args[0])),
            "__atomic_store_n": lambda node, args: self._store(node, args[0], args[1]),
            "__atomic_store": lambda node, args: self._store(node, args[0], operators.dereference(args[1])),
            "__atomic_exchange_n": self._exchange,
            "__atomic_exchange": lambda node, args: self._store(
                node, args[2], self._exchange(node, (args[0], operators.dereference(args[1])))
            ),
            "__sync_lock_test_and_set": self._exchange,
            "__sync_lock_release": lambda node, args: self._store(node, args[0], integer(0)),
            "__atomic_clear": lambda node, args: self._store(node, convert(args[0], PointerType(CHAR)), integer(0)),
            "__atomic_test_and_set": self._test_and_set,
            "__sync_bool_compare_and_swap": lambda node, args: self._swapped(node, *args[:3])[1],
            "__sync_val_compare_and_swap": lambda node, args: self._swapped(node, *args[:3])[0],
            "__atomic_compare_exchange_n": self._compare_exchange,
            "__atomic_compare_exchange": lambda node, args: self._compare_exchange(
                node, (*args[:2], operators.dereference(args[2]))
            ),
        }

    def is_one(self, name: str) -> bool:
        """Whether this is the name of a function that is known here."""
        return name in self._others or name in _FETCHING or name in _FENCES

    def lower(self, name: str, node: Node, arguments: Sequence[Expression]) -> Expression:
        """What a call gives; what it does becomes edges. Raises :class:`TypingError` for other operands."""
        if name in _FENCES:
            return operators.NOTHING
        if not arguments or not isinstance(arguments[0].type, PointerType):
            raise TypingError(f"the use of {name}")
        if name in self._others:
            return self._others[name](node, arguments)
        operation, is_old = _FETCHING[name]
        return self._fetch(node, operation, is_old, arguments)

    def _place(self, pointer: Expression) -> LValue:
        place = operators.dereference(pointer)
        if not isinstance(place, LValue) or not isinstance(place.type, IntegerType | PointerType):
            raise TypingError(f"an atomic operation on an object of type {place.type}")
        return place

    def _old(self, node: Node, pointer: Expression) -> Expression:
        """What was there before."""
        return self._context.in_temporary(self._place(pointer), node)

    def _store(self, node: Node, pointer: Expression, value: Expression) -> Expression:
        place = self._place(pointer)
        self._context.assign(place, operators.cast(value, place.type, self._context.types), node)
        return operators.NOTHING

    def _exchange(self, node: Node, arguments: Sequence[Expression]) -> Expression:
        old = self._old(node, arguments[0])
        self._store(node, arguments[0], arguments[1])
        return old

    def _test_and_set(self, node: Node, arguments: Sequence[Expression]) -> Expression:
        pointer = convert(arguments[0], PointerType(CHAR))
        old = self._old(node, pointer)
        self._store(node, pointer, integer(1))
        return convert(old, BOOL)

    def _fetch(self, node: Node, operation: str, is_old: bool, arguments: Sequence[Expression]) -> Expression:
        """Change an integer, and give what it was before or what it is then."""
        old = self._old(node, arguments[0])
        if not isinstance(old.type, IntegerType) or old.type == BOOL:
            raise TypingError(f"atomic arithmetic on an object of type {old.type}")
        value = convert(arguments[1], old.type)
        new = operators.binary(_OPERATORS[operation], old, value, self._context.types)
        if operation == "nand":
            new = operators.unary("~", new, self._context.types)
        new = self._context.in_temporary(convert(new, old.type), node)
        self._store(node, arguments[0], new)
        return old if is_old else new

    def _swapped(
        self, node: Node, pointer: Expression, expected: Expression, wanted: Expression
    ) -> tuple[Expression, Expression]:
        """Store what is wanted if there is what is expected: what was there before, and whether it was that.

        Which of the two values is stored is a matter of arithmetic, since no decision of the program is made here.
        """
        old, type_ = self._old(node, pointer), self._place(pointer).type
        if not isinstance(type_, IntegerType):
            raise TypingError(f"an atomic comparison with an object of type {type_}")
        types, wide = self._context.types, INT if type_ == BOOL else as_unsigned(type_)
        equal = self._context.in_temporary(operators.binary("==", old, convert(expected, type_), types), node)
        change = operators.binary("-", convert(convert(wanted, type_), wide), convert(old, wide), types)
        taken = operators.binary("*", change, convert(equal, wide), types)
        self._store(node, pointer, operators.binary("+", convert(old, wide), taken, types))
        return old, convert(equal, BOOL)

    def _compare_exchange(self, node: Node, arguments: Sequence[Expression]) -> Expression:
        """As on x86, where a weak exchange fails for no other reason. What was there is told in any case."""
        pointer, expected, wanted = arguments[:3]
        old, equal = self._swapped(node, pointer, operators.dereference(expected), wanted)
        self._store(node, expected, old)
        return equal
