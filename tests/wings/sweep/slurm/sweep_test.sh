#!/bin/bash
# Sweeps on a real Slurm, on this machine: sweep_test.sh WARPBOUND [CASE]... Exits 77 with a word
# where there is none.
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
for kernel in vecadd reduce; do
    cp "$here/../../../../kernels/$kernel.ptx" "$here/../../../../kernels/$kernel.yaml" .
done

fail() {
    echo "FAILED: $*"
    tail -n 30 "$work"/*.slurm/logs/finish.txt "$work"/shared/*.slurm/logs/finish.txt \
        "$cluster/slurmctld.log" || true
    exit 1
}

# write_sweep NAME FROM COUNT [LINE]...: two kernels on so many machines.
write_sweep() {
    local name=$1 from=$2 to=$(($2 + $3 - 1)) line
    shift 3
    printf '%s\n' 'code: [vecadd.yaml, reduce.yaml]' 'machine: ecrts2025-orin' \
        "set: {mem_latency: $from..$to step 1}" \
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
    submit array array.db | grep -q "40 units: 40 done" ||
        fail "submitted again, something is run again"
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

# A unit takes all memory of its task, and is a row; where it may take more than that its task is
# killed, and when it is submitted often enough all others have their results.
case_memory() {
    write_sweep memory 100 10 'include: [{code: vecadd.yaml, set: {mem_latency: 400}, '\
'methods: exhaustive, block_index: 0, states: 1000000000}]'
    submit memory memory.db --unit-time 1 --task-time 5 --unit-limit 300 --sbatch=--mem=300M
    all_ended 120
    "$warpbound" sweep show memory.db | grep -q 'exhaustive.*| limit |' ||
        fail "no unit has come to its limit of memory"
    [ "$("$warpbound" sweep show memory.db | grep -c '| done |')" = 20 ] ||
        fail "others have no result"
    grep -q "21 units: 20 done, 1 failed" memory.db.memory.slurm/logs/finish.txt ||
        fail "the unit has run again"
    echo 'memory_limit: 4G' >> memory.yaml
    submit memory killed.db --unit-time 1 --task-time 5 --unit-limit 300 --sbatch=--mem=300M \
        --rounds 2
    all_ended 200
    grep -q "oom\|OOM\|memory" "$cluster"/slurmd-node?.log ||
        fail "no task was killed for its memory"
    grep -q "1 of 21 units have no result" killed.db.memory.slurm/logs/finish.txt ||
        fail "it is not said that a unit has no result"
    [ "$("$warpbound" sweep show killed.db | grep -c '| done |')" = 20 ] ||
        fail "others have no result"
    sed -i 's/memory_limit: 4G/memory_limit: 200M/' memory.yaml
    submit memory killed.db --unit-time 1 --unit-limit 300 | grep '^1 of 21 units' ||
        fail "more is submitted than what is lacking"
    all_ended 60
    expected memory
    same memory killed.db
}

# Units that do not end, and of whose time nothing is said, are rows after the time of a task; the
# others of their shards have their results in the same round.
case_endless() {
    local code='include: [{code: [vecadd.yaml, reduce.yaml], set: {mem_latency: 400}, '
    code+='methods: exhaustive, block_index: 0, states: 1000000000}]'
    write_sweep endless 100 10 "$code"
    submit endless endless.db --unit-time 0.1 --task-time 3 --unit-limit 6
    all_ended 120
    [ "$("$warpbound" sweep show endless.db | grep -c '| done |')" = 20 ] ||
        fail "others have no result"
    [ "$("$warpbound" sweep show endless.db | grep -c '| limit |')" = 2 ] ||
        fail "the units have not come to their limit"
    [ "$(cat endless.db.endless.slurm/logs/finish.txt)" = "22 units: 20 done, 2 failed" ] ||
        fail "there was a second round"
}

# The controller ends while tasks run and wait, and comes back.
case_controller() {
    write_sweep controller 100 100
    expected controller
    submit controller controller.db --task-time 5 --unit-time 0.2
    cluster_wait 30 '[ "$(ls controller.db.controller.slurm/parts/*.db | wc -l)" -ge 2 ]' ||
        fail "no parts"
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
    grep -q "its jobs have not ended" error ||
        fail "what is said while its jobs are there: $(cat error)"
    all_ended 200
    same one both.db
}

# So many submissions of one sweep at the same moment: one of them goes on, the others say that its
# jobs are there.
case_moment() {
    local pids=() pid passed=0
    write_sweep moment 100 20
    expected moment
    for try in 1 2 3 4; do
        submit moment moment.db --task-time 3 --unit-time 0.2 > "said.$try" 2>&1 & pids+=($!)
    done
    for pid in "${pids[@]}"; do if wait "$pid"; then passed=$((passed + 1)); fi; done
    [ "$passed" = 1 ] && [ "$(grep -l 'its jobs have not ended' said.* | wc -l)" = 3 ] ||
        fail "$passed have passed: $(cat said.*)"
    [ "$(squeue -h -o %F | sort -u | wc -l)" -le 2 ] || fail "more than two jobs: $(squeue)"
    all_ended 100
    same moment moment.db
    submit moment moment.db | grep -q "40 units: 40 done" || fail "something is left"
}

# as USER COMMAND...: with the group `users`, for which it writes what it makes.
as() {
    local user=$1
    shift
    (umask "${UMASK:-002}" && exec setpriv --reuid="$user" --regid=users --clear-groups "$@")
}

# Two accounts share a folder of their group: the same sweep at once, sweeps into one database at
# once, and one that goes on where the other's has ended. Who lets nobody else write is told so.
case_accounts() {
    write_sweep one 100 40
    write_sweep two 120 40
    chmod 755 .
    mkdir shared
    mv ./*.yaml ./*.ptx shared
    cp "$warpbound" shared/warpbound
    warpbound=$work/shared/warpbound
    chmod 755 shared/warpbound
    chgrp users shared
    chmod 2775 shared
    cd shared
    expected one
    "$warpbound" sweep two.yaml -o one.local.db > two.out
    "$warpbound" sweep show one.local.db --csv > one.local.csv
    as games "$warpbound" sweep one.yaml -o both.db --slurm --task-time 4 --unit-time 0.2
    as daemon "$warpbound" sweep two.yaml -o both.db --slurm --task-time 4 --unit-time 0.2
    if as daemon "$warpbound" sweep one.yaml -o both.db \
        --slurm 2> error; then fail "submitted beside the other's jobs"; fi
    grep -q "its jobs have not ended.* of games" error ||
        fail "what is said of the other's jobs: $(cat error)"
    all_ended 100
    same one both.db
    sed -i 's/100\.\.139/100..149/' one.yaml
    as daemon "$warpbound" sweep one.yaml -o both.db --slurm --unit-time 0.2
    all_ended 60
    "$warpbound" sweep one.yaml -o one.local.db > one.out
    "$warpbound" sweep show one.local.db --csv > one.local.csv
    same one both.db
    sed -i 's/100\.\.149/100..151/' one.yaml
    UMASK=022 as daemon "$warpbound" sweep one.yaml -o own.db --slurm --unit-time 0.2
    all_ended 60
    if as games "$warpbound" sweep one.yaml -o own.db \
        --slurm 2> error; then fail "submitted what the user may not write to"; fi
    grep -q "own.db: error: this user may not write to it; it belongs to daemon" error ||
        fail "what is said: $(cat error)"
    [ -z "$(squeue -h)" ] || fail "something was submitted"
    cd ..
}

# A job of more weight takes the nodes: the tasks that run are put back, and continue.
case_preemption() {
    write_sweep preemption 100 150
    expected preemption
    submit preemption preemption.db --task-time 8 --unit-time 0.2 --sbatch=--partition=low
    cluster_wait 30 '[ "$(ls preemption.db.preemption.slurm/parts/*.db | wc -l)" -ge 4 ]' ||
        fail "no parts"
    for try in 1 2; do
        job=$(sbatch --parsable --partition=high --nodes=2 --exclusive --output=/dev/null \
            --wrap 'sleep 4')
        cluster_wait 30 "squeue -h -t R -o %i | grep -qx $job" ||
            fail "the job does not get the nodes: $(squeue)"
        [ -z "$(squeue -h -p low -t R)" ] || fail "tasks run beside it: $(squeue)"
        cluster_wait 60 "[ -z \"\$(squeue -h -j $job)\" ]" || fail "the job does not end"
        cluster_wait 100 '[ -n "$(squeue -h -p low -t R)" ]' || fail "no task runs again: $(squeue)"
    done
    all_ended 300
    same preemption preemption.db
    [ "$(grep -c 'preempted JobId.*requeued' "$cluster/slurmctld.log")" -ge 4 ] ||
        fail "fewer than four tasks were put back"
    if grep -q "submitted\|job [0-9]*, and" preemption.db.preemption.slurm/logs/finish.txt; then \
        fail "a second round was needed"; fi
}

# Five nodes, of which three die with what runs on them, one of them for ever.
case_nodes() {
    write_sweep nodes 100 250
    expected nodes
    submit nodes nodes.db --task-time 10 --unit-time 0.2
    for node in node2 node4 node5; do
        cluster_wait 60 "[ \$(cluster_processes $node | wc -l) -ge 3 ]" ||
            fail "nothing runs on $node"
    done
    for node in node2 node4 node5; do cluster_kill_node $node & done
    wait
    slurmd -N node2
    sleep 2
    slurmd -N node4
    all_ended 300
    same nodes nodes.db
    grep -q "Requeuing\|requeue" "$cluster/slurmctld.log" || fail "no task was requeued"
}

# Nodes of the cluster of a case, and lines of its configuration.
nodes_of() {
    [ "$1" = nodes ] && echo 5 || echo 2
}

conf_of() {
    [ "$1" = preemption ] || return 0
    echo "PreemptType=preempt/partition_prio"
    echo "PreemptMode=REQUEUE"
    echo "PartitionName=low Nodes=ALL MaxTime=INFINITE State=UP PriorityTier=1 PreemptMode=REQUEUE"
    echo "PartitionName=high Nodes=ALL MaxTime=INFINITE State=UP PriorityTier=10 PreemptMode=OFF"
}

[ "$#" -gt 0 ] || set -- array node nodes memory endless controller users moment accounts preemption
for name in "$@"; do
    begun=$SECONDS
    mapfile -t conf < <(conf_of "$name")
    cluster_start "$(nodes_of "$name")" "${conf[@]}"
    "case_$name"
    cluster_stop
    echo "$name: passed in $((SECONDS - begun)) s"
done
