/* What is said of the block of a kernel that takes longest is true of every block class, and no bound of a
 * kernel whose blocks have an SM each is above it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <string.h>

#include "bound/analysis/analysis.h"
#include "bound_named.h"
#include "random_grid.h"

static const uint32_t depths[] = {0, 1, DEPTH_UNLIMITED};

/* Grids of a few kinds, whose blocks are searched in no time. */
static const struct random_grid_shape small = {
    .block = {SHAPE_BLOCK(3, 5, 4, 3, 3), .barrier_percent = 10, .sub_cores = 1, .width = 1, .instances = 1},
    SHAPE_GRID(depths, 4, 6, 8, 2),
    .dispatch_latency = 3,
    .free_percent = 100,
};

#define BLOCK_METHODS "sib,fib,aln,fifo,elb,gub,exhaustive"

/* Grids that are searched in no time, whose blocks wait for rooms. */
static const struct random_grid_shape tiny = {
    .block = {SHAPE_BLOCK(3, 6, 4, 3, 3), .barrier_percent = 10, .sub_cores = 1, .width = 1, .instances = 1},
    SHAPE_GRID(depths, 3, 4, 3, 2),
    .dispatch_latency = 2,
    .dispatch_service = 2,
    .free_percent = 60,
};

struct kernel_case {
    struct random_grid grid;
    wb_diagnostics *diagnostics;
    wb_analysis *kernel;
};

static void begin(uint64_t seed, const struct random_grid_shape *shape, struct kernel_case *made) {
    random_grid_make(seed, shape, &made->grid);
    made->diagnostics = wb_diagnostics_new();
    if (analysis_parse("grid", made->grid.label, strlen(made->grid.label), made->diagnostics,
                       &made->kernel) != WB_OK)
        fail_msg("%s\n%s", wb_diagnostics_text(made->diagnostics), made->grid.label);
}

static void end(struct kernel_case *made) {
    wb_analysis_free(made->kernel);
    wb_diagnostics_free(made->diagnostics);
    random_grid_free(&made->grid);
}

static void bound_by(wb_analysis *analysis, const char *methods, wb_diagnostics *diagnostics) {
    if (wb_analysis_bound(analysis, methods, NULL, diagnostics) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(diagnostics));
}

/* The largest bound of each method of any kind, from an analysis of each kind that knows of no kernel. */
static void largest_of_kinds(const struct kernel_case *made, wb_bound *largest, size_t count) {
    memset(largest, 0, count * sizeof *largest);
    for (size_t k = 0; k < made->grid.block.classes.count; k++) {
        wb_analysis *kind;
        size_t found;
        assert_int_equal(
            analysis_of_timed(&made->grid.block.classes.items[k].timed, made->diagnostics, &kind), WB_OK);
        bound_by(kind, BLOCK_METHODS, made->diagnostics);
        const wb_bound *bounds = wb_analysis_bounds(kind, &found);
        assert_int_equal(found, count);
        for (size_t i = 0; i < count; i++)
            if (k == 0 || bounds[i].cycles > largest[i].cycles) largest[i] = bounds[i];
        wb_analysis_free(kind);
    }
}

/* The exact worst case of the kind whose simple bounds are largest is not always that of all kinds. */
static void test_every_kind_is_asked_by_every_method(void **state) {
    (void)state;
    uint32_t several = 0, others = 0;
    for (uint64_t seed = 1; seed <= random_rounds(1500); seed++) {
        struct kernel_case made;
        wb_bound largest[7];
        size_t count;
        begin(seed, &small, &made);
        bound_by(made.kernel, BLOCK_METHODS, made.diagnostics);
        const wb_bound *bounds = wb_analysis_bounds(wb_analysis_longest_block(made.kernel), &count);
        assert_int_equal(count, sizeof largest / sizeof *largest);
        largest_of_kinds(&made, largest, count);
        for (size_t i = 0; i < count; i++)
            if (bounds[i].cycles != largest[i].cycles || bounds[i].kind != largest[i].kind)
                fail_msg("%s: %s %" PRIu64 ", of the kinds %s %" PRIu64 "\n%s", bounds[i].method,
                         wb_kind_name(bounds[i].kind), bounds[i].cycles, wb_kind_name(largest[i].kind),
                         largest[i].cycles, made.grid.label);
        wb_analysis *first;
        assert_int_equal(analysis_of_timed(made.kernel->longest->timed, made.diagnostics, &first), WB_OK);
        bound_by(first, "exhaustive", made.diagnostics);
        several += made.grid.block.classes.count > 1;
        others += bound_named(first, "exhaustive")->cycles < largest[6].cycles;
        wb_analysis_free(first);
        end(&made);
    }
    print_message("%u grids of several kinds; of %u another block takes longer than the first\n", several,
                  others);
    assert_true(several > random_rounds(500) && others > random_rounds(30));
}

