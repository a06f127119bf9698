/* Witness files: what is written reads back as the same schedule, and every mutation of it is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "makespan_cases.h"
#include "messages.h"
#include "wings/makespan/strings/witness_file.h"

/* Whether the file is read and its schedule is one of its problem; the first message is left in
 * `diagnostics`. */
static bool accepted(const char *text, size_t size, wb_diagnostics *diagnostics) {
    struct witness witness;
    wb_status status = witness_file_parse("f", text, size, diagnostics, &witness);
    if (status == WB_OK) status = schedule_check(&witness.problem, &witness.schedule, "f", diagnostics);
    witness_free(&witness);
    assert_int_equal(status == WB_OK, wb_diagnostics_errors(diagnostics) == 0);
    return status == WB_OK;
}

static char *printed(const struct makespan_problem *problem, const struct schedule *schedule) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct text out = {0};
    assert_int_equal(witness_file_print(problem, schedule, diagnostics, &out), WB_OK);
    wb_diagnostics_free(diagnostics);
    return text_take(&out);
}

static void test_file_of_an_example(void **state) {
    (void)state;
    static const char expected[] = "makespan: 9\n"
                                   "warps:\n"
                                   "  - \"4:LCL\"\n"
                                   "units: L=1, C=1\n"
                                   "issue: unlimited\n"
                                   "schedule:\n"
                                   "  - 1-2 4\n"
                                   "  - 2-3 5\n"
                                   "  - 3-4 6\n"
                                   "  - 7-9\n";
    static const uint32_t cycle[] = {1, 2, 4, 2, 3, 5, 3, 4, 6, 7, 8, 9};
    const struct makespan_case four_warps = {"LCL", 4, {1, 1, 1, 1}, 0};
    struct makespan_problem problem = makespan_case_problem(&four_warps);
    struct arena arena = {0};
    struct schedule schedule;
    schedule_make(&problem, &arena, &schedule);
    memcpy(schedule.cycle, cycle, sizeof cycle);
    schedule.makespan = 9;
    char *text = printed(&problem, &schedule);
    assert_string_equal(text, expected);
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    assert_true(accepted(text, strlen(text), diagnostics));
    wb_diagnostics_free(diagnostics);
    free(text);
    arena_free(&arena);
    problem_free(&problem);
}

/* One change of a schedule; false where it cannot be made at this instruction. */
typedef bool mutation(struct schedule *schedule, uint64_t instruction, uint32_t index, uint32_t length);

static bool swap_cycles(struct schedule *schedule, uint64_t instruction, uint32_t index, uint32_t length) {
    if (index + 1 == length) return false;
    uint32_t *cycle = schedule->cycle + instruction;
    uint32_t kept = cycle[0];
    cycle[0] = cycle[1];
    cycle[1] = kept;
    return true;
}

/* Work conservation kept the warp waiting in the cycle before, so something was full there. */
static bool exceed_capacity(struct schedule *schedule, uint64_t instruction, uint32_t index,
                            uint32_t length) {
    (void)length;
    uint32_t *cycle = schedule->cycle + instruction;
    if (cycle[0] - 1 <= (index == 0 ? 0 : cycle[-1])) return false;
    cycle[0]--;
    return true;
}

/* The place that is left is free, and the warp waits nevertheless. */
static bool idle_although_ready(struct schedule *schedule, uint64_t instruction, uint32_t index,
                                uint32_t length) {
    uint32_t *cycle = schedule->cycle + instruction;
    if (index + 1 < length && cycle[0] + 1 == cycle[1]) return false;
    cycle[0]++;
    if (cycle[0] > schedule->makespan) schedule->makespan++;
    return true;
}

static bool execute_twice_in_a_cycle(struct schedule *schedule, uint64_t instruction, uint32_t index,
                                     uint32_t length) {
    (void)length;
    if (index == 0) return false;
    schedule->cycle[instruction] = schedule->cycle[instruction - 1];
    return true;
}

static bool longer_makespan(struct schedule *schedule, uint64_t instruction, uint32_t index,
                            uint32_t length) {
    (void)instruction, (void)index, (void)length;
    schedule->makespan++;
    return true;
}

static bool shorter_makespan(struct schedule *schedule, uint64_t instruction, uint32_t index,
                             uint32_t length) {
    (void)instruction, (void)index, (void)length;
    schedule->makespan--;
    return true;
}

