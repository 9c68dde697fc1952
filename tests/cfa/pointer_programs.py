"""Random programs that keep pointers in memory in every way that C has, and what their executions have where.

With ``-DNATIVE`` a program prints at each ``LOOK()`` the address, the size and the bytes of every object, and for each
``BRANCH`` the outcomes that were taken. It may have undefined behaviour: then it stops there, and what it has printed
before was defined.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from gia.cfa.types import DataModel
from gia.toolchain import data_model_options, find_compiler, run_tool

HEAD = r"""#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef NATIVE
static int inputs_left_ = 60, looks_left_ = 40;
static unsigned inputs_ = SEED;
int __VERIFIER_nondet_int(void) {
  inputs_ = inputs_ * 1103515245u + 12345u;
  return inputs_left_-- > 0 ? (int)((inputs_ >> 16) % 5) : 0;
}
static void show_(const char *name, const void *at, unsigned long size) {
  printf("object %s %lu %lu ", name, (unsigned long)at, size);
  for (unsigned long k = 0; k < size; k++) printf("%02x", ((const unsigned char *)at)[k]);
  printf(";\n");
}
static struct { void *at; unsigned long size; int line; } given_[200];
static int count_;
static void *given(int line, unsigned long count, unsigned long size) {
  void *at = calloc(count, size);
  if (count_ < 200) { given_[count_].at = at; given_[count_].size = count * size; given_[count_++].line = line; }
  return at;
}
#define malloc(size) given(__LINE__, 1, size)
#define calloc(count, size) given(__LINE__, count, size)
static int branch_(int line, int value) { printf("taken %d %d\n", line, value); fflush(stdout); return value; }
#define BRANCH(c) branch_(__LINE__, !!(c))
static long in_object_(const char *at, long distance) {
  if (at) *(const volatile char *)at;
  if (at && distance) *(const volatile char *)(at + distance - (distance > 0));
  return distance;
}
#define MOVED(p, n) ((p) + in_object_((const char *)(p), (n) * (long)sizeof *(p)) / (long)sizeof *(p))
#define LOOK() if (looks_left_-- > 0) { \
  printf("look\n"); \
  for (int k = 0; k < count_; k++) printf("object block:%d %lu %lu ;\n", given_[k].line, (unsigned long)given_[k].at, \
    given_[k].size); \
  SHOW_ALL printf("end\n"); fflush(stdout); }
#else
extern int __VERIFIER_nondet_int(void);
#define BRANCH(c) (c)
#define MOVED(p, n) ((p) + (n))
#define LOOK()
#endif
static unsigned taken;
"""

OBJECTS = r"""
struct node { long tag; int *data; struct node *next; char text[8]; };
union mix { int *p; long number; char bytes[8]; struct { int low, high; } halves; };
struct pair { struct node *first; int *values[3]; };
struct handler { int *(*run)(struct node *, int *); int *state; };
int ga[6], gb; int *gip = ga; int **gpp = &gip; char buf[16]; long number;
struct node n1 = {1, &gb, 0}, n2 = {2, ga + 1, &n1}, ns[2]; struct pair pr = {&n2, {ga, &gb}};
struct tail { int *p; unsigned n; char data[8]; } tl = {ga}, *tlp = &tl;
struct arrays { char name[8]; int *some[3]; long tag; int few[4]; struct { int *p; int k; } both[2]; long last; } ar;
union mix um; int *table[3] = {ga, &gb}; struct node *gnp = &n1; char *cp = buf;
static const struct node cn = {7, &ga[2], &n2, "abc"}; static int *const fixed[2] = {&gb, ga + 5};
static int *use_data(struct node *n, int *p) { return n ? n->data : p; }
static int *put_data(struct node *n, int *p) { if (n) n->data = p; return p; }
static int *never(struct node *n, int *p) { return n ? &ga[3] : p; }
static struct handler handler = {use_data, &gb};
static struct node make(int *d, struct node *n) { struct node made = {3}; made.data = d; made.next = n; return made; }
static void swap(int **a, int **b) { int *c = *a; *a = *b; *b = c; }
static int *deep(int n, int *p) { int here = n; int *q = &here; if (n <= 0) return p; q = deep(n - 1, p); return q; }
static int *pick(int n, ...) {
  va_list list; int *p = 0;
  va_start(list, n);
  for (int k = 0; k <= n; k++) p = va_arg(list, int *);
  va_end(list);
  return p;
}
static int *bump(int step) { static int cells[4]; static int *at = cells; at = cells + (step & 3); return at; }
static void by_value(struct pair x, struct node *to) { if (to && x.first) to->next = x.first->next; }
static void swap_words(void *a, void *b) { long c = *(long *)a; *(long *)a = *(long *)b; *(long *)b = c; }
static int compare(const void *a, const void *b) { return *(int *const *)a < *(int *const *)b; }
"""
LOCALS = r"""
  int la[4] = {0}; struct node ln; struct pair lp; int *lip = la; int **lipp = &lip; struct node *lnp = &n2, *hn;
  int *only = ga, *hi; union mix lm; struct node *walk = &n1; char *mover = buf; long word = 0; int steps = 0;
