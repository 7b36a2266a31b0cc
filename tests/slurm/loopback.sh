#!/bin/sh
# A Slurm of one node on this computer, for as long as a command takes:
#   loopback.sh FOLDER COMMAND ...
# The programs of Debian's slurm-wlm and munge are those in the PATH; where these are missing, the packages are fetched and unpacked
# into FOLDER, and nothing is installed. Nobody has to be root. Ends with the code of COMMAND, or with 77 where there is no Slurm to be had.
set -eu

[ $# -ge 2 ] || { sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 2; }
folder=$1
shift
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
user=$(id -un)
root=

left_out() {
    echo "left out: $1" >&2
    exit 77
}

# Names of the packages that are missing here, their dependencies included.
missing_packages() {
    apt-get -o Debug::NoLocking=1 install --print-uris --yes --no-install-recommends slurm-wlm munge 2>"$folder/apt.log" |
        sed -n "s/^'[^']*' \([^_]*\)_.*/\1/p"
}

fetch() {
    command -v apt-get >/dev/null && command -v dpkg >/dev/null || left_out "there is no apt-get to fetch slurm-wlm with"
    packages=$(missing_packages)
    [ -n "$packages" ] || left_out "apt-get knows no package slurm-wlm: $(tail -n 1 "$folder/apt.log")"
    mkdir -p "$folder/packages"
    # shellcheck disable=SC2086
    (cd "$folder/packages" && apt-get download -q $packages >../apt.log 2>&1) ||
        left_out "slurm-wlm cannot be fetched: $(tail -n 1 "$folder/apt.log")"
    root=$folder/root
    for package in "$folder"/packages/*.deb; do
        dpkg -x "$package" "$root"
    done
    rm -r "$folder/packages"
    libraries=$root/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH 2>/dev/null || echo "$(uname -m)-linux-gnu")
    export LD_LIBRARY_PATH="$libraries:$libraries/slurm-wlm${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    PATH=$root/usr/sbin:$root/usr/bin:$PATH
}

# Debian's alternatives are not set up where a package is only unpacked: the programs have their own names there.
program() {
    command -v "$1" || command -v "$1-wlm" || left_out "there is no $1"
}

start_munge() {
    mkdir -p "$folder/munge"
    chmod 700 "$folder/munge"
    dd if=/dev/urandom of="$folder/munge/key" bs=1024 count=1 2>/dev/null
    chmod 600 "$folder/munge/key"
    "$(program munged)" --key-file="$folder/munge/key" --socket="$socket" --pid-file="$folder/munge/pid" \
        --log-file="$folder/munge/log" --seed-file="$folder/munge/seed" --foreground --force >"$folder/munge/out" 2>&1 &
    started="$started $!"
    wait_for "munged" "$folder/munge/out" "$(program munge)" --no-input --socket="$socket"
}

write_configuration() {
    node=$(hostname -s)
    mkdir -p "$folder/state" "$folder/spool"
    cat >"$SLURM_CONF" <<CONFIGURATION
ClusterName=loopback
SlurmctldHost=$node(127.0.0.1)
SlurmUser=$user
SlurmdUser=$user
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
AuthInfo=socket=$socket
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
${root:+PluginDir=$libraries/slurm-wlm}
NodeName=$node NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$node Default=YES MaxTime=INFINITE State=UP
CONFIGURATION
}

# Waits until a command succeeds, for at most a minute: NAME LOG COMMAND ...
wait_for() {
    name=$1 log=$2
    shift 2
    for _ in $(seq 300); do
        "$@" >/dev/null 2>&1 && return
        sleep 0.2
    done
    left_out "$name does not start here: $(tail -n 3 "$log")"
}

idle() {
    [ "$("$(program sinfo)" --noheader --format=%T)" = idle ]
}

start_slurm() {
    "$(program slurmctld)" -D -i -L "$folder/slurmctld.log" >"$folder/slurmctld.out" 2>&1 &
    started="$started $!"
    "$(program slurmd)" -D -N "$node" -L "$folder/slurmd.log" -d "$(program slurmstepd)" >"$folder/slurmd.out" 2>&1 &
    started="$started $!"
    wait_for "Slurm" "$folder/slurmctld.log" idle
}

stop() {
    # shellcheck disable=SC2086
    kill $started 2>/dev/null || true
    wait
}

command -v slurmctld >/dev/null && command -v slurmd >/dev/null && command -v munged >/dev/null || fetch
port=$((20000 + $$ % 20000))
# The name of a socket has 107 characters at most, whatever the folder is called.
sockets=$(mktemp -d)
socket=$sockets/munge
export SLURM_CONF="$folder/slurm.conf"
started=
trap 'stop; rm -rf "$sockets"' EXIT
trap 'exit 1' HUP INT TERM
start_munge
write_configuration
start_slurm
mkdir -p "$folder/bin"
for name in sbatch squeue sinfo scancel; do
    ln -sf "$(program $name)" "$folder/bin/$name"
done
PATH=$folder/bin:$PATH
export PATH
"$@"