static const struct {
    const char *name;
    mutation *mutate;
} mutations[] = {
    {"swap cycles", swap_cycles},
    {"exceed capacity", exceed_capacity},
    {"idle although ready", idle_although_ready},
    {"twice in a cycle", execute_twice_in_a_cycle},
    {"longer makespan", longer_makespan},
    {"shorter makespan", shorter_makespan},
};

#define MUTATION_COUNT (sizeof mutations / sizeof *mutations)

/* Makes every mutation at one instruction; `made` counts them. */
static void check_mutations(const struct makespan_problem *problem, const struct schedule *schedule,
                            uint64_t instruction, uint32_t index, uint32_t length, uint32_t *made) {
    for (size_t m = 0; m < MUTATION_COUNT; m++) {
        struct arena arena = {0};
        struct schedule changed;
        schedule_make(problem, &arena, &changed);
        memcpy(changed.cycle, schedule->cycle, problem->instruction_count * sizeof *changed.cycle);
        changed.makespan = schedule->makespan;
        if (mutations[m].mutate(&changed, instruction, index, length)) {
            wb_diagnostics *diagnostics = wb_diagnostics_new();
            char *text = printed(problem, &changed);
            if (accepted(text, strlen(text), diagnostics))
                fail_msg("'%s' at instruction %llu is accepted:\n%s", mutations[m].name,
                         (unsigned long long)instruction, text);
            free(text);
            wb_diagnostics_free(diagnostics);
            made[m]++;
        }
        arena_free(&arena);
    }
}

/* Whether the file is accepted without the last cycle of its last warp. */
static bool survives_drop(const char *text) {
    char *shorter = strdup(text);
    assert_non_null(shorter);
    size_t end = strlen(shorter) - 1;
    while (shorter[end - 1] != ' ' && shorter[end - 1] != '-')
        end--;
    memcpy(shorter + end - 1, "\n", 2);
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    bool survives = accepted(shorter, strlen(shorter), diagnostics);
    wb_diagnostics_free(diagnostics);
    free(shorter);
    return survives;
}

/* Whether two problems are the same; capacities of types that are not used do not count. */
static bool same_problem(const struct makespan_problem *a, const struct makespan_problem *b) {
    if (a->warp_count != b->warp_count || a->position_count != b->position_count ||
        a->issue_limit != b->issue_limit || memcmp(a->unit, b->unit, a->position_count) != 0 ||
        memcmp(a->last, b->last, a->position_count * sizeof *a->last) != 0)
        return false;
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++)
        if (problem_uses(a, unit) && a->capacity[unit] != b->capacity[unit]) return false;
    return true;
}

static bool survives(const struct makespan_problem *problem, const struct schedule *schedule,
                     const char *text) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct witness witness;
    bool same = witness_file_parse("f", text, strlen(text), diagnostics, &witness) == WB_OK &&
                same_problem(problem, &witness.problem) && witness.schedule.makespan == schedule->makespan &&
                memcmp(witness.schedule.cycle, schedule->cycle,
                       problem->instruction_count * sizeof *schedule->cycle) == 0 &&
                schedule_check(&witness.problem, &witness.schedule, "f", diagnostics) == WB_OK;
    if (!same) print_error("%s", wb_diagnostics_text(diagnostics));
    witness_free(&witness);
    wb_diagnostics_free(diagnostics);
    return same;
}

/* The witnesses of random problems survive the file; each of their mutations is found. */
static void test_random_witnesses(void **state) {
    (void)state;
    uint32_t made[MUTATION_COUNT] = {0};
    for (uint64_t seed = 1; seed <= 150; seed++) {
        struct random_state random = random_seeded(seed);
        struct makespan_problem problem = makespan_random_problem(&random, 4, 6, 5);
        struct makespan_result brute = makespan_case_solve(&makespan_brute, &problem, NULL, WB_OK);
        char *text = printed(&problem, &brute.witness);
        if (!survives(&problem, &brute.witness, text))
            fail_msg("seed %llu:\n%s", (unsigned long long)seed, text);
        if (survives_drop(text))
            fail_msg("seed %llu: accepted without its last cycle:\n%s", (unsigned long long)seed, text);
        uint64_t instruction = 0;
        for (uint32_t warp = 0; warp < problem.warp_count; warp++) {
            uint32_t length = problem.groups[schedule_group(&problem, warp)].length;
            for (uint32_t index = 0; index < length; index++, instruction++)
                check_mutations(&problem, &brute.witness, instruction, index, length, made);
        }
        free(text);
        makespan_result_free(&brute);
        problem_free(&problem);
    }
    for (size_t m = 0; m < MUTATION_COUNT; m++)
        assert_true(made[m] > 100);
}

