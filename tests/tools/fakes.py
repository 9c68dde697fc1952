"""Scripted stand-ins for tools: each knows what its tool leaves, in its format, for one program."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Final

PROGRAM: Final = """\
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x > 10) {
    if (x == 12345) return 1;
  }
  if (x < 0 && x > 5) return 2;
  return 0;
}
"""
WANTED: Final = "main:5:5:then"
"""The goal that the input 12345 reaches."""
NEVER: Final = "main:7:3:then"

GOALS: Final = f"""\
import json, pathlib
goals = json.loads(pathlib.Path("goals.json").read_text())
text = pathlib.Path("program.c").read_text()
never = goals.index({NEVER!r})
assert f"gia_goal_{{never}}" in text
"""
SUITE: Final = """\
import pathlib
folder = pathlib.Path("test-suite")
folder.mkdir()
(folder / "metadata.xml").write_text("<test-metadata></test-metadata>")
(folder / "t.xml").write_text('<testcase><input variable="x" type="int">12345</input></testcase>')
"""
TOUCH: Final = "import pathlib\npathlib.Path('target').write_bytes(b'')\n"


def _ktest() -> bytes:
    name, data = b"__VERIFIER_nondet_int", struct.pack("<i", 12345)
    parts = [b"KTEST", struct.pack(">II", 3, 0), struct.pack(">III", 0, 0, 1)]
    return b"".join([*parts, struct.pack(">I", len(name)), name, struct.pack(">I", len(data)), data])


FRAMA_C: Final = (
    GOALS
    + """\
for number in range(len(goals)):
    print(f"[{'  Dead   ' if number == never else '  Alarm  '}] Check 'gia_goal_{number}' (file program.c, line 1)")
print("--- Status Report Summary")
"""
)
CBMC: Final = (
    GOALS
    + """\
result = [{"property": f"main.assertion.{n}", "description": f"gia_goal_{n}", "sourceLocation": {"line": "1"},
           "status": "SUCCESS" if n == never else "FAILURE"} for n in range(len(goals))]
