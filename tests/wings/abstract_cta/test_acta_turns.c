/* Abstract warps simulated in turn: against a simulator that knows nothing but single cycles and tries every
 * way that a warp can take, against the proven sum, and beside the published one. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random_acta.h"
#include "random_block.h"
#include "wings/abstract_cta/acta_file.h"
#include "wings/abstract_cta/acta_turns.h"

/* ---- A plain simulator
 * -------------------------------------------------------------------------------------
 */

/* What a warp does in a window, a letter a cycle of T_instr ('i') and a wait ('w'), in one way. */
#define WAY_MAX 160u
#define WAYS_MAX 512u

struct ways {
    char (*texts)[WAY_MAX];
    uint32_t count;
};

/* One warp: its ways, window by window. */
#define PLAIN_WINDOWS_MAX 64u

struct plain_warp {
    const struct acta_group *cta;
    uint32_t warp;
    struct ways windows[PLAIN_WINDOWS_MAX];
    bool arrives[PLAIN_WINDOWS_MAX];
    uint32_t window_count;
    bool too_large;
};

static struct ways one_way(void) {
    struct ways ways = {calloc(WAYS_MAX, sizeof *ways.texts), 1};
    assert_non_null(ways.texts);
    return ways;
}

static void ways_free(struct ways *ways) {
    free(ways->texts);
}

/* Every way of `front`, each followed by every way of `back`. */
static void join(struct plain_warp *warp, struct ways *front, const struct ways *back) {
    const uint32_t count = front->count;
    if (back->count == 1 && back->texts[0][0] == '\0') return;
    if ((uint64_t)count * back->count > WAYS_MAX) {
        warp->too_large = true;
        return;
    }
    for (uint32_t b = back->count; b-- > 0;) {
        for (uint32_t f = 0; f < count; f++) {
            char text[2 * WAY_MAX];
            (void)snprintf(text, sizeof text, "%s%s", front->texts[f], back->texts[b]);
            warp->too_large = warp->too_large || strlen(text) >= WAY_MAX;
            if (!warp->too_large) memcpy(front->texts[b * count + f], text, strlen(text) + 1);
        }
    }
    front->count = count * back->count;
}

static void join_letters(struct plain_warp *warp, struct ways *front, char letter, uint64_t count) {
    struct ways back = one_way();
    warp->too_large = warp->too_large || count >= WAY_MAX;
    for (uint64_t i = 0; i < count && !warp->too_large; i++)
        back.texts[0][i] = letter;
    join(warp, front, &back);
    ways_free(&back);
}

static uint64_t iterations_of(const struct plain_warp *warp, const struct acta_node *loop) {
    return warp->cta->iterations[warp->warp * warp->cta->warp.loops.count + loop->number];
}

static void walk(struct plain_warp *warp, uint32_t first, struct ways *ways);

/* Letters of a sequence whose numbers are added up: T_instr, T_shift, loads. */
static void count_letters(struct plain_warp *warp, uint32_t first, uint64_t sums[3]) {
    for (uint32_t n = first; n != ACTA_NONE; n = warp->cta->warp.nodes.items[n].next) {
        const struct acta_node *node = &warp->cta->warp.nodes.items[n];
        uint64_t sides[2][3] = {{0}};
        sums[0] += node->kind == ACTA_TIME ? node->instr : 0;
        sums[1] += node->kind == ACTA_TIME ? node->shift : 0;
        sums[2] += node->kind == ACTA_MEMORY;
        if (node->kind != ACTA_BRANCH && node->kind != ACTA_LOOP) continue;
        for (uint32_t s = 0; s < 2; s++)
            count_letters(warp, node->side[s], sides[s]);
        const uint64_t rounds = node->kind == ACTA_LOOP ? iterations_of(warp, node) : 0;
        for (uint32_t i = 0; i < 3; i++) {
            const uint64_t a = sides[0][i], b = sides[1][i];
            if (node->kind == ACTA_LOOP)
                sums[i] += rounds * (a + b) + (node->side[1] != ACTA_NONE ? a : 0);
            else if (!node->diverges)
                sums[i] += a > b ? a : b;
            else if (i != 1)
                sums[i] += a + b;
        }
        if (node->kind == ACTA_BRANCH && node->diverges) {
            const uint64_t a = sides[0][0] + sides[1][1], b = sides[1][0] + sides[0][1];
            sums[1] += a > b ? a : b;
        }
    }
}

