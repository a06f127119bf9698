/* The rows of costs, by instruction, with the place of each; and what groups of them sum up to. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/containers.h"
#include "cost/costs.h"
#include "flow/graph/graph.h"

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

static wb_cost_place cost_place_of(const struct wb_costs *costs, size_t instruction) {
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

/* ---- Groups by line, loop and function -------------------------------------------------------------- */

/* The common key of a group's instructions; compared as bytes. */
struct group_key {
    const char *text; /* of a function or a file: the module has each once */
    uint64_t number;  /* of a line, a loop or an instruction */
    uint64_t apart;   /* 1 + the row of what is of no instruction; else 0 */
};

/* The loops of a function. */
struct function_loops {
    bool made;
    struct cfg cfg;
    struct loops loops;
};

struct grouper {
    const struct wb_costs *costs;
    struct wb_costs *groups;
    wb_cost_grouping grouping;
    struct arena arena;               /* of what follows */
    struct function_loops *functions; /* of the module */
    struct intern keys;
};

/* ---- Loops --------------------------------------------------------------------------------------------- */

/* The function that an instruction is of. */
static uint32_t function_of(const struct wb_costs *costs, size_t instruction) {
    uint32_t function = 0;
    while (costs->code_first[function + 1] <= instruction)
        function++;
    return function;
}

static const struct function_loops *loops_of(struct grouper *grouper, uint32_t number) {
    struct function_loops *of = &grouper->functions[number];
    if (of->made) return of;
    of->cfg = cfg_build(&grouper->costs->module->functions[number], &grouper->arena);
    const struct dominators dominators = dominators_build(&grouper->arena, &of->cfg.graph, CFG_ENTRY);
    of->loops = loops_build(&grouper->arena, &of->cfg.graph, &dominators);
    of->made = true;
    return of;
}

/* The innermost loop of an instruction, or GRAPH_NONE. */
static uint32_t loop_of(struct grouper *grouper, size_t instruction) {
    if (grouper->costs->module == NULL) return GRAPH_NONE;
    const uint32_t number = function_of(grouper->costs, instruction);
    const struct function_loops *of = loops_of(grouper, number);
    const uint32_t within = (uint32_t)instruction - grouper->costs->code_first[number];
    return of->loops.innermost[of->cfg.block_of[within]];
}

/* The first instruction of a loop's header, as a row has it. */
static size_t header_of(struct grouper *grouper, size_t instruction, uint32_t loop) {
    const uint32_t number = function_of(grouper->costs, instruction);
    const struct function_loops *of = loops_of(grouper, number);
    return grouper->costs->code_first[number] + of->cfg.blocks[of->loops.items[loop].header].first;
}

/* ---- Groups -------------------------------------------------------------------------------------------- */

static struct group_key key_of(struct grouper *grouper, const wb_cost *row, size_t number) {
    struct group_key key = {.text = row->place.function};
    if (row->about != NULL) return (struct group_key){.apart = 1 + number};
    switch (grouper->grouping) {
    case WB_COST_BY_FUNCTION: break;
    case WB_COST_BY_INSTRUCTION: key.number = row->instruction; break;
    case WB_COST_BY_CODE_LINE: key.number = row->place.code_line; break;
    case WB_COST_BY_SOURCE_LINE:
        if (row->place.source_file != NULL) key.text = row->place.source_file;
        key.number = row->place.source_line;
        break;
    case WB_COST_BY_LOOP: {
        const uint32_t loop = loop_of(grouper, row->instruction);
        if (loop != GRAPH_NONE) key.number = 1 + (uint64_t)header_of(grouper, row->instruction, loop);
        break;
    }
    }
    /* Without lines, code written by hand has its instructions. */
    if (grouper->costs->module == NULL && grouper->grouping <= WB_COST_BY_SOURCE_LINE)
        key.number = row->instruction;
    return key;
}

