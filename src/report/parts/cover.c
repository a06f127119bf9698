#include "report/parts/cover.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/write/json.h"
#include "report/write/source_lines.h"
#include "warp/interpret/open_result.h"

const struct wb_block *cover_block(const struct wb_analysis *analysis) {
    if (analysis->block != NULL) return analysis->block;
    return analysis->grid_times.grid->covering.items[0].block;
}

const char *cover_need_text(enum cover_need need) {
    switch (need) {
    case COVER_CONDITION: return "which way this branch goes";
    case COVER_GUARD: return "whether this instruction is executed";
    default: return "which memory this instruction accesses";
    }
}

const char *cover_need_name(enum cover_need need) {
    switch (need) {
    case COVER_CONDITION: return "condition";
    case COVER_GUARD: return "guard";
    default: return "address";
    }
}

const wb_bound *cover_given_bound(const struct wb_analysis *analysis, const wb_bound *bound) {
    if (analysis->given == NULL) return NULL;
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(analysis->given, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(bounds[i].method, bound->method) == 0) return &bounds[i];
    return NULL;
}

/* "line 74, bfs_level.cu:9: bra" */
static void put_place(struct text *out, const struct source_lines *lines, const struct wb_block *block,
                      uint32_t index) {
    const struct ptx_inst *inst = block_inst(block, index, NULL);
    struct inst_place place = source_lines_place(lines, inst);
    text_printf(out, "line %u", place.line);
    if (place.source_file != NULL) text_printf(out, ", %s:%u", place.source_file, place.source_line);
    text_printf(out, ": %s", inst->form->text);
}

void cover_put_heading(struct text *out, const struct wb_block *block) {
    const struct facts_used *facts = &block->facts;
    text_printf(out, "paths    covering: of every execution, whatever the unknown values are%s\n",
                facts->stated > 0 ? ", if the flow facts are true" : "");
    if (facts->file != NULL)
        text_printf(out,
                    "facts    %s (checksum %016" PRIx64 "): %zu stated by the user, %zu found by analysis\n",
                    facts->file, facts->checksum, facts->stated, facts->found);
}

json_t *cover_facts_json(const struct wb_block *block) {
    char checksum[20];
    if (block->facts.file == NULL) return json_null();
    (void)text_format(checksum, sizeof checksum, "%016" PRIx64, block->facts.checksum);
    return json_pack("{s:s, s:s, s:I, s:I}", "file", block->facts.file, "checksum", checksum, "stated",
                     (json_int_t)block->facts.stated, "found", (json_int_t)block->facts.found);
}

bool cover_put_causes(struct text *out, const struct wb_block *block) {
    struct source_lines lines;
    bool opened = source_lines_open(block->kernel->module, &lines) == WB_OK;
    if (opened && block->causes.count > 0) text_string(out, "\nnot known, and taken for anything:\n");
    for (size_t i = 0; opened && i < block->causes.count; i++) {
        const struct cover_cause *cause = &block->causes.items[i];
        text_string(out, "  ");
        put_place(out, &lines, block, cause->instruction);
        text_printf(out, " (%s)", cover_need_text(cause->need));
        if (cause->origin < block->code_first[block->kernel->module->function_count]) {
            const char *open = open_result_assumption(block_inst(block, cause->origin, NULL)->form);
            text_string(out, "\n    from ");
            put_place(out, &lines, block, cause->origin);
            if (open != NULL) text_printf(out, " (left open by the PTX ISA: --assume %s)", open);
        }
        text_char(out, '\n');
    }
    source_lines_close(&lines);
    return opened;
}

static json_t *place_json(const struct source_lines *lines, const struct wb_block *block, uint32_t index) {
    if (index >= block->code_first[block->kernel->module->function_count]) return json_null();
    const struct ptx_inst *inst = block_inst(block, index, NULL);
    struct inst_place place = source_lines_place(lines, inst);
    return json_pack("{s:I, s:s, s:o, s:o}", "line", (json_int_t)place.line, "opcode", inst->form->text,
                     "source_file", json_text(place.source_file), "source_line",
                     place.source_file == NULL ? json_null() : json_integer((json_int_t)place.source_line));
}

json_t *cover_causes_json(const struct wb_block *block) {
    struct source_lines lines;
    json_t *causes = source_lines_open(block->kernel->module, &lines) == WB_OK ? json_array() : NULL;
    for (size_t i = 0; causes != NULL && i < block->causes.count; i++) {
        const struct cover_cause *cause = &block->causes.items[i];
        json_add(&causes, json_pack("{s:s, s:o, s:o}", "need", cover_need_name(cause->need), "instruction",
                                    place_json(&lines, block, cause->instruction), "from",
                                    place_json(&lines, block, cause->origin)));
    }
    source_lines_close(&lines);
    return causes;
}
