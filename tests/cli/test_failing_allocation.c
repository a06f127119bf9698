/* The command when memory is exhausted: whichever allocation fails, alone or with all that follow it, the run
 * ends with status 4 and a message, or the output is whole. Each run is a child process of this one that
 * calls the command's main function, with the allocation functions of this file in front of the C library's.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "warpbound.h"

/* The command's main function, which the build gives this name. */
int warpbound_main(int argc, char **argv);

/* ---- Allocations that fail ----------------------------------------------------------------------------- */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static unsigned long allocations; /* so far */
static unsigned long fail_first;  /* number of the first one that fails, from 1; 0: none */
static unsigned long fail_last;   /* and of the last */

static bool fails(void) {
    const unsigned long number = __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
    if (fail_first == 0 || number < fail_first || number > fail_last) return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size) {
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
    return fails() ? NULL : __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    return fails() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    if (fails()) return ENOMEM;
    *memory = __libc_memalign(alignment, size);
    return *memory == NULL ? ENOMEM : 0;
}

/* ---- Runs of the command ------------------------------------------------------------------------------- */

#define ARGUMENTS_MAX 32
#define RUN_SECONDS 20

/* What a run left behind: its output stays in files without a name. */
struct outcome {
    int status; /* of waitpid */
    unsigned long allocations;
    char *out, *err;
};

/* What parent and children share. */
static unsigned long *child_allocations;

static char *contents(int file) {
    const off_t size = lseek(file, 0, SEEK_END);
    assert_true(size >= 0);
    char *text = malloc((size_t)size + 1);
    assert_non_null(text);
    assert_int_equal(pread(file, text, (size_t)size, 0), size);
    text[size] = '\0';
    (void)close(file);
    return text;
}

/* The child: never returns. */
static void run_child(const char *command, unsigned long first, unsigned long last, const int files[2]) {
    static char words[1024];
    char *arguments[ARGUMENTS_MAX + 1] = {NULL}, *rest = words;
    int count = 0;
    (void)snprintf(words, sizeof words, "warpbound %s", command);
    for (char *word; (word = strsep(&rest, " ")) != NULL && count < ARGUMENTS_MAX;)
        arguments[count++] = word;
    (void)dup2(files[0], STDOUT_FILENO);
    (void)dup2(files[1], STDERR_FILENO);
    (void)alarm(RUN_SECONDS);
    allocations = 0;
    fail_first = first;
    fail_last = last;
    const int status = warpbound_main(count, arguments);
    fail_first = 0;
    *child_allocations = allocations;
    (void)fflush(NULL);
    _exit(status);
}

static struct outcome run(const char *command, unsigned long first, unsigned long last) {
    const int files[2] = {memfd_create("out", 0), memfd_create("err", 0)};
    struct outcome outcome = {0};
    assert_true(files[0] >= 0 && files[1] >= 0);
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) run_child(command, first, last, files);
    assert_int_equal(waitpid(child, &outcome.status, 0), child);
    outcome.allocations = *child_allocations;
    outcome.out = contents(files[0]);
    outcome.err = contents(files[1]);
    return outcome;
}

static void outcome_free(struct outcome *outcome) {
    free(outcome->out);
    free(outcome->err);
}

/* Status 4 and a message, or the whole output. */
static bool is_honest(const struct outcome *outcome, const struct outcome *whole) {
    if (!WIFEXITED(outcome->status)) return false;
    if (WEXITSTATUS(outcome->status) == 4) return outcome->err[0] != '\0';
    return outcome->status == whole->status && strcmp(outcome->out, whole->out) == 0 &&
           strcmp(outcome->err, whole->err) == 0;
}

/* Lets allocations `first` to `last` fail; returns whether the run was honest. */
static bool check(const char *command, unsigned long first, unsigned long last, const struct outcome *whole) {
    struct outcome outcome = run(command, first, last);
    const bool honest = is_honest(&outcome, whole);
    if (!honest)
        print_error("%s: allocation %lu%s fails: wait status %#x, %zu of %zu bytes, stderr '%s'\n", command,
                    first, last == first ? "" : " and all behind it", (unsigned)outcome.status,
                    strlen(outcome.out), strlen(whole->out), outcome.err);
    outcome_free(&outcome);
    return honest;
}

