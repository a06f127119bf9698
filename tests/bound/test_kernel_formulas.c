/* What the bounds of whole kernels are made of: values worked out by hand, and the formulas against plain
 * searches over what their proofs leave open (docs/proofs.md, section 12). */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/containers.h"
#include "bound/analysis/registry.h"
#include "bound/grid/block_classes.h"
#include "bound/kernel/kernel_bounds.h"
#include "grid_bounds.h"
#include "written_grid.h"

static cycles value(const struct written_grid *fixture, kernel_formula formula, uint64_t resident) {
    const struct kernel_time time = formula(&fixture->work, resident);
    return kernel_time_sum(&time);
}

/* Holds what is said of a file against its value. */
static void expect(const char *text, const char *what, cycles found, cycles wanted) {
    if (found != wanted) fail_msg("%s is %" PRIu64 ", not %" PRIu64 ":\n%s", what, found, wanted, text);
}

/* One block class with the values of lemma 3: E + lam, alpha and solo. */
struct block_row {
    const char *machine, *units, *program;
    cycles together, residency, isolated;
};

static const struct block_row block_rows[] = {
    /* A 0..2, B 1..4: SIB 4; E = 5 */
    {"dispatch_depth: 0", "A(2,0) B(3,0)", "A B", 5, 4, 4},
    {"dispatch_depth: unlimited", "A(2,0) B(3,0)", "A B", 5, 4, 4},
    /* SIB is proven of the block, but not among others */
    {"dispatch_depth: 1", "A(2,0) B(3,0)", "A B", 5, 5, 4},
    {"dispatch_depth: 2", "A(2,0) B(3,0)", "A B", 5, 5, 5},
    /* two sections of 4 */
    {"dispatch_depth: 0", "A(2,0) B(3,0)", "A B | A B", 10, 8, 8},
    {"dispatch_depth: 1", "A(2,0) B(3,0)", "A B | A B", 10, 10, 8},
    {"dispatch_depth: unlimited", "A(2,0) B(3,0)", "A B | A B", 10, 8, 8},
    /* a release of 3 is part of both sums */
    {"dispatch_depth: 0\nbarrier_release: 3", "A(2,0) B(3,0)", "A B | A B", 13, 11, 11},
    /* two warps: on units of their own each has one initiation to wait for, on a shared one both */
    {"dispatch_depth: 0\nsub_cores: 2", "A/(3,0)", "A; A", 6, 3, 3},
    {"dispatch_depth: 0\nsub_cores: 2", "A(3,0)", "A; A", 6, 6, 6},
    /* isolation is with one instance: 2 + 2 + 4; lam = 4 */
    {"dispatch_depth: 0", "B*2(2,4)", "B B", 8, 8, 8},
    /* B reads A: 2 + 5, then 1 + 3; E = 4, lam = 5 + 3 */
    {"dispatch_depth: 0", "A(2,5) B(1,3) C(1,1)", "A C B.0", 12, 11, 11},
};

static void test_blocks(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof block_rows / sizeof *block_rows; i++) {
        const struct block_row *row = &block_rows[i];
        char text[512];
        (void)snprintf(text, sizeof text, "block: x\n%s\nunits: \"%s\"\nblocks: [\"%s\"]\n", row->machine,
                       row->units, row->program);
        struct written_grid f;
        written_grid_open(&f, text);
        const struct block_class *kind = &f.work.classes.items[0];
        expect(text, "E + lam", kind->initiations + kind->latency, row->together);
        expect(text, "alpha", kind->residency, row->residency);
        expect(text, "isolated", kind->isolated, row->isolated);
        written_grid_close(&f);
    }
}

/* E of the kinds is 7 and 3, lam 0 and 9, alpha 7 and 12. */
static void test_sums_of_kinds(void **state) {
    (void)state;
    static const cycles most[] = {0, 7, 14, 17, 20, 23, 23};
    /* one block: the longest; n: 12 + the n - 1 others, of which two are 7 */
    static const cycles together[] = {0, 12, 19, 26, 29, 32, 32};
    struct written_grid f;
    written_grid_open(
        &f, "block: x\ndispatch_depth: 0\nunits: \"A(7,0) B(3,9)\"\nblocks: [\"2* A\", \"3* B\"]\n");
    for (uint64_t n = 0; n < sizeof most / sizeof *most; n++) {
        assert_int_equal(grid_work_most(&f.work, n), most[n]);
        assert_int_equal(grid_work_together(&f.work, n), together[n]);
    }
    assert_int_equal(f.work.latency_total, 27);
    assert_int_equal(f.work.latency_most, 9);
    written_grid_close(&f);
}

