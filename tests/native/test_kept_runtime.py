"""A program that is linked with what is kept of the runtime and the C library behaves as one that is linked whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from gia.cache import FolderCache
from gia.cfa.types import DataModel
from gia.frontend import load
from gia.native import Runner, compile_instrumented
from gia.native.execution import Uninitialised
from gia.native.support import STATIC_RUNTIME_OBJECT

DECLARATIONS = """\
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
extern int __VERIFIER_nondet_int(void);
extern int nowhere(int);
"""

PROGRAMS = {
    "inputs": "int x = __VERIFIER_nondet_int(); return x > 3 ? 7 : 9;",
    "fresh memory": "char *p = malloc(64); memset(p, 1, 64); free(p); p = malloc(64); return p[40];",
    "memory of the library": 'char *p = strdup("abc"); free(p); p = strndup("abcdefgh", 3); return p[2] + p[3];',
    "what the runtime does not need": 'char t[9]; time_t z = 0; strftime(t, 9, "%Y", gmtime(&z)); return atoi(t) % 99;',
    "floats": 'char t[40]; snprintf(t, 40, "%.3f", pow(__VERIFIER_nondet_int(), 0.5)); return t[0] + t[2];',
    "a function that exists nowhere": "return __VERIFIER_nondet_int() ? 3 : nowhere(2);",
    "abort": "if (__VERIFIER_nondet_int()) abort(); return 1;",
    "exit": "exit(__VERIFIER_nondet_int());",
}
OWN = {
    "a name of the library": "int index(int x) { return x; } int main(void) { return index(4); }",
    "a name within the library": "int __libc_message(int x) { return x; } int main(void) { return __libc_message(4); }",
}


@pytest.mark.parametrize("model", [DataModel.LP64, DataModel.ILP32])
@pytest.mark.parametrize("name", [*PROGRAMS, *OWN])
def test_executions_are_the_same(tmp_path: Path, name: str, model: DataModel) -> None:
    (tmp_path / "p.c").write_text(OWN[name] if name in OWN else f"{DECLARATIONS}int main(void) {{ {PROGRAMS[name]} }}")
    loaded = load(tmp_path / "p.c", data_model=model)
    found = []
    for cache in (None, FolderCache(tmp_path / "cache", 10**9)):
        place = tmp_path / ("whole" if cache is None else "kept")
        place.mkdir()
        program = compile_instrumented(loaded, place, uninitialised=Uninitialised.PATTERN, cache=cache)
        with Runner() as runner:
            executions = [runner.run(program, inputs) for inputs in (["0"], ["1"], ["16"], [])]
        found.append([(run.outcome, run.exit_code, run.signal, run.inputs, run.covered_edges) for run in executions])
    assert found[0] == found[1]
    assert (tmp_path / "kept" / STATIC_RUNTIME_OBJECT).exists() == (name != "a name of the library")
