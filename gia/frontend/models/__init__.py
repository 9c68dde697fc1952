"""Models of library functions that read standard input, arguments and the environment, written in C.

They are added to a program where it uses them and does not define them: calls are renamed, and the text of the models
(``library.c``, :mod:`.scanning`) is appended. All that is read comes from the inputs in :mod:`gia.frontend.library`.
So there is one semantics, that of the text, for native runs, analyses, reducers and exports.
"""

from gia.frontend.models.command_line import COUNT_ARGUMENTS
from gia.frontend.models.planning import WithModels, may_need_models, with_models

__all__ = ["COUNT_ARGUMENTS", "WithModels", "may_need_models", "with_models"]
