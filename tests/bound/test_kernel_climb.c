/* Hill climbing over tiny grids on their exact worst case over the least proven bound: it comes to 1, and not
 * beyond. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <inttypes.h>

#include "kernel_check.h"
#include "synthetic_text.h"

#define CLIMBS 100
#define STEPS 250

/* Of so many climbs one stays with queues that never fill, where the proof for blocks with barriers is the
 * most involved. */
#define UNLIMITED_PERIOD 3

#define UNITS 3
#define KINDS 2
#define WARPS 2
#define INSTS 3

struct climb_inst {
    uint32_t unit;
    uint32_t source;  /* the instruction before it that it reads, 0: none, 1: the first ... */
    uint32_t barrier; /* 0, or 1: one behind it */
};

struct climb_program {
    uint32_t count;
    struct climb_inst insts[INSTS];
};

struct climb_kind {
    uint32_t blocks, warps;
    struct climb_program programs[WARPS];
};

/* A grid that can be changed a little. */
struct climb_grid {
    uint32_t init[UNITS], latency[UNITS];
    uint32_t classes;
    struct climb_kind kind[KINDS];
    uint32_t depth, width, release;
    uint32_t sms, resident, dispatch, delay, service;
};

static uint32_t between(struct random_state *random, uint32_t low, uint32_t high) {
    return low + (uint32_t)random_below(random, high - low + 1);
}

/* Gives one number of the grid another value. */
static void change_inst(struct random_state *random, struct climb_grid *grid) {
    struct climb_kind *kind = &grid->kind[between(random, 0, KINDS - 1)];
    struct climb_program *program = &kind->programs[between(random, 0, WARPS - 1)];
    const uint32_t index = between(random, 0, INSTS - 1);
    struct climb_inst *inst = &program->insts[index];
    switch (random_below(random, 4)) {
    case 0: program->count = between(random, 1, INSTS); break;
    case 1: inst->unit = between(random, 0, UNITS - 1); break;
    case 2: inst->source = between(random, 0, index); break;
    default: inst->barrier = random_below(random, 4) == 0;
    }
}

static void change(struct random_state *random, struct climb_grid *grid) {
    static const uint32_t depths[] = {0, 0, 1, 2, DEPTH_UNLIMITED};
    struct climb_kind *kind = &grid->kind[between(random, 0, KINDS - 1)];
    switch (random_below(random, 20)) {
    case 0:
    case 1:
    case 2: grid->init[between(random, 0, UNITS - 1)] = between(random, 1, 5); break;
    case 3:
    case 4:
    case 5: grid->latency[between(random, 0, UNITS - 1)] = between(random, 0, 5); break;
    case 6: grid->classes = between(random, 1, KINDS); break;
    case 7:
    case 8: kind->blocks = between(random, 1, 5); break;
    case 9: kind->warps = between(random, 1, WARPS); break;
    case 10: grid->depth = depths[random_below(random, 5)]; break;
    case 11: grid->width = between(random, 1, 2); break;
    case 12: grid->release = between(random, 0, 2); break;
    case 13: grid->sms = between(random, 1, 2); break;
    case 14: grid->resident = between(random, 1, 3); break;
    case 15: grid->dispatch = random_below(random, 2) == 0 ? DISPATCH_STATIC : DISPATCH_ANY; break;
    case 16: grid->delay = random_below(random, 2) == 0 ? between(random, 0, 3) : 0; break;
    case 17: grid->service = random_below(random, 4) == 0 ? between(random, 0, 2) : 0; break;
    default: change_inst(random, grid);
    }
}

static struct climb_grid any_grid(struct random_state *random) {
    struct climb_grid grid = {.init = {1, 1, 1}, .classes = 1, .width = 1, .sms = 1, .resident = 2};
    for (uint32_t k = 0; k < KINDS; k++) {
        grid.kind[k] = (struct climb_kind){.blocks = 3, .warps = 1};
        for (uint32_t w = 0; w < WARPS; w++)
            grid.kind[k].programs[w].count = 2;
    }
    for (uint32_t i = 0; i < 60; i++)
        change(random, &grid);
    return grid;
}

