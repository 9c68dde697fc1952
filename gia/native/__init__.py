"""Running programs: instrumentation, limits, tests and what they reached."""