/* A grid on `sms` SMs with `resident` blocks each, and what the formulas say of it. */
struct grid_row {
    const char *units, *blocks;
    uint32_t sms, resident, latency, service;
    bool is_static;
    cycles area, balance, one_sm; /* of static dispatch only the last */
};

static const struct grid_row grid_rows[] = {
    /* E = 5, lam = 0, alpha = 4, S_2 = 9. K-AREA on one SM: all work. K-SM: four times E. */
    {"A(2,0) B(3,0)", "\"4* A B\"", 1, 2, 0, 0, false, 20, 20, 20},
    /* E = alpha = 5, S_2 = 10. (40 + 10) / 2; n = 5, q = 3: min(25, 15 + 10); K-SM: 8 - 2 blocks. */
    {"A(3,0) B(1,0)", "\"8* A B.0 B.1\"", 2, 2, 0, 0, false, 25, 25, 30},
    /* E = 5, lam = 2, alpha = 4, S_2 = 9. X = min(10, 9 - 2): 60 + (24 + 2) / 2; 60 + 5 * 0 + 2. */
    {"A(3,0) C(2,2)", "\"12* C A\"", 1, 2, 0, 0, false, 73, 62, 62},
    /* Two long and two short blocks: (22 + 10) / 2; n = q = 2: min(20, 20 + 10); n = 3: 10 + 10 + 1. */
    {"A(10,0) B(1,0)", "\"2* A\", \"2* B\"", 2, 1, 0, 0, false, 16, 20, 21},
    /* The same with room for all, dealt out in turn: S_2. */
    {"A(10,0) B(1,0)", "\"2* A\", \"2* B\"", 2, 2, 0, 0, false, 20, 20, 20},
    /* More rooms than blocks: two of three on one SM, S_2. */
    {"A(3,1)", "\"3* A\"", 2, 7, 9, 0, false, 7, 7, 7},
    /* E = 2, lam = 1, S_1 = 3, delta = 5: (8 + 2) / 2 + (4 + 2 * 5 + (1 + 5)) / 2;
       n = q = 2: min(4 + 2 + 5, 4 + 2 * (1 + 5) + 3); n = 3: 6 + 3 + 2 * 5. */
    {"A(2,1)", "\"4* A\"", 2, 1, 5, 0, false, 15, 11, 19},
    /* The same and one cycle of the dispatcher for each block. */
    {"A(2,1)", "\"4* A\"", 2, 1, 5, 1, false, 19, 15, 23},
    /* R = 2: E = 2, lam = 1, S_2 = 5. N = 3: X = min(4, 4), (14 + 4) / 2 + (7 + 6 + 3 * 3) / 4 = 14.5;
       n = 3, q = 4: h = 6 + 2 * 1 + 2 = 10; n = 4, q = 3: min(8 + 2 + 2, 6 + 3 + 5); n = 5, q = 2:
       min(10 + 3 + 4, 4 + 3 + 5) */
    {"A(2,1)", "\"7* A\"", 2, 2, 2, 0, false, 14, 12, 17},
    /* Two blocks on each SM, one after the other: 4 + 2 + 5. */
    {"A(2,1)", "\"4* A\"", 2, 1, 5, 0, true, 0, 0, 11},
    /* SM 0 has blocks 0, 2 and 4: 2 + 2 + 7 and two turns of the largest lam, 9; SM 1 has 2 + 2 and 0. */
    {"A(2,0) B(7,9)", "\"4* A\", \"B\"", 2, 2, 0, 0, true, 0, 0, 29},
    /* Both have room: 3 + 7 + 9 on SM 1, 3 + 3 + 1 on SM 0. */
    {"A(3,1) B(7,9)", "\"A\", \"A\", \"A\", \"B\"", 2, 2, 4, 0, true, 0, 0, 19},
    /* While the dispatcher works for the second block the first may end, and leave its room to it. */
    {"A(2,1)", "\"2* A\"", 1, 2, 5, 3, true, 0, 0, 16},
    {"A(2,1)", "\"A\"", 1, 2, 5, 3, true, 0, 0, 6},
    {"A(2,2)", "\"2* \"", 1, 3, 5, 1, true, 0, 0, 7},
};

