#include "bound/search/grid_search.h"

#include <stdlib.h>

#include "bound/search/search_state.h"

/* Work of a step (in units of search_budget), beside its bytes: it copies a state, looks at all its parts and
 * sorts them. */
#define SEARCH_STEP_WORK 300u

/* Searches of more combinations of positions are not begun unasked: each stands for some states. */
#define SEARCH_SHORT 100000.0

static const char *machine_objection(const struct wb_machine *machine) {
    if (fetch_can_stall(&machine->fetch)) return "the search does not model an instruction cache (fetch)";
    const struct machine_memory *memory = &machine->memory;
    const char *objection = search_units_objection(machine);
    if (objection != NULL) return objection;
    if (memory->dispatch_service > 0 && !memory_dispatch_is_dynamic(memory))
        return "the search covers dispatch_service only where blocks go to any SM";
    return NULL;
}

static const char *block_objection(const struct timed_block *block) {
    if (block == NULL) return "the search covers grids of few block classes";
    if (block->warp_count > SEARCH_WARPS_MAX) return "the search covers blocks of at most 32 warps";
    if (block->path_count >= UINT16_MAX) return "the search covers fewer programs";
    return NULL;
}

/* Whether it makes a difference which slots of an SM blocks are in: with several sub-cores their first warps
 * can be on different ones. */
static bool slots_differ(const struct grid_work *work) {
    return work->warps % work->machine->sub_cores != 0;
}

/* The slots of an SM that holds `resident` blocks at a time. The dispatcher may leave any slot empty, which
 * makes no difference where there are as many of each kind as blocks. */
static uint32_t slots_of(const struct grid_work *work, uint32_t resident) {
    if (!slots_differ(work) || resident < work->resident_most) return resident;
    const uint64_t enough = (uint64_t)resident * work->machine->sub_cores;
    return work->slots < enough ? work->slots : (uint32_t)enough;
}

const char *grid_search_objection(const struct grid_work *work) {
    const struct machine_memory *memory = &work->machine->memory;
    const char *objection = machine_objection(work->machine);
    cycles horizon = 0;
    if (grid_work_is_counted(work)) return GRID_COUNTED;
    if (memory_is_contended(memory)) return "the search does not model a memory that all SMs share";
    if (work->classes.count > SEARCH_CLASSES_MAX) return "the search covers at most 16 block classes";
    for (size_t k = 0; objection == NULL && k < work->classes.count; k++) {
        const struct block_class *kind = &work->classes.items[k];
        objection = block_objection(kind->timed);
        if (objection == NULL)
            horizon = cycles_add(horizon, cycles_mul(kind->blocks, timed_block_horizon(kind->timed)));
    }
    if (objection != NULL) return objection;
    const uint32_t sms = memory->sms < work->block_count ? memory->sms : work->block_count;
    if (sms > SEARCH_SMS_MAX) return "the search covers at most 16 SMs";
    if (work->resident_most > SEARCH_SLOTS_MAX)
        return "the search covers at most 16 blocks of an SM at a time";
    if (slots_of(work, work->resident_most) > SEARCH_SLOTS_MAX)
        return "the search covers at most 16 slots of an SM, where blocks begin on different sub-cores";
    cycles dispatch = (cycles)memory->dispatch_latency + memory->dispatch_service;
    horizon = cycles_add(horizon, cycles_mul(work->block_count, dispatch));
    return horizon > UINT32_MAX / 2 ? "the grid is too long for the search" : NULL;
}

/* `blocks` blocks from a common start on one SM of those that hold `resident`, whichever they are. */
static struct search_scope together(const struct grid_work *work, uint64_t blocks, uint32_t resident) {
    return (struct search_scope){.sms = 1,
                                 .rule = DISPATCH_ANY,
                                 .slots = slots_differ(work) ? slots_of(work, resident) : (uint32_t)blocks,
                                 .dealt = (uint32_t)blocks,
                                 .only_dealt = true};
}

/* The scopes of a grid's search: one, or one after the other. */
struct scopes {
    const struct grid_work *work;
    uint32_t sms;
    uint32_t *order; /* for the classes of the blocks, or those of an SM */
    uint32_t resident, next;
};

