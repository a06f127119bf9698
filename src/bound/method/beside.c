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
    const struct path_entry *entries = path->entries.items;
    uint64_t folded = 0, repetitions = 0, sum = 0; /* as add_path of grid_work.c */
    for (size_t i = path->entries.count; i-- > 0;) {
        if (entries[i].count == PATH_REPEAT) {
            folded = entries[i].first;
            repetitions = entries[i].mask;
            continue;
        }
        const uint64_t times = folded > 0 ? repetitions + 1 : 1;
        const uint32_t lanes = parts ? MACHINE_WARP_WIDTH : (uint32_t)__builtin_popcount(entries[i].mask);
        sum = cycles_add(sum, cycles_mul(times, atomics_of_run(block->code.sass, &entries[i], lanes)));
        folded -= folded > 0;
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
    return (struct beside_times){.atomics = cycles_mul(counts->atomics, machine->sass.atomic_word),
                                 .translations =
                                     cycles_mul(counts->visits, cycles_mul(fills->pages, fills->translation)),
                                 .sectors = held == CYCLES_SATURATED || held == 0 ? held
                                            : row > 0 ? cycles_mul(counts->sectors, row)
                                                      : cycles_ceiling(held, sms)};
}
