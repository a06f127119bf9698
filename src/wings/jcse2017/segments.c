/* The segment WCET of JCSE'17, section IV, as published (docs/memory-bounds.md, section 2): estimates. */
#include "wings/jcse2017/segments.h"

#include <string.h>

#include "base/containers.h"
#include "bound/cache/memory_work.h"
#include "memory/caches/caches.h"
#include "warp/timed/timed.h"
#include "wings/jcse2017/methods.h"

/* The segments of one path. */
struct segment_list {
    VEC(struct segment) items;
};

/* A warp of the blocks that an SM holds. */
struct segment_reader {
    const struct segment *next, *end;
};

struct segmenter {
    const struct memory_work *work;
    struct arena arena;
    cycles memory_latency;      /* L of eq. (3) or (4) */
    bool *reaches_memory;       /* per instruction: some execution makes requests */
    uint64_t *written;          /* per register, the number of the segment that wrote it last */
    struct segment_list *lists; /* per path */
    struct segment_warp *warps; /* of the blocks that an SM holds, and what they read */
    struct segment_reader *readers;
    struct intern rounds; /* shapes of the blocks that an SM held at a time, as bytes */
    VEC(cycles) times;    /* by their numbers */
};

/* Notes which instructions are accesses of global or local memory. */
static void note_memory_instructions(struct segmenter *segmenter) {
    const struct traffic *traffic = &segmenter->work->timed->traffic;
    for (size_t p = 0; p < traffic->patterns.count; p++) {
        const struct traffic_pattern *pattern = &traffic->patterns.items[p];
        for (uint32_t a = 0; a < pattern->access_count; a++) {
            const struct traffic_access *access = &pattern->accesses[a];
            if (access->request_count > 0) segmenter->reaches_memory[access->instruction] = true;
        }
    }
}

/* Whether an instruction needs a result of the segment with this number. */
static bool needs_segment(const struct segmenter *segmenter, const struct timed_inst *inst, uint64_t number) {
    const uint32_t *operands = segmenter->work->timed->code.operands + inst->first_operand;
    const uint32_t count = (uint32_t)inst->source_count + inst->destination_count;
    for (uint32_t i = 0; i < count; i++) {
        if (segmenter->written[operands[i]] == number) return true;
    }
    return false;
}

/* The cycles from its last issue until an instruction's result can be read. */
static cycles execution_latency(const struct segmenter *segmenter, uint32_t instruction) {
    const struct timed_inst *inst = &segmenter->work->timed->code.insts[instruction];
    if (segmenter->reaches_memory[instruction])
        return cycles_add(segmenter->memory_latency, inst->latency - inst->memory_latency);
    return (cycles)inst->latency + (inst->init > 0 ? inst->init - 1 : 0);
}

/* Cuts a path (of covering paths both sides of a branch, one behind the other): before an instruction that
 * needs a result of the segment at hand, and behind a barrier. */
static wb_status cut_path(struct segmenter *segmenter, const struct path *path, uint64_t *number,
                          struct segment_list *list) {
    const struct timed_code *code = &segmenter->work->timed->code;
    struct path_cursor cursor = path_begin(path);
    struct path_step step;
    struct segment segment = {0};
    bool open = false;
    ++*number;
    while (path_next(&cursor, &step)) {
        const struct timed_inst *inst = &code->insts[step.instruction];
        if (open && needs_segment(segmenter, inst, *number)) {
            WB_TRY(vec_push(&list->items, segment));
            segment = (struct segment){0};
            ++*number;
        }
        open = true;
        segment.issue += inst->unit != UNIT_NONE;
        segment.execute = cycles_max(segment.execute, execution_latency(segmenter, step.instruction));
        const uint32_t *written = code->operands + inst->first_operand + inst->source_count;
        for (uint32_t i = 0; i < inst->destination_count; i++)
            segmenter->written[written[i]] = *number;
        wait_queues_step(code, inst, segmenter->written, 1, *number);
        if (!inst->barrier) continue;
        WB_TRY(vec_push(&list->items, segment));
        segment = (struct segment){0};
        open = false;
        ++*number;
    }
    return open ? vec_push(&list->items, segment) : WB_OK;
}

