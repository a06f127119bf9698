/* Executions of one instruction with different costs: the rewritten paths say of every execution what it was
 * given, and there are no more entries of the code than different costs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/containers.h"
#include "warp/timed/timed.h"

#define INSTRUCTIONS 12u
#define WARPS 3u
#define ROUNDS 400u

/* A block of warps with straight paths and loops, and the code that its classes give it. */
struct sample {
    uint64_t seed;
    struct wb_block block;
    uint32_t warp_path[WARPS];
    struct access_list accesses[WARPS];
    VEC(struct execution_cost) costs[WARPS];
    struct timed_block timed;
    struct timed_inst insts[INSTRUCTIONS];
};

/* Fails with the seed unless the condition holds. */
#define CHECK(sample, condition)                                                                             \
    do {                                                                                                     \
        if (!(condition)) fail_msg("seed %llu: %s", (unsigned long long)(sample)->seed, #condition);         \
    } while (0)

static void make_code(struct sample *sample) {
    static const struct wb_machine machine;
    for (uint32_t i = 0; i < INSTRUCTIONS; i++)
        sample->insts[i] = (struct timed_inst){.init = 1 + i % 3, .latency = 4, .first_operand = i};
    sample->timed = (struct timed_block){.machine = &machine,
                                         .code = {.insts = sample->insts, .inst_count = INSTRUCTIONS},
                                         .paths = sample->block.paths.items,
                                         .path_count = (uint32_t)sample->block.paths.count,
                                         .warp_path = sample->warp_path,
                                         .warp_count = WARPS};
    sample->block.warp_path = sample->warp_path;
    sample->block.warp_count = WARPS;
    sample->block.accesses = sample->accesses;
}

static void append(struct path_writer *writer, uint32_t instruction, uint32_t count, uint32_t mask) {
    assert_int_equal(path_append_run(writer, instruction, count, mask), WB_OK);
}

/* Runs with jumps, some of them repeated often enough to be folded. */
static void random_path(struct random_state *random, struct sample *sample) {
    struct path_writer writer = {0};
    struct path path;
    for (uint64_t parts = 1 + random_below(random, 4); parts > 0; parts--) {
        uint32_t first = (uint32_t)random_below(random, INSTRUCTIONS - 4);
        uint32_t count = 1 + (uint32_t)random_below(random, 4), mask = 1 + (uint32_t)random_below(random, 2);
        uint64_t repeats = random_below(random, 2) == 0 ? 1 : 1 + random_below(random, 100);
        for (uint64_t r = 0; r < repeats; r++) {
            append(&writer, first, count, mask);
            if (count > 2) append(&writer, INSTRUCTIONS - 1, 1, mask);
        }
    }
    assert_int_equal(path_finish(&writer, &path), WB_OK);
    assert_int_equal(vec_push(&sample->block.paths, path), WB_OK);
}

/* Which executions of an instruction have records, and with which costs. */
enum record_rule { RECORDS_NONE, RECORDS_ALL_SAME, RECORDS_SOME_SAME, RECORDS_DIFFERENT, RECORD_RULES };

static void add_record(struct random_state *random, struct sample *sample, uint32_t warp,
                       struct access access, struct execution_cost cost) {
    struct access_list *list = &sample->accesses[warp];
    for (uint64_t records = 1 + random_below(random, 2); records > 0; records--) {
        assert_int_equal(vec_push(&list->items, access), WB_OK);
        assert_int_equal(vec_push(&sample->costs[warp], cost), WB_OK);
    }
}

static void random_records(struct random_state *random, struct sample *sample, uint32_t warp,
                           const enum record_rule *rules) {
    struct path_cursor cursor = path_begin(&sample->block.paths.items[sample->warp_path[warp]]);
    struct path_step step;
    for (uint64_t at = 0; path_next(&cursor, &step); at++) {
        enum record_rule rule = rules[step.instruction];
        if (rule == RECORDS_NONE || (rule == RECORDS_SOME_SAME && random_below(random, 3) == 0)) continue;
        const struct access access = {.step = at, .instruction = step.instruction};
        struct execution_cost cost = {.init = 9, .latency = 4};
        if (rule == RECORDS_DIFFERENT) cost.init = 1 + (uint32_t)random_below(random, 4);
        add_record(random, sample, warp, access, cost);
    }
}

static void random_sample(struct random_state *random, struct sample *sample) {
    enum record_rule rules[INSTRUCTIONS];
    for (uint32_t i = 0; i < INSTRUCTIONS; i++)
        rules[i] = (enum record_rule)random_below(random, RECORD_RULES);
    for (uint64_t paths = 1 + random_below(random, 2); paths > 0; paths--)
        random_path(random, sample);
    make_code(sample);
    for (uint32_t w = 0; w < WARPS; w++) {
        sample->warp_path[w] = (uint32_t)random_below(random, sample->block.paths.count);
        random_records(random, sample, w, rules);
    }
}

static void sample_free(struct sample *sample) {
    timed_block_free(&sample->timed);
    for (uint32_t w = 0; w < WARPS; w++) {
        vec_free(&sample->accesses[w].items);
        vec_free(&sample->costs[w]);
    }
    for (size_t p = 0; p < sample->block.paths.count; p++)
        path_free(&sample->block.paths.items[p]);
    vec_free(&sample->block.paths);
}

/* The cost of a warp's execution at `step`; *record is the first record of no earlier step. */
static struct execution_cost expected_cost(const struct sample *sample, uint32_t warp, uint32_t instruction,
                                           uint64_t step, size_t *record) {
    const struct access_list *list = &sample->accesses[warp];
    struct execution_cost cost = {.init = 1 + instruction % 3, .latency = 4};
    for (; *record < list->items.count && list->items.items[*record].step == step; ++*record)
        cost = sample->costs[warp].items[*record];
    return cost;
}

/* Walks a warp's path beside the one it was made from; counts, per entry of the code, its executions. */
static void check_warp(const struct sample *sample, uint32_t warp, uint32_t *executed) {
    const struct timed_code *code = &sample->timed.code;
    struct path_cursor before = path_begin(&sample->block.paths.items[sample->warp_path[warp]]);
    struct path_cursor after = path_begin(&sample->timed.paths[sample->timed.warp_path[warp]]);
    struct path_step old, new = {0};
    size_t record = 0;
    for (uint64_t step = 0; path_next(&before, &old); step++) {
        CHECK(sample, path_next(&after, &new));
        CHECK(sample, timed_origin(code, new.instruction) == old.instruction);
        CHECK(sample, new.mask == old.mask);
        struct execution_cost cost = expected_cost(sample, warp, old.instruction, step, &record);
        CHECK(sample, code->insts[new.instruction].init == cost.init);
        CHECK(sample, code->insts[new.instruction].latency == cost.latency);
        CHECK(sample, code->insts[new.instruction].first_operand == old.instruction);
        executed[new.instruction]++;
    }
    CHECK(sample, !path_next(&after, &new));
}

/* No two entries of an instruction cost the same, none is without executions, no two paths are equal. */
static void check_minimal(const struct sample *sample, const uint32_t *executed) {
    const struct timed_block *timed = &sample->timed;
    const struct timed_inst *insts = timed->code.insts;
    for (uint32_t i = INSTRUCTIONS; i < timed->code.inst_count; i++) {
        uint32_t origin = timed_origin(&timed->code, i);
        CHECK(sample, executed[i] > 0);
        CHECK(sample, executed[origin] > 0);
        for (uint32_t k = 0; k < i; k++)
            CHECK(sample, timed_origin(&timed->code, k) != origin || insts[k].init != insts[i].init ||
                              insts[k].latency != insts[i].latency);
    }
    for (uint32_t p = 0; p < timed->path_count; p++)
        for (uint32_t q = 0; q < p; q++)
            CHECK(sample, !path_equal(&timed->paths[p], &timed->paths[q]));
    if (timed->code.inst_count == INSTRUCTIONS) CHECK(sample, timed->paths == sample->block.paths.items);
}

/* The costs of all warps behind one another. */
static wb_status make_variants(struct sample *sample) {
    VEC(struct execution_cost) costs = {0};
    for (uint32_t w = 0; w < WARPS; w++)
        for (size_t r = 0; r < sample->accesses[w].items.count; r++)
            assert_int_equal(vec_push(&costs, sample->costs[w].items[r]), WB_OK);
    wb_status status = timed_variants_make(&sample->block, costs.items, &sample->timed);
    vec_free(&costs);
    return status;
}

static void test_random_blocks(void **state) {
    (void)state;
    uint32_t with_variants = 0;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        struct random_state random = random_seeded(seed);
        struct sample sample = {.seed = seed};
        uint32_t executed[INSTRUCTIONS * 6] = {0};
        random_sample(&random, &sample);
        CHECK(&sample, make_variants(&sample) == WB_OK);
        CHECK(&sample, sample.timed.code.inst_count <= INSTRUCTIONS * 6);
        for (uint32_t w = 0; w < WARPS; w++)
            check_warp(&sample, w, executed);
        check_minimal(&sample, executed);
        with_variants += sample.timed.code.inst_count > INSTRUCTIONS;
        sample_free(&sample);
    }
    assert_in_range(with_variants, ROUNDS / 10, ROUNDS - ROUNDS / 20);
}

/* A loop of 10^5 rounds stays a fold: its executions alternate between two costs. */
static void test_long_loops_stay_folded(void **state) {
    (void)state;
    struct sample sample = {0};
    struct random_state random = random_seeded(1);
    struct path_writer writer = {0};
    struct path path;
    for (uint32_t r = 0; r < 100000; r++)
        append(&writer, 3, 2, 1);
    assert_int_equal(path_finish(&writer, &path), WB_OK);
    assert_int_equal(vec_push(&sample.block.paths, path), WB_OK);
    make_code(&sample);
    for (uint32_t r = 0; r < 100000; r++)
        add_record(&random, &sample, 0, (struct access){.step = 2 * r + 1, .instruction = 4},
                   (struct execution_cost){.init = 1 + r % 2, .latency = 4});
    assert_int_equal(make_variants(&sample), WB_OK);
    assert_int_equal(sample.timed.code.inst_count, INSTRUCTIONS + 1); /* init 2 is that of the class, too */
    assert_int_equal(sample.timed.path_count, 2);
    assert_true(sample.timed.paths[0].entries.count < 20);
    sample_free(&sample);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_blocks),
        cmocka_unit_test(test_long_loops_stay_folded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