/* Whether every block has an SM of its own, or has one to itself while it is there. */
static void check_against_blocks(struct kernel_case *made, uint32_t *own, uint32_t *alone) {
    const struct machine_memory *memory = &made->kernel->machine->memory;
    const uint64_t blocks = made->kernel->work.block_count;
    const uint64_t block = wb_analysis_best(wb_analysis_longest_block(made->kernel))->cycles;
    const uint64_t kernel = form_named(made->kernel, "sm");
    uint64_t most = 0;
    if (blocks <= memory->sms) {
        most = block;
        ++*own;
    } else if (made->kernel->work.resident_most == 1 && memory->sms == 1) {
        most = blocks * block + (blocks - 1) * memory->dispatch_latency;
        ++*alone;
    }
    if (most > 0 && kernel > most)
        fail_msg("k-sm %" PRIu64 ", the blocks %" PRIu64 "\n%s", kernel, most, made->grid.label);
}

static void test_blocks_that_have_an_sm_each_bound_the_kernel(void **state) {
    (void)state;
    uint32_t own = 0, alone = 0;
    for (uint64_t seed = 1; seed <= random_rounds(1500); seed++) {
        struct kernel_case made;
        begin(seed, &small, &made);
        bound_by(made.kernel, "sib,fib,aln,fifo,elb,k-sm", made.diagnostics);
        check_against_blocks(&made, &own, &alone);
        /* Nor does it depend on what was asked for beside it. */
        struct kernel_case by_itself;
        begin(seed, &small, &by_itself);
        bound_by(by_itself.kernel, "k-sm", by_itself.diagnostics);
        assert_int_equal(form_named(by_itself.kernel, "sm"), form_named(made.kernel, "sm"));
        end(&by_itself);
        end(&made);
    }
    print_message("%u grids with an SM for each block, %u on one SM, one after the other\n", own, alone);
    assert_true(own > random_rounds(500) && alone > random_rounds(30));
}

/* The formulas, which know the least bound of each block alone, against the worst case of the whole grid. */
static void test_no_grid_takes_longer_than_its_bounds(void **state) {
    (void)state;
    uint32_t searched = 0, sharpened = 0;
    for (uint64_t seed = 1; seed <= random_rounds(1200); seed++) {
        struct kernel_case made;
        size_t count;
        begin(seed, &tiny, &made);
        analysis_set_state_limit(made.kernel, 20000);
        (void)wb_analysis_bound(made.kernel, "k-area,k-bal,k-sm,k-exhaustive", NULL, made.diagnostics);
        const wb_bound *bounds = wb_analysis_bounds(made.kernel, &count);
        const wb_bound *found = &bounds[count - 1]; /* k-exhaustive, if it takes the grid */
        for (size_t i = 0; i < count; i++)
            if (bounds[i].kind == WB_UPPER && found->kind != WB_UPPER && bounds[i].cycles < found->cycles)
                fail_msg("%s %" PRIu64 ", found %" PRIu64 "\n%s", bounds[i].method, bounds[i].cycles,
                         found->cycles, made.grid.label);
        searched += found->kind == WB_EXACT;
        for (size_t b = 0; b < made.kernel->blocks.count; b++)
            sharpened += made.kernel->blocks.items[b].least < made.kernel->blocks.items[b].cap;
        end(&made);
    }
    print_message("%u grids searched to the end, %u block classes bounded below their sums\n", searched,
                  sharpened);
    assert_true(searched > random_rounds(800) && sharpened > random_rounds(200));
}

