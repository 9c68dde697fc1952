"""The formats by the names that the command line takes. Nothing is imported here: the help text needs it."""

from __future__ import annotations

from typing import Final

READABLE: Final = {
    "gia": "a GIA file",
    "test-suite": "a folder, zip archive or XML file of tests in the format of Test-Comp",
    "ktest": "a .ktest file of KLEE, or a folder of them",
    "violation-witness": "a witness for a violation: YAML 2.0 and 2.1, GraphML 1.0",
    "correctness-witness": "a witness for correctness: YAML 2.0 and 2.1, GraphML 1.0",
    "condition": "an assumption automaton or a GIA in CPAchecker's language",
    "task-definition": "a task definition of SV-COMP or Test-Comp, format 2.0",
    "verdict": "a text that says true or false",
}
"""The formats that can be read, by the names that the command line takes."""

WRITABLE: Final = {
    "gia": "a GIA file",
    "test-suite": "a folder of tests in the format of Test-Comp",
    "ktest": "a folder of .ktest files",
    "violation-witness": "YAML 2.0, for the first test that reaches the error",
    "violation-witness-2.1": "the same in YAML 2.1",
    "violation-witness-graphml": "the same in GraphML 1.0",
    "correctness-witness": "YAML 2.0, if every goal is certified unreachable",
    "correctness-witness-2.1": "the same in YAML 2.1",
    "correctness-witness-graphml": "the same in GraphML 1.0",
    "condition": "an assumption automaton of CPAchecker",
    "cpachecker-gia": "a GIA in the language of CPAchecker's prototype",
    "task-definition": "a folder with a task definition (format 2.0) and its property",
}
"""The formats that can be written, by the names that the command line takes."""
