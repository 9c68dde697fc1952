"""The recipes for batch systems are for the libraries as they are."""

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "cluster.md"


@pytest.mark.skipif(find_spec("dask_jobqueue") is None, reason="dask-jobqueue is not installed")
@pytest.mark.parametrize("name", ["SLURMCluster", "PBSCluster", "SGECluster"])
def test_the_recipe_makes_a_job_script(name: str, tmp_path: Path) -> None:
    recipe = re.search(r"```python\n(from dask_jobqueue.*?)cluster\.adapt", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert recipe is not None
    script = tmp_path / "cluster.py"
    script.write_text(recipe[1].replace("SLURMCluster", name).replace("8786", "0") + "cluster.close()\n")
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True, timeout=60)
    assert re.search(r"dask[._-]worker tcp://.* --nthreads 1 .*--memory-limit 0", ran.stdout), ran.stdout
