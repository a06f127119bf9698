/* The parts of the states of the search over schedules: a warp in the middle of its program, a unit with its
 * queue, slots with their blocks, SMs, the dispatcher. All times are cycles from now. */
#ifndef WB_BOUND_SEARCH_SEARCH_STATE_H
#define WB_BOUND_SEARCH_SEARCH_STATE_H

#include <assert.h>

#include "bound/search/search_model.h"

struct search_warp {
    struct search_place place;
    uint16_t position;
    uint16_t live_count;
    uint32_t live[SEARCH_LIVE_MAX]; /* until each live result can be read */
};

struct search_unit {
    uint32_t busy[SEARCH_INSTANCES_MAX]; /* per instance, until its initiations end; falling */
    uint32_t waiting[SEARCH_DEPTH_MAX];  /* until each queued instruction starts; rising */
    uint32_t waiting_count;
};

/* No block is in a slot. */
#define SLOT_EMPTY UINT32_MAX

/* The blocks that are still to come, and the one dispatcher of all SMs. */
struct search_dispatch {
    uint32_t left;    /* blocks that no SM has got yet */
    uint32_t to_deal; /* of them, those that are dealt out in turn */
    uint32_t busy;    /* until the dispatcher has done with the last block */
    uint32_t last;    /* of DISPATCH_ROUND_ROBIN: the SM that got the last block */
};

struct search_sm {
    uint32_t dealt; /* blocks that it got while blocks are dealt out */
};

struct search_sub_core {
    uint32_t decided; /* it issues nothing more in this cycle */
    uint32_t issued;  /* warps have used its slots in this cycle, while not decided */
};

/* A slot of an SM for a block. */
struct search_slot {
    uint32_t class; /* of its block; or SLOT_EMPTY */
    uint32_t used;  /* it is empty, a block was in it before, and that makes a difference to the next one */
    uint32_t held;  /* until its warps may issue: not yet started, or a barrier that opens */
    uint32_t
        drains; /* until the results of what was issued are complete; 0 where something later counts anyway */
    uint32_t opened; /* barriers that have let its warps go */
    uint32_t issued; /* bit w: warp w has issued in this cycle, while its sub-core is not decided */
};

/* The parts of a state in their memory. */
struct search_state {
    struct search_dispatch *dispatch;
    uint32_t *left;                    /* per class */
    struct search_sm *sms;             /* scope.sms */
    struct search_sub_core *sub_cores; /* per SM and sub-core */
    struct search_unit *units; /* per SM, unit and sub-core; those that are shared at the first sub-core */
    struct search_slot *slots; /* per SM and slot */
    struct search_warp *warps; /* per SM, slot and warp; sorted: those in equal states can be exchanged */
};

/* Longest forms of them in a key, and of what else belongs to a slot, an SM and the dispatcher: every number
 * takes at most five bytes. */
#define SEARCH_NUMBER_KEY_MAX 5u
#define SEARCH_DISPATCH_KEY_MAX (4 * SEARCH_NUMBER_KEY_MAX)
#define SEARCH_SM_KEY_MAX ((1 + SEARCH_SUB_CORES_MAX) * SEARCH_NUMBER_KEY_MAX)
#define SEARCH_SLOT_KEY_MAX (5 * SEARCH_NUMBER_KEY_MAX)
#define SEARCH_WARP_KEY_MAX (1 + SEARCH_NUMBER_KEY_MAX * (1 + SEARCH_LIVE_MAX))
#define SEARCH_UNIT_KEY_MAX (SEARCH_NUMBER_KEY_MAX * (1 + SEARCH_INSTANCES_MAX + SEARCH_DEPTH_MAX))

/* Whether queues have a length that can matter. */
static inline bool search_depth_is_finite(uint32_t depth) {
    return depth != 0 && depth != DEPTH_UNLIMITED;
}

/* Until the operands of the warp's next instruction can be read. */
static inline uint32_t search_operands_in(const struct search_warp *warp, const struct search_inst *inst) {
    uint32_t latest = 0;
    for (uint32_t waits = inst->waits; waits != 0; waits &= waits - 1) {
        uint32_t result = warp->live[__builtin_ctz(waits)];
        if (result > latest) latest = result;
    }
    return latest;
}

