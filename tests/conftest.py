"""No test touches the caches of the user who runs it or leaves files, and none depends on how busy the machine is."""

import atexit
import os
import shutil
import signal
import tempfile

from hypothesis import HealthCheck, settings

# What killed processes leave goes with all else; what pytest keeps of failed tests stays where one looks for it.
os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", tempfile.gettempdir())
BYTECODE = os.path.join(os.environ["PYTEST_DEBUG_TEMPROOT"], "gia-tests-bytecode")
_SCRATCH = tempfile.mkdtemp(prefix="gia-tests-")
atexit.register(shutil.rmtree, _SCRATCH, ignore_errors=True)
os.environ["TMPDIR"] = tempfile.tempdir = os.path.join(_SCRATCH, "tmp")
os.environ["XDG_CACHE_HOME"] = os.path.join(_SCRATCH, "cache")
os.mkdir(tempfile.tempdir)
os.mkdir(os.environ["XDG_CACHE_HOME"])

settings.register_profile("however busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("however busy")

# What a shell starts in its background ignores the one, what nohup starts the other, and so would all that tests start.
for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, usual)
