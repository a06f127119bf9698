#include "wings/makespan/strings/path_string.h"

#include <inttypes.h>
#include <string.h>

/* Columns of the table of instructions. */
enum { COLUMN_TIMES = 8, COLUMN_UNIT = 18, COLUMN_CLASS = 24, COLUMN_OPCODE = 42 };

enum { UNIT_L, UNIT_C, UNIT_S, UNIT_D };

/* The unit type that executes an opcode class: docs/makespan.md has the table. */
static uint8_t unit_of_class(enum ptx_class class) {
    switch (class) {
    case PTX_CLASS_LOAD_PARAM:
    case PTX_CLASS_LOAD_CONST:
    case PTX_CLASS_LOAD_GLOBAL:
    case PTX_CLASS_LOAD_SHARED:
    case PTX_CLASS_LOAD_LOCAL:
    case PTX_CLASS_LOAD_GENERIC:
    case PTX_CLASS_STORE_PARAM:
    case PTX_CLASS_STORE_GLOBAL:
    case PTX_CLASS_STORE_SHARED:
    case PTX_CLASS_STORE_LOCAL:
    case PTX_CLASS_STORE_GENERIC:
    case PTX_CLASS_ATOMIC_GLOBAL:
    case PTX_CLASS_ATOMIC_SHARED:
    case PTX_CLASS_ASYNC_COPY:
    case PTX_CLASS_TEXTURE:
    case PTX_CLASS_PREFETCH: return UNIT_L;
    case PTX_CLASS_FP32_SPECIAL:
    case PTX_CLASS_FP32_SPECIAL_RN: return UNIT_S;
    case PTX_CLASS_FP64:
    case PTX_CLASS_FP64_DIV:
    case PTX_CLASS_FP64_SPECIAL:
    case PTX_CLASS_CONVERT64: return UNIT_D;
    default: return UNIT_C;
    }
}

/* A string being made of a path. */
struct mapper {
    const struct wb_block *block;
    wb_diagnostics *diagnostics;
    uint32_t *times; /* per instruction of the module: its letters so far */
    struct path_string *string;
};

static const char *kernel_name(const struct wb_block *block) {
    return wb_kernel_name(block->kernel);
}

static uint32_t longest_warp(const struct wb_block *block) {
    uint32_t longest = 0;
    uint64_t most = 0;
    for (uint32_t warp = 0; warp < block->warp_count; warp++) {
        uint64_t count = wb_block_warp_instructions(block, warp);
        if (count <= most) continue;
        most = count;
        longest = warp;
    }
    return longest;
}

/* The string would be longer than any method takes; loops are what makes paths long. */
static wb_status too_long(const struct mapper *mapper) {
    uint32_t warp = mapper->string->warp;
    diagnose(mapper->diagnostics, SEVERITY_ERROR, kernel_name(mapper->block),
             "warp %u executes %" PRIu64 " instructions, which is more than the %u that a string can have; "
             "its branchless prefix may be short enough",
             warp, wb_block_warp_instructions(mapper->block, warp), MAKESPAN_LENGTH_MAX);
    return WB_ERR_LIMIT;
}

/* Appends the letter of one executed instruction. */
static wb_status append_letter(struct mapper *mapper, uint32_t instruction) {
    struct unit_string *string = &mapper->string->string;
    const struct ptx_form *form = block_inst(mapper->block, instruction, NULL)->form;
    const enum ptx_wait wait = (enum ptx_wait)form->wait;
    const enum ptx_answer answer = ptx_wait_answer(wait);
    enum ptx_class class = form->class_;
    if (class == PTX_CLASS_EXIT) return WB_OK;
    if (string->units.count == MAKESPAN_LENGTH_MAX) return too_long(mapper);
    if (answer == PTX_DECLINED || (answer == PTX_TIMED && wait != PTX_WAIT_LANES)) mapper->string->waits++;
    if (vec_push(&string->units, unit_of_class(class)) != WB_OK)
        return diagnose_out_of_memory(mapper->diagnostics, kernel_name(mapper->block));
    mapper->times[instruction]++;
    return WB_OK;
}