/* Until an instruction may be issued to a unit with queues of `depth` entries. */
static inline uint32_t search_unit_open_in(const struct search_unit *unit, uint32_t instances,
                                           uint32_t depth) {
    if (depth == DEPTH_UNLIMITED) return 0;
    if (depth == 0) return unit->busy[instances - 1];
    return unit->waiting_count < depth ? 0 : unit->waiting[unit->waiting_count - depth];
}

/* Puts the warp behind its next instruction, whose result can be read in `result` cycles. */
static inline void search_warp_advance(struct search_warp *warp, const struct search_inst *inst,
                                       uint32_t result) {
    uint32_t kept = 0;
    for (uint32_t keeps = inst->keeps; keeps != 0; keeps &= keeps - 1)
        warp->live[kept++] = warp->live[__builtin_ctz(keeps)];
    if (inst->is_live) warp->live[kept++] = result;
    warp->live_count = (uint16_t)kept;
    warp->position++;
}

/* Keeps the instances in falling order when the last, the one that is free first, is taken until `end`. */
static inline void search_take_instance(struct search_unit *unit, uint32_t instances, uint32_t end) {
    uint32_t i = instances - 1;
    for (; i > 0 && unit->busy[i - 1] < end; i--)
        unit->busy[i] = unit->busy[i - 1];
    unit->busy[i] = end;
}

/* Gives an instruction to a unit that is open. Returns the time until it is complete. */
static inline uint32_t search_unit_take(struct search_unit *unit, const struct search_inst *inst,
                                        uint32_t instances, uint32_t depth) {
    uint32_t start = unit->busy[instances - 1];
    assert(search_unit_open_in(unit, instances, depth) == 0);
    search_take_instance(unit, instances, start + inst->init);
    if (start > 0 && search_depth_is_finite(depth)) unit->waiting[unit->waiting_count++] = start;
    return start + inst->init + inst->latency;
}

static inline uint32_t search_earlier(uint32_t time, uint32_t passed) {
    return time > passed ? time - passed : 0;
}

/* Lets time pass for a warp, and for a unit. */
static inline void search_warp_pass(struct search_warp *warp, uint32_t passed) {
    for (uint32_t l = 0; l < warp->live_count; l++)
        warp->live[l] = search_earlier(warp->live[l], passed);
}

static inline void search_unit_pass(struct search_unit *unit, uint32_t instances, uint32_t passed) {
    for (uint32_t i = 0; i < instances; i++)
        unit->busy[i] = search_earlier(unit->busy[i], passed);
    uint32_t waiting = 0;
    for (uint32_t i = 0; i < unit->waiting_count; i++)
        if (unit->waiting[i] > passed) unit->waiting[waiting++] = unit->waiting[i] - passed;
    unit->waiting_count = waiting;
}

/* 0 for warps of one block, sub-core and path in the same state, which may be exchanged. */
static inline int search_warp_order(const struct search_warp *a, const struct search_warp *b) {
    if (a->place.sub_core != b->place.sub_core) return a->place.sub_core < b->place.sub_core ? -1 : 1;
    if (a->place.path != b->place.path) return a->place.path < b->place.path ? -1 : 1;
    if (a->position != b->position) return a->position < b->position ? -1 : 1;
    for (uint32_t l = 0; l < a->live_count; l++)
        if (a->live[l] != b->live[l]) return a->live[l] < b->live[l] ? -1 : 1;
    return 0;
}

/* Sorts warps: insertion, as nearly all are in order. */
static inline void search_warps_sort(struct search_warp *warps, uint32_t count) {
    for (uint32_t w = 1; w < count; w++) {
        for (uint32_t i = w; i > 0 && search_warp_order(&warps[i], &warps[i - 1]) < 0; i--) {
            struct search_warp moved = warps[i];
            warps[i] = warps[i - 1];
            warps[i - 1] = moved;
        }
    }
}

