#include "report/certificate/parts.h"

#include <string.h>

#include "base/containers.h"
#include "bound/profile/sections.h"
#include "bound/profile/warp_group.h"
#include "warp/path/path.h"

struct section_writer {
    struct certificate *certificate;
    const struct block_model *model;
    const struct timed_block *block;
    struct arena arena;
    uint32_t *number;            /* per instruction of the code its number in the certificate */
    struct path_cursor *cursors; /* per path */
    bool *ended;                 /* likewise */
    uint32_t *row;               /* likewise, the section at hand */
    struct intern sections;      /* as the bytes of their steps */
    section_step_list steps;     /* of the section at hand */
    section_step_list rows;      /* `count` rows from number `first` of `cells`, or what comes again */
    VEC(uint32_t) cells;
    struct section_cycle cycle;
    struct code_part code; /* of machine code */
};

/* How a block is written, by what its machine times. */
struct block_model {
    wb_status (*begin)(struct section_writer *writer);
    wb_status (*section)(struct section_writer *writer, uint32_t path); /* reads the next one of a path */
    void (*end)(struct code_part *code);                                /* of a row, or NULL */
    bool last_differs; /* the last of repeated rows has other code behind it, which its barrier asks for */
    bool is_followed;  /* it is said which warps execute a path: others follow it */
};

/* ---- Instructions -------------------------------------------------------------------------------------- */

/* The queues of a certificate are those that have registers, numbered from 0. */
static uint32_t numbered_queues(const struct timed_code *code, uint32_t queues) {
    uint32_t numbered = 0, number = 0;
    for (uint32_t q = 0; q < QUEUE_COUNT; q++)
        if (code->queues[q].count > 0) numbered |= (queues >> q & 1) << number++;
    return numbered;
}

static void put_inst(struct text *out, const struct timed_code *code, const struct timed_inst *inst) {
    const uint32_t *operands = code->operands + inst->first_operand;
    if (inst->unit == UNIT_NONE)
        text_string(out, "inst -");
    else
        text_printf(out, "inst %u", inst->unit);
    text_printf(out, " %u %u %u %u %u", inst->init, inst->latency, numbered_queues(code, inst->joins),
                numbered_queues(code, inst->commits), inst->source_count);
    for (uint32_t i = 0; i < (uint32_t)inst->source_count + inst->destination_count; i++)
        text_printf(out, " %u", operands[i]);
    text_char(out, '\n');
}

/* The instructions that some path has, in the order of the code: runs of them stay runs. */
static wb_status put_insts(struct section_writer *writer) {
    const struct timed_block *block = writer->block;
    struct text *out = &writer->certificate->text;
    uint32_t count = 0;
    for (uint32_t p = 0; p < block->path_count; p++) {
        const struct path *path = &block->paths[p];
        for (size_t e = 0; e < path->entries.count; e++)
            for (uint32_t i = 0; i < path->entries.items[e].count; i++)
                writer->number[path->entries.items[e].first + i] = 1;
    }
    for (uint32_t i = 0; i < block->code.inst_count; i++) {
        if (writer->number[i] == 0) continue;
        writer->number[i] = count++;
        put_inst(out, &block->code, &block->code.insts[i]);
    }
    return WB_OK;
}

/* ---- Sections and rows --------------------------------------------------------------------------------- */

/* The entries of a loop's body, or 0 if it has a barrier or a loop, which certificates cannot say. */
static uint32_t steps_of_body(const struct timed_block *block, const struct path_fold *fold) {
    struct path_cursor cursor = fold->body;
    uint32_t steps = 0;
    for (; !path_is_nest(fold) && path_next_run(&cursor); steps++)
        for (uint32_t i = 0; i < cursor.left; i++)
            if (block->code.insts[cursor.instruction + i].barrier) return 0;
    return steps;
}

/* Goes behind the loop at which the path is, if it has no barrier, and on to the next run. */
static wb_status next_run(struct section_writer *writer, uint32_t path) {
    struct path_cursor *cursor = &writer->cursors[path];
    struct path_fold fold;
    if (path_at_fold(cursor, &fold)) {
        const struct section_step again = {steps_of_body(writer->block, &fold), 0, fold.repetitions};
        if (again.first > 0) {
            WB_TRY(vec_push(&writer->steps, again));
            path_skip_fold(cursor);
        }
    }
    writer->ended[path] = !path_next_run(cursor);
    return WB_OK;
}