static void test_grids(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof grid_rows / sizeof *grid_rows; i++) {
        const struct grid_row *row = &grid_rows[i];
        char text[512];
        (void)snprintf(text, sizeof text,
                       "block: x\ndispatch_depth: 0\nunits: \"%s\"\nblocks: [%s]\nresident: %u\n"
                       "memory: {sms: %u, dispatch: %s, dispatch_latency: %u, dispatch_service: %u}\n",
                       row->units, row->blocks, row->resident, row->sms, row->is_static ? "static" : "greedy",
                       row->latency, row->service);
        struct written_grid f;
        written_grid_open(&f, text);
        const uint64_t resident = f.work.resident_most;
        if (row->is_static) {
            expect(text, "K-SM", value(&f, kernel_static, resident), row->one_sm);
        } else {
            expect(text, "K-AREA", value(&f, kernel_area, resident), row->area);
            expect(text, "K-BAL", value(&f, kernel_balance, resident), row->balance);
            expect(text, "K-SM", value(&f, kernel_one_sm, resident), row->one_sm);
        }
        written_grid_close(&f);
    }
}

/* Six blocks of one cycle on two SMs: 3, 4 and 3 with one, two and three rooms. */
static void test_unknown_rooms(void **state) {
    (void)state;
    static const cycles balance[] = {3, 4, 3};
    struct written_grid f;
    written_grid_open(&f, "block: x\nunits: \"A(1,0)\"\nblocks: [\"6* A\"]\nresident: 3\nmemory: {sms: 2}\n");
    for (uint64_t resident = 1; resident <= 3; resident++)
        assert_int_equal(value(&f, kernel_balance, resident), balance[resident - 1]);
    f.work.resident_least = 1;
    const struct bound_input input = {.work = &f.work, .machine = f.work.machine};
    wb_bound bound = {0};
    assert_int_equal(grid_formula_named("balance")->run(&input, &bound), WB_OK);
    assert_int_equal(bound.cycles, 4);
    written_grid_close(&f);
}

/* Sums that do not fit are not made smaller by what is taken away from them. */
static void test_saturation(void **state) {
    (void)state;
    struct written_grid f;
    written_grid_open(&f,
                      "block: x\ndispatch_depth: 0\nsub_cores: 2\nunits: \"A/(3,0)\"\nblocks: [\"4* A; A\"]\n"
                      "resident: 4\n");
    struct block_class *kind = &f.work.classes.items[0];
    assert_true(kind->residency < kind->initiations);
    kind->initiations = kind->held = CYCLES_SATURATED / 2;
    kind->residency = kind->isolated = CYCLES_SATURATED / 4;
    assert_int_equal(grid_work_finish(&f.work), WB_OK);
    assert_int_equal(grid_work_most(&f.work, 3), CYCLES_SATURATED);
    assert_int_equal(grid_work_together(&f.work, 4), CYCLES_SATURATED);
    assert_int_equal(value(&f, kernel_area, 4), CYCLES_SATURATED);
    assert_int_equal(value(&f, kernel_balance, 4), CYCLES_SATURATED);
    assert_int_equal(value(&f, kernel_static, 4), CYCLES_SATURATED);
    written_grid_close(&f);
}

/* A random grid of a few kinds. */
static void random_text(struct random_state *random, char *text, size_t size) {
    int length = snprintf(text, size,
                          "block: x\ndispatch_depth: %u\nunits: \"A(%u,%u) B(%u,%u)\"\nresident: %u\n"
                          "memory: {sms: %u, dispatch_latency: %u, dispatch_service: %u}\nblocks:\n",
                          (unsigned)random_below(random, 3), 1 + (unsigned)random_below(random, 9),
                          (unsigned)random_below(random, 20), 1 + (unsigned)random_below(random, 4),
                          (unsigned)random_below(random, 9), 1 + (unsigned)random_below(random, 4),
                          1 + (unsigned)random_below(random, 4), (unsigned)random_below(random, 6),
                          (unsigned)random_below(random, 3));
    static const char *const programs[] = {"A", "B", "A B.0", "A; B B", "B A.0 B.1; A"};
    for (uint64_t classes = 1 + random_below(random, 3); classes > 0; classes--)
        length += snprintf(text + length, size - (size_t)length, "  - \"%u* %s\"\n",
                           1 + (unsigned)random_below(random, 12), programs[random_below(random, 5)]);
}