/* A stretch of time that can be up to `shift` shorter. */
static void join_time(struct plain_warp *warp, struct ways *ways, uint64_t instr, uint64_t shift) {
    struct ways lengths = one_way();
    lengths.count = 0;
    for (uint64_t k = 0; k <= shift && k <= instr && !warp->too_large; k++) {
        struct ways *all = &lengths;
        warp->too_large = instr >= WAY_MAX || all->count == WAYS_MAX;
        if (warp->too_large) break;
        for (uint64_t i = 0; i < instr - k; i++)
            all->texts[all->count][i] = 'i';
        all->count++;
    }
    join(warp, ways, &lengths);
    ways_free(&lengths);
}

static void walk_branch(struct plain_warp *warp, const struct acta_node *branch, struct ways *ways) {
    struct ways sides[2] = {one_way(), one_way()}, all = one_way();
    const bool empty[2] = {branch->side[0] == ACTA_NONE, branch->side[1] == ACTA_NONE};
    if (!branch->diverges && !empty[0] && !empty[1]) {
        uint64_t sums[2][3] = {{0}};
        for (uint32_t s = 0; s < 2; s++)
            count_letters(warp, branch->side[s], sums[s]);
        for (uint32_t i = 0; i < 3; i++)
            if (sums[1][i] > sums[0][i]) sums[0][i] = sums[1][i];
        join_time(warp, ways, sums[0][0], sums[0][1]);
        join_letters(warp, ways, 'w', sums[0][2]);
    } else if (!branch->diverges) {
        walk(warp, branch->side[empty[0] ? 1 : 0], ways);
    } else {
        for (uint32_t s = 0; s < 2; s++)
            walk(warp, branch->side[s], &sides[s]);
        join(warp, &all, &sides[0]);
        join(warp, &all, &sides[1]);
        warp->too_large = warp->too_large || all.count + sides[0].count + sides[1].count > WAYS_MAX;
        for (uint32_t s = 0; s < 2 && !warp->too_large; s++)
            for (uint32_t i = 0; i < sides[s].count; i++)
                memcpy(all.texts[all.count++], sides[s].texts[i], WAY_MAX);
        join(warp, ways, &all);
    }
    ways_free(&sides[0]);
    ways_free(&sides[1]);
    ways_free(&all);
}

static void end_window(struct plain_warp *warp, struct ways *ways, bool arrives) {
    if (warp->window_count == PLAIN_WINDOWS_MAX) {
        warp->too_large = true;
        return;
    }
    warp->arrives[warp->window_count] = arrives;
    warp->windows[warp->window_count++] = *ways;
    *ways = one_way();
}

static void walk(struct plain_warp *warp, uint32_t first, struct ways *ways) {
    for (uint32_t n = first; n != ACTA_NONE && !warp->too_large; n = warp->cta->warp.nodes.items[n].next) {
        const struct acta_node *node = &warp->cta->warp.nodes.items[n];
        switch ((enum acta_kind)node->kind) {
        case ACTA_TIME: join_time(warp, ways, node->instr, node->shift); break;
        case ACTA_MEMORY: join_letters(warp, ways, 'w', 1); break;
        case ACTA_BARRIER: end_window(warp, ways, true); break;
        case ACTA_BRANCH: walk_branch(warp, node, ways); break;
        case ACTA_LOOP:
            for (uint64_t i = 0; i < iterations_of(warp, node); i++) {
                walk(warp, node->side[0], ways);
                walk(warp, node->side[1], ways);
            }
            if (node->side[1] != ACTA_NONE) walk(warp, node->side[0], ways);
            break;
        }
    }
}

/* The time of a window in which each warp goes its way: cycle by cycle, whoever is next in turn. */
static uint64_t simulate_ways(const char *const *texts, uint32_t warps, uint64_t latency) {
    uint64_t ready[8] = {0}, end = 0;
    const char *at[8];
    uint32_t last = warps - 1;
    memcpy(at, texts, warps * sizeof *at);
    for (uint64_t now = 0;; now++) {
        bool left = false;
        for (uint32_t w = 0; w < warps; w++) {
            for (; *at[w] == 'w'; at[w]++)
                ready[w] += latency - 1;
            left = left || *at[w] != '\0';
            end = ready[w] > end ? ready[w] : end;
        }
        if (!left) return end;
        for (uint32_t i = 1; i <= warps; i++) {
            const uint32_t w = (last + i) % warps;
            if (*at[w] == '\0' || ready[w] > now) continue;
            at[w]++;
            ready[w] = now + 1;
            last = w;
            break;
        }
    }
}

