"""Constructors of array terms: constant arrays, store, select over store."""

from __future__ import annotations

from gia.smt.terms.booleans import ite
from gia.smt.terms.nodes import Kind, Sort, Term, array_sort, make

_SEARCH = 64
"""How many stores a read with a constant index looks through one by one."""


def const_array(index_width: int, value: Term) -> Term:
    """The array that holds ``value`` everywhere."""
    return make(Kind.CONST_ARRAY, (value,), None, array_sort(index_width, value.sort))


def element_sort(array: Term) -> Sort:
    """The sort of the elements of an array term."""
    assert array.sort.element is not None
    return array.sort.element


def store(array: Term, index: Term, value: Term) -> Term:
    """``array`` with ``value`` at ``index``."""
    if array.kind is Kind.STORE and array.children[1] is index:
        array = array.children[0]
    if value.kind is Kind.SELECT and value.children[0] is array and value.children[1] is index:
        return array
    if array.kind is Kind.CONST_ARRAY and array.children[0] is value:
        return array
    return make(Kind.STORE, (array, index, value), None, array.sort)


def select(array: Term, index: Term) -> Term:
    """The element of ``array`` at ``index``; stores at other constant indices are looked through."""
    sort = element_sort(array)
    current = array
    steps = 0
    while True:
        if current.kind is Kind.CONST_ARRAY:
            return current.children[0]
        if current.kind is not Kind.STORE:
            break
        inner, place, value = current.children
        if place is index:
            return value
        steps += 1
        if index.value is None or place.value is None or place.value == index.value or steps > _SEARCH:
            break
        current = inner
    if current.kind is Kind.ITE and index.value is not None and _ends(current):
        condition, then, other = current.children
        return ite(condition, select(then, index), select(other, index))
    return make(Kind.SELECT, (current, index), None, sort)


def _ends(term: Term) -> bool:
    """Whether both branches can be read at once, so that the choice moves from the array to the element."""
    return all(branch.kind is not Kind.ITE for branch in term.children[1:])