/* How many allocations of each command fail in turn. */
static unsigned long samples = 3;

static void check_command(const char *command) {
    struct outcome whole = run(command, 0, 0);
    unsigned long wrong = 0, step = whole.allocations / samples + 1;
    if (whole.status != 0)
        fail_msg("%s: wait status %#x, stderr '%s'", command, (unsigned)whole.status, whole.err);
    for (unsigned long at = 1; at <= whole.allocations; at += step)
        wrong += !check(command, at, at, &whole) + !check(command, at + step / 2, (unsigned long)-1, &whole);
    print_message("%s: %lu allocations, every %luth failed\n", command, whole.allocations, step);
    outcome_free(&whole);
    assert_int_equal(wrong, 0);
}

#define COMMAND(name, command)                                                                               \
    static void name(void **state) {                                                                         \
        (void)state;                                                                                         \
        check_command(command);                                                                              \
    }

COMMAND(test_kernel_text, "analyze kernels/vecadd.ptx -l kernels/vecadd.yaml")
COMMAND(test_kernel_json, "analyze kernels/vecadd.ptx -l kernels/vecadd.yaml --json")
COMMAND(test_block_text, "analyze kernels/reduce.ptx -l kernels/reduce.yaml -i 0,0,0 --method all --phases")
COMMAND(test_block_json, "analyze kernels/reduce.ptx -l kernels/reduce.yaml -i 0,0,0 --json --phases")
COMMAND(test_covering_text,
        "analyze kernels/bfs_level.ptx -l kernels/bfs_level.yaml --facts kernels/bfs_level.facts")
COMMAND(test_covering_json,
        "analyze kernels/bfs_level.ptx -l kernels/bfs_level.yaml --facts kernels/bfs_level.facts --json")
COMMAND(test_caches_json,
        "analyze kernels/vecadd.ptx -l kernels/vecadd.yaml -m jcse2017 --scheme reorder --json")
COMMAND(test_waves, "analyze docs/refutations/waves.yaml --method all")
COMMAND(test_report, "analyze kernels/stencil5.ptx -l kernels/stencil5.yaml --method k-area --report -")
COMMAND(test_cache, "cache kernels/vecadd.ptx -l kernels/vecadd.yaml --json")
COMMAND(test_path, "path kernels/vecadd.ptx -l kernels/vecadd.yaml --accesses --json")
COMMAND(test_facts, "facts kernels/bfs_level.ptx -l kernels/bfs_level.yaml")
COMMAND(test_cfg, "cfg kernels/reduce.ptx")
COMMAND(test_program, "cfg tests/data/fatbin/units.a -k fill")
COMMAND(test_program_code, "cfg tests/data/fatbin/packed.o -k add --image sm_86")
COMMAND(test_program_list, "print tests/data/fatbin/two.o --json")
COMMAND(test_occupancy, "occupancy kernels/reduce.ptx -l kernels/reduce.yaml --json")
#ifdef WB_WING_GATED_SSA
COMMAND(test_ssa, "cfg kernels/reduce.ptx --ssa")
#endif
#ifdef WB_WING_MAKESPAN
COMMAND(test_makespan,
        "makespan LLCCLC -w 6 -u L=1,C=2 --method exact,closed,anneal,brute --threads 1 --json")
#endif

/* ---- The library in this process ----------------------------------------------------------------------- */

/* What wb_analyze is called with. */
struct analyzed {
    wb_diagnostics *messages;
    wb_module *module;
    const wb_kernel *kernel;
    wb_launch *launch;
    wb_machine *machine;
    wb_facts *facts;
};

static struct analyzed analyzed_load(void) {
    struct analyzed loaded = {.messages = wb_diagnostics_new()};
    wb_diagnostics *messages = loaded.messages;
    assert_int_equal(wb_module_read("kernels/bfs_level.ptx", messages, &loaded.module), WB_OK);
    assert_int_equal(wb_module_find_kernel(loaded.module, NULL, messages, &loaded.kernel), WB_OK);
    assert_int_equal(wb_launch_read("kernels/bfs_level.yaml", WB_FILES_BELOW, messages, &loaded.launch),
                     WB_OK);
    assert_int_equal(wb_machine_load("ecrts2025-orin", messages, &loaded.machine), WB_OK);
    assert_int_equal(wb_facts_read("kernels/bfs_level.facts", loaded.kernel, messages, &loaded.facts), WB_OK);
    return loaded;
}