/* Longest and shortest of all combinations in a window; false when there are too many. */
static bool try_ways(struct plain_warp *warps, uint32_t count, uint32_t window, uint64_t latency,
                     uint64_t *most, uint64_t *least) {
    static const char nothing[] = "";
    uint64_t combinations = 1;
    *most = 0;
    *least = UINT64_MAX;
    for (uint32_t w = 0; w < count; w++)
        if (window < warps[w].window_count) combinations *= warps[w].windows[window].count;
    if (combinations > TURNS_ALL_MAX) return false;
    for (uint64_t number = 0; number < combinations; number++) {
        const char *texts[8];
        uint64_t rest = number;
        for (uint32_t w = 0; w < count; w++) {
            const bool in = window < warps[w].window_count;
            texts[w] = in ? warps[w].windows[window].texts[rest % warps[w].windows[window].count] : nothing;
            if (in) rest /= warps[w].windows[window].count;
        }
        const uint64_t time = simulate_ways(texts, count, latency);
        *most = time > *most ? time : *most;
        *least = time < *least ? time : *least;
    }
    return true;
}

/* Longest and shortest of all interleavings; false when there are too many. */
static bool plain_simulate(const struct acta_group *cta, const struct acta_rules *rules, uint64_t *most,
                           uint64_t *least) {
    struct plain_warp warps[8] = {0};
    uint32_t windows = 0;
    bool fits = true;
    *most = *least = 0;
    for (uint32_t w = 0; w < cta->warp_count; w++) {
        struct ways ways = one_way();
        warps[w] = (struct plain_warp){.cta = cta, .warp = w};
        walk(&warps[w], cta->warp.first, &ways);
        if (!warps[w].too_large) end_window(&warps[w], &ways, false);
        ways_free(&ways);
        fits = fits && !warps[w].too_large;
        windows = warps[w].window_count > windows ? warps[w].window_count : windows;
        for (uint32_t i = 0; i < warps[w].window_count; i++)
            if (warps[w].arrives[i]) join_letters(&warps[w], &warps[w].windows[i], 'i', rules->barrier_slots);
        fits = fits && !warps[w].too_large;
    }
    for (uint32_t i = 0; i < windows && fits; i++) {
        uint64_t longest, shortest;
        bool arrives = false;
        fits = try_ways(warps, cta->warp_count, i, rules->latency, &longest, &shortest);
        for (uint32_t w = 0; w < cta->warp_count; w++)
            arrives = arrives || (i < warps[w].window_count && warps[w].arrives[i]);
        *most += longest + (arrives ? rules->barrier_cycles : 0);
        *least += shortest + (arrives ? rules->barrier_cycles : 0);
    }
    for (uint32_t w = 0; w < cta->warp_count; w++)
        for (uint32_t i = 0; i < warps[w].window_count; i++)
            ways_free(&warps[w].windows[i]);
    return fits;
}

/* ---- Tests ------------------------------------------------------------------------------------------------
 */

static struct acta_turns turns_of(const struct acta_group *cta, const struct acta_rules *rules, uint64_t work,
                                  struct acta_windows *windows) {
    struct search_budget budget = {0, 0, work};
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct acta_turns turns;
    if (acta_turns_simulate(cta, rules, &budget, NULL, diagnostics, windows, &turns) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(diagnostics));
    wb_diagnostics_free(diagnostics);
    return turns;
}

static cycles sum_of(const struct acta_group *cta, const struct acta_rules *rules) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct acta_time time;
    assert_int_equal(acta_simulate(cta, rules, NULL, diagnostics, NULL, &time), WB_OK);
    wb_diagnostics_free(diagnostics);
    return acta_time_total(&time);
}

/* Abstract warps as a file has them. */
static void parse(const char *text, struct acta_warp_file *file) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    *file = (struct acta_warp_file){0};
    if (acta_warp_file_parse("warps", text, strlen(text), diagnostics, file) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(diagnostics));
    wb_diagnostics_free(diagnostics);
}

