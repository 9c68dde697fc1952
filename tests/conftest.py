"""No test touches the caches of the user who runs it, and none depends on how busy the machine is."""

import atexit
import os
import shutil
import signal
import tempfile

from hypothesis import HealthCheck, settings

_CACHE = tempfile.mkdtemp(prefix="gia-tests-cache-")
atexit.register(shutil.rmtree, _CACHE, ignore_errors=True)
os.environ["XDG_CACHE_HOME"] = _CACHE

settings.register_profile("however busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("however busy")

# What a shell starts in its background ignores the one, what nohup starts the other, and so would all that tests start.
for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, usual)
