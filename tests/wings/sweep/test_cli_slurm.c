/* Sweeps as jobs of Slurm, with commands that stand in for Slurm's (slurm/ has the real ones). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run_cli.h"

/* A sweep of 16 units in s.yaml, and what they come to in local.db and local.csv: copied by each test. */
static char pattern_folder[] = "/tmp/warpbound-test-XXXXXX";

static int make_pattern(void **state) {
    (void)state;
    if (mkdtemp(pattern_folder) == NULL || setenv("PATTERN", pattern_folder, 1) != 0) return -1;
    struct run run = run_shell(
        "cp kernels/vecadd.ptx kernels/vecadd.yaml \"$PATTERN\"; cd \"$PATTERN\"; printf '%s\\n' 'code: "
        "vecadd.yaml' 'machine: ecrts2025-orin' 'methods: k-area' 'set: {mem_latency: 1..16 step 1}' "
        "'policies: "
        "lrr' > s.yaml; \"$WB\" sweep s.yaml -o local.db > /dev/null && \"$WB\" sweep show local.db --csv > "
        "local.csv");
    const int status = run.status;
    run_free(&run);
    return status;
}

static int remove_pattern(void **state) {
    (void)state;
    struct run run = run_shell("rm -r \"$PATTERN\"");
    run_free(&run);
    return 0;
}

/* Runs a shell's text in a folder of its own. */
static struct run run_in_folder(const char *text) {
    char script[3000];
    const int length = snprintf(
        script, sizeof script,
        "PATH=$PWD/tests/wings/sweep/slurm/commands:$PATH; at=$(mktemp -d); cp \"$PATTERN\"/* \"$at\"; cd "
        "\"$at\"; SUBMIT='sweep s.yaml -o s.db --slurm'; %s\nstatus=$?; cd /; rm -r "
        "\"$at\"; exit $status",
        text);
    assert_true(length > 0 && (size_t)length < sizeof script);
    return run_shell(script);
}

static void assert_says(const char *text, int status, const char *const *words, size_t count) {
    struct run run = run_in_folder(text);
    if (run.status != status) fail_msg("%s: status %d, %s%s", text, run.status, run.out, run.err);
    for (size_t i = 0; i < count; i++)
        if (strstr(run.out, words[i]) == NULL && strstr(run.err, words[i]) == NULL)
            fail_msg("%s: no \"%s\" in %s%s", text, words[i], run.out, run.err);
    run_free(&run);
}

#define ASSERT_SAYS(text, status, ...)                                                                       \
    assert_says(text, status, (const char *const[]){__VA_ARGS__},                                            \
                sizeof(const char *const[]){__VA_ARGS__} / sizeof(char *))

/* The scripts, and nothing else happens: no Slurm is needed for that. */
static void test_dry_run(void **state) {
    (void)state;
    ASSERT_SAYS(
        "PATH=/usr/bin:/bin; echo 'memory_limit: 1G' >> s.yaml; echo 'time_limit: 600' >> s.yaml; \"$WB\" "
        "$SUBMIT --dry-run --unit-time 30 --task-time 60 -j 2 --sbatch='--comment=a b' && ls",
        0, "# 16 units of a sweep, about 30 s each", "\n#SBATCH --array=1-4\n",
        "\n#SBATCH --cpus-per-task=2\n", "\n#SBATCH --time=15\n", "\n#SBATCH --mem=2304M\n",
        "\n#SBATCH --comment=a b\n", "s.yaml --shard \"$SLURM_ARRAY_TASK_ID/4\" --jobs 2 -o \"parts/",
        "s.db --slurm --rounds 2 --jobs 2 --task-time 60.000000 --unit-time 30.000000",
        " --sbatch='--comment=a b'\n", "local.csv\nlocal.db\ns.yaml\nvecadd.ptx\nvecadd.yaml\n");
    ASSERT_SAYS("PATH=/usr/bin:/bin; \"$WB\" $SUBMIT --dry-run -j 2", 0, "* 2))} # MB; 0: not limited\n",
                "limit=(--memory-limit \"$(((memory - 64) / 2))M\")\n",
                " \"${limit[@]}\" --unit-limit 300.000000 -o \"parts/", " --jobs 2 \"${limit[@]}\"\n");
    ASSERT_SAYS("PATH=/usr/bin:/bin; \"$WB\" $SUBMIT --dry-run --memory-limit 1G", 0,
                "\n#SBATCH --mem=1280M\n", " --memory-limit 1073741824 --unit-limit 300.000000 -o \"parts/",
                " --jobs 1 --memory-limit 1073741824\n");
}