"""
_SHOWN = (
    "ga", "gb", "gip", "gpp", "buf", "number", "n1", "n2", "ns", "pr", "um", "table", "gnp", "cp", "cn", "fixed", "tl",
    "handler", "ar", "la", "ln", "lp", "lip", "lipp", "lnp", "hn", "only", "hi", "lm", "walk", "mover", "word", "steps",
)  # fmt: skip
_HANDLERS = ("use_data", "put_data", "never")
_INT_CELLS = (
    "lip", "gip", "only", "hi", "table[i]", "n1.data", "lnp->data", "ns[i & 1].data", "pr.values[i]", "um.p", "lm.p",
    "*lipp", "*gpp", "ln.data", "lp.values[1]", "hn->data", "gnp->next->data", "handler.state", "walk->data",
    "ar.some[i]", "ar.both[i & 1].p", "tl.p", "tlp->p",
)  # fmt: skip
_NODE_CELLS = (
    "lnp", "gnp", "n1.next", "n2.next", "lnp->next", "pr.first", "ns[i & 1].next", "hn->next", "lp.first", "walk",
    "hn", "ln.next",
)  # fmt: skip
_INTS = (
    "(&gb)", "ga", "(ga + 2)", "(&ga[i])", "la", "(&la[3])", "(&steps)", "bump(i)", "fixed[i & 1]", "cn.data",
    "((int *)0)", "(&ar.few[i + 2])", "(&ar.both[i & 1].k)",
)  # fmt: skip
_NODES = (
    "(&n1)", "(&n2)", "(&ns[i & 1])", "(&ln)", "hn", "cn.next", "((struct node *)0)",
    "((struct node *)malloc(sizeof(struct node)))",
)  # fmt: skip
_WAYS = (
    "(int *)(long){0}", "(int *)((char *){1} + 8)", "*(int **)((char *){1} + 8)", "(int *)um.number",
    "handler.run({1}, {0})", "make({0}, {1}).data", "(int *)(void *){0}", "(int *)word",
    "(int *)strchr(buf, 0)",
)  # fmt: skip


class PointerProgram:
    """One random program; all choices are made by ``random``."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._kinds = [random.randrange(200) for _ in range(random.randrange(2, 16))]
        """Each program has few kinds of statements, or nothing would be known of most."""
        self._ways = [random.randrange(len(_WAYS)) for _ in range(random.randrange(1, 5))]
        self.text = self._program()

    def _one(self, choices: Sequence[str]) -> str:
        return choices[self._random.randrange(len(choices))]

    # ---- expressions

    def _int_pointer(self, depth: int = 2) -> str:
        kind = self._random.randrange(8 if depth else 2)
        inner = lambda: self._int_pointer(depth - 1)  # noqa: E731
        match kind:
            case 0 | 1 | 2:
                return self._one(_INTS)
            case 3 | 4:
                return self._one(_INT_CELLS)
            case 5:
                return f"MOVED({inner()}, {self._one(('1', 'i', '-1', '(i & 1)'))})"
            case 6:
                calls = (
                    "deep(i, {0})",
                    "pick(1, {1}, {0})",
                    "use_data({2}, {0})",
                    "(__VERIFIER_nondet_int() ? {0} : {1})",
                )
                return self._one(calls).format(inner(), inner(), self._node_pointer(depth - 1))
            case _:
                way = _WAYS[self._ways[self._random.randrange(len(self._ways))]]
                return way.format(inner(), self._node_pointer(depth - 1))

    def _node_pointer(self, depth: int = 1) -> str:
        if depth > 0 and self._random.randrange(3) == 0:
            return self._one(
                ("{0}->next", "((struct node *)((char *){0} + 0))", "((struct node *)(void *){0})")
            ).format(self._node_pointer(depth - 1))
        return self._one(_NODES if self._random.randrange(2) else _NODE_CELLS)

    # ---- statements

    def _statement(self) -> str:
        ip, cell, np, nc = self._int_pointer(), self._one(_INT_CELLS), self._node_pointer(), self._one(_NODE_CELLS)
        kinds = (
            f"{cell} = {ip};", f"{cell} = {ip};", f"{cell} = {ip};", f"{nc} = {np};", f"{nc} = {np};",
            f"if ({cell}) *{cell} = i;", f"{cell} = MOVED({cell}, 1);",
            f"if ({nc}) put_data({nc}, {ip});", f"lipp = &{cell};", f"gpp = &{cell};", f"swap(&{cell}, lipp);",
            "gpp = lipp; swap(gpp, &table[i]);",
            *self._copies(cell, nc), *self._numbers(cell, nc), *self._bytes(cell, nc, ip),
            f"handler.run = {self._one(('put_data', 'use_data', 'never'))};", f"handler.run({np}, {ip});",
            f"by_value(pr, {nc});", f"hi = malloc(4 * sizeof(int)); {cell} = hi + i;",
            "hn = calloc(1, sizeof *hn);", f"free(hn); hn = 0; {nc} = 0;", "hi = realloc(hi, 32);",
            f"walk = walk->next ? walk->next : {np};", "pr.values[i] = table[i]; table[i] = pr.values[0];",
            f"{nc} = &(struct node){{5, {ip}, {np}}};",
            f"{{ int inner[2] = {{0}}; {cell} = inner; }}",
            "qsort(table, 3, sizeof *table, compare);",
            *self._texts(nc), f"strcpy({nc} ? {nc}->text : buf, \"ab\");", "memset(buf, 'x', 5);",
            "cp = strchr(buf, 'b');",
        )  # fmt: skip
        return kinds[self._kinds[self._random.randrange(len(self._kinds))] % len(kinds)]

    def _copies(self, cell: str, nc: str) -> tuple[str, ...]:
        return (
            "n1 = n2;", f"if ({nc}) *{nc} = n1;", f"if ({nc}) ln = *{nc};", "pr = lp;", "lp = pr;", "um = lm;",
            "memcpy(&n1, &n2, sizeof n1);", "memmove(&ns[0], &ns[1], sizeof n1);",
            f"memcpy(&{cell}, &gip, sizeof gip);",
            "memcpy(ns, table, sizeof table);", f"memcpy(&lip, &{cell}, 4);", "memcpy(&n2.data, &pr.values[i], 16);",
            "memcpy((char *)&n1 + i, &n2, 16);", "memcpy(&lm, &um, i + 4);",
            f"memcpy(&number, &{cell}, sizeof number);",
            f"memcpy(&{cell}, &number, sizeof number);", f"n1 = make({cell}, {nc});",
            f"swap_words(&{cell}, &table[i]);", f"swap_words(&{cell}, &word);",
        )  # fmt: skip

    def _numbers(self, cell: str, nc: str) -> tuple[str, ...]:
        return (
            f"um.number = (long){cell};", f"number = (long){cell};", f"word = (long){nc};", f"{cell} = (int *)number;",
            f"{nc} = (struct node *)word;", "lm.number = um.number;", "um.number += 4;", "number = lm.number;",
            f"word = *(long *)&{cell};", f"*(long *)&{cell} = word;", "um.halves.low = lm.halves.low;",
            f"{cell} = (int *)((unsigned long){cell} & ~3ul);", f"if ({nc}) {nc}->tag = (long){cell};",
            f"if ({nc}) {cell} = (int *){nc}->tag;",
            f"__asm__ volatile(\"\" : \"+r\"({cell}));",
            f"__asm__ volatile(\"mov %1, %0\" : \"=r\"(word) : \"r\"({cell}));",
        )  # fmt: skip

    def _bytes(self, cell: str, nc: str, ip: str) -> tuple[str, ...]:
        return (
            f"for (int k = 0; k < 8; k++) ((char *)&{cell})[k] = ((char *)&gip)[k];",
            f"for (int k = 0; k < 8; k++) buf[k] = ((char *)&{cell})[k];",
            f"for (int k = 0; k < 8; k++) ((char *)&{cell})[k] = buf[k];",
            "memset(&n1, 0, sizeof n1);", "memset(&n2, 0, 12);", "memset(&pr, 0, i * 8);", f"memset(&{cell}, i, 8);",
            f"if ({nc}) {nc}->text[i] = 'x';", f"if ({nc}) cp = {nc}->text;", "cp = MOVED(cp, 1);",
            "if (cp) *cp = 'y', cp = MOVED(cp, 1);",
            f"cp = (char *){nc};", "cp = MOVED(cp, 8);", f"if (cp) *(int **)cp = {ip};",
            f"if (cp) {cell} = *(int **)cp;",
            f"if ({nc}) *(int **)((char *){nc} + 8) = {ip};", f"mover = (char *)&{cell};", "mover = MOVED(cp, i);",
            "if (mover) *mover = 'z';", f"if (mover) *(int **)mover = {ip};", f"mover = (char *)&{nc} - 8;",
            f"*(&n1.data + i) = {ip};", f"(&pr.values[1])[-1] = {ip};", f"*(int **)((long *)&n1 + 1) = {ip};",
        )  # fmt: skip

    def _texts(self, nc: str) -> tuple[str, ...]:
        return (
            'strcpy(ar.name, "ab");', "strncpy(ar.name, buf + 8, 8);", 'snprintf(ar.name, 8, "%d", i);',
            "memset(ar.name, 'x', 8);", "ar.name[i] = 'y';", "ar.tag = i;", "ar.few[i] = 4;", "ar.both[i & 1].k = i;",
            'snprintf(ar.name, i + 1, "%f", 1.0);', f"if ({nc}) strncpy({nc}->text, ar.name, i);",
            "if (tl.n < 8) tl.data[tl.n++] = 'y';", "tlp->data[i] = 'z';", "tlp = calloc(1, sizeof *tlp);",
            "{ unsigned long m = __VERIFIER_nondet_int() + i; if (m > 8) m = 8; memcpy(ar.name, buf, m); }",
            "{ int m = __VERIFIER_nondet_int(); if (m < 0 || m > 7) m = 8; memcpy(tlp->data, ar.name, m); }",
            "if ((unsigned)steps < 9) memset(tl.data, 'x', steps); else steps = 0;", "tlp->data[steps & 7] = steps++;",
        )  # fmt: skip

    def _question(self) -> str:
        def plain(pointer: Callable[[], str]) -> str:
            found = pointer()
            while "malloc" in found or "MOVED" in found:
                found = pointer()
            return found

        if self._random.randrange(3):
            left, right = self._one(_INT_CELLS), plain(lambda: self._int_pointer(0))
        else:
            left, right = self._one(_NODE_CELLS), plain(lambda: self._node_pointer(0))
        match self._random.randrange(6):
            case 0:
                left, right = f"(long){left}", f"(long){right}"
            case 1:
                left, right = f"(long){left}", self._one(("number", "word", "0", "24"))
            case 2:
                left, right = f"!(long){left}", f"((long){right} && i)"
        return f"if (BRANCH({left} == {right})) taken++;"

    def _block(self, depth: int) -> Iterator[str]:
        for _ in range(self._random.randrange(1, 6)):
            match self._random.randrange(7):
                case 0 if depth:
                    yield "while (__VERIFIER_nondet_int()) {"
                    yield "LOOK()"
                    yield self._question()
                    yield from self._block(depth - 1)
                    yield "}"
                case 1 if depth:
                    yield "if (__VERIFIER_nondet_int() > 1) {"
                    yield from self._block(depth - 1)
                    yield "}"
                case 2:
                    yield "LOOK()"
                case 3:
                    yield self._question()
                case 4:
                    yield "i = __VERIFIER_nondet_int() % 3; if (i < 0) i = 0;"
                case _:
                    yield self._statement()

    def _program(self) -> str:
        shown = "".join(f'show_("{name}", &{name}, sizeof {name}); ' for name in _SHOWN)
        functions = "".join(f'printf("object {name}() %lu 1 ;\\n", (unsigned long)&{name}); ' for name in _HANDLERS)
        lines = [HEAD + OBJECTS, f"#define SHOW_ALL {shown}{functions}", "int main(void) {" + LOCALS]
        lines += ["  int i = 0;", "LOOK()"]
        if self._random.randrange(2):
            lines += ["hn = malloc(sizeof *hn);", "hi = malloc(4 * sizeof(int));"]
        lines += [*self._block(2), "while (__VERIFIER_nondet_int()) {", "LOOK()", *self._block(1), "}"]
        return "\n".join([*lines, "  return 0;", "}", ""])


