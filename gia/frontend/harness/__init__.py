"""One function alone: a ``main`` that calls it with inputs."""

from gia.frontend.harness.calling import Bodiless, Unit, bodiless, harness, returning_inputs, with_harness

__all__ = ["Bodiless", "Unit", "bodiless", "harness", "returning_inputs", "with_harness"]
