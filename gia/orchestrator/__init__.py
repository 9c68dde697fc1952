"""The engine: actors as processes, compositions of them, and what a run leaves on disk.

Reading order: :mod:`.facts.task` (what is to be done) and :mod:`.facts.knowledge` (what is known),
:mod:`.description.composition` and :mod:`.engine` (who is asked next), :mod:`.processes.process` and
:mod:`.handover.invocation` (asking), :mod:`.handover.intake` (believing nothing), :mod:`.store` and
:mod:`.records.journal` (losing nothing). Of the packages in it, each imports those after it only: ``records``,
``handover``, ``facts``, ``description``, ``processes``; what stands beside them puts them together.
"""
