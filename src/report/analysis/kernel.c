#include "report/analysis/analysis.h"

#include <inttypes.h>

#include "report/parts/bounds.h"
#include "report/parts/cover.h"
#include "report/parts/heading.h"
#include "report/write/output.h"

/* Most block classes that are listed. */
#define KINDS_LISTED_TEXT ((size_t)4)
#define KINDS_LISTED_JSON ((size_t)100)

static void put_slots(struct text *out, const struct grid_work *work) {
    text_printf(out, ", %u SM%s with %" PRIu32, work->machine->memory.sms, plural(work->machine->memory.sms),
                work->resident_least);
    if (work->resident_most != work->resident_least) text_printf(out, " to %" PRIu32, work->resident_most);
    text_printf(out, " block%s at a time\n", plural(work->resident_most));
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
                blocks, plural(blocks), index[0], index[1], index[2], kind->instructions,
                kind->initiations - kind->stalls);
    text_printf(out, " cycles, longest chain of latencies %" PRIu64 "\n", kind->latency);
}

/* Block classes, those with most initiations first. */
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

void kernel_put_heading(struct text *out, const struct wb_analysis *analysis, bool all) {
    const struct wb_machine *machine = analysis->machine;
    const struct wb_grid *grid = analysis->grid_times.grid;
    heading_put_grid(out, grid);
    const struct block_demand demand = grid_block_demand(grid);
    if (grid->kernel != NULL) heading_put_launch(out, &grid->inputs, machine, &demand);
    if (wb_analysis_is_covering(analysis)) cover_put_heading(out, grid->covering.items[0].block);
    text_printf(out, "machine  %s", machine->name);
    if (all) text_printf(out, " at %g MHz", machine->clock_mhz);
    text_string(out, ", global memory latency ");
    heading_put_memory_latency(out, machine);
    heading_put_fetch(out, &machine->fetch);
    if (analysis->kind == SUBJECT_KERNEL)
        put_slots(out, &analysis->work);
    else
        text_printf(out, ", %u SMs\n", machine->memory.sms);
    if (all && analysis->kind == SUBJECT_KERNEL) put_kinds(out, analysis);
    text_char(out, '\n');
}

/* The value of each form of a kernel's bound. */
static void forms_json(struct json *json, const wb_bound *bound) {
    if (bound->form == NULL) return;
    json_put_text(json, "form", bound->form);
    json_open_array(json, "forms");
    for (size_t f = 0; f < bound->form_count; f++) {
        const wb_form *form = &bound->forms[f];
        json_open_object(json, NULL);
        json_put_text(json, "form", form->name);
        json_put_count_if(json, "cycles", form->reason == NULL, form->cycles);
        json_put_text(json, "reason", form->reason);
        json_close(json);
    }
    json_close(json);
}

void kernel_parts_json(struct json *json, const wb_bound *bound) {
    forms_json(json, bound);
    if (bound->part_count == 0) return;
    json_open_array(json, "parts");
    for (size_t p = 0; p < bound->part_count; p++) {
        json_open_object(json, NULL);
        json_put_text(json, "what", wb_part_name(bound->parts[p].what));
        json_put_text(json, "unit", bound->parts[p].unit);
        json_put_count(json, "cycles", bound->parts[p].cycles);
        json_close(json);
    }
    json_close(json);
}

/* Block classes, those with most initiations first. */
static void kinds_json(struct json *json, const struct wb_analysis *analysis) {
    const struct grid_work *work = &analysis->work;
    json_open_array(json, "kinds");
    for (size_t k = 0; k < work->classes.count && k < KINDS_LISTED_JSON; k++) {
        const struct block_class *kind = &work->classes.items[work->by_initiations.classes[k]];
        uint32_t index[3];
        grid_block_index(analysis->grid_times.grid, kind->first, index);
        json_open_object(json, NULL);
        json_put_count(json, "blocks", kind->blocks);
        json_put_counts(json, "first_block", index, 3);
        json_put_count(json, "warp_instructions", kind->instructions);
        json_put_count(json, "initiations", kind->initiations - kind->stalls);
        json_put_count(json, "latency", kind->latency);
        json_close(json);
    }
    json_close(json);
}

void kernel_heading_json(struct json *json, const struct wb_analysis *analysis) {
    const struct wb_grid *grid = analysis->grid_times.grid;
    json_put_count(json, "blocks", grid->blocks.count);
    json_put_count(json, "kind_count", analysis->work.classes.count);
    json_put_count(json, "kinds_bounded", analysis->blocks.count);
    kinds_json(json, analysis);
    json_put_count(json, "sms", analysis->machine->memory.sms);
    if (analysis->kind != SUBJECT_KERNEL) {
        json_put_null(json, "resident_blocks");
        return;
    }
    json_open_object(json, "resident_blocks");
    json_put_count(json, "least", analysis->work.resident_least);
    json_put_count(json, "most", analysis->work.resident_most);
    json_close(json);
}

void kernel_dominant_json(struct json *json, const wb_bound *best) {
    const wb_part *most = best != NULL && best->part_count > 0 ? &best->parts[0] : NULL;
    json_put_text(json, "dominated_by",
                  most == NULL         ? NULL
                  : most->unit != NULL ? most->unit
                                       : wb_part_name(most->what));
}
