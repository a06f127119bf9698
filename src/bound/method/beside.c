#include "bound/method/beside.h"

#include "ptx/ptx.h"
#include "sass/sass.h"
#include "warp/path/path.h"

/* More banks of constants than there are. */
#define CONSTANT_BANKS 32u

/* Most page tables that are read for a translation. */
#define PAGE_TABLES 6u

/* Sectors that a prefetch fetches at most for each one that is asked for: 256 bytes. */
#define PREFETCHED 8u

/* What an entry of the code counts with so many lanes. */
typedef uint64_t entry_count(const struct timed_block *block, uint32_t entry, uint32_t lanes);

static uint64_t atomics_of_entry(const struct timed_block *block, uint32_t entry, uint32_t lanes) {
    const uint8_t class = block->code.sass[entry].class_;
    return class == SASS_CLASS_ATOMIC_GLOBAL || class == SASS_CLASS_REDUCE_GLOBAL ? lanes : 0;
}

/* How often a class asks for each of its sectors: once more, to write it back, if it changes memory. Times of
 * the machine file do not tell: nothing may wait for a store. */
static uint64_t asked_by(enum sass_class class) {
    switch (class) {
    case SASS_CLASS_LOAD_GLOBAL:
    case SASS_CLASS_LOAD_GENERIC:
    case SASS_CLASS_LOAD_LOCAL:
    case SASS_CLASS_ASYNC_COPY:
    case SASS_CLASS_PREFETCH:
    case SASS_CLASS_TEXTURE: return 1;
    case SASS_CLASS_STORE_GLOBAL:
    case SASS_CLASS_STORE_GENERIC:
    case SASS_CLASS_STORE_LOCAL:
    case SASS_CLASS_ATOMIC_GLOBAL:
    case SASS_CLASS_REDUCE_GLOBAL:
    case SASS_CLASS_SURFACE: return 2;
    default: return 0;
    }
}

/* What is asked for when a line misses wherever it may. */
static uint64_t line_requests(const struct sass_cache *cache) {
    return cache->line_bytes / MEMORY_SECTOR_BYTES + 1 + PAGE_TABLES;
}

/* What is asked for, and what may be written back; page tables of each line; of textures what describes them,
 * and where code and constants do not fit a line of each. */
static uint64_t requests_of_entry(const struct timed_block *block, uint32_t entry, uint32_t lanes) {
    const struct machine_sass *sass = &block->machine->sass;
    const struct sass_timed *timed = &block->code.sass[entry];
    const uint64_t lines = timed->counts.further[SASS_COUNT_PASSES] + UINT64_C(1);
    const uint64_t sectors = timed->counts.further[SASS_COUNT_SECTORS] + UINT64_C(1);
    const bool hits = block->code.footprint.l1_instructions.fits || timed->slot == 0;
    const bool described = timed->class_ == SASS_CLASS_TEXTURE || timed->class_ == SASS_CLASS_SURFACE;
    const uint64_t constants = line_requests(&sass->constants),
                   other = (hits ? 0 : line_requests(&sass->l1_instructions) + constants) +
                           (described ? 2 * constants : 0);
    if (timed->class_ == SASS_CLASS_LOAD_CONSTANT) return other + lines * constants;
    const uint64_t times = asked_by(timed->class_);
    if (times == 0) return other;
    const uint64_t asked =
        cycles_max(sectors, atomics_of_entry(block, entry, lanes)) * (timed->prefetches ? PREFETCHED : 1);
    return other + times * asked + lines * PAGE_TABLES;
}

static uint64_t count_of_run(const struct timed_block *block, const struct path_entry *run, uint32_t lanes,
                             entry_count *count) {
    uint64_t sum = 0;
    for (uint32_t i = run->first; i < run->first + run->count; i++)
        sum = cycles_add(sum, count(block, i, lanes));
    return sum;
}

/* The same of a path. Where warps execute parts of it the lanes are not known. */
static uint64_t count_of_path(const struct timed_block *block, const struct path *path, entry_count *count) {
    const bool parts = block->traced != NULL && block->traced->covering;
    struct path_runs runs = path_runs_of(path);
    struct path_entry run;
    uint64_t sum = 0;
    for (uint64_t times; path_runs_next(&runs, &run, &times);) {
        const uint32_t lanes = parts ? MACHINE_WARP_WIDTH : (uint32_t)__builtin_popcount(run.mask);
        sum = cycles_add(sum, cycles_mul(times, count_of_run(block, &run, lanes, count)));
    }
    return sum;
}

static uint64_t count_of(const struct timed_block *block, entry_count *count) {
    uint64_t sum = 0;
    for (uint32_t p = 0; p < block->path_count; p++) {
        uint64_t warps = 0;
        for (uint32_t w = 0; w < block->warp_count; w++)
            warps += block->warp_path[w] == p;
        sum = cycles_add(sum, cycles_mul(warps, count_of_path(block, &block->paths[p], count)));
    }
    return sum;
}

uint64_t atomics_of(const struct timed_block *block) {
    return count_of(block, atomics_of_entry);
}

uint64_t requests_of(const struct timed_block *block) {
    return count_of(block, requests_of_entry);
}

uint64_t requests_once(const struct wb_machine *machine, const struct wb_kernel *kernel, uint64_t sms) {
    const struct machine_sass *sass = &machine->sass;
    const struct sass_cache *code = &sass->l1_instructions, *constants = &sass->constants;
    const uint64_t bytes = (uint64_t)kernel->module->code->inst_count * SASS_BYTES;
    const uint64_t data =
        constant_bytes(kernel->module, kernel_function(kernel)) + kernel->module->code->address_bytes;
    const uint64_t of_sm =
        (cycles_ceiling(bytes, code->line_bytes) + 2) * line_requests(code) +
        (cycles_ceiling(data, constants->line_bytes) + CONSTANT_BANKS) * line_requests(constants);
    return cycles_mul(of_sm, sms);
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