result.append({"property": "main.unwind.0", "description": "unwinding assertion loop 0", "status": "SUCCESS"})
print(json.dumps([{"program": "CBMC 6.3.1"}, {"result": result}, {"cProverStatus": "failure"}]))
"""
)
COVER: Final = """\
import json
value = {"binary": format(12345, "032b"), "data": "12345", "name": "integer", "type": "int", "width": 32}
goal = {"goal": "main.coverage.1", "description": "condition '1'", "status": "satisfied", "sourceLocation": {}}
tests = [{"coveredGoals": ["main.coverage.1"], "inputs": [{"id": "__VERIFIER_nondet_int", "value": value}]}]
print(json.dumps([{"program": "CBMC 6.3.1"}, {"goals": [goal], "totalGoals": 4, "goalsCovered": 1}, {"tests": tests}]))
"""
RUN_CREST: Final = "open('crest-inputs.txt', 'w').write('run\\nint 0\\nrun\\nint 12345\\n')"
AFL_FUZZ: Final = """\
import pathlib
queue = pathlib.Path("fuzzing/default/queue")
queue.mkdir(parents=True)
(queue / "id:000000,time:0,execs:0,orig:zeros").write_bytes(bytes(64))
(queue / "id:000001,src:000000,time:5,execs:40").write_bytes((12345).to_bytes(4, "little"))
"""
CLANG: Final = """\
import pathlib, sys
target = pathlib.Path("target")
target.write_text("#!{}\\nopen('seeds/0123abcd', 'wb').write((12345).to_bytes(4, 'little'))\\n".format(sys.executable))
target.chmod(0o755)
"""
TESTCOV: Final = """\
import sys, zipfile
assert "-64" in sys.argv and sys.argv[-1].endswith("p.c")
names = zipfile.ZipFile(sys.argv[sys.argv.index("--test-suite") + 1]).namelist()
print(f"---Results---\\nTests run: {len(names) - 1}\\nTests in suite: 1")
print("Coverage: 50.0%\\nNumber of goals: 6\\nResult: DONE")
"""
KLEE: Final = f"""\
import pathlib
folder = pathlib.Path("klee-out")
folder.mkdir()
(folder / "test000001.ktest").write_bytes({_ktest()!r})
"""

TESTERS: Final = {
    "klee": {"clang-16": TOUCH, "klee": KLEE},
    "crest": {"crestc": "", "run_crest": RUN_CREST},
    "afl": {"afl-clang-fast": TOUCH, "afl-fuzz": AFL_FUZZ},
    "libfuzzer": {"clang": CLANG},
    "cbmc-cover": {"cbmc": COVER},
    "symbiotic": {"symbiotic": SUITE},
    "fusebmc": {"fusebmc.py": SUITE},
}
"""Each finds the test 12345."""
PROVERS: Final = {
    "frama-c": {"frama-c": FRAMA_C},
    "cbmc": {"cbmc": CBMC},
}
"""Each proves one goal unreachable."""
ORACLES: Final = {
    "esbmc": {"esbmc": "print('Solution found by the inductive step (k = 2)\\nVERIFICATION SUCCESSFUL')"},
    "cpachecker": {
        "cpachecker": "print('Verification result: TRUE. No property violation found by chosen configuration.')"
    },
}
"""Each says, wrongly, that all open goals are unreachable."""
VALIDATORS: Final = {"testcov": {"testcov": TESTCOV, "lcov": "", "clang-tidy": ""}}
ALL: Final = TESTERS | PROVERS | ORACLES | VALIDATORS


def install(folder: Path, scripts: dict[str, str], python: str) -> None:
    """Puts executables into ``folder``: Python scripts."""
    folder.mkdir(exist_ok=True)
    for name, script in scripts.items():
        path = folder / name
        path.write_text(f"#!{python}\n{script}\n")
        path.chmod(0o755)


LOOP: Final = """\
extern int __VERIFIER_nondet_int(void);
extern void abort(void);
void reach_error(void) { abort(); }
int main(void) {
  unsigned int x = 0;
  unsigned int y = 0;
  while (__VERIFIER_nondet_int()) {
    x++;
    y++;
  }
  if (x != y) {
    reach_error();
  }
  return 0;
}
"""
"""A verification task that needs an invariant of its loop."""
ERROR: Final = """\
extern int __VERIFIER_nondet_int(void);
extern void abort(void);
void reach_error(void) { abort(); }
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x > 10) {
    if (x == 12345) reach_error();
  }
  return 0;
}
"""
"""A verification task whose error the input 12345 reaches."""
VIOLATION: Final = """\
import hashlib, pathlib, sys
program = next(pathlib.Path(word) for word in sys.argv if word.endswith(".c"))
text = program.read_text()
sha = hashlib.sha256(text.encode()).hexdigest()
before = text[:text.index("__VERIFIER_nondet_int();") + len("__VERIFIER_nondet_int()")]
line, column = before.count("\\n") + 1, len(before.rpartition("\\n")[2])
print('''ANSWER''')
for file in FILES:
    path = pathlib.Path(file)
    path.parent.mkdir(exist_ok=True)
    if path.suffix == ".graphml":
        path.write_text(f'''<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="directed">
<data key="witness-type">violation_witness</data><data key="sourcecodelang">C</data>
<data key="programfile">{program}</data><data key="programhash">{sha}</data>
<node id="q0"><data key="entry">true</data></node><node id="q1"/><node id="qE"><data key="violation">true</data></node>
<edge source="q0" target="q1"><data key="startline">{line}</data><data key="assumption">\\\\result == INPUT</data>
<data key="assumption.scope">main</data>
<data key="assumption.resultfunction">__VERIFIER_nondet_int</data></edge>
<edge source="q1" target="qE"/></graph></graphml>''')
    else:
        path.write_text(f'''\
- entry_type: violation_sequence
  metadata:
    format_version: "2.0"
    producer: {{name: stand-in, version: "1"}}
    task: {{input_files: ["{program}"], input_file_hashes: {{"{program}": {sha}}}, language: C}}
  content:
  - segment:
    - waypoint:
        type: function_return
        action: follow
        location: {{file_name: "{program.name}", line: {line}, column: {column}}}
        constraint: {{value: '\\\\result == INPUT', format: acsl_expression}}
''')
"""
"""A verifier with a violation witness, in each of the formats that FILES ask for."""


def violation(answer: str, files: tuple[str, ...], value: int) -> str:
    """The script of a verifier that says ``answer`` and names one input."""
    return VIOLATION.replace("ANSWER", answer).replace("FILES", repr(files)).replace("INPUT", str(value))


JAVA: Final = """\
import sys
print('openjdk version "17.0.1" 2021-10-19' if sys.argv[1:] == ["-version"] else "Version is 0.3.0-stand-in")
"""


def install_ultimate(folder: Path, script: str, python: str) -> None:
    """What BenchExec's module looks for: the script, a launcher beside it, a Java machine that says the version."""
    asked = f"import sys\nif sys.argv[1:] == ['--version']:\n    sys.exit(print('1a2b3c4d'))\n{script}"
    install(folder, {"Ultimate.py": asked, "java": JAVA}, python)
    (folder / "plugins").mkdir(exist_ok=True)
    (folder / "plugins" / "org.eclipse.equinox.launcher_1.6.jar").touch()


WITNESS: Final = """\
import hashlib, pathlib, sys
program = pathlib.Path(sys.argv[-1])
sha = hashlib.sha256(program.read_bytes()).hexdigest()
print("Verification result: TRUE. No property violation found by chosen configuration.")
pathlib.Path("output").mkdir()
pathlib.Path("output/witness.yml").write_text('''\
- entry_type: invariant_set
  metadata:
    format_version: "2.0"
    uuid: "91023a0f-9f45-4385-88c4-1152ade45537"
    creation_time: "2026-11-20T10:00:00+01:00"
    producer: {name: CPAchecker, version: "4.2.2"}
    task: {input_files: ["NAME"], input_file_hashes: {"NAME": "SHA"}, data_model: LP64, language: C,
      specification: "CHECK( init(main()), LTL(G ! call(reach_error())) )"}
  content:
  - invariant: {type: loop_invariant, location: {file_name: NAME, line: 7, column: 3, function: main},
      value: "INVARIANT", format: c_expression}
'''.replace("NAME", program.name).replace("SHA", sha))
"""
"""CPAchecker with a correctness witness."""
