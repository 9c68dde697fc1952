"""What a run writes down: journal, steps, results, remembered answers."""
