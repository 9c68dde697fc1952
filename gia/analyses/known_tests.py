"""What the tests that a request's GIA holds read."""

from __future__ import annotations

from gia.analyses.request import ActorRequest
from gia.exchange.suites.reading_tests import tests_of
from gia.native import InputValue


def known_inputs(request: ActorRequest) -> list[tuple[InputValue, ...]]:
    """The inputs of each test."""
    return [test.inputs for test in tests_of(request.gia, request.loaded.program)]