/* Reads the next section of a path into `steps`. */
static wb_status read_section(struct section_writer *writer, uint32_t path) {
    const struct timed_inst *insts = writer->block->code.insts;
    struct path_cursor *cursor = &writer->cursors[path];
    bool at_barrier = false;
    writer->steps.count = 0;
    while (!writer->ended[path] && !at_barrier) {
        if (cursor->left == 0) WB_TRY(next_run(writer, path));
        struct section_step run = {cursor->instruction, 0, 0};
        for (; cursor->left > 0 && !at_barrier; cursor->left--, run.count++)
            at_barrier = insts[cursor->instruction++].barrier;
        if (run.count == 0) continue;
        run.first = writer->number[run.first];
        WB_TRY(vec_push(&writer->steps, run));
    }
    return WB_OK;
}

static void put_steps(struct text *out, const struct section_step *steps, size_t count) {
    for (size_t s = 0; s < count; s++) {
        if (steps[s].count == 0)
            text_printf(out, "again %u %u\n", steps[s].first, steps[s].times);
        else
            text_printf(out, "run %u %u\n", steps[s].first, steps[s].count);
    }
}

/* Reads a row; sections that are new are written. */
static wb_status read_row(struct section_writer *writer, bool *more) {
    static const struct section_step nothing;
    *more = false;
    for (uint32_t p = 0; p < writer->block->path_count; p++) {
        bool is_new;
        WB_TRY(writer->model->section(writer, p));
        const size_t count = writer->steps.count;
        const struct section_step *steps = count > 0 ? writer->steps.items : &nothing;
        WB_TRY(intern_copy(&writer->sections, steps, count * sizeof *steps, &writer->row[p], &is_new));
        WB_TRY(vec_push(&writer->cells, writer->row[p]));
        *more = *more || !writer->ended[p];
        if (!is_new) continue;
        text_string(&writer->certificate->text, "section\n");
        put_steps(&writer->certificate->text, steps, count);
    }
    if (writer->model->end != NULL) writer->model->end(&writer->code);
    return report_flush(&writer->certificate->text, &writer->certificate->writer, false);
}

/* Reads all rows, and where they repeat themselves. */
static wb_status read_rows(struct section_writer *writer) {
    bool more = writer->block->path_count > 0;
    for (uint32_t row = 0; more; row++) {
        const struct section_step one = {row, 1, 0};
        uint64_t times;
        WB_TRY(read_row(writer, &more));
        WB_TRY(vec_push(&writer->rows, one));
        WB_TRY(section_cycle_note(&writer->cycle, writer->cursors, row, &times));
        if (times > 0 && writer->model->last_differs) times--;
        if (times == 0) continue;
        const struct section_step again = {(uint32_t)writer->cycle.rows.count, 0, (uint32_t)times};
        WB_TRY(vec_push(&writer->rows, again));
        section_cycle_skip(&writer->cycle, times, writer->cursors);
    }
    return WB_OK;
}

static void put_rows(struct section_writer *writer) {
    struct text *out = &writer->certificate->text;
    const uint32_t *cells = writer->cells.items;
    for (size_t r = 0; r < writer->rows.count; r++) {
        const struct section_step *step = &writer->rows.items[r];
        if (step->count == 0) {
            text_printf(out, "again %u %u\n", step->first, step->times);
            continue;
        }
        text_string(out, "row");
        for (uint32_t p = 0; p < writer->block->path_count; p++)
            text_printf(out, " %u", *cells++);
        text_char(out, '\n');
    }
}

/* Which block it is, and the path of each of its warps: what others can follow by the data of the launch. */
static void put_executed(struct section_writer *writer) {
    const struct timed_block *block = writer->block;
    struct text *out = &writer->certificate->text;
    if (block->traced == NULL || certificate_is_of_parts(block)) return;
    const uint32_t *index = block->traced->index;
    text_printf(out, "executed %u %u %u", index[0], index[1], index[2]);
    for (uint32_t w = 0; w < block->warp_count; w++)
        text_printf(out, " %u", block->warp_path[w]);
    text_char(out, '\n');
}

