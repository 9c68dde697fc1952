"""Pointers that lie in memory are followed through loops: what follows from where they lead is proven, no more."""

from __future__ import annotations

from pathlib import Path

import pytest

from gia.analyses.proving import verifier
from tests.analyses.marked import prove_what_is_marked

NODE = "struct node { int value; struct node *next; };\n"
PROGRAMS = {
    "a field that leads to a buffer": """
int buffer[8]; struct view { int *data; int length; } v;
int main(void) {
  v.data = buffer; v.length = 8; buffer[3] = 7;
  while (MORE) { int i = MORE; if (i >= 0 && i < v.length && i != 3) v.data[i] = 1; }
  if (buffer[3] != 7) return 1; // never
  if (buffer[2] != 0) return 1; // may be
  return 0;
}
""",
    "cells that were allocated": f"""
{NODE}
int main(void) {{
  struct node *a = malloc(sizeof *a), *b = malloc(sizeof *b), *c = malloc(sizeof *c);
  a->next = b; b->next = c; c->next = 0;
  while (MORE)
    for (struct node *p = a; p; p = p->next) {{
      p->value = MORE;
      if (p != a && p != b && p != c) return 1; // never
      if (p != a && p != b) return 1; // may be
    }}
  return 0;
}}
""",
    "a table that grows beside what is known": """
struct item { int key, weight; };
struct { struct item *items; unsigned count, room; int limit; const char *title; } store = {0, 0, 0, 100, "things"};
int table[3] = {1, 2, 3};
int main(void) {
  char *name = strdup("abc");
  while (MORE) {
    if (store.count == store.room) {
      store.room = store.room ? 2 * store.room : 4;
      store.items = realloc(store.items, store.room * sizeof *store.items);
    }
    store.items[store.count].key = MORE;
    store.items[store.count++].weight = 1;
    if (store.limit != 100 || store.title[0] != 't') return 1; // never
    if (table[1] != 2 || name[1] == 'c') return 1; // never
    if (store.items[0].weight != 1) return 1; // may be
    if (name[0] == 'z') return 1; // may be
    name[0] = MORE;
  }
  return 0;
}
""",
    "a ring in an array": """
int store[8]; struct ring { int *head, *tail; int other; } r;
int main(void) {
  r.head = r.tail = store; r.other = 5;
  while (MORE) {
    if (MORE) { *r.head = 1; r.head = r.head == &store[7] ? store : r.head + 1; }
    else { *r.tail = 0; r.tail = r.tail == &store[7] ? store : r.tail + 1; }
    if (r.other != 5) return 1; // never
    if (r.head != r.tail) return 1; // may be
  }
  return 0;
}
""",
    "a table of texts": """
const char *names[4] = {"red", "green", "blue", "white"};
struct { const char *current; int steps; } s;
int main(void) {
  s.current = names[0];
  while (MORE) {
    s.current = names[MORE & 3];
    if (s.current[0] != 'r' && s.current[0] != 'g' && s.current[0] != 'b' && s.current[0] != 'w') return 1; // never
    if (s.current[0] != 'r' && s.current[0] != 'g' && s.current[0] != 'b') return 1; // may be
  }
  return 0;
}
""",
    "states that nothing changes": """
struct state { int id; const struct state *next; };
extern const struct state s0, s1, s2;
const struct state s0 = {0, &s1}, s1 = {1, &s2}, s2 = {2, &s0};
struct { const struct state *current; } machine = {&s0};
int main(void) {
  while (MORE) {
    machine.current = machine.current->next;
    if (machine.current->id > 2 || machine.current->id < 0) return 1; // never
    if (machine.current->id > 1) return 1; // may be
  }
  return 0;
}
""",
    "handlers": """
struct machine { void (*run)(struct machine *); int on; } m;
static void off(struct machine *m);
static void on(struct machine *m) { m->on = 1; m->run = off; }
static void off(struct machine *m) { m->on = 0; m->run = on; }
struct machine m = {off, 0};
int main(void) {
  while (MORE) {
    m.run(&m);
    if (m.on != 0 && m.on != 1) return 1; // never
    if (m.on != 0) return 1; // may be
  }
  return 0;
}
""",
    "a pointer that others move": """
static int skip(char **at) { if (**at != ' ') return 0; (*at)++; return 1; }
int main(void) {
  char text[16]; int flag = 3; char *p = text, **pp = &p;
  memset(text, ' ', 16); text[15] = 0;
  while (MORE) {
    skip(&p); **pp = ' ';
    if (flag != 3) return 1; // never
    if (p != text) return 1; // may be
  }
  return 0;
}
""",
    "one pointer that is written as a number": """
int x, y; struct { int *p; } s; union { int *p; long n; } u;
int main(void) {
  s.p = &x; u.p = &x;
  while (MORE) {
    if (MORE) u.n += (long)&y - (long)&x;
    *s.p = 1;
    if (y != 0) return 1; // may be
    *u.p = 1;
  }
  return 0;
}
""",
}
HARDER = ("a field that leads to a buffer", "a table that grows beside what is known", "a ring in an array")
"""Those that need more than intervals."""


@pytest.mark.parametrize("name", PROGRAMS)
def test_exactly_what_follows_is_proven(name: str, tmp_path: Path) -> None:
    run = verifier.run if name in HARDER else verifier.run_interval
    prove_what_is_marked(PROGRAMS[name], run, tmp_path)
