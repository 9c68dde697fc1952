"""The engine: actors as processes, compositions of them, and what a run leaves on disk.

Reading order: :mod:`~gia.orchestrator.task` (what is to be done), :mod:`~gia.orchestrator.knowledge` (what is known),
:mod:`~gia.orchestrator.composition` and :mod:`~gia.orchestrator.engine` (who is asked next),
:mod:`~gia.orchestrator.process` and :mod:`~gia.orchestrator.invocation` (asking), :mod:`~gia.orchestrator.intake`
(believing nothing), :mod:`~gia.orchestrator.store` and :mod:`~gia.orchestrator.journal` (losing nothing).
"""