static bool texts_equal(const char *a, const char *b) {
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Leaves of a place what two have in common. */
static void join_places(wb_cost_place *place, const wb_cost_place *other) {
    const char **const texts[] = {&place->function, &place->text, &place->code_file, &place->source_file,
                                  &place->inlined_file};
    const char *const others[] = {other->function, other->text, other->code_file, other->source_file,
                                  other->inlined_file};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (!texts_equal(*texts[i], others[i])) *texts[i] = NULL;
    if (place->code_line != other->code_line) place->code_line = 0;
    if (place->code_address != other->code_address) place->is_machine = false;
    if (place->source_line != other->source_line) place->source_line = 0;
    if (place->inlined_line != other->inlined_line) place->inlined_line = 0;
}

static void join_rows(wb_cost *group, const wb_cost *row) {
    uint64_t *const sums[] = {&group->executions, &group->issue,  &group->busy,      &group->requests,
                              &group->conflicts,  &group->cycles, &group->with_inner};
    const uint64_t added[] = {row->executions, row->issue,  row->busy,      row->requests,
                              row->conflicts,  row->cycles, row->with_inner};
    for (size_t i = 0; i < sizeof added / sizeof added[0]; i++)
        *sums[i] = cycles_add(*sums[i], added[i]);
    for (int what = 0; what < WB_PART_COUNT; what++)
        group->share[what] += row->share[what];
    group->instructions += row->instructions;
    join_places(&group->place, &row->place);
    if (!texts_equal(group->unit, row->unit)) group->unit = NULL;
}

/* Adds a row to its group. */
static void add_to_group(struct grouper *grouper, size_t number) {
    const wb_cost *row = &grouper->costs->rows.items[number];
    const struct group_key key = key_of(grouper, row, number);
    uint32_t group;
    bool is_new;
    if (intern_copy(&grouper->keys, &key, sizeof key, &group, &is_new) != WB_OK)
        arena_fail(&grouper->arena, WB_ERR_LIMIT);
    if (is_new)
        arena_push(&grouper->groups->arena, &grouper->groups->rows, *row);
    else
        join_rows(&grouper->groups->rows.items[group], row);
}

/* The group of a loop, whose header is executed when anything of it is. */
static size_t group_of_loop(struct grouper *grouper, const wb_cost *member, uint32_t loop) {
    const struct group_key key = {.text = member->place.function,
                                  .number = 1 + (uint64_t)header_of(grouper, member->instruction, loop)};
    const uint32_t group = intern_find(&grouper->keys, &key, sizeof key);
    return group == INTERN_NONE ? WB_NO_INSTRUCTION : group;
}

/* Names a loop by the label and the line of its header, and adds its cycles to those around it. */
static void finish_loop(struct grouper *grouper, size_t number) {
    wb_cost *rows = grouper->groups->rows.items, *row = &rows[number];
    const uint32_t loop = loop_of(grouper, row->instruction);
    if (loop == GRAPH_NONE) return;
    const uint32_t function = function_of(grouper->costs, row->instruction);
    const struct function_loops *of = loops_of(grouper, function);
    const struct ptx_function *code = of->cfg.function;
    const size_t header = header_of(grouper, row->instruction, loop);
    const uint32_t first = (uint32_t)header - grouper->costs->code_first[function],
                   label = ptx_first_label_from(code, first);
    row->place = cost_place_of(grouper->costs, header);
    row->place.text =
        label < code->label_count && code->labels[label].target == first ? code->labels[label].name : NULL;
    uint32_t around = of->loops.items[loop].parent;
    if (around != GRAPH_NONE) row->loop = group_of_loop(grouper, row, around);
    for (; around != GRAPH_NONE; around = of->loops.items[around].parent) {
        const size_t outer = group_of_loop(grouper, row, around);
        if (outer != WB_NO_INSTRUCTION)
            rows[outer].with_inner = cycles_add(rows[outer].with_inner, row->cycles);
    }
}

static void make_groups(void *context) {
    struct grouper *grouper = context;
    const struct wb_costs *costs = grouper->costs;
    if (costs->module != NULL)
        grouper->functions =
            arena_array(&grouper->arena, costs->module->function_count, sizeof *grouper->functions);
    for (size_t r = 0; r < costs->rows.count; r++)
        add_to_group(grouper, r);
    for (size_t g = 0; g < grouper->groups->rows.count && grouper->grouping == WB_COST_BY_LOOP; g++)
        if (grouper->groups->rows.items[g].about == NULL) finish_loop(grouper, g);
}

static void protect_groups(void *context) {
    struct grouper *grouper = context;
    if (arena_protect(&grouper->groups->arena, make_groups, grouper) != WB_OK)
        arena_fail(&grouper->arena, WB_ERR_LIMIT);
}

wb_status wb_costs_group(const wb_costs *costs, wb_cost_grouping grouping, wb_diagnostics *diagnostics,
                         wb_costs **groups) {
    struct wb_costs *made = calloc(1, sizeof *made);
    if (made == NULL) return diagnose_out_of_memory(diagnostics, "costs");
    made->method = costs->method;
    made->module = costs->module;
    made->code_first = costs->code_first;
    made->total = costs->total;
    struct grouper grouper = {.costs = costs, .groups = made, .grouping = grouping};
    wb_status status = arena_protect(&grouper.arena, protect_groups, &grouper);
    intern_free(&grouper.keys);
    arena_free(&grouper.arena);
    if (status == WB_OK) {
        *groups = made;
        return WB_OK;
    }
    wb_costs_free(made);
    return diagnose_out_of_memory(diagnostics, "costs");
}
