#include "random_sass.h"

#include <string.h>

#include "base/containers.h"

const struct sass_family sass_families[SASS_FAMILIES] = {
    {.name = "of everything"},
    {.name = "full queues hold up the issue stage", .full_queues = true},
    {.name = "two stages, the second shared", .two_stages = true},
    {.name = "barriers", .barriers = true, .two_stages = true},
    {.name = "ways that meet", .clashes = true},
    {.name = "grids", .several = true},
    {.name = "many shorter times", .chosen_inits = true},
    {.name = "lines missed once", .lines = true},
    {.name = "lines missed once, and barriers", .lines = true, .barriers = true},
    {.name = "lines missed once by grids", .lines = true, .several = true},
    {.name = "as presets have it", .presets = true, .loose_stalls = true, .barrier_unit = true},
    {.name = "as presets have it, four sub-cores", .presets = true, .four_cores = true},
    {.name = "stalls that are shorter, barriers",
     .barriers = true,
     .loose_stalls = true,
     .barrier_unit = true},
    {.name = "as presets have it, lines missed once, four sub-cores",
     .presets = true,
     .lines = true,
     .four_cores = true,
     .loose_stalls = true,
     .barrier_unit = true},
    {.name = "as presets have it, lines missed once by grids",
     .presets = true,
     .lines = true,
     .several = true,
     .barrier_unit = true},
    {.name = "grids, chains through sub-cores", .several = true, .chains = true},
    {.name = "grids, chains through sub-cores, barriers", .several = true, .chains = true, .barriers = true},
    {.name = "as presets have it, in any order behind, barriers",
     .presets = true,
     .any_order = true,
     .barriers = true},
    {.name = "as presets have it, in any order behind, grids",
     .presets = true,
     .any_order = true,
     .several = true},
};

#define PIPES 4u

struct pipe {
    bool fixed;
    uint32_t stages;
    uint8_t units[SASS_STAGES_MAX];
    uint32_t init[SASS_STAGES_MAX], transfer[SASS_STAGES_MAX]; /* most of what its instructions have */
};

struct draft {
    struct random_state random;
    const struct sass_family *family;
    struct sass_grid *grid;
    struct pipe pipes[PIPES];
    uint32_t pipe_count, longest; /* stall */
    bool has_barrier_unit;
    uint8_t barrier_unit;
};

static uint32_t below(struct draft *draft, uint32_t limit) {
    return (uint32_t)random_below(&draft->random, limit);
}

static bool one_in(struct draft *draft, uint32_t n) {
    return below(draft, n) == 0;
}

/* A queue of any depth; 0 where the first stage is to be a latch. */
static uint8_t draw_queue(struct draft *draft) {
    static const uint8_t depths[] = {0, 1, 1, 2, SASS_UNLIMITED};
    if (draft->family->full_queues) return (uint8_t)(1 + below(draft, 2));
    return depths[below(draft, sizeof depths)];
}

static uint8_t add_unit(struct draft *draft, bool shared, uint8_t queue) {
    struct sass_grid *grid = draft->grid;
    grid->shared[grid->units] = shared;
    grid->queue[grid->units] = queue;
    return (uint8_t)grid->units++;
}

/* A latch of each sub-core, and a way of three units of which the later ones are shared: instructions end at
 * any of them. */
static void draw_preset_pipes(struct draft *draft) {
    const uint8_t latch = add_unit(draft, false, 0);
    draft->pipes[draft->pipe_count++] =
        (struct pipe){.fixed = true, .stages = 1, .units = {latch}, .init = {1 + below(draft, 3)}};
    struct pipe way = {.stages = 0};
    for (uint32_t i = 0; i < SASS_STAGES_MAX; i++) {
        const uint8_t queue = (uint8_t)(i > 0 && one_in(draft, 4) ? SASS_UNLIMITED : 1 + below(draft, 2));
        way.units[i] = add_unit(draft, i > 0, queue);
        draft->grid->any_order[way.units[i]] = draft->family->any_order && i > 0 && !one_in(draft, 3);
        way.init[i] = 1 + below(draft, 4);
        way.stages = i + 1;
        draft->pipes[draft->pipe_count++] = way;
    }
}

