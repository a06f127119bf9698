# A Slurm cluster on this machine, for tests: sourced by those that need one. Everything that it
# writes is under $cluster, its daemons listen on ports of its own, and nothing of the system's
# configuration is read or changed. It needs Debian's packages slurm-wlm and munge, and to be run by
# root (slurmd starts jobs of users).

# Says what is lacking for a cluster; nothing when there is nothing.
cluster_lacks() {
    local program
    for program in munged slurmctld slurmd sbatch squeue scontrol; do
        [ -n "$(PATH=$PATH:/usr/sbin command -v $program)" ] ||
            { echo "$program is not installed (Debian: slurm-wlm, munge)"; return; }
    done
    [ "$(id -u)" = 0 ] || echo "only root can start jobs of users"
}

# cluster_start NODES [LINE]...: a controller and so many nodes of two processors each; the lines
# are added to slurm.conf.
cluster_start() {
    local nodes=$1 node host ports=$((20000 + $$ % 20000)) line
    shift
    host=$(hostname)
    PATH=$PATH:/usr/sbin
    cluster=$(mktemp -d /tmp/warpbound-cluster.XXXXXX)
    chmod 755 "$cluster"
    mkdir -p "$cluster/munge" "$cluster/state"
    chmod 755 "$cluster/munge"
    head -c 128 /dev/urandom > "$cluster/munge.key"
    chmod 400 "$cluster/munge.key"
    export SLURM_CONF=$cluster/slurm.conf
    {
        cat <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$ports
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$cluster/munge/socket,cred_expire=10
CredType=cred/munge
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool-%n
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/slurmd-%n.pid
SlurmctldLogFile=$cluster/slurmctld.log
SlurmdLogFile=$cluster/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerParameters=sched_interval=5,batch_sched_delay=1,requeue_delay=1
SlurmctldTimeout=30
SlurmdTimeout=10
InactiveLimit=0
KillWait=2
MinJobAge=300
ReturnToService=2
MaxArraySize=2000
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
DefMemPerCPU=500
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
        for ((node = 1; node <= nodes; node++)); do
            echo "NodeName=node$node NodeHostname=$host NodeAddr=127.0.0.1" \
                "Port=$((ports + node)) CPUs=2 RealMemory=4000"
        done
        for line in "$@"; do echo "$line"; done
    } > "$SLURM_CONF"
    munged --force --key-file="$cluster/munge.key" --socket="$cluster/munge/socket" \
        --pid-file="$cluster/munge.pid" \
        --log-file="$cluster/munge.log" --seed-file="$cluster/munge.seed" 2> /dev/null
    slurmctld -c
    for ((node = 1; node <= nodes; node++)); do slurmd -N "node$node"; done
    cluster_wait 20 "sinfo -h -o %D -t idle | grep -qx $nodes"
}

# cluster_wait SECONDS COMMAND: until the command succeeds; fails when the time is over.
cluster_wait() {
    local end=$((SECONDS + $1))
    until eval "$2" > /dev/null 2>&1; do
        [ "$SECONDS" -lt "$end" ] || { echo "not within $1 seconds: $2"; return 1; }
        sleep 0.2
    done
}

# Ends the daemon whose process is in the file, by that number.
cluster_end() {
    [ ! -s "$cluster/$1.pid" ] || kill "-${2:-TERM}" "$(cat "$cluster/$1.pid")" 2> /dev/null || true
}

# The processes of jobs on a node, and Slurm's own that watch over them.
cluster_processes() {
    local file pid parent
    grep -lzFx "SLURMD_NODENAME=$1" /proc/[0-9]*/environ 2> /dev/null | while read -r file; do
        pid=${file//[!0-9]/}
        grep -qzFx "SLURM_CONF=$SLURM_CONF" "$file" || continue
        echo "$pid"
        parent=$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$pid/status" 2> /dev/null) || continue
        case $(cat "/proc/$parent/comm" 2> /dev/null) in slurmstepd*) echo "$parent" ;; esac
    done 2> /dev/null | sort -u
}

# A node dies with all that runs on it, as when it loses its power. What it had been about to start
# is looked for twice.
cluster_kill_node() {
    local pid try
    cluster_end "slurmd-$1" KILL
    for try in 1 2; do
        for pid in $(cluster_processes "$1"); do kill -KILL "$pid" 2> /dev/null || true; done
        sleep 0.5
    done
}

cluster_stop() {
    local pid
    [ -n "${cluster:-}" ] || return 0
    scancel --me 2> /dev/null || true
    sleep 1
    for pid in "$cluster"/slurmd-*.pid "$cluster/slurmctld.pid" "$cluster/munge.pid"; do
        [ ! -s "$pid" ] || cluster_end "$(basename "$pid" .pid)"
    done
    sleep 1
    [ -n "${KEEP_CLUSTER:-}" ] || rm -rf "$cluster"
    cluster=
}