/* How the sum and the simulation compared. */
struct census {
    uint32_t compared, interleaved, above, below;
};

/* T_memory and barriers of a random program. */
static struct acta_rules rules_of(const struct random_acta *random, uint32_t slots) {
    cycles latency = 0;
    for (uint32_t i = 0; i < random->block.timed.code.inst_count; i++)
        latency = cycles_max(latency, random->block.timed.code.insts[i].latency);
    return (struct acta_rules){.latency = latency + 1,
                               .barrier_slots = slots,
                               .barrier_cycles = random->block.machine.barrier_release};
}

static void check_random(uint64_t seed, struct census *census) {
    const struct random_acta_shape shape = {.warps = 4, .latency = 9, .release = 2, .insts = 60};
    struct random_acta random;
    uint64_t most, least;
    if (random_acta_make(seed, &shape, &random)) {
        struct acta_rules rules = rules_of(&random, (uint32_t)(seed % 2));
        const struct acta_turns turns = turns_of(&random.cta, &rules, WORK_UNLIMITED, NULL);
        if (plain_simulate(&random.cta, &rules, &most, &least)) {
            const bool same = turns.most == most && turns.least == least;
            census->compared += turns.all;
            census->interleaved += most > least;
            if (turns.all ? !same : turns.most > most || turns.least < least)
                fail_msg("from %" PRIu64 " to %" PRIu64 ", plainly from %" PRIu64 " to %" PRIu64 "\n%s",
                         turns.least, turns.most, least, most, random.label.data);
        }
        rules.hiding = HIDDEN_BY_ACTIVE;
        census->above += sum_of(&random.cta, &rules) > turns.most;
        census->below += sum_of(&random.cta, &rules) < turns.most;
        rules.hiding = HIDDEN_BY_NONE;
        rules.latency--;
        if (turns.most > sum_of(&random.cta, &rules))
            fail_msg("%" PRIu64 " exceeds the proven sum %" PRIu64 "\n%s", turns.most,
                     sum_of(&random.cta, &rules), random.label.data);
    }
    random_acta_free(&random);
}

/* Every interleaving is simulated, and none exceeds the proven sum; the published one has some above it and
 * some below. */
static void interleavings_are_those_of_single_cycles(void **state) {
    (void)state;
    const uint32_t rounds = random_rounds(1200);
    struct census census = {0};
    for (uint64_t seed = 1; seed <= rounds; seed++)
        check_random(seed, &census);
    assert_true(census.compared > rounds / 4);
    assert_true(census.interleaved > census.compared / 5);
    assert_true(census.above > 0 && census.below > 0);
}

/* The published sum against all interleavings, in the smallest cases of each kind. T_memory is 3. */
static const struct {
    const char *program;
    cycles sum, most;
} relations[] = {
    {"\"1 m\"", 3, 4},   /* the last warp waits alone: T_memory - 1 and not T_memory - N */
    {"\"1 m |\"", 5, 5}, /* unless barriers of the others fill in */
    {"\"1 m 1\"", 5, 5}, /* or what they do then */
    {"\"A(1 m) 3\"\nloops: {A: [1, 0]}", 8, 7}, /* a long enough other warp hides all of it */
    {"\"A(1 m) |\"\nloops: {A: [2, 0]}", 6, 7}, /* one that has nothing to do hides nothing */
};

static void the_published_sum_is_no_bound_on_interleavings(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof relations / sizeof *relations; i++) {
        char text[512];
        struct acta_warp_file file;
        (void)snprintf(
            text, sizeof text,
            "abstract_warp: \"x\"\nmachine: hirvisalo\nset: [abstract_cta.memory_latency=3]\nwarps: 2\n"
            "program: %s\n",
            relations[i].program);
        parse(text, &file);
        const struct acta_rules rules = acta_rules_stated(file.machine);
        const cycles sum = sum_of(&file.cta, &rules), most = turns_of(&file.cta, &rules, 0, NULL).most;
        if (sum != relations[i].sum || most != relations[i].most)
            fail_msg("%s: sum %" PRIu64 ", simulated %" PRIu64, relations[i].program, sum, most);
        acta_warp_file_free(&file);
    }
}

/* Warps of the same code without shifts go side by side, so that exactly N of them hide each wait; then the
 * sum is what the simulation takes. */