static wb_status cut_paths(struct segmenter *segmenter) {
    const struct wb_grid *grid = segmenter->work->timed->grid;
    const struct timed_code *code = &segmenter->work->timed->code;
    const size_t warps = (size_t)segmenter->work->resident * grid->warp_count;
    struct arena *arena = &segmenter->arena;
    segmenter->reaches_memory = arena_array(arena, (size_t)code->inst_count + 1, sizeof(bool));
    segmenter->written = arena_array(arena, (size_t)code->register_count + 1, sizeof *segmenter->written);
    segmenter->lists = arena_array(arena, grid->paths.count + 1, sizeof *segmenter->lists);
    segmenter->warps = arena_array(arena, warps + 1, sizeof *segmenter->warps);
    segmenter->readers = arena_array(arena, warps + 1, sizeof *segmenter->readers);
    if (segmenter->reaches_memory == NULL || segmenter->written == NULL || segmenter->lists == NULL ||
        segmenter->warps == NULL || segmenter->readers == NULL)
        return WB_ERR_LIMIT;
    note_memory_instructions(segmenter);
    uint64_t number = 0;
    for (size_t p = 0; p < grid->paths.count; p++)
        WB_TRY(cut_path(segmenter, &grid->paths.items[p], &number, &segmenter->lists[p]));
    return WB_OK;
}

static bool next_segment(void *user, struct segment *segment) {
    struct segment_reader *reader = user;
    if (reader->next == reader->end) return false;
    *segment = *reader->next++;
    return true;
}

/* The time of blocks with these shapes that start together: that of the slowest sub-core. */
static cycles time_of_round(struct segmenter *segmenter, const uint32_t *shapes, uint32_t block_count) {
    const struct wb_grid *grid = segmenter->work->timed->grid;
    const uint32_t sub_cores = segmenter->work->timed->machine->sub_cores;
    const uint32_t warp_count = block_count * grid->warp_count;
    cycles longest = 0;
    for (uint32_t s = 0; s < sub_cores; s++) {
        size_t members = 0;
        for (uint32_t w = s; w < warp_count; w += sub_cores) {
            const struct block_shape *shape = &grid->shapes.items[shapes[w / grid->warp_count]];
            const struct segment_list *list = &segmenter->lists[shape->warps[w % grid->warp_count].path];
            struct segment_reader *reader = &segmenter->readers[members];
            *reader = (struct segment_reader){list->items.items, list->items.items + list->items.count};
            segmenter->warps[members++] = (struct segment_warp){.next = next_segment, .user = reader};
        }
        longest = cycles_max(longest, segments_in_turn(segmenter->warps, members));
    }
    return longest;
}

/* The time of the blocks of an SM, so many at a time; equal rounds are computed once. */
static wb_status time_of_sm(struct segmenter *segmenter, uint32_t sm, uint32_t sms, uint32_t *shapes,
                            cycles *time) {
    const struct memory_work *work = segmenter->work;
    for (uint64_t b = sm; b < work->block_count;) {
        uint32_t count = 0, number;
        bool is_new;
        for (; count < work->resident && b < work->block_count; b += sms)
            shapes[count++] = work->timed->grid->blocks.items[b].shape;
        WB_TRY(intern_copy(&segmenter->rounds, shapes, count * sizeof *shapes, &number, &is_new));
        if (is_new) WB_TRY(vec_push(&segmenter->times, time_of_round(segmenter, shapes, count)));
        *time = cycles_add(*time, segmenter->times.items[number]);
    }
    return WB_OK;
}

static wb_status time_of_grid(struct segmenter *segmenter, cycles *time) {
    const struct memory_work *work = segmenter->work;
    const uint32_t sms = memory_work_sms(work);
    uint32_t *shapes = arena_array(&segmenter->arena, (size_t)work->resident + 1, sizeof *shapes);
    if (shapes == NULL) return WB_ERR_LIMIT;
    WB_TRY(cut_paths(segmenter));
    for (uint32_t s = 0; s < sms; s++) {
        cycles of_sm = 0;
        WB_TRY(time_of_sm(segmenter, s, sms, shapes, &of_sm));
        *time = cycles_max(*time, of_sm);
    }
    return WB_OK;
}

/* The bound with L as given. */
static wb_status segments_bound(const struct bound_input *input, const char *name, cycles memory_latency,
                                wb_bound *bound) {
    struct segmenter segmenter = {.work = input->memory, .memory_latency = memory_latency};
    wb_status status = time_of_grid(&segmenter, &bound->cycles);
    for (size_t p = 0; segmenter.lists != NULL && p < input->memory->timed->grid->paths.count; p++)
        vec_free(&segmenter.lists[p].items);
    intern_free(&segmenter.rounds);
    vec_free(&segmenter.times);
    arena_free(&segmenter.arena);
    if (status != WB_OK) return diagnose_out_of_memory(input->diagnostics, name);
    bound->kind = WB_ESTIMATE;
    bound_assume_paths(input, bound);
    return WB_OK;
}

