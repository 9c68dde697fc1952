"""``docs/gia-format.md``, "Canonical form" and "Canonical bytes", implemented a second time, from the page alone."""

from gia.automaton.model import Acceptance

ORDER = [None, Acceptance.UT, Acceptance.RT, Acceptance.CAND]


def condition_order(condition):
    return () if condition is None else (condition.scope, condition.text)


def edge_order(edge):
    return (edge.function, edge.line, edge.column, edge.kind, edge.branch, edge.ordinal)


def label_order(label):
    edges, assumption = label
    listed = () if edges is None else tuple(sorted(map(edge_order, edges)))
    return (listed, condition_order(assumption))


def canonical_parts(automaton):
    """States and transitions (source, (edges, assumption), target), numbered and sorted."""
    arcs = {(s, (e, a), t) for s, t, e, a in automaton.transitions if e is None or e}
    reachable = {automaton.initial}
    while True:
        more = reachable | {t for s, _, t in arcs if s in reachable}
        if more == reachable:
            break
        reachable = more
    arcs = {arc for arc in arcs if arc[0] in reachable}
    states = {n: automaton.states[n] for n in reachable}
    initial = automaton.initial
    order = search(states, arcs, initial)
    if order is None:
        final = descriptions(states, arcs, len(states))
        first = {}
        for n in sorted(states):
            first.setdefault(final[n], n)
        of = {n: first[final[n]] for n in states}
        arcs = {(of[s], label, of[t]) for s, label, t in arcs}
        states = {n: states[n] for n in set(of.values())}
        initial = of[initial]
        order = search(states, arcs, initial)
    number = {n: new for new, n in enumerate(order)}
    renamed = [(number[s], label, number[t]) for s, label, t in arcs]
    return [states[n] for n in order], sorted(renamed, key=lambda arc: (arc[0], label_order(arc[1]), arc[2]))


def search(states, arcs, initial):
    depths = [1]
    while depths[-1] < len(states):
        depths.append(2 * depths[-1])
    shades = [descriptions(states, arcs, depth) for depth in depths]
    order = [initial]
    for state in order:
        mine = [(label_order(label), tuple(shade[t] for shade in shades), t) for s, label, t in arcs if s == state]
        for label, look, target in sorted(mine):
            if target in order:
                continue
            if any((label, look) == other[:2] and other[2] not in (*order, target) for other in mine):
                return None
            order.append(target)
    return order


def kind_order(state):
    return (ORDER.index(state.accept), condition_order(state.invariant))


def descriptions(states, arcs, depth):
    """Numbers in the order of the descriptions of this depth."""
    look = {n: (kind_order(state),) for n, state in states.items()}
    for _ in range(depth):
        rank = {found: number for number, found in enumerate(sorted(set(look.values())))}
        seen = {n: sorted({(label_order(label), rank[look[t]]) for s, label, t in arcs if s == n}) for n in states}
        look = {n: (kind_order(states[n]), *seen[n]) for n in states}
    rank = {found: number for number, found in enumerate(sorted(set(look.values())))}
    return {n: rank[found] for n, found in look.items()}


def text_of(value):
    for old, new in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        value = value.replace(old, new)
    return value.replace("\t", "&#9;").replace("\n", "&#10;").replace("\r", "&#13;")


def tag(element, text="", /, **attributes):
    shown = ""
    for key, value in attributes.items():
        if value not in ("", None) or (element, key) == ("actor", "name"):
            shown += f' {key.rstrip("_").replace("_", "-")}="{text_of(str(value))}"'
    return f"    <{element}{shown}>{text_of(text)}</{element}>" if text else f"    <{element}{shown}/>"


def document(automaton):
    """The bytes of the automaton's file."""
    meta = automaton.metadata
    states, arcs = canonical_parts(automaton)
    sets = sorted(
        {edges for _, (edges, _), _ in arcs if edges is not None}, key=lambda edges: label_order((edges, None))
    )
    edges = sorted(set().union(*sets), key=edge_order)
    edge_id = {edge: f"e{n}" for n, edge in enumerate(edges, 1)}
    shared = [found for found in sets if len(found) > 1 and sum(label[0] == found for _, label, _ in arcs) > 1]
    set_id = {found: f"s{n}" for n, found in enumerate(shared, 1)}
    used = {label[1] for _, label, _ in arcs} | {state.invariant for state in states}
    condition_id = {c: f"x{n}" for n, c in enumerate(sorted(used - {None}, key=condition_order), 1)}

    def members(found):
        return " ".join(edge_id[edge] for edge in sorted(found, key=edge_order))

    def edge_tag(e):
        text, ordinal = automaton.edge_texts.get(e, ""), "" if e.ordinal == 1 else e.ordinal
        place = {"function": e.function, "line": e.line, "column": e.column, "kind": e.kind, "branch": e.branch}
        return tag("edge", text, id=edge_id[e], **place, ordinal=ordinal)

    def actor_tag(a):
        return tag("actor", name=a.name, version=a.version, direction=a.direction, wall=float(a.wall), cpu=float(a.cpu))

    def state_tag(n, state):
        initial = "" if n else "true"
        return tag(
            "state", id=f"q{n}", initial=initial, accept=state.accept, invariant=condition_id.get(state.invariant)
        )

    def transition_tag(source, label, target):
        on = "*" if label[0] is None else set_id.get(label[0]) or members(label[0])
        return tag("transition", from_=f"q{source}", to=f"q{target}", edges=on, assumption=condition_id.get(label[1]))

    task = {"file": meta.program, "sha256": meta.sha256, "data-model": meta.data_model}
    about = tag("task", **task, specification=meta.specification)
    metadata = [tag("created", meta.created)] if meta.created else []
    metadata += [about] if "=" in about else []
    content = {
        "metadata": metadata + [actor_tag(a) for a in meta.actors],
        "edges": [edge_tag(e) for e in edges],
        "edge-sets": [tag("edge-set", id=set_id[found], edges=members(found)) for found in shared],
        "expressions": [tag("expression", c.text, id=name, scope=c.scope) for c, name in condition_id.items()],
        "states": [state_tag(n, state) for n, state in enumerate(states)],
        "transitions": [transition_tag(*arc) for arc in arcs],
    }
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<gia xmlns="urn:gia:1" version="1.0">']
    for name, elements in content.items():
        if elements or name == "metadata":
            lines += [f"  <{name}>", *elements, f"  </{name}>"]
    return "\n".join([*lines, "</gia>", ""]).encode()
