"""Pools: allocations whose blocks are not told apart, because an execution may come to them many times.

Allocations to which one pointer may lead are one pool, so that a pointer that leads to blocks of this kind leads into
one pool. Source: B. Steensgaard, *Points-to analysis in almost linear time*, POPL 1996 (what a pointer may point to is
unified), here only for what the finer analysis of :mod:`gia.cfa.points_to` cannot tell apart.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from gia.cfa.places import Blocks, Distance, Place, Places


def pools_of(sites: Collection[Blocks], pointers: Iterable[Places]) -> Mapping[Blocks, Blocks]:
    """For each of the allocations the first one of its pool; ``pointers`` are the places of everything that points."""
    pool = {site: site for site in sites}
    for places in pointers:
        together = [_first(pool, place) for place in places if isinstance(place, Blocks) and place in pool]
        if together:
            least = min(together, key=lambda site: site.edge)
            pool.update(dict.fromkeys(together, least))
    return {site: _first(pool, site) for site in sites}


def _first(pool: Mapping[Blocks, Blocks], site: Blocks) -> Blocks:
    while pool[site] != site:
        site = pool[site]
    return site


def in_pools(places: Places, pools: Mapping[Blocks, Blocks]) -> Places | None:
    """The places with the pools instead of their allocations.

    ``None`` if some blocks are in no pool, or a pointer may be at more than one distance from their begin.
    """
    found: dict[Place, Distance] = {}
    for place, distance in places.items():
        if not isinstance(place, Blocks):
            found[place] = distance
            continue
        pool = pools.get(place)
        if pool is None or distance.modulus or found.get(pool, distance) != distance:
            return None
        found[pool] = distance
    return found
