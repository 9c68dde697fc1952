"""Tokens of GNU C with their offset in the text.

An extension of the lexer of pycparserext by what the preprocessed headers and sources of gcc contain
besides. Keywords that carry no meaning for the program's behaviour (``__extension__``) are dropped.
"""

from __future__ import annotations

from typing import Any

from pycparser.c_lexer import _Token
from pycparserext.ext_c_lexer import GnuCLexer

ALTERNATIVE_KEYWORDS = {
    "__builtin_offsetof": "OFFSETOF",
    "__signed__": "SIGNED",
    "__signed": "SIGNED",
    "__thread": "_THREAD_LOCAL",
    "__alignof": "__ALIGNOF__",
    "_Alignof": "__ALIGNOF__",
    "__complex__": "_COMPLEX",
    "__int128_t": "TYPEID",
    "__uint128_t": "TYPEID",
    "__builtin_va_arg": "VA_ARG",
    "_Generic": "GENERIC",
}
"""Spellings that gcc knows besides those of pycparserext, and their token types."""

MEANINGLESS = frozenset({"__EXTENSION__"})


class Token(_Token):  # type: ignore[misc]
    """A token and the offset of its first character."""

    __slots__ = ("offset",)

    def __init__(self, kind: str, value: str, line: int, column: int, offset: int) -> None:
        super().__init__(kind, value, line, column)
        self.offset = offset

    @property
    def end(self) -> int:
        """The offset behind its last character."""
        return self.offset + len(self.value)


class Lexer(GnuCLexer):  # type: ignore[misc]
    """The lexer of the whole front end."""

    def _make_token(self, kind: str, value: str, offset: int) -> Token:
        column = offset - self._line_start + 1
        return Token(ALTERNATIVE_KEYWORDS.get(value, kind), value, self._lineno, column, offset)

    def token(self) -> Any:
        """The next token, or ``None`` at the end."""
        token = super().token()
        while token is not None and token.type in MEANINGLESS:
            token = super().token()
        return token
