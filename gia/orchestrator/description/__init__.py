"""Actors and compositions as their YAML files describe them."""
