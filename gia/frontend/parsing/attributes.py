"""GNU attributes (GCC manual, sections *Function*, *Variable* and *Type Attributes*) and what they mean here.

An attribute may change the type, the layout or the code of what it stands at. So only those that are known to leave
all three as they are, or that the compiler does not know, count as harmless; a few are followed; at a name with any
other nobody may use the name.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from pycparser import c_ast

from gia.frontend.parsing.syntax import AttributeUse, Node, SyntaxTree
from gia.toolchain import find_compiler, run_tool

_HARMLESS: Final = """
access alloc_align alloc_size always_inline artificial assume_aligned cdecl cold common const copy counted_by
deprecated designated_init error externally_visible fallthrough fastcall fd_arg fd_arg_read fd_arg_write flatten
force_align_arg_pointer format format_arg gcc_struct gnu_inline hot leaf malloc may_alias no_address_safety_analysis
no_icf no_instrument_function no_profile_instrument_function no_reorder no_sanitize no_sanitize_address
no_sanitize_thread no_sanitize_undefined no_split_stack no_stack_limit no_stack_protector nocf_check noclone nocommon
noinline noipa nonnull nonstring noplt nothrow null_terminated_string_arg optimize patchable_function_entry pure
regparm returns_nonnull section sentinel simd stack_protect stdcall symver sysv_abi tainted_args target target_clones
tls_model unavailable uninitialized unused used visibility warn_if_not_aligned warn_unused warn_unused_result warning
zero_call_used_regs
"""
_OF_CLANG: Final = """
acquire_capability acquired_after acquired_before annotate assert_capability capability guarded_by lockable minsize
no_thread_safety_analysis nodebug optnone pt_guarded_by release_capability requires_capability scoped_lockable
try_acquire_capability
"""
HARMLESS: Final = frozenset([*_HARMLESS.split(), *_OF_CLANG.split()])
"""The second are for the analyses of Clang: gcc ignores them."""
MODE: Final = "mode"
"""Followed at the name of a type, a member or a variable; each use must have been followed."""
CLEANUP: Final = "cleanup"
"""Followed at a variable that ends with its block; each use must have been followed."""
FOLLOWED: Final = frozenset({"aligned", "packed", "noreturn", "transparent_union", MODE, CLEANUP})
"""These are looked at where they can stand."""
WEAK: Final = "weak"
"""Harmless at what the program defines itself: else its address may be null."""

_RUNNING: Final = frozenset({"constructor", "destructor"})
_RUN: Final = (".init_array", ".fini_array", ".preinit_array", ".ctors", ".dtors")
"""What the linker takes for functions that it runs, with any suffix; ``.init`` and ``.fini`` hold code that is run."""


def attribute_name(node: Node) -> str:
    """The name of an attribute that was parsed like an expression, ``""`` for none."""
    name = node.name.name if isinstance(node, c_ast.FuncCall) else getattr(node, "name", "")
    return str(name).strip("_")


def runs_by_itself(attributes: list[Node]) -> bool:
    """Whether attributes make a function, or one that a variable points to, run before or after ``main``."""
    return any(attribute_name(found) in _RUNNING or _is_run(_section(found)) for found in attributes)


def _is_run(section: str) -> bool:
    return section in {".init", ".fini"} or section.startswith((*_RUN, ".init,", ".fini,"))


def _section(attribute: Node) -> str:
    """The name of the section that an attribute names, else ``""``."""
    if attribute_name(attribute) != "section" or attribute.args is None:
        return ""
    return str(getattr(attribute.args.exprs[0], "value", "")).strip('"')


def assembler_name(declaration: Node, tree: SyntaxTree) -> str | None:
    """The symbol that ``asm("…")`` behind a declarator names instead of the declared one."""
    node = declaration.type
    while node is not None and getattr(node, "asm", None) is None:
        node = getattr(node, "type", None)
    if node is None:
        return None
    tokens = [token.value for token in tree.asm_tokens.get(node.asm, ())]
    texts = [text for text in tokens if text.startswith('"')] or [node.asm.template.value]
    return "".join(text.strip('"') for text in texts)


def unsupported(uses: list[AttributeUse], *, defined: bool) -> AttributeUse | None:
    """The first attribute that is neither harmless nor followed at a definition or a declaration."""
    also = {WEAK} if defined else set()
    known = HARMLESS | FOLLOWED | also
    return next((use for use in uses if use.name not in known and not _is_ignored(use.name)), None)


@cache
def _is_ignored(name: str) -> bool:
    """Whether the compiler does not know an attribute, as it ignores those of other compilers and analysers."""
    if not name.isidentifier():
        return False
    question = f"#if __has_attribute({name})\n1\n#else\n0\n#endif\n"
    command = [find_compiler().path, "-E", "-P", "-x", "c", "-"]
    return run_tool(command, timeout=_SECONDS, stdin=question.encode()).stdout.strip() == b"0"


_SECONDS: Final = 30.0
"""How long the compiler may take to answer."""
