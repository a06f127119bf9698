/* What the warps of a block execute, as text. */
#include <inttypes.h>

#include "report/bound_text.h"
#include "report/path_report.h"

/* Columns of the table of runs. */
enum { COLUMN_MASK = 22, COLUMN_SOURCE = 34 };

static void put_triple(struct text *out, const char *name, const uint32_t *numbers) {
    text_printf(out, "%s %u,%u,%u", name, numbers[0], numbers[1], numbers[2]);
}

/* "warps 0-3, 7" */
static void put_warps(struct text *out, const struct wb_block *block, uint32_t path) {
    const char *before = "warps ";
    for (uint32_t w = 0; w < block->warp_count; w++) {
        if (block->warp_path[w] != path) continue;
        uint32_t last = w;
        while (last + 1 < block->warp_count && block->warp_path[last + 1] == path)
            last++;
        text_printf(out, last == w ? "%s%u" : "%s%u-%u", before, w, last);
        before = ", ";
        w = last;
    }
}

/* One line a run: PTX lines, lanes, source line; a fold says what is repeated. */
static void put_entry(struct text *out, const struct path_report *report, const struct path_entry *entry) {
    if (entry->count == PATH_REPEAT) {
        text_printf(out, "  the last %u %s %u more times\n", entry->first, entry->first == 1 ? "run" : "runs",
                    entry->mask);
        return;
    }
    struct path_run run = path_report_run(report, entry);
    if (entry->count == 1)
        text_printf(out, "  line %u", run.first_line);
    else
        text_printf(out, "  lines %u-%u", run.first_line, run.last_line);
    text_pad(out, COLUMN_MASK);
    text_printf(out, "%08x", entry->mask);
    text_pad(out, COLUMN_SOURCE);
    text_printf(out, "%s", run.function);
    if (run.source_file != NULL) text_printf(out, " (%s:%u)", run.source_file, run.source_line);
    text_char(out, '\n');
}

/* "step 12: ld.global.f32, 4 bytes of global at 0x100000000 + 4 * lane, lanes ffffffff" */
static void put_access(struct text *out, const struct wb_block *block, const struct access_list *list,
                       const struct access *access) {
    const struct ptx_inst *inst = block_inst(block, access->instruction, NULL);
    text_printf(out, "  step %" PRIu64 ": %s, %u bytes of %s at", access->step, inst->form->text,
                access->bytes, ptx_space_name((enum ptx_space)access->space));
    if (access->table == ACCESS_AFFINE) {
        text_printf(out, " 0x%" PRIx64, access->base);
        if (access->stride != 0)
            text_printf(out, " %c %" PRIu64 " * lane", access->stride < 0 ? '-' : '+',
                        access->stride < 0 ? 0 - (uint64_t)access->stride : (uint64_t)access->stride);
    } else if (access->table == ACCESS_UNKNOWN) {
        text_string(out, " addresses that are not known");
    } else {
        for (uint32_t lane = 0; lane < WARP_LANES; lane++)
            if ((access->mask >> lane & 1) != 0)
                text_printf(out, " 0x%" PRIx64, path_report_address(list, access, lane));
    }
    text_printf(out, ", lanes %08x\n", access->mask);
}

wb_status path_report_text(const struct path_report *report, wb_diagnostics *diagnostics, char **text) {
    struct text made = {0}, *out = &made;
    const struct wb_block *block = report->block;
    text_printf(out, "%s: ", wb_kernel_name(block->kernel));
    put_triple(out, "block", block->index);
    put_triple(out, " of grid", block->grid);
    put_triple(out, ", threads", block->size);
    text_printf(out, ", %" PRIu64 " bytes of shared memory\n", block->shared_bytes);
    if (block->covering)
        text_string(out, "covering paths: every execution of a warp is a part of its path\n");
    if ((block->notes.assumed & assumed_bit(ASSUMED_WHOLE_WARP_BARRIERS)) != 0)
        text_string(out, "a barrier is executed by part of a warp's lanes\n");
    for (uint32_t path = 0; path < block->paths.count; path++) {
        const struct path *steps = &block->paths.items[path];
        text_printf(out, "\npath %u: ", path);
        put_warps(out, block, path);
        text_printf(out, ", %" PRIu64 " steps; by lines of the PTX and lanes:\n", steps->length);
        for (size_t i = 0; i < steps->entries.count; i++)
            put_entry(out, report, &steps->entries.items[i]);
    }
    for (uint32_t w = 0; block->accesses != NULL && w < block->warp_count; w++) {
        text_printf(out, "\naccesses of warp %u:\n", w);
        for (size_t i = 0; i < block->accesses[w].items.count; i++)
            put_access(out, block, &block->accesses[w], &block->accesses[w].items.items[i]);
    }
    return report_take_text(out, diagnostics, text);
}