/* The largest (E_tot - x) / M + (L_tot + N delta - l) / (M R) + x + l over all x and l that lemma 4 allows.
 */
static cycles searched_area(const struct grid_work *work, uint64_t resident) {
    const struct machine_memory *memory = &work->machine->memory;
    const uint64_t rooms = memory->sms * resident;
    const uint64_t late = work->block_count > rooms ? work->block_count - rooms : 0;
    const cycles delay = late > 0 ? memory->dispatch_latency : 0, service = memory->dispatch_service;
    cycles largest = 0;
    for (cycles x = 0; x <= grid_work_most(work, resident); x++) {
        for (cycles l = 0; l <= work->latency_most + delay; l++) {
            if (x + l > grid_work_together(work, resident) + delay) break;
            cycles spent = (grid_work_total(work) - x) * resident + work->latency_total + late * delay - l;
            largest = cycles_max(largest, (spent + (x + l) * rooms) / rooms);
        }
    }
    return largest + service * work->block_count;
}

static int falling(const void *a, const void *b) {
    cycles x = *(const cycles *)a, y = *(const cycles *)b;
    return (x < y) - (x > y);
}

/* The sum of the n longest stays: alpha, of blocks that have an SM to themselves solo, but no less than E. */
static cycles longest_stays(const struct grid_work *work, uint64_t resident, uint64_t n) {
    cycles residencies[64], sum = 0;
    assert_true(work->block_count <= 64);
    for (uint32_t b = 0; b < work->block_count; b++) {
        const struct block_class *kind = &work->classes.items[work->class_of[b]];
        residencies[b] = resident == 1 ? kind->isolated : cycles_max(kind->residency, kind->initiations);
    }
    qsort(residencies, work->block_count, sizeof *residencies, falling);
    for (uint64_t i = 0; i < n; i++)
        sum += residencies[i];
    return sum;
}

/* What n blocks take when f of them follow each other in one room: all their latencies, or their stays. */
static cycles searched_turns(const struct grid_work *work, uint64_t resident, uint64_t n, uint64_t f) {
    return cycles_min(grid_work_most(work, n) + f * work->latency_most,
                      longest_stays(work, resident, f) + grid_work_most(work, n - f));
}

/* The largest min(h(n), g(q) + S_R) over all n. */
static cycles searched_balance(const struct grid_work *work, uint64_t resident) {
    const struct machine_memory *memory = &work->machine->memory;
    const cycles lam = work->latency_most, delay = memory->dispatch_latency;
    cycles largest = 0;
    for (uint64_t n = resident; n <= work->block_count - (memory->sms - 1) * resident; n++) {
        const uint64_t q = (work->block_count - n) / (memory->sms - 1), turns = (n - 1) / resident;
        cycles own = resident == 1 ? searched_turns(work, resident, n, n)
                                   : searched_turns(work, resident, n, turns) + lam;
        own += turns * delay;
        if (n == resident) own = grid_work_together(work, n);
        cycles other = searched_turns(work, resident, q, q / resident) + q / resident * delay;
        largest = cycles_max(largest, cycles_min(own, other + grid_work_together(work, resident)));
    }
    return largest + (cycles)memory->dispatch_service * work->block_count;
}

static void test_searches(void **state) {
    (void)state;
    uint32_t waiting = 0;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        struct random_state random = random_seeded(seed);
        char text[512];
        struct written_grid f;
        random_text(&random, text, sizeof text);
        written_grid_open(&f, text);
        const uint64_t resident = f.work.resident_most, sms = f.work.machine->memory.sms;
        if (f.work.block_count > sms * resident)
            expect(text, "K-AREA", value(&f, kernel_area, resident), searched_area(&f.work, resident));
        else
            assert_true(value(&f, kernel_area, resident) <= searched_area(&f.work, resident));
        if (sms > 1 && f.work.block_count > sms * resident) {
            waiting++;
            expect(text, "K-BAL", value(&f, kernel_balance, resident), searched_balance(&f.work, resident));
        }
        written_grid_close(&f);
    }
    assert_true(waiting > 500);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),     cmocka_unit_test(test_sums_of_kinds),
        cmocka_unit_test(test_grids),      cmocka_unit_test(test_unknown_rooms),
        cmocka_unit_test(test_saturation), cmocka_unit_test(test_searches),
    };
    return cmocka_run_group_tests_name("kernel formulas", tests, NULL, NULL);
}
