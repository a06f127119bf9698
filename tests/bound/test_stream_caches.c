/* Lists of kernels on machines with caches: what one kernel leaves in the second level is written back while
 * another runs. Two kernels are held against a third that does what one does and then what the other does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/containers.h"
#include "bound/analysis/analysis.h"
#include "bound/analysis/stream.h"
#include "random_block.h"

#define LINES 48u
#define ARGUMENT "buf:u32[1536]=zero" /* LINES lines of 128 bytes */

/* How one warp accesses lines. */
struct access_style {
    uint32_t first, lines, count;
    uint32_t loads;     /* of four accesses */
    uint32_t dependent; /* of four loads: so many have to end before the next access */
    bool sweep;         /* one line after the other, not by chance */
};

static struct access_style random_style(struct random_state *random) {
    struct access_style style = {.first = (uint32_t)random_below(random, LINES / 2),
                                 .count = 4 + (uint32_t)random_below(random, 60),
                                 .loads = (uint32_t)random_below(random, 5),
                                 .dependent = (uint32_t)random_below(random, 5),
                                 .sweep = random_below(random, 2) == 0};
    style.lines = 1 + (uint32_t)random_below(random, LINES - style.first);
    return style;
}

static void write_accesses(struct random_state *random, const struct access_style *style, struct text *body) {
    for (uint32_t i = 0; i < style->count; i++) {
        const uint32_t line = style->sweep ? i % style->lines : (uint32_t)random_below(random, style->lines);
        const uint32_t offset = 128 * (style->first + line);
        if (random_below(random, 4) >= style->loads) {
            text_printf(body,
                        random_below(random, 8) > 0 ? "st.global.u32 [%%x+%u], %%r0;\n"
                                                    : "red.global.add.u32 [%%x+%u], %%r0;\n",
                        offset);
            continue;
        }
        text_printf(body, "ld.global.u32 %%r1, [%%x+%u];\n", offset);
        if (random_below(random, 4) < style->dependent)
            text_string(body, "and.b32 %r1, %r1, 0;\nmul.wide.u32 %y, %r1, 1;\nadd.u64 %x, %x, %y;\n");
    }
}

static void write_kernel(struct text *ptx, const char *name, const char *first, const char *second) {
    text_printf(ptx,
                ".visible .entry %s(.param .u64 a)\n{\n.reg .b32 %%r<4>;\n.reg .b64 %%x, %%y;\n"
                "ld.param.u64 %%x, [a];\nmov.u32 %%r0, 1;\n%s%sret;\n}\n",
                name, first, second);
}

/* Kernels one, two and both of a seed. */
static void write_module(struct random_state *random, struct text *ptx) {
    struct text one = {0}, two = {0};
    struct access_style first = random_style(random), second = random_style(random);
    if (random_below(random, 2) == 0) { /* writes, then waits for each of its loads */
        first.loads = 0;
        second.loads = second.dependent = 4;
        first.sweep = second.sweep = true;
        second.lines = LINES - second.first;
    }
    write_accesses(random, &first, &one);
    write_accesses(random, &second, &two);
    text_string(ptx, ".version 8.0\n.target sm_80\n.address_size 64\n");
    write_kernel(ptx, "one", one.data, "");
    write_kernel(ptx, "two", two.data, "");
    write_kernel(ptx, "both", one.data, two.data);
    assert_false(ptx->failed);
    text_free(&one);
    text_free(&two);
}

struct stream_case {
    uint64_t seed;
    wb_diagnostics *diagnostics;
    wb_module *module;
    wb_machine *machine;
    char settings[256];
};

static void expect_ok(const struct stream_case *test, wb_status status) {
    if (status != WB_OK)
        fail_msg("seed %" PRIu64 ", %s: %s", test->seed, test->settings,
                 wb_diagnostics_text(test->diagnostics));
}

/* A GPU with one SM, a second level of a few lines, and a slow DRAM. */
static void vary_machine(struct random_state *random, struct stream_case *test) {
    const uint32_t ways = 1u << random_below(random, 4), sets = 1u << random_below(random, 3);
    const uint32_t partitions = 1u << random_below(random, 2);
    expect_ok(test, wb_machine_load("jcse2017", test->diagnostics, &test->machine));
    (void)snprintf(test->settings, sizeof test->settings,
                   "sms=1 l1_size=512 l1_ways=4 l2_ways=%u l2_partitions=%u l2_size=%u dram_service=%u "
                   "dram_latency=%u noc_latency=%u",
                   ways, partitions, ways * sets * partitions * 128, 1 + (uint32_t)random_below(random, 400),
                   1 + (uint32_t)random_below(random, 20), 1 + (uint32_t)random_below(random, 5));
    char settings[256];
    memcpy(settings, test->settings, sizeof settings);
    for (char *next = strtok(settings, " "); next != NULL; next = strtok(NULL, " "))
        expect_ok(test, wb_machine_set(test->machine, next, test->diagnostics));
    expect_ok(test, wb_machine_check(test->machine, test->diagnostics));
}