class Seen(NamedTuple):
    """An object at one ``LOOK()``: its contents are empty if they are not looked at."""

    address: int
    size: int
    contents: bytes


_OBJECT = re.compile(r"object (\S+) (\d+) (\d+) ([0-9a-f]*);")


def executions(text: str, folder: Path, seeds: Sequence[int], model: DataModel) -> Iterator[list[str]]:
    """The lines that the program prints, for each of the seeds of its inputs, until it does something undefined."""
    source, binary = folder / "native.c", folder / "native"
    source.write_text(text.replace("int main(void) {", MAIN, 1))
    options = [*data_model_options(model), "-O0", "-fwrapv", "-w", "-DNATIVE", "-DSEED=1", "-fno-strict-aliasing"]
    options += ["-fsanitize=address,null,bounds", "-fno-sanitize-recover=all", "-ftrivial-auto-var-init=zero"]
    done = run_tool([find_compiler().path, *options, str(source), "-o", str(binary)], timeout=120)
    assert done.returncode == 0, done.messages
    for seed in seeds:
        done = run_tool([str(binary), str(seed)], timeout=20)
        yield done.stdout.decode(errors="replace").splitlines()


MAIN = "int main(int argc, char **argv) { inputs_ = argc > 1 ? (unsigned)atoi(argv[1]) : 1;"


def looks(lines: Sequence[str]) -> Iterator[dict[str, list[Seen]]]:
    """The objects at each complete ``LOOK()``, by name; there may be several blocks of one line."""
    current: dict[str, list[Seen]] | None = None
    for line in lines:
        if line == "look":
            current = {}
        elif line == "end" and current is not None:
            yield current
            current = None
        elif current is not None and (found := _OBJECT.fullmatch(line)):
            seen = Seen(int(found[2]), int(found[3]), bytes.fromhex(found[4]))
            current.setdefault(found[1], []).append(seen)


def taken(lines: Sequence[str]) -> set[tuple[int, bool]]:
    """The lines of the branches that were taken, with the outcomes."""
    return {(int(line.split()[1]), line.endswith("1")) for line in lines if line.startswith("taken ")}
