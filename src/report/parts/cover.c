#include "report/parts/parts.h"

#include <inttypes.h>
#include <string.h>

#include "warp/interpret/execute.h"

/* A dependence on an unknown value: its name in JSON, and in words. */
static const struct {
    const char *name, *sentence;
} needs[] = {
    [COVER_CONDITION] = {"condition", "which way this branch goes"},
    [COVER_GUARD] = {"guard", "whether this instruction is executed"},
    [COVER_ADDRESS] = {"address", "which memory this instruction accesses"},
};

void cover_put_heading(struct text *out, const struct wb_block *block) {
    const struct facts_used *facts = &block->facts;
    text_printf(out, "paths    covering: of every execution, whatever the unknown values are%s\n",
                facts->stated > 0 ? ", if the flow facts are true" : "");
    if (facts->from != NULL)
        text_printf(out,
                    "facts    %s (checksum %016" PRIx64 "): %zu stated by the user, %zu found by analysis\n",
                    facts->from->source.name, facts->from->checksum, facts->stated, facts->found);
}

/* Each fact, as facts files write it, and whose word it is. */
static void facts_list_json(struct json *json, const struct wb_facts *facts) {
    static const char *const origins[] = {
        [FACT_STATED] = "stated", [FACT_FOUND] = "found", [FACT_FOUND_FOR_LAUNCH] = "found for this launch"};
    json_open_array(json, "facts");
    for (size_t i = 0; i < facts->facts.count; i++) {
        struct text text = {0};
        facts_put(facts->kernel, &facts->facts.items[i], &text);
        json_open_object(json, NULL);
        json_take_text(json, "fact", &text);
        json_put_text(json, "origin", origins[facts->facts.items[i].origin]);
        json_close(json);
    }
    json_close(json);
}

static void facts_json(struct json *json, const struct facts_used *facts) {
    char checksum[20];
    if (!json_open_known(json, "facts", facts->from != NULL)) return;
    (void)text_format(checksum, sizeof checksum, "%016" PRIx64, facts->from->checksum);
    json_put(json, "file %s, checksum %s, stated %zu, found %zu", facts->from->input.path, checksum,
             facts->stated, facts->found);
    facts_list_json(json, facts->from);
    json_close(json);
}

/* Whether a value comes from an instruction: some were never written. */
static bool is_instruction(const struct wb_block *block, uint32_t index) {
    return index < block->code_first[block->kernel->module->function_count];
}

/* "line 74, bfs_level.cu:9: bra" */
static void put_place(struct text *out, const struct source_lines *lines, const struct wb_block *block,
                      uint32_t index) {
    const struct ptx_inst *inst = block_inst(block, index, NULL);
    const struct inst_place place = source_lines_place(lines, inst);
    if (place.is_machine)
        source_lines_put_code(out, &place);
    else
        text_printf(out, "line %u", place.line);
    if (place.source_file != NULL) text_printf(out, ", %s:%u", place.source_file, place.source_line);
    text_printf(out, ": %s", inst->form->name);
}

static void put_cause(struct text *out, const struct layout *layout, const struct source_lines *lines,
                      const struct wb_block *block, const struct cover_cause *cause) {
    const size_t start = out->length;
    text_string(out, "  ");
    put_place(out, lines, block, cause->instruction);
    text_printf(out, " (%s)\n", needs[cause->need].sentence);
    if (is_instruction(block, cause->origin)) {
        const char *open = open_result_assumption(block_inst(block, cause->origin, NULL)->form);
        text_string(out, "    from ");
        put_place(out, lines, block, cause->origin);
        if (open != NULL) text_printf(out, " (left open by the PTX ISA: --assume %s)", open);
    }
    layout_wrap(out, layout, start, 0, 6);
}

void cover_put_causes(struct text *out, const struct layout *layout, const struct wb_block *block) {
    struct source_lines lines;
    if (source_lines_open(block->kernel->module, &lines) != WB_OK) out->failed = true;
    if (block->causes.count > 0) text_string(out, "\nunknown values, assumed arbitrary:\n");
    for (size_t i = 0; !out->failed && i < block->causes.count; i++)
        put_cause(out, layout, &lines, block, &block->causes.items[i]);
    source_lines_close(&lines);
}

/* Most places that the summary names. */
#define PLACES_NAMED ((size_t)8)

static bool same_place(const struct inst_place *a, const struct inst_place *b) {
    if (a->source_file != NULL && b->source_file != NULL)
        return a->source_line == b->source_line && strcmp(a->source_file, b->source_file) == 0;
    return a->source_file == b->source_file && a->line == b->line;
}

/* The places of all causes, each once: those that are too many are counted. */
static void put_places(struct text *words, const struct source_lines *lines, const struct wb_block *block) {
    struct inst_place named[PLACES_NAMED];
    size_t count = 0, more = 0;
    for (size_t i = 0; i < block->causes.count; i++) {
        const struct ptx_inst *inst = block_inst(block, block->causes.items[i].instruction, NULL);
        const struct inst_place place = source_lines_place(lines, inst);
        size_t known = 0;
        while (known < count && !same_place(&named[known], &place))
            known++;
        if (known < count) continue;
        if (count == PLACES_NAMED) {
            more++;
            continue;
        }
        named[count++] = place;
        text_string(words, count > 1 ? ", " : " ");
        if (place.source_file != NULL)
            text_printf(words, "%s:%u", place.source_file, place.source_line);
        else
            source_lines_put_code(words, &place);
    }
    if (more > 0) text_printf(words, " and %zu more", more);
}

void cover_put_summary(struct text *out, const struct layout *layout, const struct wb_block *block) {
    const size_t count = block->causes.count, start = out->length;
    struct source_lines lines;
    if (count == 0) return;
    if (source_lines_open(block->kernel->module, &lines) != WB_OK) out->failed = true;
    text_printf(out, "%zu instruction%s use%s unknown values (assumed arbitrary), at", count, plural(count),
                count == 1 ? "s" : "");
    if (!out->failed) put_places(out, &lines, block);
    text_string(out, " (--all lists them)");
    layout_wrap(out, layout, start, 0, 2);
    source_lines_close(&lines);
}

static void place_json(struct json *json, const char *key, const struct source_lines *lines,
                       const struct wb_block *block, uint32_t index) {
    if (!json_open_known(json, key, is_instruction(block, index))) return;
    const struct ptx_inst *inst = block_inst(block, index, NULL);
    const struct inst_place place = source_lines_place(lines, inst);
    json_put(json, "line %u, opcode %s", place.line, inst->form->name);
    if (place.is_machine) json_put_count(json, "address", place.address);
    json_put(json, "source_file %s, source_line %*u", place.source_file, place.source_file != NULL,
             place.source_line);
    json_close(json);
}

void cover_json(struct json *json, const struct wb_block *block) {
    struct source_lines lines;
    facts_json(json, &block->facts);
    if (source_lines_open(block->kernel->module, &lines) != WB_OK) json->out->failed = true;
    json_open_array(json, "unknown");
    for (size_t i = 0; !json->out->failed && i < block->causes.count; i++) {
        const struct cover_cause *cause = &block->causes.items[i];
        json_open_object(json, NULL);
        json_put_text(json, "need", needs[cause->need].name);
        place_json(json, "instruction", &lines, block, cause->instruction);
        place_json(json, "from", &lines, block, cause->origin);
        json_close(json);
    }
    json_close(json);
    source_lines_close(&lines);
}
