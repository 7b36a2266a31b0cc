#!/bin/sh
# Builds what can be installed elsewhere:
#   ./package.sh deb     a Debian package with completions and man pages, in target/package
#   ./package.sh musl    a static binary that runs on any Linux of this architecture, in target/package
#   ./package.sh wheel   a wheel for pip: the Python module and the command, in target/package
# Environment: CARGO_FLAGS (more flags for cargo build), TARGET_DIR (default: target), BINARY (of wheel: a chronos that is built
# already, as that of musl), PYTHON (default: python3).
# musl needs musl-gcc (Debian: musl-tools) and `rustup target add x86_64-unknown-linux-musl`.
set -eu
cd "$(dirname "$0")"

target_dir=${TARGET_DIR:-target}
out=$target_dir/package
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)

usage() {
    sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
    exit 2
}

need() {
    command -v "$1" >/dev/null 2>&1 && return
    echo "package: $1 is missing; $2" >&2
    exit 2
}

# Completions and man pages, made by the binary itself, below the folder $2.
extras() {
    binary=$1 root=$2
    mkdir -p "$root/share/bash-completion/completions" "$root/share/zsh/vendor-completions" \
        "$root/share/fish/vendor_completions.d" "$root/share/man/man1"
    "$binary" completions bash > "$root/share/bash-completion/completions/chronos"
    "$binary" completions zsh > "$root/share/zsh/vendor-completions/_chronos"
    "$binary" completions fish > "$root/share/fish/vendor_completions.d/chronos.fish"
    "$binary" man -o "$root/share/man/man1"
}

deb() {
    need dpkg-deb "install dpkg"
    cargo build --release --target-dir "$target_dir" ${CARGO_FLAGS:-}
    binary=$target_dir/release/chronos
    architecture=$(dpkg --print-architecture)
    package=$(mktemp -d)
    trap 'rm -rf "$package"' EXIT
    chmod 755 "$package"
    install -D -m 755 "$binary" "$package/usr/bin/chronos"
    strip --strip-unneeded "$package/usr/bin/chronos" 2>/dev/null || true
    extras "$binary" "$package/usr"
    gzip -9n "$package"/usr/share/man/man1/*.1
    doc=$package/usr/share/doc/chronos
    install -D -m 644 LICENSE "$doc/copyright"
    install -m 644 README.md CHANGELOG.md "$doc"
    libc=$(libc_of "$package/usr/bin/chronos")
    size=$(du -sk "$package" | cut -f1)
    mkdir -p "$package/DEBIAN" "$out"
    cat > "$package/DEBIAN/control" <<CONTROL
Package: chronos
Version: $version
Architecture: $architecture
Maintainer: The chronos developers <chronos@localhost>
Installed-Size: $size
Depends: libc6 (>= ${libc:-2.31}), libgcc-s1
Recommends: gcc | c-compiler
Section: devel
Priority: optional
Description: predicts how long a C/MPI program takes, without running it
 chronos splits a C/MPI program into blocks, derives from the source how often
 each is executed, and replays the messages on a simulated network. Neither MPI
 nor the machine in question is needed. A C compiler is used for preprocessing.
CONTROL
    dpkg-deb --root-owner-group --build "$package" "$out/chronos_${version}_$architecture.deb" >&2
    echo "$out/chronos_${version}_$architecture.deb"
}

musl() {
    need musl-gcc "on Debian: apt-get install musl-tools"
    triple=$(uname -m)-unknown-linux-musl
    cargo build --release --target "$triple" --target-dir "$target_dir" ${CARGO_FLAGS:-}
    binary=$target_dir/$triple/release/chronos
    if readelf -d "$binary" 2>/dev/null | grep -q NEEDED; then
        echo "package: $binary is not static" >&2
        exit 1
    fi
    mkdir -p "$out"
    folder=chronos-$version-$triple
    rm -rf "${out:?}/$folder"
    install -D -m 755 "$binary" "$out/$folder/bin/chronos"
    strip "$out/$folder/bin/chronos" 2>/dev/null || true
    extras "$binary" "$out/$folder"
    install -m 644 LICENSE README.md "$out/$folder"
    tar -C "$out" -czf "$out/$folder.tar.gz" "$folder"
    echo "$out/$folder.tar.gz"
}

# The oldest C library with which the binary $1 starts, as a version; nothing where it is static.
libc_of() {
    objdump -T "$1" 2>/dev/null | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1 | cut -d_ -f2
}

# The platforms of a wheel with the binary $1: a static one starts with the C library of any distribution.
platform_tags() {
    libc=$(libc_of "$1")
    if [ -n "$libc" ]; then
        echo "manylinux_$(echo "$libc" | tr . _)_$(uname -m)"
    else
        echo "manylinux_2_17_$(uname -m).musllinux_1_1_$(uname -m)"
    fi
}

wheel() {
    python=${PYTHON:-python3}
    need "$python" "install Python 3.8 or later"
    need objdump "on Debian: apt-get install binutils"
    if [ -z "${BINARY:-}" ]; then
        cargo build --release --target-dir "$target_dir" ${CARGO_FLAGS:-}
    fi
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    install -m 755 "${BINARY:-$target_dir/release/chronos}" "$work/chronos"
    strip --strip-unneeded "$work/chronos"
    # Building leaves files beside the sources.
    cp -r python "$work/source"
    isolation=
    if "$python" -c 'import setuptools, wheel' 2>/dev/null; then isolation=--no-build-isolation; fi
    "$python" -m pip wheel --quiet --disable-pip-version-check --no-deps $isolation --wheel-dir "$work" "$work/source" >&2
    mkdir -p "$out"
    "$python" python/platform_wheel.py "$work"/*.whl "$work/chronos" "$(platform_tags "$work/chronos")" "$out"
}

[ $# -eq 1 ] || usage
case "$1" in
deb) deb ;;
musl) musl ;;
wheel) wheel ;;
*) usage ;;
esac
