#include "bound/profile/sections.h"

#include <string.h>

wb_status section_cycle_init(struct section_cycle *cycle, uint32_t path_count) {
    *cycle = (struct section_cycle){.path_count = path_count, .most = 1};
    cycle->then = calloc((size_t)path_count + 1, sizeof *cycle->then);
    return cycle->then == NULL ? WB_ERR_LIMIT : WB_OK;
}

static bool at_end(const struct path_cursor *cursor) {
    return cursor->left == 0 && cursor->entry == cursor->end;
}

/* Whether the path can come to the place `then` again: it is in the same fold still. */
static bool may_return(const struct path_cursor *then, const struct path_cursor *now) {
    return at_end(then) || (now->depth > 0 && then->depth > 0 && now->folds[0].fold == then->folds[0].fold);
}

/* The fold by whose repetitions alone `now` is behind `then`, which is the same place, or their number. */
static uint32_t returning_fold(const struct path_cursor *then, const struct path_cursor *now) {
    uint32_t found = now->depth;
    for (uint32_t i = 0; i < now->depth; i++) {
        if (then->folds[i].repetitions == now->folds[i].repetitions) continue;
        if (found < i || then->folds[i].repetitions < now->folds[i].repetitions) return now->depth;
        found = i;
    }
    return found;
}

/* How often the path will go once more from `then` to `now`, which is the same place. */
static uint64_t returns(const struct path_cursor *then, const struct path_cursor *now) {
    const uint32_t fold = returning_fold(then, now);
    if (at_end(now)) return UINT64_MAX;
    if (fold == now->depth) return 0;
    const uint32_t left = now->folds[fold].repetitions;
    return left / (then->folds[fold].repetitions - left);
}

/* Compares with the present place from now on. */
static void start_over(struct section_cycle *cycle, const struct path_cursor *cursors, size_t most) {
    memcpy(cycle->then, cursors, cycle->path_count * sizeof *cycle->then);
    cycle->rows.count = 0;
    cycle->most = most;
}

wb_status section_cycle_note(struct section_cycle *cycle, const struct path_cursor *cursors, size_t row,
                             uint64_t *times) {
    bool may = true, same = true;
    WB_TRY(vec_push(&cycle->rows, row));
    for (uint32_t p = 0; p < cycle->path_count && may; p++) {
        may = may_return(&cycle->then[p], &cursors[p]);
        same = same && path_same_place(&cycle->then[p], &cursors[p]);
    }
    *times = may && same ? UINT64_MAX : 0;
    for (uint32_t p = 0; p<cycle->path_count && * times> 0; p++) {
        const uint64_t one = returns(&cycle->then[p], &cursors[p]);
        *times = one < *times ? one : *times;
    }
    if (*times == UINT64_MAX) *times = 0; /* every path has ended */
    /* Brent's cycle detection: a place is kept for twice as long as the one before it. */
    if (!may || (*times == 0 && cycle->rows.count >= cycle->most))
        start_over(cycle, cursors, may ? 2 * cycle->most : 1);
    return WB_OK;
}

void section_cycle_skip(struct section_cycle *cycle, uint64_t times, struct path_cursor *cursors) {
    for (uint32_t p = 0; p < cycle->path_count; p++) {
        const uint32_t fold = returning_fold(&cycle->then[p], &cursors[p]);
        if (fold == cursors[p].depth) continue; /* at its end */
        uint32_t *left = &cursors[p].folds[fold].repetitions;
        *left -= (uint32_t)(times * (cycle->then[p].folds[fold].repetitions - *left));
    }
    start_over(cycle, cursors, 1);
}

void section_cycle_free(struct section_cycle *cycle) {
    vec_free(&cycle->rows);
    free(cycle->then);
    cycle->then = NULL;
}

bool path_has_barrier(const struct timed_code *code, const struct path_fold *fold) {
    struct path_runs runs = path_runs_of_body(fold);
    struct path_entry run;
    for (uint64_t times; path_runs_next(&runs, &run, &times);)
        for (uint32_t i = run.first; i < run.first + run.count; i++)
            if (code->insts[i].barrier) return true;
    return false;
}

bool section_next_run(struct section_reader *reader, struct section_run *run) {
    struct path_cursor *cursor = &reader->cursor;
    struct path_fold fold;
    struct path_entry entry;
    uint64_t times;
    if (reader->ended) return false;
    bool in_body = path_runs_next(&reader->body, &entry, &times);
    while (!in_body && path_at_fold(cursor, &fold) && !path_has_barrier(reader->code, &fold)) {
        reader->body = path_runs_of_body(&fold);
        reader->repetitions = fold.repetitions;
        path_skip_fold(cursor);
        in_body = path_runs_next(&reader->body, &entry, &times);
    }
    if (in_body) {
        *run = (struct section_run){entry.first, entry.count, cycles_mul(times, reader->repetitions)};
        return true;
    }
    if (cursor->left == 0 && !path_next_run(cursor)) return false;
    *run = (struct section_run){cursor->instruction, 0, 1};
    for (; cursor->left > 0 && !reader->ended; cursor->left--, run->count++)
        reader->ended = reader->code->insts[cursor->instruction++].barrier;
    return true;
}

/* The state of cutting the paths into sections side by side. */
struct section_cutter {
    struct block_sections *sections;
    struct path_cursor *cursors; /* per path */
    bool *ended;                 /* per path */
    uint32_t *row;               /* codes of the section at hand, per path */
    struct section_cycle cycle;  /* of the rows */
    VEC(uint32_t) insts;         /* of the section being read */
};

