"""Random programs that work on texts by the functions of ``<string.h>``, for the encoder and the machine to compare."""

from __future__ import annotations

from random import Random

_HEAD = """#include <string.h>
#include <strings.h>
%s
int result[12];
struct record { char name[5]; int value; char word[7]; } first = { "abcd", 3, "xx=a" }, second;
static int sign(int value) { return (value > 0) - (value < 0); }
int main(void) {
"""
_CHARACTERS = "abA =x"


class RandomTexts:
    """The program of a seed; ``inputs`` are the values of its inputs. It has no undefined behaviour."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._sizes = [self._random.choice((6, 12, 20, 40)) for _ in range(3)]
        self.inputs = [self._random.getrandbits(31) for _ in range(60)]
        arrays = "".join(f"char text{number}[{size}]; " for number, size in enumerate(self._sizes))
        statements = [self._filled(number) for number in range(3)]
        statements += [self._statement(number) for number in range(10)]
        self.text = _HEAD % arrays + "\n".join(statements) + "\nreturn 0;\n}\n"

    def _input(self, low: int, high: int) -> str:
        return f"({low} + (int)(__VERIFIER_nondet_uint() % {high - low + 1}u))"

    def _filled(self, number: int) -> str:
        length = self._random.randrange(self._sizes[number])
        literal = "".join(self._random.choice(_CHARACTERS) for _ in range(length))
        changed = f" text{number}[{self._random.randrange(length)}] = {self._input(97, 99)};" if length else ""
        return f'strcpy(text{number}, "{literal}");{changed}'

    def _source(self) -> str:
        array = f"text{self._random.randrange(3)}"
        literal = self._random.choice(("a", "=", "ab", "x b", ""))
        moved = f"({array} + (strlen({array}) > 2 ? {self._input(0, 2)} : 0))"
        return self._random.choice((array, array, moved, f'"{literal}"', "first.name", "first.word"))

    def _number(self) -> str:
        return self._random.choice((str(self._random.randrange(6)), self._input(0, 5)))

    def _statement(self, number: int) -> str:
        target = self._random.randrange(3)
        array, last = f"text{target}", f"text{target}[{self._sizes[target] - 1}] = 0;"
        one, other, limit, value = self._source(), self._source(), self._number(), f"result[{number}]"
        sought = self._random.choice(("'='", "0", self._input(97, 99)))
        place = f"{value} = found ? (int)(found - text) : -1; }}"
        known = f"{{ const char *text = {one}, *found = "
        return self._random.choice(
            (
                f"{value} = strlen({one});",
                f"{value} = strnlen({one}, {limit});",
                f"{value} = sign({self._random.choice(('strcmp', 'strcasecmp'))}({one}, {other}));",
                f"{value} = sign({self._random.choice(('strncmp', 'strncasecmp'))}({one}, {other}, {limit}));",
                f"{value} = sign(memcmp({array}, text0, {limit}));",
                f"{value} = {self._random.choice(('strspn', 'strcspn'))}({one}, {other});",
                f"{known}{self._random.choice(('strchr', 'strrchr'))}(text, {sought}); {place}",
                f"{known}{self._random.choice(('strpbrk', 'strstr'))}(text, {other}); {place}",
                f"{{ const char *text = {array}, *found = memchr(text, 'b', {limit}); {place}",
                f'strncpy({array}, "{self._random.choice(("ab", ""))}", {limit}); {last}',
                f"if (strlen({array}) + 5 < sizeof {array}) strncat({array}, first.word, {self._input(0, 4)});",
                f"memcpy({array}, first.word, {limit}); {last}",
                f"memset({array}, 'b', {limit}); {last}",
                f"memcpy(&second, &first, {self._random.choice(('sizeof first', self._input(0, 16)))});",
                f"memcpy((char *)&first + 8, &result[{self._random.randrange(10)}], 4); {value} = first.value;",
                f"{{ char *copy = strdup({one}); {value} = strlen(copy) + copy[0]; }}",
            )
        )