/* Write a part of a key; each returns the place behind it. The place of a warp is not written. */
static inline uint8_t *search_put_number(uint8_t *at, uint32_t number) {
    for (; number >= 128; number >>= 7)
        *at++ = (uint8_t)(number | 128);
    *at++ = (uint8_t)number;
    return at;
}

static inline uint8_t *search_put_warp(uint8_t *at, const struct search_warp *warp) {
    at = search_put_number(at, warp->position);
    for (uint32_t l = 0; l < warp->live_count; l++)
        at = search_put_number(at, warp->live[l]);
    return at;
}

static inline uint8_t *search_put_unit(uint8_t *at, const struct search_unit *unit, uint32_t instances,
                                       uint32_t depth) {
    for (uint32_t i = 0; i < instances; i++)
        at = search_put_number(at, unit->busy[i]);
    if (!search_depth_is_finite(depth)) return at;
    at = search_put_number(at, unit->waiting_count);
    for (uint32_t i = 0; i < unit->waiting_count; i++)
        at = search_put_number(at, unit->waiting[i]);
    return at;
}

/* The state of some blocks in the middle of a schedule, and the steps that a schedule can take from it. All
 * times are cycles from now; what cannot matter any more is not kept, so that equal futures have equal
 * states. */

/* Sets the scope of the search with the model, which may change between searches. False when its states are
 * too large. */
bool search_model_set(struct search_model *model, const struct search_scope *scope);

/* The state that is kept in `memory`, of layout.size bytes. */
struct search_state search_state_in(const struct search_model *model, void *memory);

/* The state before the first cycle, in zeroed memory. */
void search_state_start(const struct search_model *model, struct search_state *state);

enum search_choice_kind {
    CHOICE_DISPATCH,  /* a block of class `which` goes to a slot of the SM */
    CHOICE_ISOLATION, /* no blocks are left: what is the longest on the SM in isolation */
    CHOICE_ISSUE,     /* warp `which` of a slot of the SM uses a slot of its sub-core */
};

/* A block of any class to any slot of any SM. */
_Static_assert(SEARCH_SMS_MAX *SEARCH_SLOTS_MAX *SEARCH_CLASSES_MAX <= SEARCH_CHOICES_MAX,
               "all choices have room");

/* Lets everything happen that is not to be chosen, up to the next choices between two or more (of a scope
 * with every_issue, the next issue). No choices: every block has ended. *passed: the time until then;
 * *at_least: no schedule ends earlier than that, counted from the state given; it is only made sure of for
 * results that are not kept in the state any more. */
void search_state_advance(const struct search_model *model, struct search_state *state,
                          struct search_choices *choices, uint32_t *passed, uint32_t *at_least);

/* Makes one of the choices. */
void search_state_choose(const struct search_model *model, struct search_state *state,
                         const struct search_choice *choice);

/* A slot of a state with what belongs to it: its warps, the sub-cores that they are on, and the units that
 * they can reach. */

struct slot_view {
    struct search_slot *slot;
    struct search_warp *warps;
    uint32_t warp_count;
    uint32_t first_sub_core;           /* of its first warp */
    struct search_sub_core *sub_cores; /* of its SM */
    struct search_unit *units;         /* of its SM */
};

/* False when the slot is empty. */
static inline bool slot_at(const struct search_model *model, const struct search_state *state, uint32_t sm,
                           uint32_t slot, struct slot_view *view) {
    const size_t index = (size_t)sm * model->scope.slots + slot;
    const size_t first = (size_t)sm * model->machine->sub_cores;
    view->slot = &state->slots[index];
    view->warps = &state->warps[index * model->slot_warps];
    view->first_sub_core = model->first_sub_core[slot];
    view->sub_cores = &state->sub_cores[first];
    view->units = &state->units[first * model->machine->unit_count];
    view->warp_count = view->slot->class == SLOT_EMPTY ? 0 : model->classes[view->slot->class].warps;
    return view->slot->class != SLOT_EMPTY;
}

/* Whether blocks come in their order, each to the slot that the rule of the dispatcher says. */
static inline bool search_follows_rule(const struct search_model *model) {
    return model->scope.rule != DISPATCH_ANY && model->scope.rule != DISPATCH_STATIC;
}