/* No scheduler, or none that answers, is an error, and nothing is left behind. */
static void test_no_slurm(void **state) {
    (void)state;
    ASSERT_SAYS("PATH=/nonexistent \"$WB\" $SUBMIT; status=$?; ls s.db*; (exit $status)", 2,
                "--slurm: error: scontrol is not found in PATH: there is no Slurm on this machine",
                "'s.db*'");
    ASSERT_SAYS("touch down; \"$WB\" $SUBMIT; status=$?; ls s.db*; (exit $status)", 2,
                "--slurm: error: scontrol failed: Slurm does not answer or refuses",
                "Unable to contact slurm controller", "'s.db*'");
}

/* An array, its end, and that nothing is left to do. No more tasks than the site takes in one array. */
static void test_array(void **state) {
    (void)state;
    ASSERT_SAYS("\"$WB\" $SUBMIT --unit-time 100 && cat array.1 && bash later && \"$WB\" sweep show s.db "
                "--csv | cmp - "
                "local.csv && ls s.db.s.slurm/parts | wc -l && \"$WB\" $SUBMIT",
                0, "16 of 16 units in 5 shards, about 100 s a unit: job 1, then 2\n", "--array=1-5\n",
                "16 units: 16 done, 0 failed\n0\n16 units: 16 done, 0 failed\n");
}

/* Units of the trial, and others that the database has, run no more. */
static void test_known(void **state) {
    (void)state;
    ASSERT_SAYS(
        "sed -i 's/16 step 1/8 step 1/' s.yaml; \"$WB\" sweep s.yaml -o s.db > /dev/null; sed -i 's/8 step "
        "1/16 step 1/' s.yaml; \"$WB\" $SUBMIT --task-time 0.0001 && cat array.1 log.1.*; bash later && "
        "\"$WB\" sweep show s.db --csv | cmp - local.csv",
        0, "8 of 16 units in 5 shards, ", " --known /", "4 units: 4 done, 0 failed; 2 of them as before");
    ASSERT_SAYS(
        "\"$WB\" sweep s.yaml -o part.db --known local.db && \"$WB\" sweep show part.db --csv | wc -l", 0,
        "16 units: 16 done, 0 failed; 16 of them as before\n1\n");
}

/* What a task did not come to is submitted again, by the last job or by hand, and nothing else; at some time
 * there is an end of it. */
static void test_lost_tasks(void **state) {
    (void)state;
    ASSERT_SAYS("printf '2\\n4\\n' > kill; \"$WB\" $SUBMIT --unit-time 100 && bash later && cat array.3 && "
                "bash later "
                "&& \"$WB\" sweep show s.db --csv | cmp - local.csv",
                0, "16 of 16 units in 5 shards",
                "6 of 16 units in 2 shards, about 100 s a unit: job 3, then 4",
                "16 units: 16 done, 0 failed\n");
    ASSERT_SAYS("printf '2\\n2\\n' > kill; \"$WB\" $SUBMIT --unit-time 100 --rounds 1 && bash later", 4,
                "s.db: error: 3 of 16 units have no result: their tasks failed (see their logs next to it)");
}

/* Units that are to be run again are submitted once: later rounds submit those that were lost, and none that
 * has failed again. */
