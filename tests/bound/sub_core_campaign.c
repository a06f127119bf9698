/* Climbs from random grids on several sub-cores towards the largest exact time over a bound, as it is proven
 * or with a mistake in it, until it is stopped or has done what it was asked. Ends at the first time above a
 * bound as it is proven; prints grids that show a mistake.
 *
 * usage: sub_core_campaign FIRST_SEED SEEDS [MUTANT [STEPS [FAMILY]]]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "naive_chain_bounds.h"
#include "sub_core_climb.h"
#include "sub_core_explorer.h"

#define STATES 6000

static const uint32_t depths[] = {0, 0, 1, 2, DEPTH_UNLIMITED};
static const uint32_t queues[] = {1, 2, DEPTH_UNLIMITED};
static const struct climb_limits all_limits[] = {
    {.kinds = 1,
     .variants = 2,
     .warps = 2,
     .insts = 4,
     .blocks = 4,
     .init = 5,
     .latency = 6,
     .sub_cores = 2,
     .rooms = 2,
     .sms = 1,
     .sections = 2,
     .depths = depths,
     .depth_count = 5},
    {.kinds = 2,
     .variants = 2,
     .warps = 3,
     .insts = 3,
     .blocks = 3,
     .init = 4,
     .latency = 4,
     .sub_cores = 3,
     .rooms = 3,
     .sms = 2,
     .sections = 2,
     .depths = depths,
     .depth_count = 5,
     .dispatcher = true},
    {.kinds = 1,
     .variants = 1,
     .warps = 4,
     .insts = 4,
     .blocks = 3,
     .init = 6,
     .latency = 3,
     .sub_cores = 3,
     .rooms = 2,
     .sms = 1,
     .sections = 3,
     .depths = depths,
     .depth_count = 5},
    {.kinds = 2,
     .variants = 1,
     .warps = 2,
     .insts = 6,
     .blocks = 2,
     .init = 8,
     .latency = 2,
     .sub_cores = 2,
     .rooms = 2,
     .sms = 1,
     .sections = 3,
     .depths = depths,
     .depth_count = 5},
    {.kinds = 2,
     .variants = 2,
     .warps = 2,
     .insts = 5,
     .blocks = 1,
     .init = 6,
     .latency = 6,
     .sub_cores = 2,
     .rooms = 2,
     .sms = 1,
     .sections = 2,
     .depths = queues,
     .depth_count = 3},
    {.kinds = 2,
     .variants = 2,
     .warps = 3,
     .insts = 5,
     .blocks = 1,
     .init = 6,
     .latency = 8,
     .sub_cores = 3,
     .rooms = 3,
     .sms = 1,
     .sections = 3,
     .depths = queues,
     .depth_count = 3},
    {.kinds = 2,
     .variants = 1,
     .warps = 2,
     .insts = 5,
     .blocks = 1,
     .init = 6,
     .latency = 8,
     .sub_cores = 2,
     .rooms = 2,
     .sms = 1,
     .sections = 2,
     .depths = depths,
     .depth_count = 5},
    {.kinds = 2,
     .variants = 1,
     .warps = 3,
     .insts = 5,
     .blocks = 2,
     .init = 4,
     .latency = 8,
     .sub_cores = 3,
     .rooms = 3,
     .sms = 1,
     .sections = 3,
     .depths = depths,
     .depth_count = 5},
    {.kinds = 1,
     .variants = 2,
     .warps = 3,
     .insts = 4,
     .blocks = 3,
     .init = 5,
     .latency = 6,
     .sub_cores = 3,
     .rooms = 3,
     .sms = 2,
     .sections = 3,
     .depths = depths,
     .depth_count = 5,
     .leave_out = true},
};

static struct chain_view view; /* of the family at hand */
static const char *const bound_names[] = {"one-sm", "balance", "area"};

struct record {
    uint64_t kills;
    uint32_t size;
};

static struct record records[CHAIN_MUTANTS][CHAIN_BOUND_COUNT];
static uint64_t explored, unknown, attained;
static struct sub_core_grid stated, actual;

static uint32_t size_of(uint32_t time) {
    uint32_t size = time + 10 * sub_core_grid_blocks(&stated) + 20 * actual.kind_count + 10 * stated.sms;
    for (uint32_t k = 0; k < stated.kind_count; k++)
        for (uint32_t w = 0; w < stated.kinds[k].warps; w++)
            size += 3 * stated.kinds[k].programs[w].count;
    return size;
}