static void draw_pipes(struct draft *draft) {
    struct sass_grid *grid = draft->grid;
    if (draft->family->presets) {
        draw_preset_pipes(draft);
        return;
    }
    const uint32_t fixed = 1 + below(draft, 2);
    for (uint32_t i = 0; i < fixed; i++) {
        const uint8_t unit = add_unit(draft, one_in(draft, 8), 0);
        const uint32_t init = 1 + below(draft, 3);
        draft->pipes[draft->pipe_count++] =
            (struct pipe){.fixed = true, .stages = 1, .units = {unit}, .init = {init}};
    }
    const uint32_t queued = 1 + (one_in(draft, 3) || draft->family->clashes || draft->family->barriers);
    for (uint32_t i = 0; i < queued && draft->pipe_count < PIPES; i++) {
        struct pipe *pipe = &draft->pipes[draft->pipe_count++];
        const bool shared = one_in(draft, 4);
        const uint8_t unit = add_unit(draft, shared, draw_queue(draft));
        const uint32_t init = 1 + below(draft, 5);
        *pipe = (struct pipe){.stages = 1, .units = {unit}, .init = {init}};
        if (!draft->family->two_stages && !draft->family->clashes && !one_in(draft, 4)) continue;
        if (grid->units == SASS_GRID_UNITS) continue;
        pipe->stages = 2;
        const bool meets = i > 0 && draft->pipes[draft->pipe_count - 2].stages == 2 &&
                           (draft->family->clashes || one_in(draft, 4));
        if (meets) {
            pipe->units[1] = draft->pipes[draft->pipe_count - 2].units[1];
        } else {
            const uint8_t queue = draw_queue(draft);
            pipe->units[1] = add_unit(draft, !one_in(draft, 3), queue);
        }
        pipe->init[1] = 1 + below(draft, 4);
        pipe->transfer[0] = grid->queue[pipe->units[1]] == SASS_UNLIMITED ? below(draft, 4) : 0;
    }
    /* the same first stage, then another way on */
    if (draft->family->clashes && one_in(draft, 3) && draft->pipe_count < PIPES &&
        grid->units < SASS_GRID_UNITS) {
        struct pipe *pipe = &draft->pipes[draft->pipe_count];
        *pipe = draft->pipes[draft->pipe_count - 1];
        pipe->stages = 2;
        const uint8_t queue = draw_queue(draft);
        pipe->units[1] = add_unit(draft, one_in(draft, 2), queue);
        pipe->init[1] = 1 + below(draft, 4);
        pipe->transfer[0] = grid->queue[pipe->units[1]] == SASS_UNLIMITED ? below(draft, 4) : 0;
        draft->pipe_count++;
    }
}

static uint32_t up_to(struct draft *draft, uint32_t least, uint32_t most) {
    if (most <= least || !one_in(draft, draft->family->chosen_inits ? 2 : 5)) return most;
    return least + below(draft, most - least + 1);
}

/* What the times of an instruction are in the end. */
static void draw_actual(struct draft *draft, struct sass_step *step) {
    const struct sass_timed *timed = &step->stated;
    step->actual.stall = (uint8_t)up_to(draft, timed->stall_least, timed->stall);
    step->actual.slot = (uint8_t)up_to(draft, 1, timed->slot - step->probe);
    if (timed->operand > 0 && !one_in(draft, 8)) {
        step->actual.probe = (uint8_t)up_to(draft, 1, step->probe);
        step->actual.operand = (uint8_t)up_to(draft, step->actual.probe, timed->operand);
    }
    step->actual.fetch = (uint8_t)up_to(draft, 0, timed->fetch);
    for (uint32_t i = 0; i < timed->stage_count; i++) {
        /* what hits in a cache passes over the last stage */
        const uint32_t least = i > 0 && i + 1 == timed->stage_count && one_in(draft, 2) ? 0 : 1;
        step->actual.init[i] = (uint8_t)up_to(draft, least, timed->stages[i].init);
        step->actual.transfer[i] = (uint8_t)up_to(draft, 0, timed->stages[i].transfer);
    }
}