/* Whether the cursor is at a fold whose repetitions by themselves are too large for a section. */
static bool at_too_large_fold(const struct block_sections *sections, const struct path_cursor *cursor) {
    struct path_fold fold;
    struct path_entry run;
    uint64_t length = 0;
    if (!path_at_fold(cursor, &fold) || path_has_barrier(&sections->block->code, &fold)) return false;
    struct path_runs runs = path_runs_of_body(&fold);
    for (uint64_t times; path_runs_next(&runs, &run, &times);)
        length += run.count * times;
    return cycles_mul(length, fold.repetitions) > SECTIONS_INSTRUCTIONS_MAX;
}

/* Reads the next section of one path. */
static wb_status cut_section(struct section_cutter *cutter, uint32_t path) {
    struct block_sections *sections = cutter->sections;
    const struct timed_inst *insts = sections->block->code.insts;
    bool at_barrier = false;
    cutter->insts.count = 0;
    while (!cutter->ended[path] && !at_barrier) {
        struct path_step step = {0};
        sections->too_large = at_too_large_fold(sections, &cutter->cursors[path]);
        if (sections->too_large) return WB_OK;
        cutter->ended[path] = !path_next(&cutter->cursors[path], &step);
        if (cutter->ended[path]) break;
        WB_TRY(vec_push(&cutter->insts, step.instruction));
        at_barrier = insts[step.instruction].barrier;
        sections->too_large = cutter->insts.count > SECTIONS_INSTRUCTIONS_MAX;
        if (sections->too_large) return WB_OK;
    }
    bool is_new;
    static const uint32_t none;
    const uint32_t *items = cutter->insts.count > 0 ? cutter->insts.items : &none;
    WB_TRY(intern_copy(&sections->codes, items, cutter->insts.count * sizeof *items, &cutter->row[path],
                       &is_new));
    if (is_new) sections->instructions += cutter->insts.count;
    sections->too_large = sections->instructions > SECTIONS_INSTRUCTIONS_MAX;
    return WB_OK;
}

/* Counts what repeats itself behind the row just read. */
static wb_status repeat_rows(struct section_cutter *cutter, size_t row) {
    struct section_cycle *cycle = &cutter->cycle;
    uint64_t times;
    WB_TRY(section_cycle_note(cycle, cutter->cursors, row, &times));
    if (times == 0) return WB_OK;
    for (size_t i = 0; i < cycle->rows.count; i++)
        cutter->sections->row_counts.items[cycle->rows.items[i]] += times;
    section_cycle_skip(cycle, times, cutter->cursors);
    return WB_OK;
}

/* Reads the next section of every path as one row; *more says whether a path goes on behind it. */
static wb_status cut_row(struct section_cutter *cutter, bool *more) {
    struct block_sections *sections = cutter->sections;
    const uint32_t paths = sections->block->path_count;
    *more = false;
    for (uint32_t p = 0; p < paths; p++) {
        WB_TRY(cut_section(cutter, p));
        if (sections->too_large) return WB_OK;
        *more = *more || !cutter->ended[p];
    }
    uint32_t number;
    bool is_new;
    WB_TRY(intern_copy(&sections->rows, cutter->row, paths * sizeof *cutter->row, &number, &is_new));
    if (is_new) WB_TRY(vec_push(&sections->row_counts, 0));
    sections->row_counts.items[number]++;
    return repeat_rows(cutter, number);
}

wb_status block_sections_make(const struct timed_block *block, struct block_sections *sections) {
    *sections = (struct block_sections){.block = block};
    struct arena *arena = &sections->arena;
    struct section_cutter cutter = {
        .sections = sections,
        .cursors = arena_array(arena, block->path_count, sizeof *cutter.cursors),
        .ended = arena_array(arena, block->path_count, sizeof *cutter.ended),
        .row = arena_array(arena, block->path_count, sizeof *cutter.row),
    };
    wb_status status = WB_OK;
    if (cutter.cursors == NULL || cutter.ended == NULL || cutter.row == NULL) status = WB_ERR_LIMIT;
    for (uint32_t p = 0; status == WB_OK && p < block->path_count; p++)
        cutter.cursors[p] = path_begin(&block->paths[p]);
    if (status == WB_OK) status = section_cycle_init(&cutter.cycle, block->path_count);
    bool more = block->path_count > 0;
    while (status == WB_OK && more && !sections->too_large)
        status = cut_row(&cutter, &more);
    section_cycle_free(&cutter.cycle);
    vec_free(&cutter.insts);
    return status;
}

void block_sections_free(struct block_sections *sections) {
    intern_free(&sections->codes);
    intern_free(&sections->rows);
    vec_free(&sections->row_counts);
    arena_free(&sections->arena);
}

struct section_code sections_code(const struct block_sections *sections, uint32_t code) {
    const struct intern_entry *entry = &sections->codes.entries.items[code];
    /* The copy came from the arena, which aligns for any type. */
    return (struct section_code){(const uint32_t *)(const void *)entry->text,
                                 entry->length / (uint32_t)sizeof(uint32_t)};
}

const uint32_t *sections_row(const struct block_sections *sections, size_t row) {
    return (const uint32_t *)(const void *)sections->rows.entries.items[row].text;
}
