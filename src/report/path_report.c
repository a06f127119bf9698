#include "report/path_report.h"

#include <string.h>

wb_status path_report_open(const struct wb_block *block, struct path_report *report) {
    *report = (struct path_report){.block = block};
    const struct source *source = &block->kernel->module->source;
    size_t start = 0;
    while (start < source->size) {
        WB_TRY(vec_push(&report->line_starts, start));
        const char *end = memchr(source->text + start, '\n', source->size - start);
        if (end == NULL) break;
        start = (size_t)(end - source->text) + 1;
    }
    return WB_OK;
}

void path_report_close(struct path_report *report) {
    vec_free(&report->line_starts);
}

/* The number of the line, from 1, that holds byte `offset`. */
static uint32_t line_of(const struct path_report *report, size_t offset) {
    size_t low = 0, high = report->line_starts.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (report->line_starts.items[middle] <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)low;
}

struct path_run path_report_run(const struct path_report *report, const struct path_entry *entry) {
    const struct wb_module *module = report->block->kernel->module;
    const struct ptx_function *function;
    const struct ptx_inst *first = block_inst(report->block, entry->first, &function);
    const struct ptx_inst *last = first + entry->count - 1;
    struct path_run run = {
        .function = function->name,
        .first_line = line_of(report, first->at),
        .last_line = line_of(report, last->at),
    };
    if (first->location != PTX_NO_INDEX) {
        run.source_file = ptx_location_file(module, &module->locations[first->location]);
        run.source_line = module->locations[first->location].line;
    }
    return run;
}

uint64_t path_report_address(const struct access_list *list, const struct access *access, uint32_t lane) {
    if (access->table == ACCESS_AFFINE) return access->base + (uint64_t)access->stride * lane;
    uint32_t rank = (uint32_t)__builtin_popcount(access->mask & ((1u << lane) - 1));
    return list->tables.items[access->table + rank];
}
