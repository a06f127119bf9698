/* Certain ways to lower the cycles of some instructions, from the analysed facts: with their numbers, and by
 * how much a bound can fall at most. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cost/costs.h"
#include "memory/requests/requests.h"
#include "sass/sass.h"
#include "warp/interpret/execute.h"

/* Instructions with a smaller part of the number are not worth a word: a hundredth. */
#define HINT_WORTH 100u

struct wb_hints {
    struct arena arena; /* of all of it */
    VEC(wb_hint) items;
};

/* The state of the pass that finds hints. */
struct hint_pass {
    const struct wb_analysis *analysis;
    const struct wb_costs *costs;
    struct wb_hints *hints;
};

/* ---- What each hint says ------------------------------------------------------------------------------- */

/* Adds a hint; the text is freed. */
static void add_hint(struct hint_pass *pass, wb_hint_kind kind, const wb_cost *row, cycles up_to,
                     struct text *text) {
    struct arena *arena = &pass->hints->arena;
    const wb_hint hint = {.kind = kind,
                          .instruction = row != NULL ? row->instruction : WB_NO_INSTRUCTION,
                          .place = row != NULL ? row->place : (wb_cost_place){0},
                          .text = arena_string(arena, text->data, text->length),
                          .cycles = row != NULL ? row->cycles : 0,
                          .up_to = up_to};
    arena_push(arena, &pass->hints->items, hint);
}

/* Cycles that instructions keep their unit: one, and, to compare it with, those of single precision. */
struct kept_unit {
    uint32_t cycles, single;
};

static const struct hint_model {
    struct kept_unit (*kept)(const struct hint_pass *pass, const struct ptx_inst *inst);
    bool one_unit; /* whose cycles go; for several, which of their cycles is not distinguished */
} hint_models[ISA_COUNT];

/* The cycles of a row that would be less if `removed` of the `busy` cycles of its unit went away: at most, as
 * a bound is at least what its deciding chain, or its largest sum, comes to without them. Of a bound of a
 * kernel shares are in proportion to what all instructions do; of a chain, which executions are on it is not
 * known here: all of their cycles behind the issue. */
static cycles removable(const struct hint_pass *pass, const wb_cost *row, uint64_t removed) {
    const cycles others = row->share[WB_PART_INTERFERENCE] + row->share[WB_PART_MEMORY];
    const cycles unit = row->share[WB_PART_UNIT] + row->share[WB_PART_BUSY];
    if (!hint_models[machine_isa(pass->analysis->machine)].one_unit ||
        pass->analysis->kind != SUBJECT_KERNEL || row->busy == 0 || removed >= row->busy)
        return unit + others;
    const double part = (double)removed / (double)row->busy;
    return cycles_min(unit, (cycles)((double)unit * part) + 1) + others;
}

/* How many of something there are for each execution, with one place. */
static double per_execution(const wb_cost *row, uint64_t count) {
    return row->executions == 0 ? 0 : (double)count / (double)row->executions;
}

/* Bytes that a lane accesses. */
static uint32_t lane_bytes(const struct ptx_form *form) {
    return (uint32_t)ptx_type_bytes((enum ptx_type)form->type) * (form->vector > 1 ? form->vector : 1);
}

/* Global and local memory: more requests than a warp whose lanes access one range of memory needs. */
static void look_at_requests(struct hint_pass *pass, const wb_cost *row, const struct ptx_form *form) {
    const struct wb_machine *machine = pass->analysis->machine;
    const uint32_t granule = memory_request_bytes(&machine->memory);
    const uint64_t least = ((uint64_t)lane_bytes(form) * machine->warp_width + granule - 1) / granule;
    if (machine->memory.requests == REQUESTS_IDEAL || least == 0) return;
    if (row->requests <= cycles_mul(row->executions, least)) return;
    const uint64_t excess = row->requests - row->executions * least;
    struct text text = {.arena = &pass->hints->arena};
    text_printf(&text, "%.1f requests for a warp, where %" PRIu64 " %s if coalesced",
                per_execution(row, row->requests), least, least == 1 ? "is enough" : "are enough");
    add_hint(pass, WB_HINT_UNCOALESCED, row, removable(pass, row, excess * machine->memory.request_cycles),
             &text);
}

