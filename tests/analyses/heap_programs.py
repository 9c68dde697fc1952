"""Random programs that build lists on the heap, change their nodes, and ask what the nodes hold.

They have no undefined behaviour: pointers have values, null ones are not followed, and what is freed is forgotten.
"""

from __future__ import annotations

from random import Random

HEAD = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
struct node { %s };
static struct node *head, *tail, *cursor;
static struct node *table[3];
static int number, flag;
static char word[4] = "abc";
"""
GROWING = """static struct node **grown;
static char *label;
static int room, used;
static void keep(struct node *node) {
  if (used == room) grown = realloc(grown, (room += 2) * sizeof *grown);
  grown[used++] = node;
}
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
        self.named, self.has_data, self.has_many = (self.random.random() < 0.3 for _ in range(3))
        fields += [f"char name[{self.random.choice((4, 12))}]"] if self.named else []
        fields += ["int *data"] if self.has_data else []
        fields += [f"struct node *many[{self.random.choice((4, 10))}]"] if self.has_many else []
        self.random.shuffle(fields)
        self.grows = not self.frees and self.random.random() < 0.5
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
            + (GROWING if self.grows else "")
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
        fields += ["memset(n->name, 0, sizeof n->name);"] if self.named else []
        fields += ["n->data = calloc(4, sizeof *n->data);"] if self.has_data else []
        fields += ["memset(n->many, 0, sizeof n->many);"] if self.has_many else []
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
        actions += [self._name] * 2 if self.named else []
        actions += [self._data] * 2 if self.has_data else []
        actions += [self._grow] * 2 if self.grows else []
        actions += [self._many] * 2 if self.has_many and not self.frees else []
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

    def _any_of(self, pointer: str, changes: tuple[str, ...]) -> str:
        return f"if ({pointer}) {{ {self.random.choice(changes)} }}"

    def _name(self) -> str:
        """Texts are never longer than two characters and a zero, so that all of them end."""
        pointer = self.random.choice(("head", "tail", "cursor"))
        return self._any_of(
            pointer,
            (
                f'strcpy({pointer}->name, "{self.random.choice(("", "a", "xy"))}");',
                f"strcpy({pointer}->name, word + 1);",
                f"strncpy({pointer}->name, word, 2);",
                f"memset({pointer}->name, 'a' + (c & 1), 2);",
                f"memcpy({pointer}->name, head ? head->name : word + 1, 3);",
                f'snprintf({pointer}->name, 3, "%d", number);',
                f'snprintf({pointer}->name, 3, "%s", word);',
                f"for (int i = 0; i < 2; i++) {pointer}->name[i] = word[i];",
                f"{{ char *at = {pointer}->name + (c & 1); *at = 'x'; }}",
                f"for (char *at = {pointer}->name; at < {pointer}->name + 2; at++) *at = 'y';",
                f"{{ char *at = {pointer}->name; const char *from = word + 1; while ((*at++ = *from++)) ; }}",
                f"strcpy(word, {pointer}->name);",
                "word[c & 1] = 'q';",
            ),
        )

    def _data(self) -> str:
        pointer = self.random.choice(("head", "tail", "cursor"))
        return self._any_of(
            pointer,
            (
                f"{pointer}->data[c & 3] = {self._constant()};",
                f"*{pointer}->data = number;",
                f"for (int *at = {pointer}->data; at < {pointer}->data + 4 && c; at++) *at = {self._constant()};",
                f"{{ int *at = {pointer}->data + (c & 1); at[1] = at[2]; }}",
                f"number = {pointer}->data[1];",
                f"{pointer}->data = head ? head->data : calloc(4, sizeof(int));",
            ),
        )

    def _grow(self) -> str:
        return self.random.choice(
            (
                "if (head) keep(head);",
                "if (cursor) keep(cursor);",
                "if (used) cursor = grown[used - 1];",
                f"if (used > 2) grown[c & 1]->a = {self._constant()};",
                "if (used > 1) { grown = realloc(grown, --used * sizeof *grown); room = used; }",
                "label = label ? realloc(label, 9) : strdup(word);",
                "if (label) { label[1] = 'z'; number = label[0]; }",
                "if (label) strcpy(word, label);",
            )
        )

    def _many(self) -> str:
        pointer = self.random.choice(("head", "tail", "cursor"))
        return self._any_of(
            pointer,
            (
                f"{pointer}->many[c & 3] = head;",
                f"{pointer}->many[1] = tail;",
                f"if ({pointer}->many[c & 3]) cursor = {pointer}->many[c & 3];",
                f"if ({pointer}->many[2]) {pointer}->many[2]->a = {self._constant()};",
                f"if ({pointer}->many[c & 1]) {{ struct node *one = {pointer}->many[c & 1]; one->b = number; }}",
            ),
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
        conditions += self._checks_of_arrays(pointer, operator)
        conditions += [
            "used && grown[0] == head",
            "used > 1 && grown[1]->a > 0",
            "label && label[1] == 'z'",
        ] * self.grows
        then = self.random.choice(("number += 0;", "flag = 1;", "number = 1;", change))
        return f"if ({self.random.choice(conditions)}) {{ {then} }}"

    def _checks_of_arrays(self, pointer: str, operator: str) -> list[str]:
        found = []
        if self.named:
            text, character = self.random.choice(("word", '"xy"')), self.random.choice(("0", "'x'"))
            found += [
                f"{pointer} && {pointer}->name[0] == {character}",
                f"{pointer} && !strcmp({pointer}->name, {text})",
            ]
        if self.has_data:
            found.append(f"{pointer} && {pointer}->data[{self.random.choice('012')}] {operator} {self._constant()}")
        if self.has_many and not self.frees:
            found.append(f"{pointer} && {pointer}->many[1] == {self.random.choice(('0', 'head', pointer))}")
        return found
