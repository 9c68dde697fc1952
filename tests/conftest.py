"""No test touches the caches of the user who runs it."""

import atexit
import os
import shutil
import tempfile

_CACHE = tempfile.mkdtemp(prefix="gia-tests-cache-")
atexit.register(shutil.rmtree, _CACHE, ignore_errors=True)
os.environ["XDG_CACHE_HOME"] = _CACHE