/* Shared memory: more wavefronts than the width of the access needs. */
static void look_at_conflicts(struct hint_pass *pass, const wb_cost *row, const struct ptx_form *form) {
    const struct wb_machine *machine = pass->analysis->machine;
    const uint32_t row_bytes = SHARED_BANKS * SHARED_BANK_BYTES;
    const uint64_t least = ((uint64_t)lane_bytes(form) * machine->warp_width + row_bytes - 1) / row_bytes;
    const uint64_t needed = least > 1 ? cycles_mul(row->executions, least - 1) : 0;
    if (machine->memory.requests == REQUESTS_IDEAL || form->space != PTX_SPACE_SHARED) return;
    if (row->conflicts <= needed) return;
    const uint64_t init = machine->classes[form->class_].init;
    struct text text = {.arena = &pass->hints->arena};
    text_printf(&text, "%.1f passes over shared memory for a warp, where %" PRIu64 " %s: bank conflicts",
                1 + per_execution(row, row->conflicts), least > 1 ? least : 1,
                least > 1 ? "are enough" : "is enough");
    add_hint(pass, WB_HINT_BANK_CONFLICTS, row, removable(pass, row, (row->conflicts - needed) * init),
             &text);
}

static struct kept_unit kept_by_ptx(const struct hint_pass *pass, const struct ptx_inst *inst) {
    const struct machine_class *classes = pass->analysis->machine->classes;
    return (struct kept_unit){classes[inst->form->class_].init, classes[PTX_CLASS_FP32].init};
}

static struct kept_unit kept_by_code(const struct hint_pass *pass, const struct ptx_inst *inst) {
    const struct machine_sass_class *classes = pass->analysis->machine->sass.classes;
    const enum sass_class class = sass_class_of(&pass->costs->module->code->insts[inst->machine].sass);
    return (struct kept_unit){class == SASS_CLASS_COUNT ? 0 : classes[class].stages[0].init,
                              classes[SASS_CLASS_FMA].stages[0].init};
}

static const struct hint_model hint_models[] = {
    [ISA_PTX] = {kept_by_ptx, true}, [ISA_SASS] = {kept_by_code, false}};

/* Instructions that keep their unit long whatever the program does. */
static void look_at_class(struct hint_pass *pass, const wb_cost *row, const struct ptx_inst *inst) {
    const struct ptx_form *form = inst->form;
    const struct kept_unit kept = hint_models[machine_isa(pass->analysis->machine)].kept(pass, inst);
    struct text text = {.arena = &pass->hints->arena};
    if (row->unit == NULL) return;
    switch ((enum ptx_class)form->class_) {
    case PTX_CLASS_INT_DIV:
    case PTX_CLASS_INT_DIV64:
    case PTX_CLASS_FP32_DIV:
    case PTX_CLASS_FP32_DIV_APPROX:
    case PTX_CLASS_FP64_DIV:
        text_printf(&text, "%s by a variable value keeps %s %u cycles for a warp", form->name, row->unit,
                    kept.cycles);
        add_hint(pass, WB_HINT_DIVISION, row, row->cycles, &text);
        return;
    case PTX_CLASS_FP32_SPECIAL:
    case PTX_CLASS_FP32_SPECIAL_RN:
    case PTX_CLASS_FP64_SPECIAL:
        text_printf(&text, "%s keeps %s %u cycles for a warp", form->name, row->unit, kept.cycles);
        add_hint(pass, WB_HINT_SPECIAL, row, row->cycles, &text);
        return;
    case PTX_CLASS_FP64:
        if (kept.cycles < 4 * kept.single) return;
        text_printf(&text, "double precision keeps %s %u cycles for a warp, single precision %u", row->unit,
                    kept.cycles, kept.single);
        add_hint(pass, WB_HINT_DOUBLE, row, row->cycles, &text);
        return;
    default: return;
    }
}