static void warps_side_by_side_take_the_published_sum(void **state) {
    (void)state;
    for (uint32_t warps = 1; warps <= 12; warps++) {
        char text[512];
        struct acta_warp_file file;
        (void)snprintf(
            text, sizeof text,
            "abstract_warp: \"x\"\nmachine: hirvisalo\nset: [abstract_cta.memory_latency=9]\nwarps: %u\n"
            "program: \"3 m 4 m 1 | L(2 m | 1: 5 m) 1\"\nloops: {L: 3}\n",
            warps);
        parse(text, &file);
        const struct acta_rules rules = acta_rules_stated(file.machine);
        const struct acta_turns turns = turns_of(&file.cta, &rules, WORK_UNLIMITED, NULL);
        assert_int_equal(turns.most, sum_of(&file.cta, &rules));
        assert_int_equal(turns.least, turns.most);
        assert_true(turns.all);
        acta_warp_file_free(&file);
    }
}

#define SLIDE                                                                                                \
    "abstract_warp: \"slide\"\nmachine: hirvisalo\nwarps: 4\nloops: {ROWS: [4, 8, 12, 16]}\n"                \
    "program: \"7 ROWS(2: 7/1 {4 m}@01 | 3) 4 w\"\n"

/* Of TriangleSum the longest interleaving takes 804 cycles, and each window what the sum says; of the rules
 * by which a barrier takes nothing it takes more. */
static void the_slide_takes_804_in_turns(void **state) {
    (void)state;
    static const struct {
        const char *set;
        cycles sum, most, least;
    } cases[] = {
        {"", 804, 804, 764},
        {"set: [abstract_cta.header=n, abstract_cta.memory_latency=10, abstract_cta.barrier_slots=0]\n", 804,
         828, 788},
    };
    for (size_t i = 0; i < 2; i++) {
        char text[512];
        struct acta_warp_file file;
        struct acta_windows windows = {0};
        (void)snprintf(text, sizeof text, "%s%s", SLIDE, cases[i].set);
        parse(text, &file);
        const struct acta_rules rules = acta_rules_stated(file.machine);
        const struct acta_turns turns = turns_of(&file.cta, &rules, WORK_UNLIMITED, &windows);
        assert_int_equal(sum_of(&file.cta, &rules), cases[i].sum);
        assert_int_equal(turns.most, cases[i].most);
        assert_int_equal(turns.least, cases[i].least);
        assert_true(turns.all);
        assert_int_equal(turns.windows, 17);
        assert_int_equal(windows.items.items[0].interleavings,
                         16); /* each of four warps is one cycle shorter or not */
        acta_windows_free(&windows);
        acta_warp_file_free(&file);
    }
}

/* Too many interleavings: some of them, the same each time, and the result says so. */
static void many_interleavings_are_sampled(void **state) {
    (void)state;
    struct acta_warp_file file;
    struct acta_windows windows = {0};
    parse("abstract_warp: \"x\"\nmachine: hirvisalo\nwarps: 8\nprogram: \"40/30 m 9/8 | 5\"\n", &file);
    const struct acta_rules rules = acta_rules_stated(file.machine);
    const struct acta_turns turns = turns_of(&file.cta, &rules, WORK_UNLIMITED, &windows);
    const struct acta_turns again = turns_of(&file.cta, &rules, WORK_UNLIMITED, NULL);
    assert_false(turns.all);
    assert_int_equal(windows.items.items[0].interleavings, TURNS_SAMPLED);
    assert_int_equal(windows.items.items[0].apart, 38);
    assert_true(turns.least < turns.most);
    assert_int_equal(turns.most, again.most);
    assert_int_equal(turns.least, again.least);
    const struct acta_turns one = turns_of(&file.cta, &rules, 0, NULL);
    assert_false(one.all);
    assert_int_equal(one.least, one.most); /* all nodes at their longest, and no budget for more */
    acta_windows_free(&windows);
    acta_warp_file_free(&file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interleavings_are_those_of_single_cycles),
        cmocka_unit_test(the_published_sum_is_no_bound_on_interleavings),
        cmocka_unit_test(warps_side_by_side_take_the_published_sum),
        cmocka_unit_test(the_slide_takes_804_in_turns),
        cmocka_unit_test(many_interleavings_are_sampled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