/* Whether a rule goes by the numbers of SMs and slots, so that those in equal states cannot be exchanged. */
static inline bool search_numbers_matter(const struct search_model *model, const struct search_state *state) {
    return search_follows_rule(model) && state->dispatch->left > 0;
}

static inline const struct search_program *program_of(const struct search_model *model,
                                                      const struct search_warp *warp) {
    return &model->programs[warp->place.path];
}

static inline bool warp_ended(const struct search_model *model, const struct search_warp *warp) {
    return warp->position == program_of(model, warp)->count;
}

static inline const struct search_inst *next_inst(const struct search_model *model,
                                                  const struct search_warp *warp) {
    assert(!warp_ended(model, warp));
    return &program_of(model, warp)->insts[warp->position];
}

/* Whether the warp is still to issue something, and no barrier holds it. */
static inline bool warp_goes_on(const struct search_model *model, const struct slot_view *view, uint32_t w) {
    const struct search_warp *warp = &view->warps[w];
    return !warp_ended(model, warp) &&
           program_of(model, warp)->barriers_before[warp->position] <= view->slot->opened;
}

static inline uint32_t sub_core_of(const struct search_model *model, const struct slot_view *view,
                                   uint32_t w) {
    const uint32_t sub_core = view->first_sub_core + view->warps[w].place.sub_core;
    return sub_core < model->machine->sub_cores ? sub_core : sub_core - model->machine->sub_cores;
}

/* Where a sub-core's unit stands among those of the SM; one that all share is that of the first sub-core. */
static inline uint32_t unit_index(const struct search_model *model, uint32_t unit, uint32_t sub_core) {
    return unit * model->machine->sub_cores + (model->machine->units[unit].shared ? 0 : sub_core);
}

/* The unit that executes the next instruction of warp w. */
static inline struct search_unit *unit_of(const struct search_model *model, const struct slot_view *view,
                                          uint32_t w, const struct search_inst *inst) {
    return &view->units[unit_index(model, inst->unit, sub_core_of(model, view, w))];
}

/* Until the next instruction of warp w may be issued to its unit. */
static inline uint32_t unit_open_in(const struct search_model *model, const struct slot_view *view,
                                    uint32_t w, const struct search_inst *inst) {
    return search_unit_open_in(unit_of(model, view, w, inst), model->machine->units[inst->unit].count,
                               model->machine->dispatch_depth);
}

/* search_dispatch.c: blocks and slots. */

/* Whether a block starts later in a slot that another one has left. When the dispatcher takes no time every
 * slot is filled at the start, and later blocks all go to used slots. */
bool search_uses_matter(const struct search_model *model);

static inline uint32_t search_empty_slots(const struct search_model *model, const struct search_state *state,
                                          uint32_t sm) {
    uint32_t empty = 0;
    for (uint32_t s = 0; s < model->scope.slots; s++)
        empty += state->slots[(size_t)sm * model->scope.slots + s].class == SLOT_EMPTY;
    return empty;
}

/* Which block goes where when the dispatcher has nothing to do, or by its rule. */
void search_find_dispatches(const struct search_model *model, const struct search_state *state,
                            struct search_choices *choices);

void search_dispatch_block(const struct search_model *model, struct search_state *state,
                           const struct search_choice *choice);

/* search_issue.c: warps and units. */

/* A warp uses a slot of its sub-core: for its next instruction, and for those behind it that can be issued in
 * the same cycle, each to another unit. */
void search_issue_warp(const struct search_model *model, struct search_state *state,
                       const struct search_choice *choice);

/* Lets all SMs issue, up to choices of one of them; true when all have. */
bool search_issue_all(const struct search_model *model, struct search_state *state,
                      struct search_choices *choices);

/* States as bytes, so that a search can remember those that it has seen. Slots of an SM can be exchanged if
 * their first warps are on the same sub-core, and so can SMs: they are written in order. */

/* Writes the state as bytes, equal only for states with equal futures; returns their number. `key` and
 * `scratch` have room for layout.key_max bytes each. */
size_t search_state_key(const struct search_model *model, const struct search_state *state, uint8_t *scratch,
                        uint8_t *key);

#endif