static wb_status put_warps(struct section_writer *writer) {
    const struct timed_block *block = writer->block;
    warp_group_list groups = {0};
    uint64_t *path_warps = arena_array(&writer->arena, (size_t)block->path_count + 1, sizeof *path_warps);
    wb_status status = path_warps == NULL ? WB_ERR_LIMIT : WB_OK;
    if (status == WB_OK) status = warp_groups_find(block, &writer->arena, &groups, path_warps);
    for (size_t g = 0; status == WB_OK && g < groups.count; g++)
        text_printf(&writer->certificate->text, "warps %u %u %u\n", groups.items[g].path,
                    groups.items[g].sub_core, groups.items[g].warps);
    vec_free(&groups);
    if (status == WB_OK && writer->model->is_followed) put_executed(writer);
    return status;
}

static wb_status put_parts(struct section_writer *writer) {
    const uint32_t paths = writer->block->path_count;
    writer->number =
        arena_array(&writer->arena, (size_t)writer->block->code.inst_count + 1, sizeof(uint32_t));
    writer->cursors = arena_array(&writer->arena, (size_t)paths + 1, sizeof *writer->cursors);
    writer->ended = arena_array(&writer->arena, (size_t)paths + 1, sizeof *writer->ended);
    writer->row = arena_array(&writer->arena, (size_t)paths + 1, sizeof *writer->row);
    if (writer->number == NULL || writer->cursors == NULL || writer->ended == NULL || writer->row == NULL)
        return WB_ERR_LIMIT;
    for (uint32_t p = 0; p < paths; p++)
        writer->cursors[p] = path_begin(&writer->block->paths[p]);
    WB_TRY(section_cycle_init(&writer->cycle, paths));
    WB_TRY(writer->model->begin(writer));
    WB_TRY(read_rows(writer));
    put_rows(writer);
    return put_warps(writer);
}

static wb_status begin_code(struct section_writer *writer) {
    return code_part_init(&writer->code, writer->block, &writer->certificate->text, &writer->arena);
}

static wb_status read_code_section(struct section_writer *writer, uint32_t path) {
    return code_part_section(&writer->code, path, &writer->cursors[path], &writer->ended[path],
                             &writer->steps);
}

static const struct block_model models[] = {
    [ISA_PTX] = {put_insts, read_section, NULL, false, false},
    [ISA_SASS] = {begin_code, read_code_section, code_part_row_ends, true, true}};

/* Most lines of runs in a block. */
#define LINES_MAX ((uint64_t)1 << 24)

bool certificate_is_of_parts(const struct timed_block *block) {
    return block->traced != NULL && block->traced->covering;
}

/* Whether the lines of the paths are too many: loops around loops are written out. */
static bool is_too_long(const struct timed_block *block) {
    uint64_t lines = 0;
    for (uint32_t p = 0; p < block->path_count; p++) {
        struct path_runs runs = path_runs_of(&block->paths[p]);
        struct path_entry run;
        for (uint64_t times; path_runs_next(&runs, &run, &times);)
            lines = cycles_add(lines, runs.depth > 1 ? runs.folds[runs.depth - 2].times : 1);
    }
    return lines > LINES_MAX;
}

wb_status certificate_put_block(struct certificate *certificate, const char *name,
                                const struct timed_block *block, wb_diagnostics *diagnostics) {
    if (is_too_long(block)) {
        diagnose(diagnostics, SEVERITY_ERROR, "certificate",
                 "no bound is claimed: loops around loops have too many passes to be written out");
        return WB_ERR_DECLINED;
    }
    struct section_writer writer = {
        .certificate = certificate, .block = block, .model = &models[machine_isa(block->machine)]};
    text_printf(&certificate->text, "block %u # %s\n", block->code.register_count, name);
    if (certificate_is_of_parts(block)) text_string(&certificate->text, "parts\n");
    for (uint32_t q = 0; q < QUEUE_COUNT; q++)
        if (block->code.queues[q].count > 0)
            text_printf(&certificate->text, "queue %u %u\n", block->code.queues[q].first,
                        block->code.queues[q].count);
    const wb_status status = put_parts(&writer);
    code_part_free(&writer.code);
    intern_free(&writer.sections);
    vec_free(&writer.steps);
    vec_free(&writer.rows);
    vec_free(&writer.cells);
    section_cycle_free(&writer.cycle);
    arena_free(&writer.arena);
    return status;
}