static void put_program(const struct climb_program *program, struct text *out) {
    for (uint32_t i = 0; i < program->count; i++) {
        const struct climb_inst *inst = &program->insts[i];
        text_printf(out, "%c", 'A' + (int)inst->unit);
        if (inst->source > 0) text_printf(out, ".%" PRIu32, inst->source - 1);
        text_string(out, inst->barrier ? " | " : " ");
    }
}

/* The grid in the notation of hand-written ones. */
static void build(const struct climb_grid *grid, struct synthetic_block *block) {
    struct text units = {0}, blocks = {0};
    for (uint32_t u = 0; u < UNITS; u++)
        text_printf(&units, "%c(%u,%u) ", 'A' + (int)u, grid->init[u], grid->latency[u]);
    for (uint32_t k = 0; k < grid->classes; k++) {
        text_printf(&blocks, "%s%u* ", k > 0 ? " / " : "", grid->kind[k].blocks);
        for (uint32_t w = 0; w < grid->kind[k].warps; w++) {
            if (w > 0) text_string(&blocks, "; ");
            put_program(&grid->kind[k].programs[w], &blocks);
        }
    }
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    if (synthetic_grid_parse(units.data, blocks.data, diagnostics, block) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(diagnostics));
    wb_diagnostics_free(diagnostics);
    text_free(&units);
    text_free(&blocks);
    struct wb_machine *machine = &block->machine;
    machine_memory_defaults(&machine->memory);
    machine->dispatch_depth = grid->depth;
    machine->issue_width = grid->width;
    machine->barrier_release = grid->release;
    machine->limits.blocks = grid->resident;
    machine->memory.sms = grid->sms;
    machine->memory.dispatch = grid->dispatch;
    machine->memory.dispatch_latency = grid->delay;
    machine->memory.dispatch_service = grid->service;
}

/* How near the worst case comes to the bounds; 0: not known, or every block has an SM's room at once. */
static double nearness(const struct climb_grid *grid) {
    struct synthetic_block block;
    cycles least;
    build(grid, &block);
    if (block.block_count <= grid->sms * grid->resident) {
        synthetic_block_free(&block);
        return 0;
    }
    const cycles exact = kernel_exact(&block, &least);
    if (exact > least) {
        struct text file = {0};
        synthetic_block_print(&block, &file);
        fail_msg("worst case %" PRIu64 " above %" PRIu64 "\n%s", exact, least, file.data);
    }
    synthetic_block_free(&block);
    return (double)exact / (double)least;
}

/* Goes on when it has come to 1, from one such grid to the next: there a bound that is too low would show. */
static double climb(uint64_t seed) {
    struct random_state random = random_seeded(seed);
    struct climb_grid grid = any_grid(&random);
    const bool unlimited = seed % UNLIMITED_PERIOD == 0;
    if (unlimited) grid.depth = DEPTH_UNLIMITED;
    double best = nearness(&grid);
    for (uint32_t step = 0; step < STEPS; step++) {
        struct climb_grid next = grid;
        for (uint64_t changes = 1 + random_below(&random, 3); changes > 0; changes--)
            change(&random, &next);
        if (unlimited) next.depth = DEPTH_UNLIMITED;
        const double near = nearness(&next);
        if (near < best) continue;
        best = near;
        grid = next;
    }
    return best;
}

static void test_climbs_end_at_the_bound(void **state) {
    (void)state;
    const uint32_t climbs = random_rounds(CLIMBS);
    uint32_t reached = 0;
    for (uint64_t seed = 1; seed <= climbs; seed++)
        reached += climb(seed) >= 1;
    print_message("%u of %u climbs reach the least bound\n", reached, climbs);
    assert_true(reached * 2 > climbs);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_climbs_end_at_the_bound)};
    return cmocka_run_group_tests_name("climbing grids", tests, NULL, NULL);
}