static void draw_latencies(struct draft *draft, struct sass_timed *timed) {
    static const uint32_t most[] = {0, 1, 2, 3, 5, 8};
    timed->write_counter = timed->read_counter = SASS_NO_COUNTER;
    if (!one_in(draft, 4)) timed->write_counter = (uint8_t)below(draft, 2);
    if (one_in(draft, 3)) timed->read_counter = (uint8_t)below(draft, 2);
    timed->write_most = most[below(draft, 6)];
    timed->write_least = one_in(draft, 3) ? below(draft, timed->write_most + 1) : timed->write_most;
    if (timed->read_counter != SASS_NO_COUNTER) {
        timed->read_most = below(draft, 4);
        timed->read_least = one_in(draft, 4) ? below(draft, timed->read_most + 1) : timed->read_most;
    }
}

static void draw_step(struct draft *draft, struct sass_step *step) {
    struct sass_timed *timed = &step->stated;
    const struct pipe *pipe = &draft->pipes[below(draft, draft->pipe_count)];
    memset(step, 0, sizeof *step);
    timed->stall = timed->stall_least = one_in(draft, 2) ? 1 : 1 + below(draft, draft->longest);
    timed->slot = 1;
    timed->write_counter = timed->read_counter = timed->left_counter = SASS_NO_COUNTER;
    timed->constant_line = SASS_NO_LINE;
    if (one_in(draft, 12)) timed->fetch = 1 + below(draft, 8);
    if (one_in(draft, 4)) timed->waits = (uint8_t)(1 + below(draft, 3));
    if (one_in(draft, 10)) {
        timed->left_counter = (uint8_t)below(draft, 2);
        timed->left = (uint8_t)below(draft, 2);
    }
    if (one_in(draft, 12)) return; /* what only waits */
    timed->fixed = pipe->fixed;
    timed->stage_count = (uint8_t)pipe->stages;
    for (uint32_t i = 0; i < pipe->stages; i++) {
        const uint32_t init = 1 + below(draft, pipe->init[i]);
        const uint32_t transfer = below(draft, pipe->transfer[i] + 1);
        timed->stages[i] = (struct sass_stage){.unit = pipe->units[i], .init = init, .transfer = transfer};
    }
    if (!pipe->fixed) {
        draw_latencies(draft, timed);
        return;
    }
    const uint32_t bubbles = one_in(draft, 4) ? 1 + below(draft, 2) : 0;
    timed->slot += bubbles;
    timed->stages[0].init += bubbles;
    if (one_in(draft, 10)) {
        step->probe = 1 + below(draft, 3); /* it takes the issue stage for a cycle at least */
        timed->operand = step->probe + below(draft, 6);
        timed->slot += step->probe;
    }
}

/* A program goes on to further lines, and sometimes back. */
static void draw_lines(struct draft *draft, struct sass_program *program) {
    uint32_t line = one_in(draft, 3) ? below(draft, 2) : 0;
    for (uint32_t i = 0; i < program->count; i++) {
        if (i > 0 && one_in(draft, 2)) line = one_in(draft, 6) ? 0 : line + 1;
        line = line < SASS_GRID_LINES ? line : SASS_GRID_LINES - 1;
        struct sass_timed *timed = &program->steps[i].stated;
        timed->line = line;
        if (!timed->barrier && one_in(draft, 3)) timed->constant_line = below(draft, SASS_GRID_CONSTANTS);
    }
}