/* All SMs share the blocks. Blocks are dealt out where all fit, and, so to speak, where the dispatcher takes
 * no time: it then fills all slots in the first cycle. */
static struct search_scope shared_scope(const struct scopes *scopes) {
    const struct machine_memory *memory = &scopes->work->machine->memory;
    const uint64_t slots = (uint64_t)scopes->sms * scopes->resident;
    const uint64_t blocks = scopes->work->block_count;
    struct search_scope scope = {.sms = scopes->sms,
                                 .rule = DISPATCH_ANY,
                                 .slots = slots_of(scopes->work, scopes->resident),
                                 .latency = memory->dispatch_latency,
                                 .service = memory->dispatch_service};
    if (blocks <= slots || scope.service == 0) scope.dealt = (uint32_t)cycles_min(slots, blocks);
    return scope;
}

/* One SM has its own blocks. */
static struct search_scope own_scope(const struct scopes *scopes, uint32_t sm) {
    const struct grid_work *work = scopes->work;
    uint32_t count = 0;
    for (uint64_t b = sm; b < work->block_count; b += work->machine->memory.sms)
        scopes->order[count++] = work->class_of[b];
    return (struct search_scope){.sms = 1,
                                 .rule = DISPATCH_STATIC,
                                 .slots = slots_of(work, scopes->resident),
                                 .dealt = count < scopes->resident ? count : scopes->resident,
                                 .order = scopes->order,
                                 .order_count = count,
                                 .latency = work->machine->memory.dispatch_latency};
}

/* All SMs share the blocks, which come in their order to the slots that the machine's rule says: at the start
 * to all of them. */
static struct search_scope ruled_scope(const struct scopes *scopes) {
    const struct machine_memory *memory = &scopes->work->machine->memory;
    const uint32_t blocks = scopes->work->block_count;
    for (uint32_t b = 0; b < blocks; b++)
        scopes->order[b] = scopes->work->class_of[b];
    return (struct search_scope){.sms = scopes->sms,
                                 .rule = (enum block_dispatch)memory->dispatch,
                                 .slots = scopes->resident,
                                 .dealt =
                                     (uint32_t)cycles_min((uint64_t)scopes->sms * scopes->resident, blocks),
                                 .order = scopes->order,
                                 .order_count = blocks,
                                 .latency = memory->dispatch_latency,
                                 .service = memory->dispatch_service};
}

/* The same of one SM, where all blocks start at once: every rule deals them out in turn. */
static struct search_scope ruled_share(const struct scopes *scopes, uint32_t sm) {
    struct search_scope scope = own_scope(scopes, sm);
    scope.rule = (enum block_dispatch)scopes->work->machine->memory.dispatch;
    scope.slots = scopes->resident;
    return scope;
}

/* The next scope for a number of resident blocks; false when there are no more. When all blocks start at once
 * SMs have nothing to do with each other: it is the longest of any blocks that one of them may get. */
static bool next_scope(struct scopes *scopes, struct search_scope *scope) {
    const struct grid_work *work = scopes->work;
    const uint32_t number = scopes->next++;
    if (!grid_work_is_dynamic(work)) {
        if (number >= scopes->sms) return false;
        *scope = own_scope(scopes, number);
        return true;
    }
    const bool all_start = work->block_count <= (uint64_t)scopes->sms * scopes->resident;
    const bool apart = all_start && work->machine->memory.dispatch_service == 0;
    if (work->machine->memory.dispatch != DISPATCH_ANY) {
        *scope = apart && number < scopes->sms ? ruled_share(scopes, number) : ruled_scope(scopes);
        return number < (apart ? scopes->sms : 1);
    }
    if (!apart) {
        *scope = shared_scope(scopes);
        return number == 0;
    }
    const uint32_t share = work->block_count / scopes->sms;
    *scope = together(work, share + number, scopes->resident);
    return number == 0 || (number == 1 && work->block_count % scopes->sms != 0);
}

static struct scopes scopes_of(const struct grid_work *work, uint32_t *order) {
    const uint32_t sms = work->machine->memory.sms;
    return (struct scopes){.work = work,
                           .sms = sms < work->block_count ? sms : work->block_count,
                           .order = order,
                           .resident = work->resident_least};
}

