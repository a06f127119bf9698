/* How long the way of a lane takes at least: folded against step by step; and against a machine that divides
 * warps, merges parts, and lets results come late, as chance has it: none of its executions is shorter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/containers.h"
#include "bound/analysis/lane_time.h"
#include "naive_lane.h"
#include "ptx/ptx.h"
#include "random_block.h"
#include "sass/sass.h"
#include "warpbound.h"

#define RULES 12u
#define LANES 4u /* of a warp here */
#define WAY_MAX 256u

static uint32_t below(struct random_state *random, uint32_t bound) {
    return (uint32_t)random_below(random, bound);
}

/* Instructions that use two or three counters so that their waits meet; `simple`: those that count are never
 * followed too soon for what they count to be seen. */
static void random_rules(struct random_state *random, bool simple, struct issue_rule rules[RULES]) {
    const uint32_t counters = 1 + below(random, 3);
    for (uint32_t i = 0; i < RULES; i++) {
        struct issue_rule *rule = &rules[i];
        *rule = (struct issue_rule){.stall = (uint8_t)(1 + below(random, 1 + below(random, 8))),
                                    .limited = SASS_NO_COUNTER,
                                    .counters = {SASS_NO_COUNTER, SASS_NO_COUNTER}};
        if (below(random, 16) == 0 && !simple) rule->stall = 0;
        if (below(random, 4) == 0) rule->waits = (uint8_t)below(random, 1U << counters);
        for (uint32_t c = 0; c < 2; c++) {
            rule->least[c] = (uint8_t)(2 + below(random, below(random, 2) ? 4 : 60));
            if (below(random, 3) == 0) rule->counters[c] = (uint8_t)below(random, counters);
        }
        if (below(random, 6) == 0) {
            rule->limited = (uint8_t)below(random, counters);
            rule->limit = (uint8_t)below(random, 4);
        }
        rule->copies = below(random, 8) == 0;
        rule->closes = !rule->copies && below(random, 8) == 0;
        if (simple && rule->stall < 2) rule->stall = 2;
    }
}

/* Runs, some of which are repeated. */
static void random_path(struct random_state *random, uint32_t repeats, struct path *path) {
    struct path_writer writer = {0};
    const uint32_t parts = 1 + below(random, 4);
    for (uint32_t part = 0; part < parts; part++) {
        struct path_entry body[3];
        const uint32_t runs = 1 + below(random, 3), times = 1 + below(random, 1 + below(random, repeats));
        for (uint32_t r = 0; r < runs; r++) {
            body[r].first = below(random, RULES);
            body[r].count = 1 + below(random, RULES - body[r].first);
            body[r].mask = 1 + below(random, (1U << LANES) - 1);
        }
        for (uint32_t t = 0; t < times; t++)
            for (uint32_t r = 0; r < runs; r++)
                assert_int_equal(path_append_run(&writer, body[r].first, body[r].count, body[r].mask), WB_OK);
    }
    assert_int_equal(path_finish(&writer, path), WB_OK);
    path_writer_free(&writer);
}

static void test_folded(void **state) {
    const uint64_t seeds = random_rounds(6000);
    uint32_t folds = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        struct random_state random = random_seeded(seed);
        struct issue_rule rules[RULES];
        struct path path;
        random_rules(&random, false, rules);
        random_path(&random, seed % 8 == 0 ? 400 : 40, &path);
        for (size_t i = 0; i < path.entries.count; i++)
            folds += path.entries.items[i].count == PATH_REPEAT;
        for (uint32_t lane = 0; lane < LANES; lane++) {
            uint64_t profile[RULES] = {0}, sum = 0;
            const struct lane_time time = lane_time(rules, &path, 1U << lane, profile);
            const uint64_t naive = naive_lane_time(rules, &path, lane);
            if (time.total != naive || time.waits > time.total)
                fail_msg("seed %lu, lane %u: %lu, of these %lu waits; step by step %lu", (unsigned long)seed,
                         lane, (unsigned long)time.total, (unsigned long)time.waits, (unsigned long)naive);
            for (uint32_t i = 0; i < RULES; i++)
                sum += profile[i];
            assert_in_range(sum, time.total, time.total + 15);
        }
        path_free(&path);
    }
    assert_true(folds > seeds / 2);
}

