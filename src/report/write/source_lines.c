#include "report/write/source_lines.h"

#include <assert.h>
#include <string.h>

#include "sass/sass.h"

wb_status source_lines_open(const struct wb_module *module, struct source_lines *lines) {
    *lines = (struct source_lines){.module = module};
    const struct source *source = &module->source;
    size_t start = 0;
    while (start < source->size) {
        WB_TRY(vec_push(&lines->starts, start));
        const char *end = memchr(source->text + start, '\n', source->size - start);
        if (end == NULL) break;
        start = (size_t)(end - source->text) + 1;
    }
    return WB_OK;
}

void source_lines_close(struct source_lines *lines) {
    vec_free(&lines->starts);
}

/* The number of the line, from 1, that holds byte `offset`. */
static uint32_t line_of(const struct source_lines *lines, size_t offset) {
    size_t low = 0, high = lines->starts.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (lines->starts.items[middle] <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    assert(low > 0 || lines->starts.count == 0);
    return (uint32_t)low;
}

struct inst_place source_lines_place(const struct source_lines *lines, const struct ptx_inst *inst) {
    struct inst_place place = {.line = line_of(lines, inst->at)};
    if (lines->module->code != NULL) {
        place.is_machine = true;
        place.address = ptx_address(lines->module, inst);
    }
    if (inst->location != PTX_NO_INDEX) {
        const struct ptx_location *location = &lines->module->locations[inst->location];
        place.source_file = ptx_location_file(lines->module, location);
        place.source_line = location->line;
    }
    return place;
}

void source_lines_put_code(struct text *out, const struct inst_place *place) {
    if (place->is_machine)
        text_printf(out, "0x%04x", place->address);
    else
        text_printf(out, "PTX line %u", place->line);
}

void source_lines_cell(struct sheet *table, const struct inst_place *place) {
    if (place->is_machine)
        sheet_printf(table, "0x%04x", place->address);
    else
        sheet_count(table, place->line);
}

void source_lines_json(struct json *json, const struct inst_place *place) {
    if (place->is_machine) json_put_count(json, "address", place->address);
    if (place->source_file == NULL) return;
    json_put_text(json, "source_file", place->source_file);
    json_put_count(json, "source_line", place->source_line);
}

void source_lines_put_guard(struct text *out, const struct ptx_function *function,
                            const struct ptx_inst *inst) {
    if (inst->guard == PTX_NO_INDEX) return;
    text_string(out, inst->guard_negated ? "@!" : "@");
    ptx_put_reg(function, inst->guard, out);
}

/* Longest instruction that is shown whole. */
enum { INST_LENGTH_MAX = 62 };

void source_lines_put_inst(struct text *out, const struct wb_module *module,
                           const struct ptx_function *function, const struct ptx_inst *inst) {
    const struct source *source = &module->source;
    bool blank = false;
    size_t at = inst->at;
    if (module->code != NULL) {
        sass_put(&module->code->insts[inst->machine].sass, out);
        return;
    }
    source_lines_put_guard(out, function, inst);
    if (inst->guard != PTX_NO_INDEX) text_char(out, ' ');
    for (size_t length = 0; at < source->size && source->text[at] != ';' && length < INST_LENGTH_MAX; at++) {
        char c = source->text[at];
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
            blank = true;
            continue;
        }
        if (blank) text_char(out, ' ');
        length += 1 + (size_t)blank;
        blank = false;
        text_char(out, c >= ' ' && c <= '~' ? c : '?');
    }
    if (at < source->size && source->text[at] != ';') text_string(out, "...");
}
