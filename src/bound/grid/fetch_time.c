#include "bound/grid/grid_work.h"

#include "base/base.h"
#include "memory/caches/caches.h"

/* Code, and how it is fetched. */
struct fetched_code {
    const struct timed_code *code;
    const struct machine_fetch *fetch;
};

/* Goes on behind an instruction of a warp: true when it has to be fetched. *from and *end: its buffer. */
static bool is_fetched(const struct fetched_code *fetched, uint32_t entry, uint64_t *from, uint64_t *end) {
    const struct machine_fetch *fetch = fetched->fetch;
    if (fetched->code->insts[entry].unit == UNIT_NONE) return false;
    const uint64_t address = timed_address(fetched->code, entry, fetch->instruction_bytes);
    const bool held = address >= *from && address < *end;
    *from = address + fetch->instruction_bytes;
    if (!held) *end = fetch_end(fetch, address);
    return !held;
}

/* The fetches of warps: of each entry of the code, unless `counts` is NULL, and together. */
struct fetch_tally {
    uint64_t *counts;
    uint64_t total;
};

/* Adds the fetches of a run whose first instruction is not in the buffer, `times` times: never fewer than
 * with one that is, nor than of a part of the run. */
static void tally_run(const struct fetched_code *fetched, struct path_entry run, uint64_t times,
                      struct fetch_tally *tally) {
    uint64_t from = 0, end = 0, fetches = 0;
    for (uint32_t i = run.first; i < run.first + run.count; i++) {
        if (!is_fetched(fetched, i, &from, &end)) continue;
        fetches++;
        if (tally->counts != NULL) tally->counts[i] = cycles_add(tally->counts[i], times);
    }
    tally->total = cycles_add(tally->total, cycles_mul(times, fetches));
}

static void tally_path(const struct fetched_code *fetched, const struct path *path, uint64_t warps,
                       struct fetch_tally *tally) {
    struct path_runs runs = path_runs_of(path);
    struct path_entry run;
    for (uint64_t times; path_runs_next(&runs, &run, &times);)
        tally_run(fetched, run, cycles_mul(warps, times), tally);
}

/* Adds those of all warps of the block. WB_ERR_LIMIT without a message when memory is exhausted. */
static wb_status tally_block(const struct timed_block *block, struct fetch_tally *tally) {
    const struct fetched_code fetched = {&block->code, &block->machine->fetch};
    if (!fetch_can_stall(fetched.fetch)) return WB_OK;
    struct arena scratch = {0};
    uint64_t *warps = arena_array(&scratch, (size_t)block->path_count + 1, sizeof *warps);
    if (warps == NULL) return WB_ERR_LIMIT;
    for (uint32_t w = 0; w < block->warp_count; w++)
        warps[block->warp_path[w]]++;
    for (uint32_t p = 0; p < block->path_count; p++)
        tally_path(&fetched, &block->paths[p], warps[p], tally);
    arena_free(&scratch);
    return WB_OK;
}

wb_status code_fetch_counts(const struct timed_block *block, uint64_t *counts) {
    struct fetch_tally tally = {0};
    tally.counts = counts;
    return tally_block(block, &tally);
}

wb_status code_fetches(const struct timed_block *block, uint64_t *fetches) {
    struct fetch_tally tally = {0};
    wb_status status = tally_block(block, &tally);
    *fetches = tally.total;
    return status;
}

static wb_status add_line(struct code_lines *lines, uint64_t line) {
    while (lines->words.count <= line / 64)
        WB_TRY(vec_push(&lines->words, 0));
    lines->words.items[line / 64] |= UINT64_C(1) << (line % 64);
    return WB_OK;
}

static wb_status add_run_lines(struct code_lines *lines, const struct fetched_code *fetched,
                               struct path_entry run) {
    const struct machine_fetch *fetch = fetched->fetch;
    for (uint32_t i = run.first; i < run.first + run.count; i++) {
        if (fetched->code->insts[i].unit == UNIT_NONE) continue;
        WB_TRY(add_line(lines, timed_address(fetched->code, i, fetch->instruction_bytes) / fetch->line));
    }
    return WB_OK;
}

