"""What programs consist of is kept, and read again, as it was."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import pytest

from gia.cfa.types import DataModel
from gia.frontend import load

PROGRAM = """\
#include <stdlib.h>
struct pair { int first; double second[3]; };
extern int __VERIFIER_nondet_int(void);
static int twice(int x) { return 2 * x; }
int main(void) {
  struct pair p = {1, {0.5}}, *q = &p;
  int (*f)(int) = twice;
  char *text = "text";
  switch (__VERIFIER_nondet_int()) { case 1: q->first = f(text[1]); break; default: abort(); }
  for (int i = 0; i < 3; i++) if (i && p.second[i] > 1.0) return -(int)q->second[i];
  return *text ? 1 : 0;
}
"""


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_a_program_is_read_as_it_was(tmp_path: Path, protocol: int) -> None:
    (tmp_path / "p.c").write_text(PROGRAM)
    loaded = load(tmp_path / "p.c", data_model=DataModel.LP64)
    again = pickle.loads(pickle.dumps(loaded, protocol))
    assert again == loaded
    assert again.source.probes == loaded.source.probes
    edges = again.program.edge_list
    assert len({id(edge.reference) for edge in edges}) == len({id(edge.reference) for edge in loaded.program.edge_list})
    assert copy.deepcopy(edges) == edges