static void draw_misses(struct draft *draft, struct sass_lines *lines) {
    lines->l0 = !one_in(draft, 6);
    lines->l1 = one_in(draft, 2);
    lines->constants = one_in(draft, 2);
    lines->halves = 1 + one_in(draft, 3);
    lines->stated.l0 = (uint8_t)below(draft, 5);
    lines->stated.l1 = (uint8_t)below(draft, 11);
    lines->stated.probe = (uint8_t)(1 + below(draft, 2));
    lines->stated.constant = (uint8_t)(lines->stated.probe + below(draft, 5));
    for (uint32_t l = 0; l < SASS_GRID_LINES; l++) {
        lines->actual.l0[l] = (uint8_t)up_to(draft, 0, lines->stated.l0);
        lines->actual.l1[l] = (uint8_t)up_to(draft, 0, lines->stated.l1);
    }
    for (uint32_t l = 0; l < SASS_GRID_CONSTANTS; l++) {
        lines->actual.constant[l] = (uint8_t)up_to(draft, 0, lines->stated.constant);
        lines->actual.l1_constant[l] = (uint8_t)up_to(draft, 0, lines->stated.l1);
    }
    lines->actual.probe = (uint8_t)up_to(draft, 1, lines->stated.probe);
}

static void draw_program(struct draft *draft, uint32_t barriers, uint32_t steps,
                         struct sass_program *program) {
    program->count = 0;
    for (uint32_t s = 0; s <= barriers; s++) {
        const uint32_t count = barriers > 0 ? below(draft, steps + 1) : 1 + below(draft, steps);
        for (uint32_t i = 0; i < count && program->count < SASS_GRID_INSTS; i++)
            draw_step(draft, &program->steps[program->count++]);
        if (s == barriers || program->count == SASS_GRID_INSTS) break;
        struct sass_step *bar = &program->steps[program->count++];
        memset(bar, 0, sizeof *bar);
        bar->stated = (struct sass_timed){.stall = 1 + (one_in(draft, 2) ? below(draft, 6) : 0),
                                          .slot = 1,
                                          .barrier = true,
                                          .write_counter = SASS_NO_COUNTER,
                                          .read_counter = SASS_NO_COUNTER,
                                          .left_counter = SASS_NO_COUNTER,
                                          .constant_line = SASS_NO_LINE};
        bar->stated.stall_least = bar->stated.stall;
        if (draft->has_barrier_unit) {
            bar->stated.fixed = true;
            bar->stated.stage_count = 1;
            bar->stated.stages[0] =
                (struct sass_stage){.unit = draft->barrier_unit, .init = 1 + below(draft, 4)};
        }
    }
    for (uint32_t i = 0; i < program->count; i++) {
        struct sass_timed *timed = &program->steps[i].stated;
        if (draft->family->loose_stalls && one_in(draft, 2))
            timed->stall_least = 1 + below(draft, timed->stall);
        draw_actual(draft, &program->steps[i]);
    }
    if (draft->family->lines) draw_lines(draft, program);
}

static void draw_rules(struct draft *draft) {
    struct sass_rules *rules = &draft->grid->rules;
    rules->full_holds_issue = draft->family->full_queues || one_in(draft, 2);
    rules->first_in_first_out = one_in(draft, 3);
    rules->issue_first = one_in(draft, 2);
    rules->late_stall = one_in(draft, 2);
    rules->hidden_count = one_in(draft, 4);
    rules->probes_again = draft->family->lines && one_in(draft, 2);
}

