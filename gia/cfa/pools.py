"""Pools: allocations whose blocks are not told apart, because an execution may come to them many times.

Allocations to which one pointer may lead are one pool, so that a pointer that leads to blocks of this kind leads into
one pool. Source: B. Steensgaard, *Points-to analysis in almost linear time*, POPL 1996 (what a pointer may point to is
unified), here only for what the finer analysis of :mod:`gia.cfa.points_to` cannot tell apart, and what is used with it:
the first node of a list is like the others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from gia.cfa.places import Block, Blocks, Distance, Place, Places


def pools_of(sites: Collection[Blocks], pointers: Iterable[Places]) -> Mapping[Blocks, Blocks]:
    """For each allocation of a pool the first one of it.

    ``sites`` are those that may give many blocks, ``pointers`` the places of everything that points.
    """
    pool = {site: site for site in sites}
    pending = [[Blocks(p.edge) for p in places if isinstance(p, Block | Blocks)] for places in pointers]
    while joining := [group for group in pending if not pool.keys().isdisjoint(group)]:
        pending = [group for group in pending if pool.keys().isdisjoint(group)]
        for group in joining:
            firsts = [_first(pool, pool.setdefault(site, site)) for site in group]
            pool.update(dict.fromkeys(firsts, min(firsts, key=lambda site: site.edge)))
    return {site: _first(pool, site) for site in pool}


def _first(pool: Mapping[Blocks, Blocks], site: Blocks) -> Blocks:
    while pool[site] != site:
        site = pool[site]
    return site


def in_pools(places: Places, pools: Mapping[Blocks, Blocks]) -> Places | None:
    """The places with the pools instead of their allocations.

    ``None`` if some blocks are in no pool.
    """
    found: dict[Place, Distance] = {}
    for place, distance in places.items():
        pool = pools.get(Blocks(place.edge)) if isinstance(place, Block | Blocks) else None
        if pool is None and not isinstance(place, Blocks):
            found[place] = distance
            continue
        if pool is None:
            return None
        found[pool] = distance if pool not in found else found[pool].joined(distance)
    return found
