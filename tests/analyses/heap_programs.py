"""Random programs that build lists on the heap, change their nodes, and ask what the nodes hold.

They have no undefined behaviour: pointers have values, null ones are not followed, and what is freed is forgotten.
"""

from __future__ import annotations

from random import Random

HEAD = """#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
struct node { %s };
static struct node *head, *tail, *cursor;
static struct node *table[3];
static int number, flag;
"""
CALLEES = """static struct node *behind(struct node *list, int v) {
  if (!list) return make0(v);
  list->next = behind(list->next, v);
  return list;
}
static int sum(const struct node *list) { return list ? list->a + sum(list->next) : 0; }
"""


class HeapProgram:
    """One program."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.frees = self.random.random() < 0.4
        self.crosses = not self.frees and self.random.random() < 0.5
        self.recurs = not self.frees and self.random.random() < 0.3
        fields = ["int a", "short b", "struct node *next", *(["struct node *other"] if self.crosses else [])]
        self.random.shuffle(fields)
        self.fields = fields
        self.makers = self.random.randrange(1, 3)

    def text(self) -> str:
        """The program."""
        makers = "".join(self._maker(n) for n in range(self.makers))
        cases = "".join(f"    case {n}: {self._action()} break;\n" for n in range(self.random.randrange(2, 6)))
        checks = "".join(f"    {self._check()}\n" for _ in range(self.random.randrange(2, 5)))
        first = self.random.choice(("if (__VERIFIER_nondet_int()) ", ""))
        first = f"  {first}head = tail = cursor = make0(0);\n"
        look = self._check("number += 2;")
        after = f"  for (cursor = head; cursor; cursor = cursor->next) {{ {look} }}\n" if self._often() else ""
        return (
            HEAD % "; ".join((*self.fields, ""))
            + makers
            + (CALLEES if self.recurs else "")
            + f"int main(void) {{\n  int c;\n{first}"
            + "  while ((c = __VERIFIER_nondet_int()) != 10) {\n    switch (c) {\n"
            + f"{cases}    default: break;\n    }}\n{checks}  }}\n{after}  return 0;\n}}\n"
        )

    def _often(self) -> bool:
        return self.random.random() < 0.6

    def _constant(self) -> int:
        return self.random.choice((0, 0, 1, 1, 2, 3, 5, -1))

    def _maker(self, number: int) -> str:
        call = self.random.choice(("malloc(sizeof *n)", "calloc(1, sizeof *n)", "malloc(sizeof(struct node))"))
        given = self.random.choice(("v", str(self._constant()), "number"))
        fields = [f"n->a = {given};", f"n->b = {self._constant()};", "n->next = 0;"]
        if self.crosses:
            fields.append("n->other = 0;")
        self.random.shuffle(fields)
        lines = " ".join(fields)
        return f"static struct node *make{number}(int v) {{ struct node *n = {call}; {lines} return n; }}\n"

    def _make(self) -> str:
        return f"make{self.random.randrange(self.makers)}({self.random.choice(('number', str(self._constant())))})"

    def _action(self) -> str:
        actions = [self._push, self._push, self._append, self._assign, self._assign, self._count, self._move]
        actions += [self._pop] if self.frees else [self._drop, self._copy, self._keep, self._last]
        actions += [self._call] * 3 if self.recurs else []
        actions += [self._cross] * 2 if self.crosses else []
        return self.random.choice(actions)()

    def _push(self) -> str:
        more = self.random.choice(("", "if (!tail) tail = n;", "cursor = n;"))
        return f"{{ struct node *n = {self._make()}; n->next = head; head = n; {more} }}"

    def _append(self) -> str:
        return f"{{ struct node *n = {self._make()}; if (tail) tail->next = n; else head = n; tail = n; }}"

    def _pop(self) -> str:
        return (
            "if (head) { struct node *n = head; head = n->next; if (tail == n) tail = 0; "
            "cursor = 0; if (tail && !head) tail = 0; number = n->a; free(n); }"
        )

    def _drop(self) -> str:
        return "if (head) head = head->next;"

    def _copy(self) -> str:
        how = self.random.choice(("*n = *cursor", "memcpy(n, cursor, sizeof *n)", "memset(n, 0, sizeof *n)"))
        return f"if (cursor) {{ struct node *n = {self._make()}; {how}; n->next = head; head = n; }}"

    def _keep(self) -> str:
        return self.random.choice(
            ("table[c % 3] = head;", "table[1] = cursor;", "if (table[1]) cursor = table[1];", "cursor = table[c % 2];")
        )

    def _call(self) -> str:
        value = self.random.choice((str(self._constant()), "number"))
        return self.random.choice(
            (
                f"head = behind(head, {value});",
                f"if (head) head->next = behind(head->next, {value});",
                "flag = sum(head);",
            )
        )

    def _last(self) -> str:
        change = self.random.choice((f"(*at)->a = {self._constant()};", "*at = (*at)->next;", "tail = *at;"))
        return f"{{ struct node **at = &head; while (*at && (*at)->next) at = &(*at)->next; if (*at) {{ {change} }} }}"

    def _cross(self) -> str:
        return self.random.choice(
            (
                "if (cursor) cursor->other = head;",
                "if (head) head->other = cursor;",
                "if (cursor && cursor->other) cursor = cursor->other;",
                "if (tail) tail->other = tail;",
            )
        )

    def _assign(self) -> str:
        pointer = self.random.choice(("head", "tail", "cursor"))
        value = self.random.choice((str(self._constant()), "number", "flag", f"{pointer}->a", f"{pointer}->b + 1"))
        return f"if ({pointer}) {pointer}->{self.random.choice('ab')} = {value};"

    def _count(self) -> str:
        return self.random.choice(("if (number < 5) number++;", "flag = !flag;", "number = 0;", "flag = number > 2;"))

    def _move(self) -> str:
        return self.random.choice(
            ("cursor = head;", "if (cursor) cursor = cursor->next;", "cursor = tail;", "if (tail) flag = tail->a;")
        )

    def _check(self, change: str = "cursor = 0;") -> str:
        pointer = self.random.choice(("head", "tail", "cursor"))
        operator = self.random.choice(("==", "!=", "<", ">", "<=", ">="))
        left = self.random.choice((f"{pointer}->a", f"{pointer}->b", f"{pointer}->a"))
        conditions = [
            f"{pointer} && {left} {operator} {self._constant()}",
            f"{pointer} && {left} {operator} number",
            f"{pointer} && {pointer}->next == {self.random.choice(('0', 'head', 'tail', pointer))}",
            f"{pointer} && {pointer}->next && {pointer}->next->a {operator} {self._constant()}",
            f"{self.random.choice(('head', 'tail'))} == {self.random.choice(('tail', 'cursor', '0'))}",
            f"flag {operator} {self._constant()}",
            f"{pointer} && {pointer}->a {operator} {pointer}->b",
        ]
        if self.crosses:
            conditions.append(f"{pointer} && {pointer}->other == {self.random.choice(('0', 'head', pointer))}")
        then = self.random.choice(("number += 0;", "flag = 1;", "number = 1;", change))
        return f"if ({self.random.choice(conditions)}) {{ {then} }}"