static void analyzed_free(struct analyzed *loaded) {
    wb_facts_free(loaded->facts);
    wb_machine_free(loaded->machine);
    wb_launch_free(loaded->launch);
    wb_module_free(loaded->module);
    wb_diagnostics_free(loaded->messages);
}

/* Analyses while allocations `first` to `last` fail; returns the status, and the report of WB_OK. */
static wb_status analyze_failing(const struct analyzed *loaded, unsigned long first, unsigned long last,
                                 wb_diagnostics *messages, char **report) {
    const wb_analyze_options options = {
        .size = sizeof options, .facts = loaded->facts, .methods = "sib,fib,k-area"};
    wb_analysis *analysis = NULL;
    allocations = 0;
    fail_first = first;
    fail_last = last;
    const wb_status status =
        wb_analyze(loaded->kernel, loaded->launch, loaded->machine, &options, messages, &analysis);
    fail_first = 0;
    if (status == WB_OK)
        assert_int_equal(wb_report(analysis, WB_REPORT_JSON, NULL, messages, report), WB_OK);
    else
        assert_true(analysis == NULL || (status == WB_ERR_LIMIT && wb_analysis_has_results(analysis)));
    wb_analysis_free(analysis);
    return status;
}

/* wb_analyze ends with WB_ERR_LIMIT and a message, or its results are whole; what it was given is as before.
 */
static void test_library(void **state) {
    (void)state;
    struct analyzed loaded = analyzed_load();
    char *whole = NULL;
    assert_int_equal(analyze_failing(&loaded, 0, 0, loaded.messages, &whole), WB_OK);
    const unsigned long count = allocations, step = count / (4 * samples) + 1;
    for (unsigned long at = 1; at <= 2 * count; at += step) {
        const unsigned long first = at <= count ? at : at - count;
        wb_diagnostics *messages = wb_diagnostics_new();
        char *report = NULL;
        wb_status status =
            analyze_failing(&loaded, first, at <= count ? first : (unsigned long)-1, messages, &report);
        if (status == WB_OK ? strcmp(report, whole) != 0
                            : status != WB_ERR_LIMIT || wb_diagnostics_errors(messages) == 0)
            fail_msg("allocation %lu fails: status %d, messages '%s'", first, (int)status,
                     wb_diagnostics_text(messages));
        free(report);
        wb_diagnostics_free(messages);
    }
    char *again = NULL;
    assert_int_equal(analyze_failing(&loaded, 0, 0, loaded.messages, &again), WB_OK);
    assert_string_equal(again, whole);
    print_message("wb_analyze: %lu allocations, every %luth failed\n", count, step);
    free(again);
    free(whole);
    analyzed_free(&loaded);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernel_text),   cmocka_unit_test(test_kernel_json),
        cmocka_unit_test(test_block_text),    cmocka_unit_test(test_block_json),
        cmocka_unit_test(test_covering_text), cmocka_unit_test(test_caches_json),
        cmocka_unit_test(test_covering_json), cmocka_unit_test(test_report),
        cmocka_unit_test(test_cache),         cmocka_unit_test(test_path),
        cmocka_unit_test(test_facts),         cmocka_unit_test(test_cfg),
        cmocka_unit_test(test_program),       cmocka_unit_test(test_program_code),
        cmocka_unit_test(test_program_list),  cmocka_unit_test(test_occupancy),
        cmocka_unit_test(test_waves),
#ifdef WB_WING_GATED_SSA
        cmocka_unit_test(test_ssa),
#endif
#ifdef WB_WING_MAKESPAN
        cmocka_unit_test(test_makespan),
#endif
        cmocka_unit_test(test_library),
    };
    child_allocations =
        mmap(NULL, sizeof *child_allocations, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (child_allocations == MAP_FAILED) return 1;
    if (argc > 1) samples = strtoul(argv[1], NULL, 10);
    if (argc > 2) cmocka_set_test_filter(argv[2]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