static wb_status add_path_lines(struct code_lines *lines, const struct fetched_code *fetched,
                                const struct path *path) {
    for (size_t e = 0; e < path->entries.count; e++)
        if (path->entries.items[e].count != PATH_REPEAT)
            WB_TRY(add_run_lines(lines, fetched, path->entries.items[e]));
    return WB_OK;
}

wb_status code_lines_add(struct code_lines *lines, const struct timed_block *block) {
    const struct fetched_code fetched = {&block->code, &block->machine->fetch};
    if (!fetch_can_stall(fetched.fetch)) return WB_OK;
    for (uint32_t p = 0; p < block->path_count; p++)
        WB_TRY(add_path_lines(lines, &fetched, &block->paths[p]));
    return WB_OK;
}

wb_status grid_fetches(const struct timed_grid *timed, struct code_lines *lines, uint64_t *most) {
    const struct wb_grid *grid = timed->grid;
    const struct fetched_code fetched = {&timed->code, &timed->machine->fetch};
    struct arena scratch = {0};
    *most = 0;
    if (!fetch_can_stall(fetched.fetch)) return WB_OK;
    uint64_t *of_path = arena_array(&scratch, grid->paths.count + 1, sizeof *of_path);
    wb_status status = of_path == NULL ? WB_ERR_LIMIT : WB_OK;
    for (size_t p = 0; status == WB_OK && p < grid->paths.count; p++) {
        struct fetch_tally tally = {0};
        tally_path(&fetched, &grid->paths.items[p], 1, &tally);
        of_path[p] = tally.total;
        status = add_path_lines(lines, &fetched, &grid->paths.items[p]);
    }
    for (size_t s = 0; status == WB_OK && s < grid->shapes.count; s++) {
        uint64_t of_block = 0;
        for (uint32_t w = 0; w < grid->warp_count; w++)
            of_block = cycles_add(of_block, of_path[grid->shapes.items[s].warps[w].path]);
        *most = cycles_max(*most, of_block);
    }
    arena_free(&scratch);
    return status;
}

void code_lines_free(struct code_lines *lines) {
    vec_free(&lines->words);
}

static bool has_line(const struct code_lines *lines, uint64_t line) {
    return (lines->words.items[line / 64] >> (line % 64) & 1) != 0;
}

bool code_lines_fit(const struct code_lines *lines, const struct machine_fetch *fetch, uint64_t *count) {
    const struct cache_geometry geometry = fetch_cache_geometry(fetch);
    const uint64_t sets = cache_index_of(&geometry).set_count, end = (uint64_t)lines->words.count * 64;
    bool fit = true;
    *count = 0;
    for (uint64_t set = 0; set < sets && set < end; set++) {
        uint64_t of_set = 0;
        for (uint64_t line = set; line < end; line += sets)
            of_set += has_line(lines, line);
        *count += of_set;
        fit = fit && of_set <= fetch->ways;
    }
    return fit;
}

cycles fetch_time(const struct machine_fetch *fetch, const struct fetch_demand *demand) {
    if (!fetch_can_stall(fetch)) return 0;
    uint64_t lines;
    const bool fit = code_lines_fit(demand->lines, fetch, &lines);
    const uint64_t once = cycles_mul(lines, demand->sms);
    const uint64_t misses = fit ? cycles_min(once, demand->fetches) : demand->fetches;
    const cycles missing = cycles_mul(misses, fetch->miss_latency);
    const cycles arriving = cycles_mul(demand->fetches, fetch->latency);
    const cycles queueing = fetch->per_cycle >= demand->warps ? 0 : demand->fetches / fetch->per_cycle;
    if (demand->fetches == CYCLES_SATURATED) return CYCLES_SATURATED;
    return cycles_add(missing, cycles_add(arriving, queueing));
}
