#include "bound/sass/cold_sets.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "warp/path/path.h"

/* Never. */
#define NO_SECTION UINT64_MAX

static size_t word_count(const struct cold_sets *sets) {
    return (size_t)sets->count / 64 + 1;
}

static bool has_line(const uint64_t *set, uint32_t line) {
    return (set[line / 64] >> (line % 64) & 1) != 0;
}

static bool is_constant(const struct cold_sets *sets, uint32_t line) {
    return line < sets->constants;
}

/* Most cycles that a miss of an L0 keeps a warp from issue: 0 of one that the code does not fit into, whose
 * misses are counted each time, and of constants. */
static cycles l0_time(const struct cold_sets *sets, uint32_t line) {
    const struct sass_cached *l0 = &sets->footprint.instructions;
    return l0->fits && !is_constant(sets, line) ? l0->miss : 0;
}

/* The same of a constant, its probe included. */
static cycles constant_time(const struct cold_sets *sets, uint32_t line) {
    const struct sass_cached *cache = &sets->footprint.constants;
    return cache->fits && is_constant(sets, line) ? (cycles)cache->miss + cache->hold : 0;
}

static cycles l1_time(const struct cold_sets *sets, uint32_t line) {
    const struct sass_cached *l1 = &sets->footprint.l1_instructions;
    if (!l1->fits) return 0;
    return is_constant(sets, line) ? l1->miss : cycles_mul(sets->l1_lines, l1->miss);
}

/* ---- Paths ----------------------------------------------------------------------------------------------
 */

/* A walk along the paths of a block. */
struct line_walk {
    const struct timed_block *block;
    const struct sass_timed *insts; /* of the code that numbers the lines */
    struct cold_sets *sets;
    bool barriers;
};

/* The entry that says which lines an entry of the block's code touches. */
static const struct sass_timed *numbered(const struct line_walk *walk, uint32_t entry) {
    const struct timed_code *code = &walk->block->code;
    return &walk->insts[code->beside == NULL ? entry : timed_origin(code, entry)];
}

static void touch(uint64_t *first, uint32_t line, uint64_t section) {
    if (section < first[line]) first[line] = section;
}

/* Walks a run, *section being the one that it begins in. */
static void walk_run(const struct line_walk *walk, struct path_entry run, uint64_t *first,
                     uint64_t *section) {
    for (uint32_t i = run.first; i < run.first + run.count; i++) {
        const struct sass_timed *inst = numbered(walk, i);
        touch(first, walk->sets->constants + inst->line, *section);
        if (inst->constant_line != SASS_NO_LINE) touch(first, inst->constant_line, *section);
        *section += walk->block->code.sass[i].barrier;
    }
}

static uint64_t barriers_of(const struct line_walk *walk, struct path_runs runs) {
    struct path_entry run;
    uint64_t barriers = 0;
    for (uint64_t times; path_runs_next(&runs, &run, &times);)
        for (uint32_t i = run.first; i < run.first + run.count; i++)
            barriers += walk->block->code.sass[i].barrier ? times : 0;
    return barriers;
}

/* A repetition of a fold touches no new line. Returns the number of barriers. */
static uint64_t walk_path(const struct line_walk *walk, const struct path *path, uint64_t *first) {
    uint64_t section = 0;
    for (size_t e = 0; e < path->entries.count; e++) {
        const struct path_entry *entry = &path->entries.items[e];
        if (entry->count != PATH_REPEAT)
            walk_run(walk, *entry, first, &section);
        else
            section += entry->mask *
                       barriers_of(walk, (struct path_runs){.first = entry - entry->first, .next = entry});
    }
    return section;
}

/* ---- Chains ---------------------------------------------------------------------------------------------
 */

/* A line that warps of a sub-core touch first in a section. */
struct first_touch {
    uint64_t section;
    uint32_t sub_core;
    cycles time;
};

static int touches_compare(const void *a, const void *b) {
    const struct first_touch *x = a, *y = b;
    if (x->section != y->section) return x->section < y->section ? -1 : 1;
    return x->sub_core == y->sub_core ? 0 : x->sub_core < y->sub_core ? -1 : 1;
}