static wb_status walk_path(struct mapper *mapper, enum path_extent extent) {
    const struct wb_block *block = mapper->block;
    uint32_t warp = mapper->string->warp;
    if (extent == PATH_WHOLE && wb_block_warp_instructions(block, warp) > MAKESPAN_LENGTH_MAX)
        return too_long(mapper);
    struct path_cursor cursor = path_begin(&block->paths.items[block->warp_path[warp]]);
    struct path_step step;
    while (path_next(&cursor, &step)) {
        if (extent == PATH_BRANCHLESS_PREFIX && mapper->times[step.instruction] > 0) break;
        WB_TRY(append_letter(mapper, step.instruction));
    }
    if (mapper->string->string.units.count > 0) return WB_OK;
    diagnose(mapper->diagnostics, SEVERITY_ERROR, kernel_name(block),
             "warp %u executes no instruction that the string could have", warp);
    return WB_ERR_INPUT;
}

/* Lists the instructions that have letters; lines are counted along, as functions mostly stand in the order
 * of their numbers. */
static wb_status list_instructions(struct mapper *mapper) {
    const struct wb_block *block = mapper->block;
    const struct source *source = &block->kernel->module->source;
    size_t counted = 0;
    uint32_t line = 1;
    for (uint32_t i = 0; i < block->code_first[block->kernel->module->function_count]; i++) {
        if (mapper->times[i] == 0) continue;
        const struct ptx_inst *inst = block_inst(block, i, NULL);
        if (inst->at < counted) {
            counted = 0;
            line = 1;
        }
        for (; counted < inst->at; counted++)
            line += source->text[counted] == '\n';
        const struct mapped_instruction mapped = {i, line, mapper->times[i],
                                                  unit_of_class(inst->form->class_)};
        if (vec_push(&mapper->string->mapping, mapped) != WB_OK)
            return diagnose_out_of_memory(mapper->diagnostics, kernel_name(block));
    }
    return WB_OK;
}

wb_status path_string_make(const struct wb_block *block, enum path_extent extent, wb_diagnostics *diagnostics,
                           struct path_string *string) {
    *string = (struct path_string){.warp = longest_warp(block)};
    uint32_t code_size = block->code_first[block->kernel->module->function_count];
    struct mapper mapper = {block, diagnostics, calloc((size_t)code_size + 1, sizeof(uint32_t)), string};
    if (mapper.times == NULL) return diagnose_out_of_memory(diagnostics, kernel_name(block));
    wb_status status = walk_path(&mapper, extent);
    if (status == WB_OK) status = list_instructions(&mapper);
    free(mapper.times);
    return status;
}

void path_string_free(struct path_string *string) {
    unit_string_free(&string->string);
    vec_free(&string->mapping);
}

void path_string_print_mapping(const struct wb_block *block, const struct path_string *string,
                               struct text *out) {
    text_string(out, "line");
    text_pad(out, COLUMN_TIMES);
    text_string(out, "times");
    text_pad(out, COLUMN_UNIT);
    text_string(out, "unit");
    text_pad(out, COLUMN_CLASS);
    text_string(out, "class");
    text_pad(out, COLUMN_OPCODE);
    text_string(out, "opcode\n");
    for (size_t i = 0; i < string->mapping.count; i++) {
        const struct mapped_instruction *mapped = &string->mapping.items[i];
        const struct ptx_form *form = block_inst(block, mapped->instruction, NULL)->form;
        text_printf(out, "%u", mapped->line);
        text_pad(out, COLUMN_TIMES);
        text_printf(out, "%u", mapped->times);
        text_pad(out, COLUMN_UNIT);
        text_char(out, UNIT_LETTERS[mapped->unit]);
        text_pad(out, COLUMN_CLASS);
        text_string(out, ptx_class_name((enum ptx_class)form->class_));
        text_pad(out, COLUMN_OPCODE);
        text_printf(out, "%s\n", form->name);
    }
}
