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

# A unit takes all memory of its task, and is a row; where it may take more than that its task is killed, and when it is
# submitted often enough all others have their results.
case_memory() {
    write_sweep memory 100 10 'include: [{code: vecadd.yaml, set: {mem_latency: 400}, methods: exhaustive, block_index: 0, states: 1000000000}]'
    submit memory memory.db --unit-time 1 --task-time 5 --sbatch=--mem=300M
    all_ended 120
    "$warpbound" sweep show memory.db | grep -q 'exhaustive.*| limit |' || fail "no unit has come to its limit of memory"
    [ "$("$warpbound" sweep show memory.db | grep -c '| done |')" = 20 ] || fail "others have no result"
    grep -q "21 units: 20 done, 1 failed" memory.db.memory.slurm/logs/finish.txt || fail "the unit has run again"
    echo 'memory_limit: 4G' >> memory.yaml
    submit memory killed.db --unit-time 1 --task-time 5 --sbatch=--mem=300M --rounds 2
    all_ended 200
    grep -q "oom\|OOM\|memory" "$cluster"/slurmd-node?.log || fail "no task was killed for its memory"
    grep -q "1 of 21 units have no result" killed.db.memory.slurm/logs/finish.txt || fail "it is not said that a unit has no result"
    [ "$("$warpbound" sweep show killed.db | grep -c '| done |')" = 20 ] || fail "others have no result"
    sed -i 's/memory_limit: 4G/memory_limit: 200M/' memory.yaml
    submit memory killed.db --unit-time 1 | grep '^1 of 21 units' || fail "more is submitted than what is lacking"
    all_ended 60
    expected memory
    same memory killed.db
}

# The controller ends while tasks run and wait, and comes back.
case_controller() {
    write_sweep controller 100 100
    expected controller
    submit controller controller.db --task-time 5 --unit-time 0.2
    cluster_wait 30 '[ "$(ls controller.db.controller.slurm/parts/*.db | wc -l)" -ge 2 ]' || fail "no parts"
    cluster_end slurmctld
    sleep 5
    if submit controller controller.db 2> error; then fail "submitted without a controller"; fi
    grep -q "Slurm does not answer" error || fail "what is said without a controller: $(cat error)"
    slurmctld
    cluster_wait 30 'squeue -h' || fail "the controller does not come back"
    all_ended 200
    same controller controller.db
}

# Two submissions at a time into one database, of sweeps that have units in common.
case_users() {
    write_sweep one 100 60
    write_sweep two 130 60
    expected one
    "$warpbound" sweep two.yaml -o one.local.db > two.out
    "$warpbound" sweep show one.local.db --csv > one.local.csv
    submit one both.db --task-time 4 --unit-time 0.2
    submit two both.db --task-time 4 --unit-time 0.2
    if submit one both.db 2> error; then fail "submitted while its jobs are there"; fi
    grep -q "its jobs have not ended" error || fail "what is said while its jobs are there: $(cat error)"
    all_ended 200
    same one both.db
}

cluster_start 2
[ "$#" -gt 0 ] || set -- array node memory controller users
for name in "$@"; do
    begun=$SECONDS
    "case_$name"
    echo "$name: passed in $((SECONDS - begun)) s"
done
