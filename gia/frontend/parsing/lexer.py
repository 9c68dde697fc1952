"""Tokens of GNU C with their offset in the text.

An extension of the lexer of pycparserext by what the preprocessed headers and sources of gcc contain
besides. Keywords that carry no meaning for the program's behaviour (``__extension__``) are dropped.
"""

from __future__ import annotations

import re
from typing import Any

from pycparser.c_lexer import _fixed_tokens, _keyword_map, _Token
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

_DIGRAPHS = {"<:": "[", ":>": "]", "<%": "{", "%>": "}"}
"""Other spellings of brackets (ISO C 6.4.6)."""

_DIGRAPH_OR_LITERAL = re.compile(r"""[<%:][:%>]|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'""")

_PUNCTUATORS = {fixed.literal: fixed.tok_type for fixed in _fixed_tokens if fixed.literal[0] not in "{}./"}
"""Those that begin nothing else; of braces, the parser is told."""

_KEYWORDS = {**GnuCLexer._extra_keywords, **_keyword_map, **ALTERNATIVE_KEYWORDS}

_SKIPPED = re.compile(r"[ \t\n]*+(?:(?<![^\n])# \d[^\n]*+[ \t\n]*+)*+")
"""Blanks and line markers: the places of tokens are those of their offsets."""

_QUICK = re.compile(
    r"([A-Za-z_]\w*)(?![\w$'\"])|({})".format("|".join(map(re.escape, sorted(_PUNCTUATORS, key=len, reverse=True)))),
    re.ASCII,
)
"""A name (that is not the beginning of a literal such as ``L'a'``) or a punctuator."""

MEANINGLESS = frozenset({"__EXTENSION__"})

_NOTED_PRAGMA = re.compile(r"(?:GCC|STDC|pack|redefine_extname|scalar_storage_order|weak)\b")
"""How pragmas begin that stand where a declaration or a statement may. All others, of which gcc takes no notice, are
allowed between any two tokens."""


class Token(_Token):  # type: ignore[misc]
    """A token and the offset of its first character."""

    __slots__ = ("offset",)

    def __init__(self, kind: str, value: str, offset: int) -> None:
        super().__init__(kind, value, 0, 0)
        self.offset = offset

    @property
    def end(self) -> int:
        """The offset behind its last character."""
        return self.offset + len(self.value)


class Lexer(GnuCLexer):  # type: ignore[misc]
    """The lexer of the whole front end."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._pos: int
        self._pending_tok: Any
        self._spelled: dict[int, str] = {}
        """The digraphs of the text by their offsets."""

    def _make_token(self, kind: str, value: str, offset: int) -> Token:
        value = self._spelled.get(offset, value)
        return Token(ALTERNATIVE_KEYWORDS.get(value, kind), value, offset)

    def input(self, text: str, filename: str = "") -> None:
        """Begin with a text."""

        def usual(found: re.Match[str]) -> str:
            if found[0] not in _DIGRAPHS:
                return found[0]
            self._spelled[found.start()] = found[0]
            return f"{_DIGRAPHS[found[0]]} "

        self._spelled = {}
        if any(digraph in text for digraph in _DIGRAPHS):
            text = _DIGRAPH_OR_LITERAL.sub(usual, text)
        super().input(text, filename)

    def token(self) -> Any:
        """The next token, or ``None`` at the end."""
        while True:
            token = self._quick_token() or super().token()
            if token is None or not (token.type in MEANINGLESS or self._is_idle_pragma(token)):
                return token

    def _is_idle_pragma(self, token: Token) -> bool:
        """Whether gcc takes no notice of the pragma that begins with this token; if so, its text is stepped over."""
        if token.type != "PPPRAGMA" or (self._pending_tok and _NOTED_PRAGMA.match(self._pending_tok.value)):
            return False
        self._pending_tok = None
        return True

    def _quick_token(self) -> Token | None:
        """A name or a punctuator, if that is next: the library asks for every kind of literal first."""
        if self._pending_tok:
            return None
        skipped = _SKIPPED.match(self._lexdata, self._pos)
        begin = self._pos = skipped.end() if skipped else self._pos
        found = _QUICK.match(self._lexdata, begin)
        if found is None:
            return None
        name, punctuator = found.groups()
        self._pos = found.end()
        if name is None:
            return self._make_token(_PUNCTUATORS[punctuator], punctuator, begin)
        kind = _KEYWORDS.get(name) or ("TYPEID" if self.type_lookup_func(name) else "ID")
        return Token(kind, name, begin)
