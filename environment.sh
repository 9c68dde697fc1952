# Sourced by ./demo and ./check: makes .venv with gia and what it needs; says how to install what it may not install itself.
# Arguments: the pip requirements, for example -e ".[dev]".

as_root() { # runs a command as root if that needs no password
    if [ "$(id -u)" -eq 0 ]; then "$@"; elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then sudo -n "$@"; else return 1; fi
}

install() { # installs Debian packages, or ends with the command that does
    echo "installing $*"
    if ! command -v apt-get >/dev/null || ! as_root true; then
        echo "please install first: sudo apt-get install $*" >&2
        exit 1
    fi
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q "$@" >/dev/null 2>&1 ||
        { as_root apt-get update -q >/dev/null && as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q "$@" >/dev/null; } ||
        { echo "could not be installed: $*" >&2; exit 1; }
}

links() { # whether gcc compiles and links a program with these options
    printf '#include <stdio.h>\nint main(void) { return 0; }\n' | gcc "$@" -x c -o /dev/null - 2>/dev/null
}

python=
find_python() {
    for python in python3 python3.14 python3.13 python3.12 python3.11; do
        "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && return
    done
    return 1
}

find_python || install python3
find_python || { echo "Python 3.11 or newer is needed" >&2; exit 1; }
links || install gcc libc6-dev
if [ "$(uname -m)" = x86_64 ] && ! links -m32; then
    (install gcc-multilib) || echo "programs for 32 bits cannot be run without: sudo apt-get install gcc-multilib" >&2
fi
if [ ! -x .venv/bin/pip ]; then
    rm -rf .venv
    "$python" -m venv .venv 2>/dev/null || { rm -rf .venv; install python3-venv; "$python" -m venv .venv; }
fi
stamp=".venv/installed $(cksum pyproject.toml | cut -d' ' -f1) $*"
stamp=$(printf '%s' "$stamp" | tr -c 'A-Za-z0-9./\n' _)
if [ ! -e "$stamp" ]; then
    echo "installing the Python packages into .venv"
    .venv/bin/pip install -qq --disable-pip-version-check "$@"
    : >"$stamp"
fi
.venv/bin/python -m compileall -q gia # the many processes of a run would compile it again where Python writes no byte code
