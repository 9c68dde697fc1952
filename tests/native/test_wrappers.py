"""Temporary files can be made and found again, and are not left in ``/tmp``; what is refused shows no failure."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gia.cfa.types import DataModel
from gia.native import Outcome, Runner, compile_instrumented
from gia.native.wrappers import wrapped_functions
from tests.frontend.support import load_text

PROGRAM = r"""
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
int main(void)
{
    struct stat about;
    char name[] = "/tmp/gia-own-file-XXXXXX", folder[] = "/tmp//gia-own-folder-XXXXXX", line[9];
    FILE *file = tmpfile();
    if (!file || fputs("kept\n", file) < 0) return 1;
    rewind(file);
    if (!fgets(line, sizeof line, file) || strcmp(line, "kept\n")) return 2;
    int number = mkstemp(name);
    if (number < 0 || strncmp(name, "/tmp/gia-own-file-", 18) || !strcmp(name + 18, "XXXXXX")) return 3;
    if (write(number, "again", 5) != 5 || close(number)) return 4;
    file = fopen(name, "r");
    if (!file || fread(line, 1, 5, file) != 5 || memcmp(line, "again", 5)) return 5;
    if (mkdtemp(folder) != folder || stat(folder, &about) || !S_ISDIR(about.st_mode)) return 6;
    if (rename(name, "/tmp/gia-own-file") || access(name, F_OK) == 0 || access("/tmp/gia-own-file", R_OK)) return 7;
    DIR *all = opendir("/tmp");
    int found = 0;
    for (struct dirent *entry; (entry = readdir(all));)
        found += strncmp(entry->d_name, "gia-", 4) == 0;
    if (found != 2) return 8;
    if (symlink("/tmp/gia-own-file", "/tmp/gia-own-way") || stat("/tmp/gia-own-way", &about)) return 11;
    if (about.st_size != 5) return 11;
    if (link("/tmp/gia-own-file", "/tmp/gia-own-copy") || mkfifo("/tmp/gia-own-fifo", 0600)) return 12;
    if (unlink("/tmp/gia-own-way") || unlink("/tmp/gia-own-copy") || unlink("/tmp/gia-own-fifo")) return 13;
    if (unlink("/tmp/gia-own-file") || rmdir(folder)) return 9;
    if (!fopen("x", "w") || access("/tmpx", F_OK) == 0 || access("/tmp/x", F_OK) || open("", 0) != -1) return 10;
    return 0;
}
"""


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with Runner() as runner:
        yield runner


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("model", list(DataModel))
def test_what_is_made_in_tmp_is_there_and_nowhere_else(
    model: DataModel, bits: int, runner: Runner, tmp_path: Path
) -> None:
    loaded = load_text(f"#define _FILE_OFFSET_BITS {bits}\n{PROGRAM}", tmp_path, model=model)
    program = compile_instrumented(loaded, tmp_path)
    assert runner.run(program, []).exit_code == 0
    assert not [*Path("/tmp").glob("gia-own-*")]


def test_functions_of_the_program_itself_are_left_alone(runner: Runner, tmp_path: Path) -> None:
    text = """#include <stdio.h>
    int unlink(const char *name) { return name[0] + name[1]; }
    int main(void) { return unlink("/t") == '/' + 't' && tmpfile() == NULL ? 3 : 4; }"""
    loaded = load_text(text, tmp_path)
    assert wrapped_functions(loaded.program) == ()
    assert runner.run(compile_instrumented(loaded, tmp_path), []).exit_code == 3


@pytest.mark.parametrize(
    ("call", "ends"),
    [
        ('int status = system("true"); if (status) return 4;', True),
        ('system("true");', False),
        ('if (chmod(".", 0700)) return 4;', True),
        ('chmod(".", 0700);', False),
        ("if (nice(1) == -1) return 4;", True),
        ("if (socket(1, 1, 0) < 0) return 4;", True),
        ('if (!popen("true", "r")) return 4;', True),
        ('if (execl("/bin/true", "true", (char *)0)) return 4;', True),
    ],
)
def test_what_is_refused_ends_the_run_where_the_program_looks_at_it(
    call: str, ends: bool, runner: Runner, tmp_path: Path
) -> None:
    headers = (
        "#include <stdio.h>\n#include <stdlib.h>\n#include <sys/socket.h>\n#include <sys/stat.h>\n#include <unistd.h>\n"
    )
    loaded = load_text(f"{headers}int main(void) {{ {call} return 3; }}", tmp_path)
    done = runner.run(compile_instrumented(loaded, tmp_path), [])
    assert done.outcome is (Outcome.UNDEFINED_FUNCTION if ends else Outcome.EXITED)
    assert [warning.message.partition(":")[2] for warning in loaded.warnings] == [" they end where it is called"] * ends