/* The sum, over the sections, of the most that any sub-core first touches there: `touches` is sorted. */
static cycles longest_chain(const struct first_touch *touches, size_t count) {
    cycles sum = 0;
    for (size_t i = 0; i < count;) {
        const uint64_t section = touches[i].section;
        cycles most = 0;
        while (i < count && touches[i].section == section) {
            const uint32_t sub_core = touches[i].sub_core;
            cycles own = 0;
            for (; i < count && touches[i].section == section && touches[i].sub_core == sub_core; i++)
                own = cycles_add(own, touches[i].time);
            most = cycles_max(most, own);
        }
        sum = cycles_add(sum, most);
    }
    return sum;
}

/* Lines of partly executed paths may be touched first in any later section: all misses count. */
static cycles unknown_chain(const struct first_touch *touches, size_t count) {
    cycles sum = 0;
    for (size_t i = 0; i < count; i++)
        sum = cycles_add(sum, touches[i].time);
    return sum;
}

/* ---- Blocks ---------------------------------------------------------------------------------------------
 */

/* Sets of the block, from per sub-core and line the section that touches it first; the touches among them, to
 * `touches`. */
static size_t gather(const struct line_walk *walk, const uint64_t *first, struct first_touch *touches) {
    struct cold_sets *sets = walk->sets;
    const uint32_t sub_cores = walk->block->machine->sub_cores;
    size_t count = 0;
    for (uint32_t line = 0; line < sets->count; line++) {
        uint32_t cores = 0;
        for (uint32_t c = 0; c < sub_cores; c++) {
            const uint64_t section = first[(size_t)c * sets->count + line];
            if (section == NO_SECTION) continue;
            touches[count++] = (struct first_touch){section, c, l0_time(sets, line)};
            cores++;
        }
        if (cores > 0) sets->any[line / 64] |= UINT64_C(1) << (line % 64);
        if (cores == sub_cores) sets->all[line / 64] |= UINT64_C(1) << (line % 64);
    }
    return count;
}

/* Per sub-core and line the section in which any of its warps touches it first; NULL when memory is
 * exhausted. */
static uint64_t *find_first(struct line_walk *walk, struct arena *scratch) {
    const struct timed_block *block = walk->block;
    const size_t count = walk->sets->count, sub_cores = block->machine->sub_cores;
    uint64_t *of_path = arena_array(scratch, count * block->path_count + 1, sizeof *of_path);
    uint64_t *of_core = arena_array(scratch, count * sub_cores + 1, sizeof *of_core);
    if (of_path == NULL || of_core == NULL) return NULL;
    memset(of_path, 0xff, count * block->path_count * sizeof *of_path);
    memset(of_core, 0xff, count * sub_cores * sizeof *of_core);
    for (uint32_t p = 0; p < block->path_count; p++)
        walk->barriers |= walk_path(walk, &block->paths[p], of_path + p * count) > 0;
    for (uint32_t w = 0; w < block->warp_count; w++) {
        const uint64_t *path = of_path + block->warp_path[w] * count;
        for (uint32_t line = 0; line < count; line++)
            touch(of_core + (w % sub_cores) * count, line, path[line]);
    }
    return of_core;
}

static wb_status walk_block(struct line_walk *walk, struct arena *scratch) {
    const struct timed_block *block = walk->block;
    struct cold_sets *sets = walk->sets;
    const uint64_t *first = find_first(walk, scratch);
    const size_t most = (size_t)sets->count * block->machine->sub_cores;
    struct first_touch *touches = arena_array(scratch, most + 1, sizeof *touches);
    if (first == NULL || touches == NULL) return WB_ERR_LIMIT;
    const size_t count = gather(walk, first, touches);
    const bool parts = block->traced != NULL && block->traced->covering;
    if (parts) memset(sets->all, 0, word_count(sets) * sizeof *sets->all);
    qsort(touches, count, sizeof *touches, touches_compare);
    sets->chain = parts && walk->barriers ? unknown_chain(touches, count) : longest_chain(touches, count);
    return WB_OK;
}