static void print_case(const char *what, enum chain_bound bound, uint32_t time, uint64_t claimed) {
    struct text text = {0};
    sub_core_grid_print(&stated, &text);
    text_string(&text, "\n     actual ");
    sub_core_grid_print(&actual, &text);
    printf("%s, %s: %" PRIu32 " > %" PRIu64 "\n     stated %s\n", what, bound_names[bound], time, claimed,
           text.data);
    text_free(&text);
    fflush(stdout);
}

static void look_at(uint32_t time, uint64_t seed) {
    for (uint32_t m = 0; m < CHAIN_MUTANTS; m++) {
        for (uint32_t b = 0; b < CHAIN_BOUND_COUNT; b++) {
            const uint64_t claimed = naive_chain_bound(&stated, &view, b, m);
            if (time <= claimed) continue;
            struct record *record = &records[m][b];
            if (m == CHAIN_AS_PROVEN) {
                printf("VIOLATION, seed %" PRIu64 "\n", seed);
                print_case("VIOLATION", b, time, claimed);
                exit(1);
            }
            const uint32_t size = size_of(time);
            record->kills++;
            if (record->size != 0 && size >= record->size) continue;
            record->size = size;
            print_case(chain_mutant_names[m], b, time, claimed);
        }
    }
}

static double nearness(const struct climb_case *at, enum chain_mutant mutant, enum chain_bound bound,
                       double best, uint64_t seed) {
    climb_case_build(at, &stated, &actual);
    const uint32_t time = sub_core_explore(&actual, STATES);
    if (time == 0) {
        unknown++;
        return 0;
    }
    explored++;
    const uint64_t proven = naive_chain_bound(&stated, &view, bound, CHAIN_AS_PROVEN);
    const uint64_t claimed = naive_chain_bound(&stated, &view, bound, mutant);
    attained += time == proven;
    /* a mistake that changes nothing here is no way on */
    const double near = (double)time / (double)(claimed == 0 ? 1 : claimed) -
                        (mutant != CHAIN_AS_PROVEN && claimed == proven ? 0.5 : 0);
    if (time > proven || time > claimed || near >= best || explored % 16 == 0) look_at(time, seed);
    return near;
}

static void climb(uint64_t seed, enum chain_mutant mutant, uint32_t steps, int family) {
    struct random_state random = random_seeded(seed);
    const struct climb_limits *limits =
        &all_limits[family >= 0 ? (size_t)family : seed % (sizeof all_limits / sizeof *all_limits)];
    const enum chain_bound bound =
        limits->sms == 1 ? CHAIN_ONE_SM : (enum chain_bound)random_below(&random, CHAIN_BOUND_COUNT);
    struct climb_case best_case;
    view.covering = limits->leave_out;
    climb_case_make(&random, limits, &best_case);
    double best = nearness(&best_case, mutant, bound, 0, seed);
    for (uint32_t step = 0; step < steps; step++) {
        struct climb_case next = best_case;
        for (uint64_t changes = 1 + random_below(&random, 3); changes > 0; changes--)
            climb_case_change(&random, limits, &next);
        const double near = nearness(&next, mutant, bound, best, seed);
        if (near < best) continue;
        best = near;
        best_case = next;
    }
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: sub_core_campaign FIRST_SEED SEEDS [MUTANT [STEPS [FAMILY]]]\n");
        return 2;
    }
    const uint64_t first = strtoull(argv[1], NULL, 10), seeds = strtoull(argv[2], NULL, 10);
    const int chosen = argc > 3 ? (int)strtol(argv[3], NULL, 10) : -1;
    const uint32_t steps = argc > 4 ? (uint32_t)strtoul(argv[4], NULL, 10) : 300;
    const int family = argc > 5 ? (int)strtol(argv[5], NULL, 10) : -1;
    for (uint64_t seed = first; seed < first + seeds; seed++)
        climb(seed, chosen >= 0 ? (enum chain_mutant)chosen : (enum chain_mutant)(seed / 4 % CHAIN_MUTANTS),
              steps, family);
    printf("%" PRIu64 " grids, %" PRIu64 " not explored, %" PRIu64 " attain the bound\n", explored, unknown,
           attained);
    for (uint32_t m = 1; m < CHAIN_MUTANTS; m++) {
        printf("%2" PRIu32 " %-50s", m, chain_mutant_names[m]);
        for (uint32_t b = 0; b < CHAIN_BOUND_COUNT; b++)
            printf(" %8" PRIu64, records[m][b].kills);
        printf("\n");
    }
    return 0;
}
