/* The subject of an analysis: the kernel, its launch, the machine. */
#include "report/analysis/analysis.h"

#include <inttypes.h>

#include "report/parts/parts.h"
#include "warp/interpret/execute.h"

uint64_t report_count_instructions(const struct wb_block *block) {
    uint64_t instructions = 0;
    for (uint32_t warp = 0; warp < block->warp_count; warp++)
        instructions = cycles_add(instructions, wb_block_warp_instructions(block, warp));
    return instructions;
}

const struct wb_block *report_covering_block(const struct wb_analysis *analysis) {
    if (analysis->block != NULL) return analysis->block;
    return analysis->grid_times.grid->covering.items[0].block;
}

const struct wb_analysis *report_block_of(const struct wb_analysis *analysis) {
    return analysis->longest != NULL ? analysis->longest : analysis;
}

/* The block that was traced from PTX: nothing for one written by hand. */
static void put_block(struct text *out, const struct wb_block *block, const struct wb_machine *machine) {
    if (block == NULL) return;
    heading_put_kernel(out, "kernel   ", block->kernel);
    text_printf(out, "block    (%u,%u,%u) of grid %ux%ux%u, %ux%ux%u threads: ", block->index[0],
                block->index[1], block->index[2], block->grid[0], block->grid[1], block->grid[2],
                block->size[0], block->size[1], block->size[2]);
    text_printf(out, "%u warp%s, %zu distinct path%s, %" PRIu64 " warp instructions\n", block->warp_count,
                plural(block->warp_count), block->paths.count, plural(block->paths.count),
                report_count_instructions(block));
    const struct block_demand demand = block_demand_of(block);
    heading_put_launch(out, &block->inputs, machine, &demand);
}

static void put_grid_launch(struct text *out, const struct wb_analysis *analysis) {
    const struct wb_grid *grid = analysis->grid_times.grid;
    const struct block_demand demand = grid_block_demand(grid);
    if (grid->kernel != NULL) heading_put_launch(out, &grid->inputs, analysis->machine, &demand);
}

/* ---- Kernels ----------------------------------------------------------------------------------------- */

/* Most block classes that are listed. */
#define KINDS_LISTED_TEXT ((size_t)4)
#define KINDS_LISTED_JSON ((size_t)100)

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

/* What caches fill once, which is counted beside the times of warps. */
static void put_fills(struct text *out, const struct wb_analysis *analysis) {
    const struct machine_fills *fills = &analysis->machine->fills;
    const uint64_t sectors = fills->sector > 0 ? analysis->beside.sectors : 0;
    const uint64_t below = fills->asked;
    const char *between = "";
    if (!machine_fills_once(analysis->machine)) return;
    text_string(out, "caches   counted once, not for each access: ");
    if (fills->pages > 0) {
        text_printf(out, "TLB misses of %u page%s", fills->pages, plural(fills->pages));
        between = ", ";
    }
    if (below > 0) {
        text_printf(out, "%s%" PRIu64 " request%s of a block to the L2", between, below, plural(below));
        between = ", ";
    }
    if (sectors > 0) text_printf(out, "%s%" PRIu64 " transfer%s of DRAM", between, sectors, plural(sectors));
    text_char(out, '\n');
}

static void kernel_put_heading(struct text *out, const struct wb_analysis *analysis, bool all) {
    const struct wb_machine *machine = analysis->machine;
    const struct wb_grid *grid = analysis->grid_times.grid;
    heading_put_grid(out, grid);
    put_grid_launch(out, analysis);
    if (wb_analysis_is_covering(analysis)) cover_put_heading(out, grid->covering.items[0].block);
    text_printf(out, "machine  %s", machine->name);
    if (all) text_printf(out, " at %g MHz", machine->clock_mhz);
    text_string(out, ", global memory latency ");
    heading_put_memory_latency(out, machine);
    heading_put_fetch(out, &machine->fetch);
    const uint32_t sms = machine->memory.sms, most = analysis->work.resident_most;
    text_printf(out, ", %u SM%s", sms, analysis->kind == SUBJECT_KERNEL ? plural(sms) : "s");
    if (analysis->kind == SUBJECT_KERNEL) text_printf(out, " with %u", analysis->work.resident_least);
    if (analysis->kind == SUBJECT_KERNEL && most != analysis->work.resident_least)
        text_printf(out, " to %u", most);
    if (analysis->kind == SUBJECT_KERNEL) text_printf(out, " block%s at a time", plural(most));
    text_char(out, '\n');
    put_fills(out, analysis);
    if (all && analysis->kind == SUBJECT_KERNEL) put_kinds(out, analysis);
    text_char(out, '\n');
}

