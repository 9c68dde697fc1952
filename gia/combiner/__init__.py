"""The combiner: several GIAs into one, nothing lost."""