static void draw_blocks(struct draft *draft) {
    struct sass_grid *grid = draft->grid;
    const struct sass_family *family = draft->family;
    const bool barriers = family->barriers || one_in(draft, 4);
    const bool same = one_in(draft, 3);
    const uint32_t barrier_count = barriers ? 1 + below(draft, family->barriers ? 2 : 1) : 0;
    const bool few = family->several || family->four_cores || barriers;
    const uint32_t steps = few ? 2 : 2 + below(draft, 3);
    for (uint32_t w = 0; w < grid->warps; w++)
        if (same && w > 0)
            grid->programs[w] = grid->programs[0];
        else
            draw_program(draft, barrier_count, grid->warps > 2 && steps > 3 ? 3 : steps, &grid->programs[w]);
    const bool two_kinds = !grid->identical && one_in(draft, 2);
    for (uint32_t w = grid->warps; w < grid->warps * grid->blocks; w++) {
        if (two_kinds && w < 2 * grid->warps)
            draw_program(draft, barrier_count, steps, &grid->programs[w]);
        else
            grid->programs[w] = grid->programs[w % ((1 + two_kinds) * grid->warps)];
        for (uint32_t i = 0; !grid->identical && i < grid->programs[w].count; i++)
            draw_actual(draft, &grid->programs[w].steps[i]);
    }
}

void random_sass_grid(const struct sass_family *family, uint64_t seed, struct sass_grid *grid) {
    struct draft draft = {.random = random_seeded(seed), .family = family, .grid = grid};
    memset(grid, 0, sizeof *grid);
    draft.longest = 1 + below(&draft, 7);
    grid->sub_cores = 1 + one_in(&draft, 3);
    if (family->two_stages || family->barriers) grid->sub_cores = 1 + below(&draft, 2);
    grid->warps = 2 + below(&draft, 2) + one_in(&draft, 6);
    if (family->four_cores) {
        grid->sub_cores = SASS_GRID_CORES;
        grid->warps = 4 + below(&draft, 3);
    }
    grid->blocks = grid->slots = grid->sms = 1;
    if (family->several) {
        grid->warps = 1 + below(&draft, 2);
        grid->blocks = 2 + below(&draft, grid->warps == 1 ? 4 : 3);
        grid->slots = 1 + below(&draft, family->presets ? 3 : 2);
        grid->sms = grid->sub_cores == 1 || one_in(&draft, 2) ? 1 + below(&draft, 2) : 1;
        grid->is_static = one_in(&draft, 4);
        grid->identical = one_in(&draft, 2);
    }
    if (family->chains) {
        grid->sub_cores = grid->warps = grid->slots = 2;
        grid->sms = 1 + one_in(&draft, 3);
        grid->blocks = 3 + below(&draft, 2);
    }
    grid->release = one_in(&draft, 4) ? below(&draft, 4) : 0;
    memset(grid->actual_release, (int)up_to(&draft, 0, grid->release), sizeof grid->actual_release);
    grid->lines.halves = 1;
    if (family->lines) draw_misses(&draft, &grid->lines);
    draw_pipes(&draft);
    draw_rules(&draft);
    if (family->barrier_unit && grid->units < SASS_GRID_UNITS && !one_in(&draft, 3)) {
        draft.has_barrier_unit = true;
        draft.barrier_unit = add_unit(&draft, !one_in(&draft, 3), 0);
        grid->rules.late_release = one_in(&draft, 2);
    }
    if (family->presets || family->barrier_unit) grid->rules.prompt_start = one_in(&draft, 2);
    draw_blocks(&draft);
    for (uint32_t w = one_in(&draft, 4) ? 0 : SASS_GRID_WARPS; w < SASS_GRID_WARPS; w++)
        for (uint32_t b = 0; b < SASS_GRID_INSTS; b++)
            grid->actual_release[w][b] = (uint8_t)up_to(&draft, 0, grid->release);
}

void random_sass_pauses(uint64_t seed, struct sass_grid *grid) {
    struct random_state random = random_seeded(~seed); /* no draw of the grid moves */
    grid->pauses.cycles = (uint8_t)(1 + random_below(&random, 2) + (random_below(&random, 6) == 0));
    grid->pauses.common = grid->sms > 1 && random_below(&random, 3) == 0;
    grid->pauses.issue = random_below(&random, 3) == 0;
    grid->pauses.kinds = SASS_PAUSE_ALL;
    if (random_below(&random, 2) == 0) grid->pauses.kinds = (uint8_t)random_below(&random, SASS_PAUSE_ALL);
}