void report_heading_put(struct text *out, const struct wb_analysis *analysis, bool all) {
    static const char *const cores[] = {
        [ISA_PTX] = ", dispatch depth ", [ISA_SASS] = ", machine code of sm_"};
    const struct wb_machine *machine = analysis->machine;
    const uint32_t numbers[] = {[ISA_PTX] = machine->dispatch_depth, [ISA_SASS] = machine->sass.sm};
    const enum isa isa = machine_isa(machine);
    if (analysis->kind == SUBJECT_OF_WING) {
        analysis->reader->put_heading(out, analysis->subject);
        text_printf(out, "machine  %s at %g MHz\n\n", machine->name, machine->clock_mhz);
        return;
    }
    if (analysis->longest != NULL) {
        kernel_put_heading(out, analysis, all);
        return;
    }
    if (analysis->timed == NULL) {
        heading_put_gpu(out, &analysis->grid_times);
        put_grid_launch(out, analysis);
        if (wb_analysis_is_covering(analysis)) cover_put_heading(out, report_covering_block(analysis));
        text_printf(out, "scheme   %s\n\n", analysis->scheme->name);
        return;
    }
    put_block(out, analysis->block, machine);
    if (wb_analysis_is_covering(analysis)) cover_put_heading(out, analysis->block);
    text_printf(out, "machine  %s at %g MHz, global memory latency ", machine->name, machine->clock_mhz);
    heading_put_memory_latency(out, machine);
    text_string(out, cores[isa]);
    if (numbers[isa] == DEPTH_UNLIMITED)
        text_string(out, "unlimited");
    else
        text_printf(out, "%u", numbers[isa]);
    if (analysis->block != NULL) text_printf(out, ", requests %s", memory_requests_name(&machine->memory));
    heading_put_fetch(out, &machine->fetch);
    text_char(out, '\n');
    put_fills(out, analysis);
    text_char(out, '\n');
}

/* The value of each form of a kernel's bound. */
static void forms_json(struct json *json, const wb_bound *bound) {
    if (bound->form == NULL) return;
    json_put_text(json, "form", bound->form);
    json_open_array(json, "forms");
    for (size_t f = 0; f < bound->form_count; f++) {
        const wb_form *form = &bound->forms[f];
        json_put_object(json, NULL, "form %s, cycles %*" PRIu64 ", reason %s", form->name,
                        form->reason == NULL, form->cycles, form->reason);
    }
    json_close(json);
}

void kernel_parts_json(struct json *json, const wb_bound *bound) {
    forms_json(json, bound);
    if (bound->part_count == 0) return;
    json_open_array(json, "parts");
    for (size_t p = 0; p < bound->part_count; p++) {
        json_put_object(json, NULL, "what %s, unit %s, cycles %" PRIu64, wb_part_name(bound->parts[p].what),
                        bound->parts[p].unit, bound->parts[p].cycles);
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
        json_put(json, "warp_instructions %" PRIu64 ", initiations %" PRIu64 ", latency %" PRIu64,
                 kind->instructions, kind->initiations - kind->stalls, kind->latency);
        json_close(json);
    }
    json_close(json);
}

void kernel_heading_json(struct json *json, const struct wb_analysis *analysis) {
    const struct wb_grid *grid = analysis->grid_times.grid;
    json_put(json, "blocks %" PRIu64 ", blocks_executed %" PRIu64 ", kind_count %zu, kinds_bounded %zu",
             grid_block_count(grid), grid->executed != 0 ? grid->executed : grid->blocks.count,
             analysis->work.classes.count, analysis->blocks.count);
    kinds_json(json, analysis);
    json_put_count(json, "sms", analysis->machine->memory.sms);
    if (!json_open_known(json, "resident_blocks", analysis->kind == SUBJECT_KERNEL)) return;
    json_put(json, "least %u, most %u", analysis->work.resident_least, analysis->work.resident_most);
    json_close(json);
}

void kernel_dominant_json(struct json *json, const wb_bound *best) {
    const wb_part *most = best != NULL && best->part_count > 0 ? &best->parts[0] : NULL;
    json_put_text(json, "dominated_by",
                  most == NULL         ? NULL
                  : most->unit != NULL ? most->unit
                                       : wb_part_name(most->what));
}
