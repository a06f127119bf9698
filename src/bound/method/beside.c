#include "bound/method/beside.h"

#include "warp/path/path.h"

/* Atomics of a run, `lanes` of each instruction. */
static uint64_t atomics_of_run(const struct sass_timed *code, const struct path_entry *run, uint32_t lanes) {
    uint64_t count = 0;
    for (uint32_t i = run->first; i < run->first + run->count; i++)
        if (code[i].class_ == SASS_CLASS_ATOMIC_GLOBAL || code[i].class_ == SASS_CLASS_REDUCE_GLOBAL)
            count += lanes;
    return count;
}

/* The same of a path. Where warps execute parts of it the lanes are not known. */
static uint64_t atomics_of_path(const struct timed_block *block, const struct path *path) {
    const bool parts = block->traced != NULL && block->traced->covering;
    struct path_runs runs = path_runs_of(path);
    struct path_entry run;
    uint64_t sum = 0;
    for (uint64_t times; path_runs_next(&runs, &run, &times);) {
        const uint32_t lanes = parts ? MACHINE_WARP_WIDTH : (uint32_t)__builtin_popcount(run.mask);
        sum = cycles_add(sum, cycles_mul(times, atomics_of_run(block->code.sass, &run, lanes)));
    }
    return sum;
}

uint64_t atomics_of(const struct timed_block *block) {
    uint64_t sum = 0;
    for (uint32_t p = 0; p < block->path_count; p++) {
        uint64_t warps = 0;
        for (uint32_t w = 0; w < block->warp_count; w++)
            warps += block->warp_path[w] == p;
        sum = cycles_add(sum, cycles_mul(warps, atomics_of_path(block, &block->paths[p])));
    }
    return sum;
}

struct beside_times beside_times_of(const struct wb_machine *machine, const struct beside_counts *counts) {
    const struct machine_fills *fills = &machine->fills;
    const cycles held = cycles_mul(counts->sectors, fills->sector);
    const uint32_t row = machine->sass.row_cycle, sms = machine->memory.sms;
    return (struct beside_times){.requests = counts->of_block ? fills->held : 0,
                                 .atomics = cycles_mul(counts->atomics, machine->sass.atomic_word),
                                 .translations =
                                     cycles_mul(counts->visits, cycles_mul(fills->pages, fills->translation)),
                                 .sectors = held == CYCLES_SATURATED || held == 0 ? held
                                            : row > 0 ? cycles_mul(counts->sectors, row)
                                                      : cycles_ceiling(held, sms)};
}