static void test_retry(void **state) {
    (void)state;
    ASSERT_SAYS(
        "sed 's/^kernel:.*/kernel: none/; s/^code:.*/code: vecadd.ptx/' vecadd.yaml > wrong.yaml; sed -i "
        "'s/^code.*/code: [vecadd.yaml, wrong.yaml]/' s.yaml; \"$WB\" sweep s.yaml -o s.db; \"$WB\" "
        "$SUBMIT; echo 2 > kill; \"$WB\" $SUBMIT --retry --unit-time 100 && bash later && bash later && "
        "ls array.*",
        0, "32 units: 16 done, 16 failed\n16 of 32 units in 5 shards", "\n4 of 32 units in 2 shards",
        "32 units: 16 done, 16 failed\narray.1\narray.3\n");
}

/* A unit that does not end is a row when it has taken as long as a task should, so that the others of its
 * shard have their turn. With a wider limit it runs again. */
static void test_endless_unit(void **state) {
    (void)state;
    ASSERT_SAYS(
        "echo 'include: [{methods: exhaustive, block_index: 0, states: 1000000000, set: {mem_latency: "
        "400}}]' >> s.yaml; \"$WB\" $SUBMIT --unit-limit 2 --unit-time 1 && bash later && \"$WB\" $SUBMIT "
        "--unit-limit 2 && \"$WB\" $SUBMIT --unit-limit 3 --dry-run",
        0, "17 of 17 units in 1 shards", "17 units: 16 done, 1 failed\n17 units: 16 done, 1 failed\n# ",
        "# 1 units of a sweep, about");
    ASSERT_SAYS("\"$WB\" $SUBMIT --dry-run --unit-time 60", 0, " --unit-limit 600.000000 -o \"parts/");
    ASSERT_SAYS("\"$WB\" $SUBMIT --dry-run --unit-limit 7", 0, " --unit-limit 7.000000 -o \"parts/",
                "--jobs 1 --unit-limit 7.000000");
}

/* At most 16 units are tried at once, and none where nothing is to be submitted. */
static void test_trial(void **state) {
    (void)state;
    ASSERT_SAYS("sed -i 's/16 step 1/31 step 1/' s.yaml; \"$WB\" $SUBMIT", 0, "15 of 31 units in ");
    ASSERT_SAYS("\"$WB\" $SUBMIT --rounds 0", 4, "16 of 16 units have no result");
}

/* While its jobs are there a sweep is not submitted again. */
static void test_queued(void **state) {
    (void)state;
    ASSERT_SAYS(
        "\"$WB\" $SUBMIT --unit-time 100; echo 2 > queue; \"$WB\" $SUBMIT", 2,
        "this sweep was submitted before and its jobs have not ended: wait for them, or scancel 2 of alice");
    ASSERT_SAYS("\"$WB\" $SUBMIT --unit-time 100; echo 2 > queue; SLURM_JOB_ID=2 \"$WB\" $SUBMIT", 0,
                "16 units: 16 done, 0 failed\n");
}

/* Two submissions at the same moment: the second one waits for the lock, and finds the jobs of the first or
 * that there is nothing to do. */
static void test_at_once(void **state) {
    (void)state;
    ASSERT_SAYS("touch slow; \"$WB\" $SUBMIT --unit-time 100 & until [ -e called ]; do sleep 0.01; done; "
                "\"$WB\" $SUBMIT --unit-time 100; "
                "wait; cat jobs",
                0, "16 of 16 units in 5 shards", "16 units: 16 done, 0 failed\n", "\n2\n");
}

/* Where the lock does not keep them apart, as when machines do not see each other's, the array with the
 * smaller number goes on. */
