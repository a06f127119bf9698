#include "report/path_report.h"

wb_status path_report_open(const struct wb_block *block, struct path_report *report) {
    *report = (struct path_report){.block = block};
    return source_lines_open(block->kernel->module, &report->lines);
}

void path_report_close(struct path_report *report) {
    source_lines_close(&report->lines);
}

struct path_run path_report_run(const struct path_report *report, const struct path_entry *entry) {
    const struct ptx_function *function;
    const struct ptx_inst *first = block_inst(report->block, entry->first, &function);
    const struct ptx_inst *last = first + entry->count - 1;
    struct inst_place place = source_lines_place(&report->lines, first);
    return (struct path_run){
        .function = function->name,
        .first_line = place.line,
        .last_line = source_lines_place(&report->lines, last).line,
        .source_file = place.source_file,
        .source_line = place.source_line,
    };
}

uint64_t path_report_address(const struct access_list *list, const struct access *access, uint32_t lane) {
    if (access->table == ACCESS_AFFINE) return access->base + (uint64_t)access->stride * lane;
    uint32_t rank = (uint32_t)__builtin_popcount(access->mask & ((1u << lane) - 1));
    return list->tables.items[access->table + rank];
}
