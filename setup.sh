#!/bin/sh
# Sets up a fresh Debian-like machine and does one of two things:
#   ./setup.sh demo    builds chronos and predicts a C/MPI program (no MPI is needed)
#   ./setup.sh test    builds chronos and passes all tests
# What is missing (a C compiler, make, autoconf, automake, libtool) is installed with apt-get.
set -eu
cd "$(dirname "$0")"

usage() {
    sed -n '2,5s/^# \{0,1\}//p' "$0" >&2
    exit 2
}

# Debian packages of the commands that are not there.
missing_packages() {
    command -v cc >/dev/null 2>&1 || echo gcc libc6-dev
    [ -e /usr/include/stdio.h ] || echo libc6-dev
    for tool in make autoconf automake; do
        command -v "$tool" >/dev/null 2>&1 || echo "$tool"
    done
    command -v libtoolize >/dev/null 2>&1 || echo libtool
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

install_packages() {
    [ $# -gt 0 ] || return 0
    echo "setup: installing $*" >&2
    if ! command -v apt-get >/dev/null 2>&1; then
        echo "setup: there is no apt-get here; please install these by hand: $*" >&2
        exit 2
    fi
    if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null 2>&1; then
        echo "setup: this needs root; please run: apt-get install $*" >&2
        exit 2
    fi
    as_root apt-get update -qq >&2 || true
    if ! as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@" >&2; then
        echo "setup: apt-get could not install: $*" >&2
        exit 2
    fi
}

prepare() {
    # shellcheck disable=SC2046
    install_packages $(missing_packages | tr ' ' '\n' | sort -u)
    if ! command -v cargo >/dev/null 2>&1 && [ -f "$HOME/.cargo/env" ]; then
        . "$HOME/.cargo/env"
    fi
    if ! command -v cargo >/dev/null 2>&1; then
        echo "setup: Rust's cargo is missing; install Rust 1.95 or later with rustup" >&2
        exit 2
    fi
}

[ $# -eq 1 ] || usage
case "$1" in
demo)
    prepare
    cargo build --release --quiet
    echo '$ chronos predict testdata/programs/pi_send.c -n 4 --machine pentium2-350'
    exec target/release/chronos predict testdata/programs/pi_send.c -n 4 --machine pentium2-350
    ;;
test)
    prepare
    exec cargo test --quiet
    ;;
*) usage ;;
esac
