#!/bin/sh
# Fails where the predicted time of a program in this folder is longer than in another revision of it:
#   slower.sh REVISION PERCENT OPTIONS
# OPTIONS are those of `chronos predict`, files included. Ends with 0 (not slower), 1 (slower or incomplete), 2 (wrong use).
# CHRONOS names the command where it is not in the PATH.
set -eu

usage() {
    sed -n '2,5s/^# \{0,1\}//p' "$0" >&2
    exit 2
}

[ $# -ge 3 ] || usage
revision=$1 percent=${2%\%}
shift 2
chronos=${CHRONOS:-chronos}
root=$(git rev-parse --show-toplevel)
here=$(git rev-parse --show-prefix)
work=$(mktemp -d)
tidy() {
    git -C "$root" worktree remove --force "$work/before" >/dev/null 2>&1 || true
    rm -rf "$work"
}
trap tidy EXIT
trap 'exit 1' HUP INT TERM

git worktree add --quiet --detach "$work/before" "$revision" || exit 2
"$chronos" predict "$@" --format json -o "$work/after.json" --quiet
(cd "$work/before/$here" && "$chronos" predict "$@" --format json -o "$work/before.json" --quiet)
"$chronos" compare "$work/before.json" "$work/after.json" --fail-over "$percent%"