/* Numbers the lines that the code may have. */
static void count_lines(const struct line_walk *walk) {
    struct cold_sets *sets = walk->sets;
    const struct timed_code *code = &walk->block->code;
    const uint32_t entries = code->beside == NULL ? code->inst_count : code->beside->inst_count;
    uint32_t count = 0;
    for (uint32_t e = 0; e < entries; e++) {
        const struct sass_timed *inst = &walk->insts[e];
        if (inst->line >= count) count = inst->line + 1;
        if (inst->constant_line != SASS_NO_LINE && inst->constant_line >= sets->constants)
            sets->constants = inst->constant_line + 1;
    }
    sets->count = sets->constants + count;
}

/* Lines of so many bytes that one of the L0 is in at most; both begin at multiples of their length. */
static uint32_t lines_behind(uint32_t l0_bytes, uint32_t l1_bytes) {
    if (l1_bytes % l0_bytes == 0) return 1;
    return l0_bytes / l1_bytes + (l0_bytes % l1_bytes == 0 ? 0 : 2);
}

wb_status cold_sets_make(const struct timed_block *block, struct arena *arena, struct cold_sets *sets) {
    const struct timed_code *code = &block->code;
    const struct machine_sass *sass = &block->machine->sass;
    struct line_walk walk = {
        .block = block, .insts = code->beside == NULL ? code->sass : code->beside->sass, .sets = sets};
    struct arena scratch = {0};
    *sets =
        (struct cold_sets){.footprint = code->footprint,
                           .l1_lines = lines_behind(sass->l0.line_bytes, sass->l1_instructions.line_bytes)};
    count_lines(&walk);
    sets->any = arena_array(arena, word_count(sets), sizeof *sets->any);
    sets->all = arena_array(arena, word_count(sets), sizeof *sets->all);
    if (sets->any == NULL || sets->all == NULL) return WB_ERR_LIMIT;
    const wb_status status = walk_block(&walk, &scratch);
    arena_free(&scratch);
    return status;
}

/* ---- SMs ------------------------------------------------------------------------------------------------
 */

void cold_sets_join(struct cold_sets *sum, const struct cold_sets *other) {
    if (sum->any == NULL) {
        *sum = *other;
        return;
    }
    assert(sum->count == other->count && "lines of one grid are numbered together");
    for (size_t i = 0; i < word_count(sum); i++) {
        sum->any[i] |= other->any[i];
        sum->all[i] &= other->all[i];
    }
    sum->chain = cycles_max(sum->chain, other->chain);
}

cycles cold_shared_time(const struct sass_footprint *footprint, uint32_t sub_cores) {
    const struct sass_cached *constants = &footprint->constants;
    const cycles own = cycles_mul(constants->lines, (cycles)constants->miss + constants->hold);
    const cycles behind = cycles_mul(footprint->l1_instructions.lines, footprint->l1_instructions.miss);
    return cycles_add(behind, cycles_mul(sub_cores, own));
}

cycles cold_turns_time(const struct cold_sets *sum, uint32_t sub_cores) {
    cycles any = 0, unsure = 0;
    for (uint32_t line = 0; line < sum->count; line++) {
        const cycles time = cycles_mul(sub_cores, l0_time(sum, line));
        if (!has_line(sum->any, line)) continue;
        any = cycles_add(any, time);
        if (!has_line(sum->all, line)) unsure = cycles_add(unsure, time);
    }
    return cycles_min(cycles_add(sum->chain, unsure), any);
}

cycles cold_unsure_time(const struct cold_sets *sum, uint32_t sub_cores) {
    cycles unsure = 0;
    for (uint32_t line = 0; line < sum->count; line++) {
        if (!has_line(sum->any, line) || has_line(sum->all, line)) continue;
        const cycles own = cycles_add(l0_time(sum, line), constant_time(sum, line));
        unsure = cycles_add(unsure, cycles_add(l1_time(sum, line), cycles_mul(sub_cores, own)));
    }
    return unsure;
}
