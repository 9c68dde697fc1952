"""Tests: suites of Test-Comp, KLEE's tests, harnesses, tests as paths of a GIA, and their inputs."""