#define M "makespan: 4\n"
#define W "warps: [\"2:LCL\"]\n"
#define U "units: L=1, C=1\n"
#define S "schedule: [1-3, 2-4]\n"

static void test_errors(void **state) {
    (void)state;
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {W U S, "f:1:1: error: key 'makespan' is missing: expected a whole number from 1 to 100000000"},
        {M W U, "f:1:1: error: key 'schedule' is missing: expected a list of the cycles of every warp, such "
                "as \"1-3 5\""},
        {M W U S "problem: p\n",
         "f:5:1: error: unknown key 'problem'; expected one of: makespan, warps, units, issue, schedule"},
        {M W U "schedule: 1-3\n", "f:4:11: error: schedule: expected a list of the cycles of every warp, "
                                  "such as \"1-3 5\", got '1-3'"},
        {M W U "schedule: [1-3]\n", "f:4:11: error: schedule: 1 warps, but there are 2"},
        {M W U "schedule: [1-3, [2]]\n", "f:4:17: error: expected the cycles of a warp, got a list"},
        {M W U "schedule: [1-2, 2-4]\n",
         "f:4:12: error: schedule: fewer cycles than the warp has instructions, which are 3"},
        {M W U "schedule: [1-3, 1 3-100000]\n",
         "f:4:17: error: schedule: more cycles than the warp has instructions, which are 3"},
        {M W U "schedule: [1-3, 1 4 x]\n",
         "f:4:21: error: schedule: expected a cycle such as 7 or cycles such as 7-9"},
        {M W U "schedule: [1-3, 1 0x4]\n", "f:4:19: error: schedule: expected a cycle such as 7 or cycles "
                                           "such as 7-9"},
        {M W U "schedule: [1-3, '2-4;']\n", "f:4:21: error: schedule: expected a space"},
        {M W U "schedule: [1-3, 1 4-2]\n", "f:4:19: error: schedule: cycles that run backwards"},
        {M W U "schedule: [1-3, 1 2 4294967297]\n",
         "f:4:21: error: schedule: expected a cycle such as 7 or cycles such as 7-9"},
        {M "warps: [\"1:LCL\", \"1:LCL\"]\n" U S, "f:2:8: error: warps: two entries have the same string"},
        {M W "units: L=1/2, C=1\n" S, "f:3:8: error: units: expected whole numbers, as they are transformed"},
        {M W "units: L=1\n" S, "makespan: error: the units of C are not given; for example: -u L=1,C=1"},
        {"makespan: 7\n" W U S, "f: error: the makespan has more cycles than there are instructions"},
        {"makespan: 5\n" W U S,
         "f: error: nothing executes in cycle 5, which the makespan claims to be the last"},
        {"makespan: 3\n" W U "schedule: [1-3, 1-3]\n",
         "f: error: cycle 1: 2 warps use unit type L, which has room for 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        assert_false(accepted(cases[i].text, strlen(cases[i].text), diagnostics));
        assert_first_message(diagnostics, cases[i].expected, cases[i].text);
        wb_diagnostics_free(diagnostics);
    }
}

/* A schedule whose file could not be read back is not written. */
static void test_too_large(void **state) {
    (void)state;
    const struct makespan_case large = {"C", 200000, {1, 1, 1, 1}, 0};
    struct makespan_problem problem = makespan_case_problem(&large);
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct arena arena = {0};
    struct schedule schedule;
    struct text out = {0};
    schedule_make(&problem, &arena, &schedule);
    for (uint32_t warp = 0; warp < problem.warp_count; warp++)
        schedule.cycle[warp] = warp + 1;
    schedule.makespan = problem.warp_count;
    assert_int_equal(witness_file_print(&problem, &schedule, diagnostics, &out), WB_ERR_LIMIT);
    assert_first_message(diagnostics, "witness: error: the file would be larger than 1048576 bytes", "C");
    text_free(&out);
    arena_free(&arena);
    problem_free(&problem);
    wb_diagnostics_free(diagnostics);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_file_of_an_example),
        cmocka_unit_test(test_random_witnesses),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