/* ---- A machine that issues ----------------------------------------------------------------------------- */

struct increment {
    uint32_t counter;
    uint64_t issued, done;
};

/* A warp. Its lanes have ways of their own; those that stand at one instruction may be issued together. */
struct hardware {
    struct random_state random;
    const struct issue_rule *rules;
    uint32_t way[LANES][WAY_MAX], length[LANES], at[LANES];
    uint64_t ready[LANES], copied[LANES], first[LANES], last[LANES];
    struct increment increments[WAY_MAX * LANES * 2];
    uint32_t count;
    uint32_t late; /* results come up to that many cycles later than they could */
    bool eager;    /* what can be issued is issued at once */
};

/* What a counter is in a cycle: all that has been issued before the cycle before. */
static uint32_t counter_at(const struct hardware *warp, uint32_t counter, uint64_t now) {
    uint32_t value = 0;
    for (uint32_t i = 0; i < warp->count; i++) {
        const struct increment *increment = &warp->increments[i];
        value += increment->counter == counter && increment->issued + 2 <= now && increment->done > now;
    }
    return value;
}

static bool can_issue(const struct hardware *warp, uint32_t lane, uint64_t now) {
    if (warp->at[lane] == warp->length[lane] || warp->ready[lane] > now) return false;
    const struct issue_rule *rule = &warp->rules[warp->way[lane][warp->at[lane]]];
    for (uint32_t c = 0; c < LANE_COUNTERS; c++)
        if ((rule->waits >> c & 1) && counter_at(warp, c, now) > 0) return false;
    return rule->limited >= LANE_COUNTERS || counter_at(warp, rule->limited, now) <= rule->limit;
}

static void issue_lanes(struct hardware *warp, uint32_t instruction, uint32_t lanes, uint64_t now) {
    const struct issue_rule *rule = &warp->rules[instruction];
    uint64_t copied = 0;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        if (!(lanes >> lane & 1)) continue;
        if (warp->at[lane] == 0) warp->first[lane] = now;
        warp->last[lane] = now;
        warp->ready[lane] = now + rule->stall;
        warp->at[lane]++;
        copied = cycles_max(copied, warp->copied[lane]);
    }
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t done = now + rule->least[i] + below(&warp->random, warp->late + 1);
        if (rule->closes) done = cycles_max(done, copied);
        if (i == 0 && rule->copies)
            for (uint32_t lane = 0; lane < LANES; lane++)
                if (lanes >> lane & 1) warp->copied[lane] = cycles_max(warp->copied[lane], done);
        if (rule->counters[i] < LANE_COUNTERS)
            warp->increments[warp->count++] = (struct increment){rule->counters[i], now, done};
    }
}

/* One issue at most: a lane that can, with others at the same instruction, by chance. */
static void cycle(struct hardware *warp, uint64_t now) {
    const uint32_t begin = below(&warp->random, LANES);
    if (!warp->eager && below(&warp->random, 4) == 0) return;
    for (uint32_t i = 0; i < LANES; i++) {
        const uint32_t lane = (begin + i) % LANES;
        uint32_t lanes = 1U << lane;
        if (!can_issue(warp, lane, now)) continue;
        const uint32_t instruction = warp->way[lane][warp->at[lane]];
        for (uint32_t other = 0; other < LANES; other++)
            if (can_issue(warp, other, now) && warp->way[other][warp->at[other]] == instruction &&
                (warp->eager || below(&warp->random, 2)))
                lanes |= 1U << other;
        issue_lanes(warp, instruction, lanes, now);
        return;
    }
}

static bool has_ended(const struct hardware *warp) {
    for (uint32_t lane = 0; lane < LANES; lane++)
        if (warp->at[lane] < warp->length[lane]) return false;
    return true;
}

/* The ways of all lanes through a path, without what is perhaps jumped over. False: too long. */
static bool take_ways(struct hardware *warp, const struct path *path) {
    struct path_cursor cursor = path_begin(path);
    struct path_step step;
    while (path_next(&cursor, &step)) {
        if (warp->rules[step.instruction].stall == 0) continue;
        for (uint32_t lane = 0; lane < LANES; lane++) {
            if (!(step.mask >> lane & 1)) continue;
            if (warp->length[lane] == WAY_MAX) return false;
            warp->way[lane][warp->length[lane]++] = step.instruction;
        }
    }
    return true;
}

