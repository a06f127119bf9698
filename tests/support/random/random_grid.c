#include "random_grid.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t between(struct random_state *random, uint32_t low, uint32_t high) {
    return low + (uint32_t)random_below(random, high - low + 1);
}

/* The units of a GPU: most instructions take little time, some a lot. */
static void write_kernel_units(struct random_state *random, struct random_block *text, char *classes) {
    snprintf(text->units, sizeof text->units, "A(2,2) B(2,13) M(2,%u) ", between(random, 20, 120));
    snprintf(classes, RANDOM_KINDS, "AAABM");
}

/* Kinds of blocks, separated by `/`, each with how often it comes. */
static void write_blocks(struct random_state *random, const struct random_grid_shape *shape,
                         struct random_block *text, const char *classes, struct text *blocks) {
    const uint32_t count = between(random, 1, shape->classes);
    uint32_t left = between(random, count, shape->blocks > count ? shape->blocks : count);
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t others = count - k - 1;
        const uint32_t number = others == 0 ? left : between(random, 1, left - others);
        left -= number;
        text->warps[0] = '\0';
        random_block_warps(random, &shape->block, text, classes);
        text_printf(blocks, "%s%u* %s", k > 0 ? " / " : "", number, text->warps);
    }
}

/* Half of those that may give a block to any SM do so anyhow, as bounds have to hold for. */
static enum block_dispatch random_dispatch(struct random_state *random, bool dynamic) {
    static const enum block_dispatch dispatches[] = {DISPATCH_STATIC,      DISPATCH_STATIC,   DISPATCH_ANY,
                                                     DISPATCH_ANY,         DISPATCH_ANY,      DISPATCH_GREEDY,
                                                     DISPATCH_ROUND_ROBIN, DISPATCH_MOST_FREE};
    return dispatches[between(random, dynamic ? 2 : 0, sizeof dispatches / sizeof *dispatches - 1)];
}

static void vary_memory(struct random_state *random, const struct random_grid_shape *shape,
                        struct wb_machine *machine) {
    struct machine_memory *memory = &machine->memory;
    const bool takes_time = random_below(random, 100) >= shape->free_percent;
    machine_memory_defaults(memory);
    machine->limits.blocks = between(random, 1, shape->resident);
    memory->sms = between(random, 1, shape->sms);
    memory->dispatch = random_dispatch(random, shape->dynamic);
    if (!takes_time) return;
    memory->dispatch_latency = between(random, 0, shape->dispatch_latency);
    memory->dispatch_service = between(random, 0, shape->dispatch_service);
}

/* The units, with a mark behind the name of each that every sub-core has for itself. */
static void describe_units(const char *units, const struct wb_machine *machine, char *marked) {
    uint32_t unit = 0;
    for (; *units != '\0'; units++) {
        *marked++ = *units;
        if (*units < 'A' || *units > 'Z' || (units[1] != '*' && units[1] != '(')) continue;
        if (!machine->units[unit++].shared) *marked++ = '/';
    }
    *marked = '\0';
}

/* The grid as a block file. */
static void describe(uint64_t seed, const struct random_block *text, const struct text *blocks,
                     struct random_grid *made) {
    const struct wb_machine *machine = &made->block.machine;
    const struct machine_memory *memory = &machine->memory;
    static const char *const dispatches[] = {"static", "greedy", "round_robin", "most_free", "any"};
    char depth[16] = "unlimited", units[2 * sizeof text->units];
    describe_units(text->units, machine, units);
    if (machine->dispatch_depth != DEPTH_UNLIMITED)
        (void)snprintf(depth, sizeof depth, "%u", machine->dispatch_depth);
    (void)snprintf(
        made->label, sizeof made->label,
        "# seed %" PRIu64
        "\nblock: random\nunits: %s\nblocks: [\"%s\"]\nresident: %u\ndispatch_depth: %s\nsub_cores: %u\n"
        "issue_width: %u\nissue_per_warp: %u\npolicy: %s\nbarrier_release: %u\nmemory: {sms: %u, dispatch: "
        "%s, "
        "dispatch_latency: %u, dispatch_service: %u}\n",
        seed, units, blocks->data, machine->limits.blocks, depth, machine->sub_cores, machine->issue_width,
        machine->issue_per_warp, machine->policy == MACHINE_POLICY_OLDEST ? "oldest" : "any",
        machine->barrier_release, memory->sms, dispatches[memory->dispatch], memory->dispatch_latency,
        memory->dispatch_service);
}

void random_grid_make_times(struct random_grid *made) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    if (synthetic_grid_make(&made->block, diagnostics, &made->grid, &made->timed) != WB_OK) abort();
    wb_diagnostics_free(diagnostics);
}

void random_grid_make(uint64_t seed, const struct random_grid_shape *shape, struct random_grid *made) {
    struct random_state random = random_seeded(seed);
    struct random_block text = {0};
    struct text blocks = {0};
    char classes[RANDOM_KINDS];
    memset(made, 0, sizeof *made);
    if (shape->kernel_like)
        write_kernel_units(&random, &text, classes);
    else
        random_block_units(&random, &shape->block, &text, classes);
    write_blocks(&random, shape, &text, classes, &blocks);
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    if (blocks.failed || synthetic_grid_parse(text.units, blocks.data, diagnostics, &made->block) != WB_OK)
        abort();
    wb_diagnostics_free(diagnostics);
    random_block_vary(&random, &shape->block, shape->depths, shape->depth_count, &made->block);
    vary_memory(&random, shape, &made->block.machine);
    if (shape->oldest_first) made->block.machine.policy = MACHINE_POLICY_OLDEST;
    describe(seed, &text, &blocks, made);
    text_free(&blocks);
    random_grid_make_times(made);
}

void random_grid_remake(struct random_grid *made) {
    timed_grid_free(&made->timed);
    grid_clear(&made->grid);
    random_grid_make_times(made);
}

cycles random_grid_simulate(const struct random_grid *grid, const struct sim_policy *policy,
                            const struct dispatch_plan *plan) {
    const struct gpu_scheme scheme = {.name = "default", .policy = policy};
    const struct gpu_options options = {.plan = plan};
    struct arena arena = {0};
    wb_gpu_simulation result;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    if (gpu_simulate(&grid->timed, &scheme, &options, diagnostics, &arena, &result) != WB_OK) abort();
    wb_diagnostics_free(diagnostics);
    arena_free(&arena);
    return result.cycles;
}

void random_grid_free(struct random_grid *made) {
    timed_grid_free(&made->timed);
    grid_clear(&made->grid);
    synthetic_block_free(&made->block);
}
