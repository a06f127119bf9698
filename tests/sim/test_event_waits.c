/* What events say that instructions have waited for, held against the schedule itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "random_block.h"
#include "sim/gpu/gpu.h"

/* All that a simulation told, in the order in which it did. */
struct told {
    VEC(struct sim_event) all;
    const struct timed_block *block;
    const struct sim_policy *policy;
    const char *label;
};

static wb_status keep_issue(void *user, const struct sim_event *event) {
    struct told *told = user;
    return vec_push(&told->all, *event);
}

static void keep_pass(void *user, const struct sim_event *event) {
    struct told *told = user;
    assert_int_equal(vec_push(&told->all, *event), WB_OK);
}

static void simulate_block(const struct timed_block *block, const char *policy, struct told *told) {
    const struct sim_sink sink = {.event = keep_issue, .user = told, .pass = keep_pass};
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_simulation simulation;
    told->block = block;
    told->policy = policy_at(choose_index(policy, wb_policy_name));
    assert_int_equal(simulate(block, told->policy, &sink, NULL, diagnostics, &simulation), WB_OK);
    wb_diagnostics_free(diagnostics);
}

static const struct timed_inst *inst_of(const struct told *told, const struct sim_event *event) {
    return &told->block->code.insts[event->instruction];
}

static void refuse(const struct told *told, const struct sim_event *event, const char *what) {
    fail_msg("%s: warp %u step %llu, issued in %llu: %s\n%s", told->policy->name, event->warp,
             (unsigned long long)event->step, (unsigned long long)event->issue, what, told->label);
}

/* The event of a step of the same warp. */
static const struct sim_event *event_of_step(const struct told *told, uint32_t warp, uint64_t step) {
    for (uint32_t i = 0; i < told->all.count; i++)
        if (told->all.items[i].warp == warp && told->all.items[i].step == step) return &told->all.items[i];
    return NULL;
}

/* Waits begin where the warp's instruction before has let it go on, and end with the issue, without gaps. */
static void check_order(const struct told *told, const struct sim_event *event) {
    struct sim_wait spans[SIM_WAIT_KINDS];
    const uint32_t count = sim_waits_of(event, spans);
    cycles from = 0;
    if (event->step > 0) {
        const struct sim_event *before = event_of_step(told, event->warp, event->step - 1);
        if (before == NULL) refuse(told, event, "the step before it is not told of");
        from = before->issue + (before->unit != UNIT_NONE);
    }
    if (event->waits.from != from) refuse(told, event, "it waits from another cycle on");
    for (uint32_t i = 0; i < count; i++) {
        if (spans[i].from != from || spans[i].to <= from) refuse(told, event, "spans with gaps");
        from = spans[i].to;
    }
    if (event->issue >= event->waits.from && from != event->issue) refuse(told, event, "spans end elsewhere");
}

/* The operand that came last is there when its producer has completed. */
static void check_producer(const struct told *told, const struct sim_event *event) {
    if (event->waits.producer == STEP_NONE) {
        if (event->waits.operands != 0) refuse(told, event, "an operand that nobody has written");
        return;
    }
    const struct sim_event *producer = event_of_step(told, event->warp, event->waits.producer);
    if (producer == NULL || producer->step >= event->step) refuse(told, event, "a producer behind it");
    if (producer->completion != event->waits.operands) refuse(told, event, "another producer");
}

/* In a cycle in which it was not its turn, its sub-core issued for others, in all slots. */
static void check_turn(const struct told *told, const struct sim_event *event, const struct sim_wait *span) {
    for (cycles at = span->from; at < span->to; at++) {
        bool others = false;
        for (uint32_t i = 0; i < told->all.count; i++) {
            const struct sim_event *other = &told->all.items[i];
            others = others || (other->unit != UNIT_NONE && other->issue == at &&
                                other->warp != event->warp && other->sub_core == event->sub_core);
        }
        if (!others && told->policy->work_conserving) refuse(told, event, "a slot was left empty");
    }
}

/* In the last cycle in which the unit had no room, all its instances were busy. */
static void check_unit(const struct told *told, const struct sim_event *event, const struct sim_wait *span) {
    const struct machine_unit *unit = &told->block->machine->units[event->unit];
    uint32_t busy = 0;
    for (uint32_t i = 0; i < told->all.count; i++) {
        const struct sim_event *other = &told->all.items[i];
        busy += other->unit == event->unit && (unit->shared || other->sub_core == event->sub_core) &&
                other->start < span->to && other->init_end >= span->to;
    }
    if (busy < unit->count) refuse(told, event, "its unit had room");
}