/* A hundred kinds: blocks of one to a hundred instructions. */
static wb_analysis *many_kinds(wb_diagnostics *diagnostics) {
    struct text text = {0};
    wb_analysis *kernel;
    text_string(&text,
                "block: many\nunits: \"A(2,1) B(3,5)\"\nmemory: {sms: 1, dispatch: greedy}\nresident: 1\n"
                "blocks:\n");
    for (uint32_t kind = 1; kind <= 100; kind++) {
        text_string(&text, "  - \"2x");
        for (uint32_t i = 0; i < kind; i++)
            text_string(&text, " A");
        text_string(&text, " B; A B\"\n");
    }
    assert_false(text.failed);
    if (analysis_parse("many", text.data, text.length, diagnostics, &kernel) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(diagnostics));
    text_free(&text);
    return kernel;
}

/* Of kinds that are too many to be looked at, those that can take longest are. */
static void test_kinds_that_are_not_looked_at_are_allowed_for(void **state) {
    (void)state;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_analysis *kernel = many_kinds(diagnostics);
    bound_by(kernel, "sib,adversary", diagnostics);
    const wb_analysis *block = wb_analysis_longest_block(kernel);
    assert_true(kernel->work.classes.count == 100 && kernel->blocks.count == 64);
    assert_true(bound_named(block, "sib")->cycles > kernel->rest && kernel->rest > 0);
    assert_int_equal(bound_named(block, "sib")->kind, WB_UPPER);
    wb_analysis_free(kernel);
    kernel = many_kinds(diagnostics);
    kernel->rest = 5000; /* as if a kind that is not looked at could take so long */
    bound_by(kernel, "sib,gub,adversary", diagnostics);
    block = wb_analysis_longest_block(kernel);
    assert_int_equal(bound_named(block, "sib")->cycles, 5000);
    assert_int_equal(bound_named(block, "sib")->kind, WB_UPPER);
    assert_int_equal(bound_named(block, "gub")->kind, WB_ESTIMATE);
    assert_int_equal(bound_named(block, "adversary")->kind, WB_LOWER);
    wb_analysis_free(kernel);
    kernel = many_kinds(diagnostics);
    kernel->rest = CYCLES_SATURATED; /* nothing is known of the others */
    bound_by(kernel, "sib", diagnostics);
    assert_int_equal(bound_named(wb_analysis_longest_block(kernel), "sib")->kind, WB_ESTIMATE);
    assert_null(wb_analysis_best(wb_analysis_longest_block(kernel)));
    wb_analysis_free(kernel);
    wb_diagnostics_free(diagnostics);
}

/* A search that could miss something longer has not found the worst case. */
static void test_a_search_of_some_kinds_is_not_exact(void **state) {
    (void)state;
    static const char text[] = "block: x\nunits: \"A(3,2) B(2,4)\"\nmemory: {sms: 1, dispatch: greedy}\n"
                               "resident: 1\nblocks: [\"2x A B; B A\", \"A B A; A\"]\n";
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    for (int missed = 0; missed < 2; missed++) {
        wb_analysis *kernel;
        assert_int_equal(analysis_parse("x", text, strlen(text), diagnostics, &kernel), WB_OK);
        if (missed) kernel->rest = 1000;
        bound_by(kernel, "exhaustive", diagnostics);
        const wb_bound *found = bound_named(wb_analysis_longest_block(kernel), "exhaustive");
        assert_int_equal(found->kind, missed ? WB_LOWER : WB_EXACT);
        assert_true(found->cycles < 1000);
        wb_analysis_free(kernel);
    }
    wb_diagnostics_free(diagnostics);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind_is_asked_by_every_method),
        cmocka_unit_test(test_blocks_that_have_an_sm_each_bound_the_kernel),
        cmocka_unit_test(test_no_grid_takes_longer_than_its_bounds),
        cmocka_unit_test(test_kinds_that_are_not_looked_at_are_allowed_for),
        cmocka_unit_test(test_a_search_of_some_kinds_is_not_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