/* One kernel of the module: what it executes and its analysis. */
struct one_kernel {
    wb_launch *launch;
    wb_grid *grid;
    wb_analysis *analysis;
};

static void open_kernel(const struct stream_case *test, const char *name, struct one_kernel *made) {
    const wb_kernel *kernel;
    made->launch = wb_launch_new();
    expect_ok(test, wb_module_find_kernel(test->module, name, test->diagnostics, &kernel));
    expect_ok(test, wb_launch_set_grid(made->launch, (const uint32_t[3]){1, 1, 1}, test->diagnostics));
    expect_ok(test, wb_launch_set_block(made->launch, (const uint32_t[3]){32, 1, 1}, test->diagnostics));
    expect_ok(test, wb_launch_add_argument(made->launch, ARGUMENT, test->diagnostics));
    expect_ok(test, wb_grid_trace(kernel, made->launch, NULL, test->diagnostics, &made->grid));
    expect_ok(test,
              analysis_new_kernel(made->grid, test->machine, NULL, NULL, test->diagnostics, &made->analysis));
    expect_ok(test, wb_analysis_bound(made->analysis, "segment-sum", NULL, test->diagnostics));
}

static void close_kernel(struct one_kernel *kernel) {
    wb_analysis_free(kernel->analysis);
    wb_grid_free(kernel->grid);
    wb_launch_free(kernel->launch);
}

/* The slowest simulation of both kernels one after the other. */
static uint64_t simulate_both(const struct stream_case *test) {
    struct one_kernel both;
    uint64_t slowest = 0;
    size_t count;
    open_kernel(test, "both", &both);
    expect_ok(test, wb_analysis_simulate(both.analysis, "lrr,gto", NULL, test->diagnostics));
    const wb_simulation *simulations = wb_analysis_simulations(both.analysis, &count);
    for (size_t i = 0; i < count; i++)
        slowest = cycles_max(slowest, simulations[i].cycles);
    close_kernel(&both);
    return slowest;
}

/* Holds the bound of the list against the simulation. *carried: the simulation is above what kernels that
 * leave nothing behind would take. */
static void check_stream(const struct stream_case *test, const char *ptx, bool *carried) {
    struct one_kernel one, two;
    uint64_t proven;
    wb_stream *stream = stream_new(test->machine);
    open_kernel(test, "one", &one);
    open_kernel(test, "two", &two);
    expect_ok(test, stream_add(stream, one.analysis, test->diagnostics));
    expect_ok(test, stream_add(stream, two.analysis, test->diagnostics));
    assert_true(wb_stream_proven(stream, &proven));
    const uint64_t simulated = simulate_both(test);
    if (simulated > proven)
        fail_msg("seed %" PRIu64 ", %s: simulated %" PRIu64 ", proven %" PRIu64 "\n%s", test->seed,
                 test->settings, simulated, proven, ptx);
    *carried = simulated > proven - stream_carried(stream);
    wb_stream_free(stream);
    close_kernel(&one);
    close_kernel(&two);
}

static void test_both_kernels_end_within_the_bound(void **state) {
    (void)state;
    uint32_t late = 0;
    for (uint64_t seed = 1; seed <= random_rounds(1000); seed++) {
        struct random_state random = random_seeded(seed);
        struct stream_case test = {.seed = seed, .diagnostics = wb_diagnostics_new()};
        struct text ptx = {0};
        bool carried;
        write_module(&random, &ptx);
        expect_ok(&test, wb_module_parse("list.ptx", ptx.data, ptx.length, test.diagnostics, &test.module));
        vary_machine(&random, &test);
        check_stream(&test, ptx.data, &carried);
        late += carried;
        text_free(&ptx);
        wb_machine_free(test.machine);
        wb_module_free(test.module);
        wb_diagnostics_free(test.diagnostics);
    }
    print_message("%u lists take longer than kernels that leave nothing behind\n", late);
    assert_true(late > 0 || random_rounds(1000) < 1000); /* the first is a late one */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_kernels_end_within_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
