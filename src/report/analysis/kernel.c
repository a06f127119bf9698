#include "report/analysis/kernel.h"

#include <inttypes.h>

#include "report/gpu/gpu.h"
#include "report/parts/bounds.h"
#include "report/parts/cover.h"
#include "report/parts/launch.h"
#include "report/write/json.h"

/* Most kinds of blocks that are listed. */
#define KINDS_LISTED_TEXT ((size_t)4)
#define KINDS_LISTED_JSON ((size_t)100)

static void put_rooms(struct text *out, const struct grid_work *work) {
    text_printf(out, ", %u SM%s with %" PRIu32, work->machine->memory.sms,
                work->machine->memory.sms == 1 ? "" : "s", work->resident_least);
    if (work->resident_most != work->resident_least) text_printf(out, " to %" PRIu32, work->resident_most);
    text_printf(out, " block%s at a time\n", work->resident_most == 1 ? "" : "s");
}

/* Whether the bounds cannot tell two kinds apart. */
static bool looks_alike(const struct block_class *a, const struct block_class *b) {
    return a->instructions == b->instructions && a->initiations == b->initiations && a->latency == b->latency;
}

/* One line of kinds that look alike. */
static void put_kind(struct text *out, const struct wb_grid *grid, const struct block_class *kind,
                     uint64_t blocks) {
    uint32_t index[3];
    grid_block_index(grid, kind->first, index);
    text_printf(out, "%" PRIu64 " block%s like (%u,%u,%u): %" PRIu64 " instructions, units busy for %" PRIu64,
                blocks, blocks == 1 ? "" : "s", index[0], index[1], index[2], kind->instructions,
                kind->initiations - kind->stalls);
    text_printf(out, " cycles, longest chain of latencies %" PRIu64 "\n", kind->latency);
}

/* The kinds of blocks, those with most initiations first. */
static void put_kinds(struct text *out, const struct wb_analysis *analysis) {
    const struct grid_work *work = &analysis->work;
    size_t listed = 0;
    for (size_t k = 0, next; k < work->classes.count; k = next) {
        const struct block_class *kind = &work->classes.items[work->by_initiations.classes[k]];
        uint64_t blocks = 0;
        if (listed++ == KINDS_LISTED_TEXT) {
            text_printf(out, "         and %zu more\n", work->classes.count - k);
            return;
        }
        for (next = k; next < work->classes.count; next++) {
            const struct block_class *other = &work->classes.items[work->by_initiations.classes[next]];
            if (!looks_alike(kind, other)) break;
            blocks += other->blocks;
        }
        text_string(out, k == 0 ? "classes  " : "         ");
        put_kind(out, analysis->grid_times.grid, kind, blocks);
    }
}

void kernel_put_heading(struct text *out, const struct wb_analysis *analysis) {
    const struct wb_machine *machine = analysis->machine;
    const struct wb_grid *grid = analysis->grid_times.grid;
    if (grid->kernel != NULL)
        text_printf(out, "kernel   %s (%s)\n", wb_kernel_name(grid->kernel),
                    grid->kernel->module->source.name);
    text_printf(out, "grid     %ux%ux%u blocks of %ux%ux%u threads: %u warp%s a block", grid->dimensions[0],
                grid->dimensions[1], grid->dimensions[2], grid->block_size[0], grid->block_size[1],
                grid->block_size[2], grid->warp_count, grid->warp_count == 1 ? "" : "s");
    text_char(out, '\n');
    const struct block_demand demand = grid_block_demand(grid);
    if (grid->kernel != NULL) report_put_launch(out, &grid->inputs, machine, &demand);
    if (wb_analysis_is_covering(analysis)) cover_put_heading(out, grid->covering.items[0].block);
    text_printf(out, "machine  %s at %g MHz, global memory latency %u", machine->name, machine->clock_mhz,
                machine->mem_latency);
    report_put_fetch(out, &machine->fetch);
    if (analysis->kind == SUBJECT_KERNEL)
        put_rooms(out, &analysis->work);
    else
        text_printf(out, ", %u SMs\n", machine->memory.sms);
    if (analysis->kind == SUBJECT_KERNEL) put_kinds(out, analysis);
    text_char(out, '\n');
}

void kernel_put_parts(struct text *out, const struct wb_analysis *analysis) {
    const wb_bound *best = wb_analysis_best(analysis);
    if (best == NULL || best->part_count == 0) return;
    text_printf(out, "the %" PRIu64 " cycles of %s are", best->cycles, best->method);
    for (size_t p = 0; p < best->part_count; p++) {
        const wb_part *part = &best->parts[p];
        text_printf(out, "%s %s%s%s %" PRIu64 " (%.0f %%)", p > 0 ? "," : "", wb_part_name(part->what),
                    part->unit != NULL ? " " : "", part->unit != NULL ? part->unit : "", part->cycles,
                    report_percent(part->cycles, best->cycles));
    }
    text_char(out, '\n');
}

void kernel_put_overhead(struct text *out, const struct wb_analysis *analysis) {
    uint64_t proven;
    if (analysis_overhead(analysis) == 0 || !wb_analysis_proven(analysis, &proven)) return;
    text_printf(out, "with the launch overhead of %" PRIu64 " cycles: %" PRIu64 "\n",
                analysis_overhead(analysis), proven);
}

json_t *kernel_parts_json(const wb_bound *bound) {
    json_t *array = json_array();
    for (size_t p = 0; p < bound->part_count; p++) {
        const wb_part *part = &bound->parts[p];
        json_add(&array, json_pack("{s:s, s:s?, s:I}", "what", wb_part_name(part->what), "unit", part->unit,
                                   "cycles", (json_int_t)part->cycles));
    }
    return array;
}

/* The kinds of blocks, those with most initiations first. */
static json_t *kinds_json(const struct wb_analysis *analysis) {
    const struct grid_work *work = &analysis->work;
    json_t *array = json_array();
    for (size_t k = 0; k < work->classes.count && k < KINDS_LISTED_JSON; k++) {
        const struct block_class *kind = &work->classes.items[work->by_initiations.classes[k]];
        uint32_t index[3];
        grid_block_index(analysis->grid_times.grid, kind->first, index);
        json_add(&array,
                 json_pack("{s:I, s:o, s:I, s:I, s:I}", "blocks", (json_int_t)kind->blocks, "first_block",
                           json_three_numbers(index), "warp_instructions", (json_int_t)kind->instructions,
                           "initiations", (json_int_t)(kind->initiations - kind->stalls), "latency",
                           (json_int_t)kind->latency));
    }
    return array;
}

json_t *kernel_heading_json(const struct wb_analysis *analysis) {
    const struct wb_grid *grid = analysis->grid_times.grid;
    json_t *rooms = json_null();
    if (analysis->kind == SUBJECT_KERNEL) {
        const struct grid_work *work = &analysis->work;
        rooms = json_pack("{s:I, s:I}", "least", (json_int_t)work->resident_least, "most",
                          (json_int_t)work->resident_most);
    }
    return json_pack("{s:I, s:I, s:I, s:o, s:I, s:o}", "blocks", (json_int_t)grid->blocks.count, "kind_count",
                     (json_int_t)analysis->work.classes.count, "kinds_bounded",
                     (json_int_t)analysis->blocks.count, "kinds", kinds_json(analysis), "sms",
                     (json_int_t)analysis->machine->memory.sms, "resident_blocks", rooms);
}

json_t *kernel_dominant_json(const wb_bound *best) {
    if (best == NULL || best->part_count == 0) return json_null();
    return json_string(best->parts[0].unit != NULL ? best->parts[0].unit : wb_part_name(best->parts[0].what));
}