/* Whether the warp was executed; compares the times of its lanes with what they take at least. */
static bool execute(uint64_t seed, struct hardware *warp, const struct path *path, bool equal) {
    if (!take_ways(warp, path)) return false;
    for (uint64_t now = 0; !has_ended(warp); now++)
        cycle(warp, now);
    for (uint32_t lane = 0; lane < LANES; lane++) {
        const uint64_t least = lane_time(warp->rules, path, 1U << lane, NULL).total;
        const uint64_t took = warp->last[lane] - warp->first[lane];
        if (least > took || (equal && least != took))
            fail_msg("seed %lu, lane %u: %lu at least, but the machine took %lu", (unsigned long)seed, lane,
                     (unsigned long)least, (unsigned long)took);
    }
    return true;
}

static void test_no_execution_is_shorter(void **state) {
    const uint64_t seeds = random_rounds(20000);
    uint64_t executed = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        struct random_state random = random_seeded(seed);
        struct issue_rule rules[RULES];
        struct path path;
        static struct hardware warp;
        random_rules(&random, false, rules);
        random_path(&random, 4, &path);
        warp = (struct hardware){.random = random, .rules = rules, .late = seed % 3 == 0 ? 20 : 0};
        warp.eager = seed % 2 == 0;
        executed += execute(seed, &warp, &path, false);
        path_free(&path);
    }
    assert_true(executed > seeds / 2);
}

/* Lanes that go together, with the least latencies: the machine takes just that long. */
static void test_attained(void **state) {
    const uint64_t seeds = random_rounds(6000);
    uint64_t executed = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        struct random_state random = random_seeded(seed);
        struct issue_rule rules[RULES];
        struct path path;
        static struct hardware warp;
        random_rules(&random, true, rules);
        random_path(&random, 6, &path);
        for (size_t i = 0; i < path.entries.count; i++)
            if (path.entries.items[i].count != PATH_REPEAT) path.entries.items[i].mask = (1U << LANES) - 1;
        warp = (struct hardware){.random = random, .rules = rules, .eager = true};
        executed += execute(seed, &warp, &path, true);
        path_free(&path);
    }
    assert_true(executed > seeds / 2);
}

/* ---- Latencies ----------------------------------------------------------------------------------------- */

static bool is_always(const struct sass_predicate *guard) {
    return guard->number == SASS_PT && !guard->negated;
}

/* What may do nothing holds nothing up; a load is no sooner than a hit. */
static void test_latencies(void **state) {
    static const char *const files[] = {
        "kernels/cubin/sgemm_tiled.sm_75.cubin", "kernels/cubin/sgemm_tiled.sm_86.cubin",
        "kernels/cubin/bfs_level.sm_80.cubin", "kernels/cubin/nbody_f64.sm_90.cubin"};
    uint32_t guarded = 0, loads = 0;
    (void)state;
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        wb_module *module;
        assert_int_equal(wb_module_read(files[f], diagnostics, &module), WB_OK);
        const struct machine_code *code = module->code;
        for (uint32_t i = 0; i < code->inst_count; i++) {
            const struct sass_inst *inst = &code->insts[i].sass;
            const struct sass_latency latency = sass_least_latency(code->sm, inst);
            assert_true(latency.written >= SASS_COUNTER_SEEN && latency.read >= SASS_COUNTER_SEEN);
            if (!is_always(&inst->guard)) {
                assert_true(latency.written == SASS_COUNTER_SEEN && latency.read == SASS_COUNTER_SEEN);
                guarded++;
            } else if (inst->op == SASS_OP_LDG) {
                const uint32_t width = sass_field(inst, SASS_FIELD_WIDTH);
                assert_int_equal(latency.written, width < 5 ? 29 : width == 5 ? 31 : 35);
                assert_int_equal(latency.read, code->sm == 86 ? 9 : 2);
                loads++;
            }
        }
        wb_module_free(module);
        wb_diagnostics_free(diagnostics);
    }
    assert_true(guarded > 20 && loads > 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_folded),
        cmocka_unit_test(test_no_execution_is_shorter),
        cmocka_unit_test(test_attained),
        cmocka_unit_test(test_latencies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
