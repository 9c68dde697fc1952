"""Actors as processes: limits, containers, executors."""