static void look_at(struct hint_pass *pass, const wb_cost *row) {
    const struct wb_costs *costs = pass->costs;
    const struct ptx_function *function;
    if (row->about != NULL || cycles_mul(row->cycles, HINT_WORTH) < costs->total || row->executions == 0)
        return;
    const struct ptx_inst *inst =
        code_inst(costs->module, costs->code_first, (uint32_t)row->instruction, &function);
    if (row->requests > 0)
        look_at_requests(pass, row, inst->form);
    else if (row->conflicts > 0)
        look_at_conflicts(pass, row, inst->form);
    else
        look_at_class(pass, row, inst);
}

/* ---- Occupancy ----------------------------------------------------------------------------------------- */

/* Lets one more block fit on an SM, for a kernel that has more blocks than the SMs have room for. */
static void look_at_occupancy(struct hint_pass *pass) {
    const struct wb_analysis *analysis = pass->analysis;
    if (analysis->kind != SUBJECT_KERNEL && analysis->kind != SUBJECT_CACHED_GRID) return;
    const struct wb_grid *grid = analysis->grid_times.grid;
    if (grid == NULL || grid->kernel == NULL) return;
    const struct block_demand demand = grid_block_demand(grid);
    wb_occupancy found = {.machine = analysis->machine};
    machine_occupancy(analysis->machine, &demand, &found);
    const uint64_t held = cycles_mul(found.blocks_most, analysis->machine->memory.sms);
    if (found.step_count == 0 || found.blocks_most == 0 || grid_block_count(grid) <= held) return;
    const wb_occupancy_step *step = &found.steps[0];
    struct text text = {.arena = &pass->hints->arena};
    text_printf(&text, "an SM holds %u block%s of %" PRIu64 "; %u with at most", found.blocks_most,
                found.blocks_most == 1 ? "" : "s", grid_block_count(grid), step->blocks);
    if (step->fewer_registers) text_printf(&text, " %u registers of a thread", step->registers);
    if (step->fewer_registers && step->less_shared) text_string(&text, " and");
    if (step->less_shared) text_printf(&text, " %" PRIu64 " bytes of shared memory", step->shared_bytes);
    add_hint(pass, WB_HINT_OCCUPANCY, NULL, 0, &text);
}

/* ---- All of them --------------------------------------------------------------------------------------- */

static int costlier(const void *a, const void *b) {
    const wb_hint *left = a, *right = b;
    if (left->cycles != right->cycles) return left->cycles > right->cycles ? -1 : 1;
    return (left->instruction > right->instruction) - (left->instruction < right->instruction);
}

static void find_hints(void *context) {
    struct hint_pass *pass = context;
    for (size_t r = 0; pass->costs->module != NULL && r < pass->costs->rows.count; r++)
        look_at(pass, &pass->costs->rows.items[r]);
    if (pass->hints->items.count > 0)
        qsort(pass->hints->items.items, pass->hints->items.count, sizeof(wb_hint), costlier);
    look_at_occupancy(pass);
}

wb_status wb_hints_find(const wb_analysis *analysis, const wb_costs *costs, wb_diagnostics *diagnostics,
                        wb_hints **hints) {
    struct wb_hints *made = calloc(1, sizeof *made);
    if (made == NULL) return diagnose_out_of_memory(diagnostics, "hints");
    struct hint_pass pass = {analysis, costs, made};
    if (arena_protect(&made->arena, find_hints, &pass) == WB_OK) {
        *hints = made;
        return WB_OK;
    }
    wb_hints_free(made);
    return diagnose_out_of_memory(diagnostics, "hints");
}

void wb_hints_free(wb_hints *hints) {
    if (hints == NULL) return;
    arena_free(&hints->arena);
    free(hints);
}

const wb_hint *wb_hints_list(const wb_hints *hints, size_t *count) {
    *count = hints->items.count;
    return hints->items.items;
}

const char *wb_hint_name(wb_hint_kind kind) {
    switch (kind) {
    case WB_HINT_UNCOALESCED: return "uncoalesced";
    case WB_HINT_BANK_CONFLICTS: return "bank-conflicts";
    case WB_HINT_DIVISION: return "division";
    case WB_HINT_SPECIAL: return "special-function";
    case WB_HINT_DOUBLE: return "double-precision";
    case WB_HINT_OCCUPANCY: break;
    }
    return "occupancy";
}