static void test_at_once_without_lock(void **state) {
    (void)state;
    ASSERT_SAYS(
        "echo 7 > jobs; echo 7 > other; cp other queue; mkdir bin; printf '%s\\n' '#!/bin/sh' '[ ! -e "
        "jobs.seen ] && touch jobs.seen || cat queue | sed \"s|\\$| alice $PWD/s.db.s.slurm|\"' > "
        "bin/squeue; chmod +x bin/squeue; PATH=$PWD/bin:$PATH; \"$WB\" $SUBMIT --unit-time 100; "
        "status=$?; cat cancelled jobs; (exit $status)",
        2, "another submission of this sweep came at the same time and continues: jobs 7 of alice", "8\n8\n");
    ASSERT_SAYS(
        "mkdir bin; printf '%s\\n' '#!/bin/sh' '[ ! -e jobs.seen ] && touch jobs.seen || echo 9 alice "
        "$PWD/s.db.s.slurm' > bin/squeue; chmod +x bin/squeue; PATH=$PWD/bin:$PATH; \"$WB\" $SUBMIT "
        "--unit-time 100",
        0, "16 of 16 units in 5 shards");
}

/* The lock of a submission that is killed ends with what it runs. */
static void test_killed_holder(void **state) {
    (void)state;
    ASSERT_SAYS("touch slow; \"$WB\" $SUBMIT --unit-time 100 & first=$!; until [ -e called ]; do sleep 0.01; "
                "done; kill -9 $first; wait; "
                "\"$WB\" $SUBMIT --unit-time 100",
                2, "its jobs have not ended: wait for them, or scancel 1 of alice");
}

/* Jobs go to this cluster, and are those of the sweep, whatever the environment says. */
static void test_environment(void **state) {
    (void)state;
    ASSERT_SAYS("SBATCH_CLUSTERS=there \"$WB\" $SUBMIT", 2,
                "SBATCH_CLUSTERS: error: this variable names another cluster");
    ASSERT_SAYS("SLURM_CLUSTERS=here,there \"$WB\" $SUBMIT", 2,
                "SLURM_CLUSTERS: error: this variable names another cluster");
    ASSERT_SAYS("SBATCH_CLUSTERS=here \"$WB\" $SUBMIT --unit-time 100", 0, "16 of 16 units in 5 shards");
}

/* The memory of the last job is nothing that the user asked for: the tasks that it submits get the site's
 * default as those before. */
static void test_memory(void **state) {
    (void)state;
    ASSERT_SAYS("echo 2 > kill; \"$WB\" $SUBMIT --unit-time 100; SLURM_MEM_PER_NODE=4000 bash later; cat "
                "array.3; ! grep "
                "-e --mem= array.3",
                0, "3 of 16 units in 1 shards", "limit=(--memory-limit \"$(((memory - 64) / 1))M\")\n");
}

/* Parts are found whatever the database is called: its name is none of a pattern. */
static void test_names(void **state) {
    (void)state;
    ASSERT_SAYS("\"$WB\" sweep s.yaml -o 'r*[1].db' --slurm --unit-time 100 && bash later && ls "
                "'r*[1].db.s.slurm/parts' "
                "| wc -l && \"$WB\" sweep show 'r*[1].db' --csv | cmp - local.csv",
                0, "16 of 16 units in 5 shards", "16 units: 16 done, 0 failed\n0\n");
}

/* A line break in a name would begin a line of the scripts. */
static void test_control_characters(void **state) {
    (void)state;
    ASSERT_SAYS("name=$(printf 'c\\ntouch HACKED'); cp s.yaml \"$name.yaml\"; \"$WB\" sweep \"$name.yaml\" "
                "-o s.db --slurm",
                2, "--slurm: error: the sweep file's path has a control character");
    ASSERT_SAYS("\"$WB\" sweep s.yaml -o \"$(printf 'c\\ntouch HACKED').db\" --slurm --dry-run", 2,
                "--slurm: error: the database's path has a control character");
    ASSERT_SAYS(
        "mkdir \"$(printf 'a\\rb')\"; cp s.yaml vecadd.* a*; cp \"$WB\" a*; a*/warpbound $SUBMIT --dry-run",
        2, "--slurm: error: the program's path has a control character");
}

