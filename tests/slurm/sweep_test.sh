#!/bin/bash
# Sweeps on a real Slurm, on this machine: sweep_test.sh WARPBOUND [CASE]... Exits 77 with a word where there is none.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cluster.sh"
warpbound=$(readlink -f "$1")
shift
lacks=$(cluster_lacks)
[ -z "$lacks" ] || { echo "skipped: $lacks"; exit 77; }

work=$(mktemp -d)
trap 'cluster_stop; rm -rf "$work"' EXIT
cd "$work"
for kernel in vecadd reduce; do cp "$here/../../kernels/$kernel.ptx" "$here/../../kernels/$kernel.yaml" .; done

fail() {
    echo "FAILED: $*"
    tail -n 30 "$work"/*.slurm/logs/finish.txt "$cluster/slurmctld.log" || true
    exit 1
}

# write_sweep NAME FROM COUNT [LINE]...: two kernels on so many machines.
write_sweep() {
    local name=$1 from=$2 to=$(($2 + $3 - 1)) line
    shift 3
    printf '%s\n' 'code: [vecadd.yaml, reduce.yaml]' 'machine: ecrts2025-orin' "set: {mem_latency: $from..$to step 1}" \
        'methods: [k-area, k-bal]' 'policies: [lrr, gto]' "$@" > "$name.yaml"
}

# expected NAME: what the sweep comes to here, without a cluster.
expected() {
    "$warpbound" sweep "$1.yaml" -o "$1.local.db" > /dev/null
    "$warpbound" sweep show "$1.local.db" --csv > "$1.local.csv"
}

submit() {
    "$warpbound" sweep "$1.yaml" -o "$2" --slurm "${@:3}"
}

# until no job is left, of this submission and of those that it leads to.
all_ended() {
    cluster_wait "$1" '[ -z "$(squeue -h -o %i)" ]' || fail "the jobs have not ended: $(squeue)"
}

same() {
    "$warpbound" sweep show "$2" --csv > "$2.csv"
    cmp "$1.local.csv" "$2.csv" || fail "$2 is not what a sweep here comes to"
}

# An array to its end: the same numbers, and nothing is left to be done.
case_array() {
    write_sweep array 100 20
    expected array
    submit array array.db --task-time 2
    all_ended 60
    same array array.db
    submit array array.db | grep -q "40 units: 40 done" || fail "submitted again, something is run again"
    [ -z "$(squeue -h)" ] || fail "submitted again, there are jobs"
    [ -z "$(ls array.db.array.slurm/parts)" ] || fail "parts are left"
}

# One of two nodes dies mid-way, with all that runs on it, and comes back.
case_node() {
    write_sweep node 100 250
    expected node
    submit node node.db --task-time 10 --unit-time 0.2
    cluster_wait 30 '[ "$(ls node.db.node.slurm/parts/*.db | wc -l)" -ge 4 ]' || fail "no parts"
    [ "$(squeue -h -r -t PD | wc -l)" -ge 3 ] || fail "too few tasks are left when the node dies"
    cluster_kill_node node2
    sleep 3
    slurmd -N node2
    all_ended 200
    same node node.db
    grep -q "Requeuing\|requeue" "$cluster/slurmctld.log" || fail "no task was requeued"
}

cluster_start 2
[ "$#" -gt 0 ] || set -- array node
for name in "$@"; do
    begun=$SECONDS
    "case_$name"
    echo "$name: passed in $((SECONDS - begun)) s"
done
