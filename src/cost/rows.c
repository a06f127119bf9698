/* The rows of costs, by instruction, with the place of each. */
#include <assert.h>

#include "cost/costs.h"

/* A reader of a text from its start on, to whom offsets come in any order but mostly rising ones. */
struct line_reader {
    const struct source *source;
    size_t offset;
    uint32_t line;
};

/* The line of a place. */
static uint32_t line_at(struct line_reader *reader, size_t offset) {
    if (offset < reader->offset) *reader = (struct line_reader){reader->source, 0, 1};
    for (; reader->offset < offset && reader->offset < reader->source->size; reader->offset++)
        reader->line += reader->source->text[reader->offset] == '\n';
    return reader->line;
}

static void set_location(const struct wb_module *module, uint32_t index, wb_cost_place *place) {
    const struct ptx_location *location = &module->locations[index];
    place->source_file = ptx_location_file(module, location);
    place->source_line = location->line;
    if (location->inlined_at == PTX_NO_INDEX) return;
    const struct ptx_location *call = &module->locations[location->inlined_at];
    place->inlined_file = ptx_location_file(module, call);
    place->inlined_line = call->line;
}

/* Where an instruction stands, but for its line. */
static wb_cost_place place_without_line(const struct wb_costs *costs, size_t instruction, size_t *offset) {
    wb_cost_place place = {0};
    if (costs->module == NULL) return place;
    const struct ptx_function *function;
    const struct ptx_inst *inst =
        code_inst(costs->module, costs->code_first, (uint32_t)instruction, &function);
    place.function = function->name;
    place.text = inst->form->name;
    place.code_file = costs->module->source.name;
    *offset = inst->at;
    if (costs->module->code != NULL) {
        place.is_machine = true;
        place.code_address = ptx_address(costs->module, inst);
    }
    if (inst->location != PTX_NO_INDEX) set_location(costs->module, inst->location, &place);
    return place;
}

wb_cost_place cost_place_of(const struct wb_costs *costs, size_t instruction) {
    size_t offset = 0;
    wb_cost_place place = place_without_line(costs, instruction, &offset);
    place.code_line = source_place_at(&costs->module->source, offset).line;
    return place;
}

/* The same of one of many. */
static wb_cost_place place_of(const struct wb_costs *costs, size_t instruction, struct line_reader *reader) {
    size_t offset = 0;
    wb_cost_place place = place_without_line(costs, instruction, &offset);
    if (costs->module != NULL) place.code_line = line_at(reader, offset);
    return place;
}

static const char *apart_name(enum cost_apart apart) {
    switch (apart) {
    case COST_DISPATCH: return "dispatch of blocks";
    case COST_LAUNCH: return "launch overhead";
    case COST_RELEASE: return "release of barriers";
    case COST_FETCH: return "instruction fetch";
    case COST_MEMORY: return "memory";
    case COST_DIVERGENCE: return "divergence";
    default: return "rounding";
    }
}

static void set_shares(const struct tally *shares, size_t number, wb_cost *row) {
    for (wb_part_kind what = 0; what < WB_PART_COUNT; what++) {
        row->share[what] = *tally_at(shares, number, what);
        row->cycles = cycles_add(row->cycles, row->share[what]);
    }
    row->with_inner = row->cycles;
}

static void add_row(struct cost_maker *maker, const wb_cost *row) {
    struct wb_costs *costs = maker->costs;
    costs->total = cycles_add(costs->total, row->cycles);
    arena_push(&costs->arena, &costs->rows, *row);
}

static void add_instruction(struct cost_maker *maker, size_t number, struct line_reader *reader) {
    const struct cost_work *work = &maker->work[number];
    wb_cost row = {.instruction = number,
                   .instructions = 1,
                   .executions = work->executions,
                   .issue = work->issue,
                   .busy = work->busy,
                   .requests = work->requests,
                   .conflicts = work->conflicts,
                   .loop = WB_NO_INSTRUCTION};
    set_shares(&maker->shares, number, &row);
    assert(work->executed || row.cycles == 0);
    if (!work->executed) return;
    row.place = place_of(maker->costs, number, reader);
    if (work->unit != UNIT_NONE) row.unit = maker->analysis->machine->units[work->unit].name;
    add_row(maker, &row);
}

static void make_rows(void *context) {
    struct cost_maker *maker = context;
    const struct source nothing = {0};
    const struct wb_module *module = maker->costs->module;
    struct line_reader reader = {.source = module != NULL ? &module->source : &nothing, .line = 1};
    for (size_t i = 0; i < maker->shares.instructions; i++)
        add_instruction(maker, i, &reader);
    for (enum cost_apart apart = 0; apart < COST_APART_COUNT; apart++) {
        wb_cost row = {
            .instruction = WB_NO_INSTRUCTION, .about = apart_name(apart), .loop = WB_NO_INSTRUCTION};
        set_shares(&maker->shares, tally_apart(&maker->shares, apart), &row);
        if (row.cycles > 0) add_row(maker, &row);
    }
}

wb_status cost_rows_make(struct cost_maker *maker) {
    if (arena_protect(&maker->costs->arena, make_rows, maker) == WB_OK) return WB_OK;
    return diagnose_out_of_memory(maker->diagnostics, "costs");
}