/* A part whose task was killed while it made the tables, and one with a journal that is to be rolled back: of
 * page size 4096, with no page in it. */
static void test_damaged_parts(void **state) {
    (void)state;
    ASSERT_SAYS(
        "printf '2\\n' > kill; \"$WB\" $SUBMIT --unit-time 100; cd s.db.s.slurm/parts; : > 2.db; { printf "
        "'\\331\\325\\005\\371\\040\\241\\143\\327\\0\\0\\0\\0\\0\\0\\0\\0'; tail -c +29 3.db | head -c 4; "
        "printf "
        "'\\0\\0\\2\\0\\0\\0\\20\\0'; head -c 484 /dev/zero; } > 3.db-journal; cd ../..; bash later && bash "
        "later && ls s.db.s.slurm/parts | wc -l && \"$WB\" sweep show s.db --csv | cmp - local.csv",
        0, "3 of 16 units in 1 shards, about 100 s a unit: job 3, then 4",
        "16 units: 16 done, 0 failed\n0\n");
}

static const struct failure_case refused[] = {
    {"sweep docs/examples/latencies.yaml --slurm", 2, "expected -o DATABASE"},
    {"sweep docs/examples/latencies.yaml --slurm --dry-run", 2, "expected -o DATABASE"},
    {"sweep docs/examples/latencies.yaml -o x.db --slurm --shard 1/2", 2, "--slurm divides the sweep itself"},
    {"sweep docs/examples/latencies.yaml -o x.db --rounds 2", 2, "--rounds need --slurm"},
    {"sweep docs/examples/latencies.yaml -o x.db --slurm --rounds -1", 2,
     "--rounds -1: error: expected a number from 0"},
    {"sweep docs/examples/latencies.yaml -o x.db --slurm --task-time 0", 2, "--task-time 0: error: expected"},
    {"sweep docs/examples/latencies.yaml -o /nonexistent/x.db --slurm", 2,
     "/nonexistent/x.db: error: No such file"},
    {"sweep docs/examples/latencies.yaml -o x.db --slurm --dry-run --sbatch=--array=1-9", 2,
     "--sbatch: error: "},
    {"sweep docs/examples/latencies.yaml -o x.db --slurm --dry-run --sbatch=--clusters=other", 2,
     "--clusters"},
    {"sweep docs/examples/latencies.yaml -o x.db --slurm --dry-run --sbatch=--cluster=other", 2,
     "--clusters"},
    {"sweep docs/examples/latencies.yaml -o x.db --slurm --dry-run --sbatch=-Mother", 2, "--clusters"},
    {"sweep docs/examples/latencies.yaml -o x.db --slurm --dry-run --sbatch=short", 2, "--sbatch: error: "},
    {"sweep docs/examples/latencies.yaml -o x.db --slurm --dry-run -j 4 --memory-limit 8000000000G", 2,
     "the limit of memory times --jobs is more than 2^64 bytes"},
    {"sweep docs/examples/latencies.yaml -o x.db --known /nonexistent.db", 2, "/nonexistent.db: error: "},
};

static void test_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        check_failure(&refused[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dry_run),       cmocka_unit_test(test_no_slurm),
        cmocka_unit_test(test_array),         cmocka_unit_test(test_known),
        cmocka_unit_test(test_lost_tasks),    cmocka_unit_test(test_queued),
        cmocka_unit_test(test_names),         cmocka_unit_test(test_memory),
        cmocka_unit_test(test_trial),         cmocka_unit_test(test_control_characters),
        cmocka_unit_test(test_damaged_parts), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_at_once),       cmocka_unit_test(test_at_once_without_lock),
        cmocka_unit_test(test_retry),         cmocka_unit_test(test_endless_unit),
        cmocka_unit_test(test_killed_holder), cmocka_unit_test(test_environment),
    };
    return cmocka_run_group_tests(tests, make_pattern, remove_pattern);
}
