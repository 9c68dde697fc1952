r"""What a program's text says about elements of arrays: the conditions that invariants are made of.

What the program does with one element is turned into a condition about the element with an arbitrary index, ``\any``
(:mod:`gia.cfa.quantified`): an assignment ``a[i] = e`` into ``a[\any] == e`` and a comparison into itself, with
``\any`` in the place of ``i``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product

from gia.analyses.proving.candidates.array_accesses import Access, access_of, first_element
from gia.analyses.proving.candidates.array_aliases import AliasClasses
from gia.analyses.proving.candidates.array_indices import Front, positions, related, steps_of
from gia.analyses.proving.candidates.array_recurrences import Store, closed_forms
from gia.analyses.proving.candidates.array_so_far import elements_so_far, so_far, with_index
from gia.analyses.proving.candidates.assigned import assigned_in, constants_of, definitions_of
from gia.analyses.proving.candidates.comparisons import compare, compare_with_constant, converted, opposite, stripped
from gia.analyses.proving.candidates.element_bounds import bounds_by_state, bounds_of_elements, constants_of_elements
from gia.analyses.proving.candidates.element_pointers import element_pointers, through_pointers
from gia.analyses.proving.candidates.element_sums import bounds_of_sums
from gia.cfa.expressions import (
    COMPARISONS,
    Binary,
    Cast,
    Expression,
    IntegerConstant,
    Unary,
    Variable,
    VariableReference,
    rewritten,
    variables_of,
    walk,
)
from gia.cfa.graph import Edge, Program
from gia.cfa.operations import Assign, Assume, Call, operands_of
from gia.cfa.quantified import ANY_NUMBER
from gia.cfa.types import INT, LONG_LONG, IntegerType, PointerType, is_scalar

MOST_FACTS = 40
"""How many conditions on an element are tried."""
_ROUNDS = 2
"""How often what one assignment stores is put in for what another one reads."""
_MOST_HOLDERS = 4
"""So many elements, or pairs of them, stand for the variables of a comparison."""
_MOST_BEGINS = 3
"""With so many constants loops are thought to begin."""


class ArrayText:
    """What the program's text says about elements of arrays."""

    def __init__(self, program: Program, edges: Sequence[Edge]) -> None:
        self.number = VariableReference(ANY_NUMBER)
        self._program = program
        pointers = element_pointers(program, edges)
        edges = [through_pointers(pointers, edge) for edge in edges]
        assigned = assigned_in(edges)
        self.definitions = definitions_of(assigned)
        self.constants = constants_of(assigned)
        self.facts: dict[Expression, None] = {}
        self.plain: dict[Expression, None] = {}
        """Conditions on elements with their own indices, and which parameters are what arguments were."""
        self.indices: dict[Variable, None] = {}
        self.begins: dict[int, None] = {0: None}
        """The constants that index variables begin with."""
        self._indices_of: dict[Variable, dict[Variable, None]] = {}
        self._aliases = AliasClasses()
        self._steps = steps_of(edges)
        self.fronts: dict[Expression, list[Front]] = {}
        """How far loops have come in their arrays, where that is not the index variable itself."""
        self.limits: dict[Expression, None] = {}
        self._limits_of: dict[Variable, dict[Expression, None]] = {}
        self.conditions: dict[Expression, None] = {}
        """What the program decides about an index."""
        self.flags: dict[Expression, None] = {}
        """Comparisons of other variables with constants."""
        self._comparisons: dict[Expression, None] = {}
        self._stored: dict[Expression, list[Expression]] = {}
        self._holders: dict[Expression, list[Expression]] = {}
        """The elements in which the value of a variable is stored."""
        for edge in edges:
            for expression in operands_of(edge.operation):
                self._note_indices(expression)
            self._note_aliases(edge)
        stores: list[Store] = []
        for edge in edges:
            self._note_begin(edge)
            self._note_stores(edge, stores)
        self.facts.update(dict.fromkeys(closed_forms(stores)))
        self._compose()
        for edge in edges:
            for expression in operands_of(edge.operation):
                self._note_comparisons(expression)
            if isinstance(edge.operation, Assume):
                self._note_truths(edge.operation.condition)
        self._note_alternatives(edges)
        self.limits.update(dict.fromkeys(self._limits_of_matrices()))
        elements = constants_of_elements(edges, self.access_of, assigned, self.number)
        self.bounds = tuple(bounds_of_elements(elements))
        """What constants say about all elements of an array."""
        self.by_state = tuple(bounds_by_state(elements))
        """What they say about a field while another field has a certain value."""
        self.sums = tuple(bounds_of_sums(edges, elements, assigned, self.indices))
        self.so_far = tuple(so_far(self._comparisons, self.limits, self.indices))
        """What is compared with a limit behind a loop, said of the index inside it."""
        self.elements_so_far = tuple(elements_so_far(self._comparisons, self.facts))
        """The same of all elements of an array."""

    def _note_indices(self, expression: Expression) -> None:
        for part in walk(expression):
            access = self.access_of(part)
            if access is None:
                continue
            fronts = list(self._steps.fronts_of(access.index)) if access.variable is None or access.moved else []
            if fronts:
                self.fronts[access.index] = fronts
            for variable in dict.fromkeys((access.variable, *(front.variable for front in fronts))):
                if variable is not None:
                    self.indices[variable] = None
                    for owner in variables_of(access.base):
                        self._indices_of.setdefault(owner, {})[variable] = None

    def _note_begin(self, edge: Edge) -> None:
        match edge.operation:
            case Assign(target=VariableReference(variable=variable), value=IntegerConstant(value=value)):
                if variable in self.indices and len(self.begins) < _MOST_BEGINS:
                    self.begins[value] = None

    def _note_aliases(self, edge: Edge) -> None:
        """Note which pointers may lead to the same array."""
        match edge.operation:
            case Assign(target=VariableReference(variable=variable, type=PointerType()), value=value):
                self._aliases.join(variable, value)
            case Call(function=name, arguments=arguments) if name in self._program.functions:
                for parameter, argument in zip(self._program.functions[name].parameters, arguments, strict=False):
                    if isinstance(parameter.type, PointerType):
                        self._aliases.join(parameter, argument)
                    elif isinstance(parameter.type, IntegerType) and isinstance(argument.type, IntegerType):
                        self.plain[compare("==", VariableReference(parameter), argument)] = None

    @property
    def residues(self) -> tuple[Expression, ...]:
        r"""Which remainders ``\any`` has for the elements that loops with a stride deal with."""
        found = (front.residue(self.number) for fronts in self.fronts.values() for front in fronts)
        return tuple(dict.fromkeys(residue for residue in found if residue is not None))

    def indices_of(self, fact: Expression) -> frozenset[Variable]:
        """The index variables of the arrays that a fact is about."""
        found: set[Variable] = set()
        for part in walk(fact):
            access = self.access_of(part)
            for owner in variables_of(access.base) if access is not None else ():
                for other, indices in self._indices_of.items():
                    if self._aliases.same(owner, other):
                        found.update(indices)
        return frozenset(found)

    def _generalised(self, expression: Expression, access: Access) -> Expression:
        r"""The expression with ``\any`` as the index of the element, and in the place of the index variable."""
        element = access.at(self.number)
        index: Expression = self.number
        variable = access.variable
        places = positions(access.index, self.number)
        if variable is None and not places:
            for front in self.fronts.get(access.index, ())[:1]:
                variable, index = front.variable, front.variable_at(self.number) or VariableReference(front.variable)
        elif access.moved:
            index = Binary("-", index, IntegerConstant(access.moved, LONG_LONG), LONG_LONG)

        def change(part: Expression) -> Expression | None:
            if part == access.element:
                return element
            other = self.access_of(part) if places else None
            number = None if other is None else related(access.index, other.index, self.number)
            if other is not None and number is not None:
                return other.at(number)
            if isinstance(part, VariableReference) and part.variable in places:
                return Cast(places[part.variable], part.type)
            return with_index(part, variable, index)

        return rewritten(expression, change)

    def access_of(self, expression: Expression) -> Access | None:
        """The expression as a scalar in an element of an array."""
        return access_of(expression, self.constants)

    def _by_variable(self, expression: Expression, access: Access) -> Expression:
        r"""The expression with ``\any`` in the place of the index variable alone."""
        return rewritten(expression, lambda part: with_index(part, access.variable, self.number))

    def _note_stores(self, edge: Edge, stores: list[Store]) -> None:
        operation = edge.operation
        if not isinstance(operation, Assign):
            return
        first = first_element(operation.target)
        if first is not None:
            stores.append((first, operation.value))
        access = self.access_of(operation.target)
        if access is None:
            return
        for value in dict.fromkeys((operation.value, self._expanded(operation.value))):
            if not is_scalar(value.type) or value.type != access.element.type:
                continue
            same = Binary("==", access.element, value, INT)
            self.plain[same] = None
            general = self._generalised(same, access)
            assert isinstance(general, Binary)
            self._stored.setdefault(general.left, []).append(general.right)
            stores.append((access, value))
            if isinstance(value, VariableReference):
                self._holders.setdefault(value, []).append(general.left)
            if access.moved:
                self.facts[self._by_variable(same, access)] = None

    def _expanded(self, expression: Expression) -> Expression:
        """The expression with variables that are assigned once replaced by what they are assigned."""

        def change(part: Expression) -> Expression | None:
            if isinstance(part, VariableReference) and part.variable in self.definitions:
                value = self.definitions[part.variable]
                return value if value.type == part.type else Cast(value, part.type)
            return None

        return rewritten(expression, change)

    def _compose(self) -> None:
        """Put in what was stored before for the elements that a stored value is made of, and elements for variables."""
        for element, values in self._stored.items():
            for value in list(values):
                for part in walk(value):
                    holders = [holder for holder in self._holders.get(part, ()) if holder != element]
                    values.extend(rewritten(value, {part: holder}.get) for holder in holders)
        for _ in range(_ROUNDS):
            for values in list(self._stored.values()):
                for value in list(values):
                    read = [part for part in walk(value) if part in self._stored]
                    if len(read) == 1:
                        (part,) = read
                        new = [rewritten(value, {part: other}.get) for other in self._stored[part]]
                        values.extend(other for other in new if other not in values and len(values) < MOST_FACTS)
        for element, values in self._stored.items():
            for value in values:
                if element not in walk(value):
                    self.facts[Binary("==", element, value, INT)] = None

    def _limits_of_matrices(self) -> Iterator[Expression]:
        """How many elements the rows have up to which an index of rows goes."""
        for front in (front for fronts in self.fronts.values() for front in fronts):
            if front.factor > 1 and not front.rest:
                for limit in self._limits_of.get(front.variable, ()):
                    yield Binary("*", converted(limit, LONG_LONG), IntegerConstant(front.factor, LONG_LONG), LONG_LONG)

    def _note_comparisons(self, expression: Expression) -> None:
        for part in walk(expression):
            if isinstance(part, Binary) and part.operator in COMPARISONS:
                for version in dict.fromkeys((part, self._expanded(part))):
                    self._note_comparison(version)

    def _note_alternatives(self, edges: Sequence[Edge]) -> None:
        """Note what one of two conditions on an element has to hold: in ``||``, and in decisions after each other."""
        for edge in edges:
            for expression in operands_of(edge.operation):
                for part in walk(expression):
                    if isinstance(part, Binary) and part.operator == "||":
                        self._note_alternative(part)
        decisions: dict[int, list[Assume]] = {}
        for edge in edges:
            if isinstance(edge.operation, Assume):
                decisions.setdefault(edge.source, []).append(edge.operation)
        for edge in edges:
            if isinstance(edge.operation, Assume):
                denied = edge.operation
                first = opposite(denied.condition) if denied.outcome else denied.condition
                for second in decisions.get(edge.target, ()):
                    taken = second.condition if second.outcome else opposite(second.condition)
                    self._note_alternative(Binary("||", first, taken, INT))

    def _note_alternative(self, either: Binary) -> None:
        """Note a disjunction of which both sides speak of elements."""
        sides = [
            [access for part in walk(side) if (access := self.access_of(part))] for side in (either.left, either.right)
        ]
        if all(sides):
            for access in dict.fromkeys(sides[0]):
                self.facts[self._generalised(either, access)] = None

    def _note_truths(self, condition: Expression) -> None:
        """Note the numbers that a branch takes for conditions."""
        for part in _operands(condition):
            if isinstance(part.type, IntegerType) and not (isinstance(part, Binary) and part.operator in COMPARISONS):
                self._note_comparison(compare_with_constant("!=", part, 0))

    def _note_comparison(self, comparison: Expression) -> None:
        assert isinstance(comparison, Binary)
        negated = opposite(comparison)
        self._comparisons.update(dict.fromkeys((comparison, negated)))
        accesses = [access for part in walk(comparison) if (access := self.access_of(part)) is not None]
        for access in accesses:
            for kind in (comparison, negated):
                self.facts[self._generalised(kind, access)] = None
                if access.moved:
                    self.facts[self._by_variable(kind, access)] = None
                self.plain[kind] = None
            fixed = Access(access.element, access.place, access.base, access.index, None, 0)
            self.facts[self._generalised(comparison, fixed)] = None
            self.facts[self._generalised(negated, fixed)] = None
        if not accesses and isinstance(comparison.left.type, IntegerType):
            self._note_limits(comparison)
            for kind in (comparison, negated):
                self.facts.update(dict.fromkeys(self._with_holders(kind)))

    def _with_holders(self, comparison: Expression) -> Iterator[Expression]:
        """The comparison said of the elements in which its variables are stored."""
        held = list(dict.fromkeys(part for part in walk(comparison) if part in self._holders))
        for chosen in islice(product(*(self._holders[part] for part in held)), _MOST_HOLDERS if held else 0):
            yield rewritten(comparison, dict(zip(held, chosen, strict=True)).get)

    def _note_limits(self, comparison: Binary) -> None:
        """Note what an index is compared with, the condition on it, and conditions on other variables."""
        mentioned = variables_of(comparison) & self.indices.keys()
        for side, other in ((comparison.left, comparison.right), (comparison.right, comparison.left)):
            if variables_of(side) & self.indices.keys() and not variables_of(other) & self.indices.keys():
                limit = stripped(other)
                if not isinstance(limit, IntegerConstant) or limit.value > 1:
                    self.limits[limit] = None
                    for index in mentioned:
                        self._limits_of.setdefault(index, {})[limit] = None
        negated = opposite(comparison)
        if len(mentioned) == 1:
            (index,) = mentioned
            if comparison.operator in ("==", "!=") or not _is_plain(comparison):
                self.conditions.update(dict.fromkeys(_of_number(kind, index) for kind in (comparison, negated)))
        elif not mentioned and any(isinstance(side, IntegerConstant) for side in (comparison.left, comparison.right)):
            self.flags.update(dict.fromkeys((comparison, negated)))


def _of_number(condition: Expression, index: Variable) -> Expression:
    r"""A condition on an index as one on ``\any``."""
    return rewritten(condition, lambda part: with_index(part, index, VariableReference(ANY_NUMBER)))


def _operands(condition: Expression) -> Iterator[Expression]:
    """What ``!``, ``&&`` and ``||`` are applied to in a condition."""
    if isinstance(condition, Unary) and condition.operator == "!":
        yield from _operands(condition.operand)
    elif isinstance(condition, Binary) and condition.operator in ("&&", "||"):
        yield from (*_operands(condition.left), *_operands(condition.right))
    else:
        yield condition


def _is_plain(comparison: Binary) -> bool:
    """Whether variables and constants are compared as they are: what ranges are made of."""
    sides = (stripped(side) for side in (comparison.left, comparison.right))
    return all(isinstance(side, VariableReference | IntegerConstant) for side in sides)