static void check(const struct told *told, const struct sim_event *event) {
    struct sim_wait spans[SIM_WAIT_KINDS];
    const uint32_t count = sim_waits_of(event, spans);
    check_order(told, event);
    check_producer(told, event);
    for (uint32_t i = 0; i < count; i++) {
        if (spans[i].kind == SIM_WAIT_TURN) check_turn(told, event, &spans[i]);
        if (spans[i].kind == SIM_WAIT_UNIT) check_unit(told, event, &spans[i]);
        if (spans[i].kind == SIM_WAIT_BARRIER &&
            !inst_of(told, event_of_step(told, event->warp, event->step - 1))->barrier)
            refuse(told, event, "there is no barrier before it");
    }
}

static void check_random(const struct random_shape *shape, uint64_t first_seed, uint32_t rounds) {
    static const uint32_t every_depth[] = {0, 1, 2, 3, DEPTH_UNLIMITED};
    static const char *const policies[] = {"lrr", "gto", "rr"};
    for (uint32_t i = 0; i < random_rounds(rounds); i++) {
        struct random_block random;
        random_block_make(first_seed + i, shape, every_depth, 5, &random);
        for (size_t p = 0; p < sizeof policies / sizeof policies[0]; p++) {
            struct told told = {.label = random.label};
            simulate_block(&random.block.timed, policies[p], &told);
            for (uint32_t e = 0; e < told.all.count; e++)
                check(&told, &told.all.items[e]);
            vec_free(&told.all);
        }
        synthetic_block_free(&random.block);
    }
}

static void test_barriers_and_queues(void **state) {
    (void)state;
    static const struct random_shape shape = {SHAPE_BLOCK(4, 6, 9, 7, 10), .barrier_percent = 15,
                                              .real_percent = 10,          .alias_percent = 40,
                                              SHAPE_SM(3, 3, 2),           .release = 4};
    check_random(&shape, 100000, 6000);
}

static void test_groups_of_copies(void **state) {
    (void)state;
    static const struct random_shape shape = {SHAPE_BLOCK(4, 5, 20, 5, 14), .barrier_percent = 6,
                                              .alias_percent = 40,          SHAPE_SM(2, 2, 2),
                                              .copy_percent = 60,           .fence_percent = 12};
    check_random(&shape, 200000, 6000);
}

static void test_turns(void **state) {
    (void)state;
    static const struct random_shape shape = {SHAPE_BLOCK(5, 4, 6, 6, 12), .barrier_percent = 8,
                                              .alias_percent = 40, SHAPE_SM(2, 2, 2), .per_warp = 4};
    check_random(&shape, 300000, 6000);
}

/* A block by hand: of the last instruction of warp 0 the waits that must be told. */
static void test_known_waits(void **state) {
    (void)state;
    static const struct {
        const char *units, *warps;
        enum sim_wait_kind kind;
        cycles from, to;
    } known[] = {
        {"A(1,5)", "A A.0", SIM_WAIT_RESULT, 1, 6},
        {"A(4,0)", "A A", SIM_WAIT_UNIT, 1, 4},
        {"A(1,0) B(1,0)", "A B; A", SIM_WAIT_TURN, 1, 2},
        {"A(1,0)", "A | A; A A A |", SIM_WAIT_BARRIER, 1, 4},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct synthetic_block block;
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        assert_int_equal(synthetic_block_parse(known[i].units, known[i].warps, diagnostics, &block), WB_OK);
        block.machine.dispatch_depth = 0;
        struct told told = {.label = known[i].warps};
        simulate_block(&block.timed, "lrr", &told);
        const struct sim_event *last = NULL;
        for (uint32_t e = 0; e < told.all.count; e++)
            if (told.all.items[e].warp == 0) last = &told.all.items[e];
        struct sim_wait spans[SIM_WAIT_KINDS];
        assert_int_equal(sim_waits_of(last, spans), 1);
        assert_string_equal(sim_wait_name(spans[0].kind), sim_wait_name(known[i].kind));
        assert_int_equal(spans[0].from, known[i].from);
        assert_int_equal(spans[0].to, known[i].to);
        vec_free(&told.all);
        synthetic_block_free(&block);
        wb_diagnostics_free(diagnostics);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_waits),
        cmocka_unit_test(test_barriers_and_queues),
        cmocka_unit_test(test_groups_of_copies),
        cmocka_unit_test(test_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