/* COAL_max, and L_base + COAL_max * N_conflictSM of eq. (3). */
static cycles coalesced(const struct memory_work *work) {
    return cycles_mul(work->most_requests, work->timed->machine->memory.request_cycles);
}

static cycles conflicting(const struct memory_work *work) {
    const struct machine_memory *memory = &work->timed->machine->memory;
    cycles base =
        memory_miss_latency(memory) + memory->l2_service + memory->dram_service + memory->reply_service;
    return cycles_add(base, cycles_mul(coalesced(work), memory_work_sms(work)));
}

/* Eq. (3). */
static wb_status segments_run(const struct bound_input *input, wb_bound *bound) {
    bound->reason = "exact for whole segments in turns, exceeded by other orders of issue; accesses of "
                    "several warps of an SM wait for each other";
    cycles latency = cycles_add(coalesced(input->memory), conflicting(input->memory));
    return segments_bound(input, "segments", latency, bound);
}

/* Eq. (4), with the miss rate of the whole kernel under the fixed order. */
static wb_status segments_missrate_run(const struct bound_input *input, wb_bound *bound) {
    const struct memory_work *work = input->memory;
    struct miss_estimate estimate;
    wb_status status = miss_estimate_make(&work->timed->traffic, 1, input->diagnostics, &estimate);
    const struct miss_counts counts = estimate.total;
    miss_estimate_free(&estimate);
    WB_TRY(status);
    /* For covering paths, all accesses that may miss. */
    cycles latency = cycles_mul(conflicting(work), counts.load_misses + counts.load_unsure);
    if (counts.load_requests > 0 && latency != CYCLES_SATURATED)
        latency = cycles_ceiling(latency, counts.load_requests);
    bound->reason = "exact for whole segments in turns, exceeded by other orders of issue; the mean latency "
                    "of accesses says nothing about the slowest warp";
    return segments_bound(input, "segments-missrate", cycles_add(coalesced(work), latency), bound);
}

const char *too_long_to_walk(const struct bound_input *input) {
    const bool is_long = grid_walk_length(input->memory->timed->grid) > WALKED_MAX;
    return is_long ? "warps execute too many instructions to follow each" : NULL;
}

const struct bound_method bound_segments = {
    .name = "segments",
    .summary = "warp instruction segments in turns, every access at its longest (JCSE'17, eq. 1 to 3)",
    .run = segments_run,
    .objection = too_long_to_walk,
    .needs = FOR_CACHED_GRIDS,
    .never_proven = true,
    .named_only = true,
};

const struct bound_method bound_segments_missrate = {
    .name = "segments-missrate",
    .summary = "the same with accesses at their mean latency by the miss rate (JCSE'17, eq. 4)",
    .run = segments_missrate_run,
    .objection = too_long_to_walk,
    .needs = FOR_CACHED_GRIDS,
    .never_proven = true,
    .named_only = true,
};

/* The printed eq. (2) takes T of the segment itself on its right side and, for i > 0, j - 1 for the warp
 * before; meant is the segment that was issued last and the previous one of the same warp:
 *
 *     T[i][j] = max(T[i'][j*] + LI[i'][j*], T[i][j-1] + LI[i][j-1] + LE[i][j-1])
 *
 * with i' = i - 1, j* = j, and for the first warp i' = N - 1, j* = j - 1. Warps that have ended are passed
 * over. */
cycles segments_in_turn(struct segment_warp *warps, size_t warp_count) {
    cycles issued = 0;   /* T + LI of the segment before in turn */
    cycles complete = 0; /* the largest T + LI + LE */
    size_t live = warp_count;
    while (live > 0) {
        for (size_t i = 0; i < warp_count; i++) {
            struct segment_warp *warp = &warps[i];
            struct segment segment;
            if (warp->ended) continue;
            if (!warp->next(warp->user, &segment)) {
                warp->ended = true;
                live--;
                continue;
            }
            issued = cycles_add(cycles_max(issued, warp->ready), segment.issue);
            warp->ready = cycles_add(issued, segment.execute);
            complete = cycles_max(complete, warp->ready);
        }
    }
    return complete;
}