/* The next scope for any number of resident blocks. */
static bool next_of_all(struct scopes *scopes, struct search_scope *scope) {
    while (!next_scope(scopes, scope)) {
        if (scopes->resident >= scopes->work->resident_most) return false;
        scopes->resident++;
        scopes->next = 0;
    }
    return true;
}

/* Ways to choose n of `from` things, one of them as often as one likes. */
static double multisets(double from, uint32_t n) {
    double sets = 1;
    for (uint32_t i = 0; i < n; i++)
        sets *= (from + i) / (i + 1);
    return sets;
}

/* Roughly how many combinations of positions of all warps there are. */
static double positions_of(const struct grid_work *work, const struct search_scope *scope) {
    double slots = 1, left = 1, of_sm = 1;
    for (size_t k = 0; k < work->classes.count; k++) {
        const struct block_class *kind = &work->classes.items[k];
        slots += search_positions(kind->timed);
        left *= (double)kind->blocks + 1;
    }
    if (scope->order != NULL) left = (double)scope->order_count + 1;
    for (uint32_t i = 0; i < scope->slots; i++) {
        uint32_t alike = 1; /* with those before it that can be exchanged with it */
        for (uint32_t j = 0; j < i && scope->rule == DISPATCH_ANY; j++)
            alike += (i - j) * (uint64_t)work->warps % work->machine->sub_cores == 0;
        of_sm *= (slots + alike - 1) / alike;
    }
    return multisets(of_sm, scope->sms) * left;
}

bool grid_search_is_short(const struct grid_work *work, wb_diagnostics *diagnostics) {
    if (work->block_count > SEARCH_SHORT) return false;
    uint32_t *order = calloc((size_t)work->block_count + 1, sizeof *order);
    if (order == NULL) {
        (void)diagnose_out_of_memory(diagnostics, "k-exhaustive");
        return false;
    }
    struct scopes scopes = scopes_of(work, order);
    struct search_scope scope;
    double positions = 0;
    while (positions <= SEARCH_SHORT && next_of_all(&scopes, &scope))
        positions += positions_of(work, &scope);
    free(order);
    return positions <= SEARCH_SHORT;
}

bool grid_search_together_is_short(const struct grid_work *work, uint64_t blocks) {
    if (grid_search_objection(work) != NULL || blocks > SEARCH_SLOTS_MAX) return false;
    const struct search_scope scope = together(work, blocks, work->resident_most);
    return positions_of(work, &scope) <= SEARCH_SHORT;
}

static wb_status make_model(const struct grid_work *work, struct arena *arena, struct search_model *model) {
    struct search_blocks *blocks = arena_array(arena, work->classes.count + 1, sizeof *blocks);
    if (blocks == NULL) return WB_ERR_LIMIT;
    for (size_t k = 0; k < work->classes.count; k++)
        blocks[k] = (struct search_blocks){work->classes.items[k].timed, work->classes.items[k].blocks};
    return search_model_make(work->machine, blocks, work->classes.count, arena, model);
}

static wb_status search_scope(struct search_model *model, const struct search_scope *scope,
                              struct schedule_search *search) {
    if (!search_model_set(model, scope)) return WB_ERR_DECLINED;
    search->stage = "schedules of the grid";
    search->step_work = SEARCH_STEP_WORK + model->layout.size;
    return schedule_search_run(model, search);
}

wb_status grid_search_run(const struct grid_work *work, struct schedule_search *search) {
    struct arena arena = {0};
    struct search_model model;
    struct search_scope scope;
    wb_status status = make_model(work, &arena, &model);
    uint32_t *order = arena_array(&arena, (size_t)work->block_count + 1, sizeof *order);
    if (status == WB_OK && order == NULL) status = WB_ERR_LIMIT;
    struct scopes scopes = scopes_of(work, order);
    while (status == WB_OK && next_of_all(&scopes, &scope))
        status = search_scope(&model, &scope, search);
    arena_free(&arena);
    return status;
}

wb_status grid_search_together(const struct grid_work *work, uint64_t blocks,
                               struct schedule_search *search) {
    struct arena arena = {0};
    struct search_model model;
    const struct search_scope scope = together(work, blocks, work->resident_most);
    wb_status status = make_model(work, &arena, &model);
    if (status == WB_OK) status = search_scope(&model, &scope, search);
    arena_free(&arena);
    return status;
}
