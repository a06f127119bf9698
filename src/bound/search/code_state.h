/* The state of a block of machine code in the middle of an execution, and what can happen next. All times are
 * intervals of cycles from now; which time it was is left open until it makes a difference: what can be over
 * is so as soon as somebody goes on because of it, and only then. */
#ifndef WB_BOUND_SEARCH_CODE_STATE_H
#define WB_BOUND_SEARCH_CODE_STATE_H

#include "bound/search/code_model.h"
#include "bound/search/search_space.h"

enum code_choice_kind {
    CODE_END,         /* of a stage or transfer: on to the next */
    CODE_SKIP,        /* the same, and what was to come of the way is passed over */
    CODE_GO_ON,       /* not in this cycle */
    CODE_ISSUE_FIRST, /* before what waits starts */
    CODE_START_FIRST,
    CODE_START_PROMPTLY, /* and what is issued before the next issue */
    CODE_UNBLOCK,        /* there is room for what keeps its unit */
    CODE_START,
    CODE_DECLINE, /* unit number `sm` is still held */
    CODE_ENTER,   /* what holds the issue stage goes into its queue */
    CODE_ISSUE,   /* warp `which`; its constant misses with a probe of `slot` cycles, 0: it does not */
    CODE_NONE,    /* sub-core `sm` issues nothing */
};

/* The space of all executions of a model; in its choices `which` is a warp, `slot` an entry of its list. */
struct search_space code_space(const struct code_model *model);

/* ---- For the files that make it up ----------------------------------------------------------------------
 */

static inline struct code_core *code_cores(const struct code_model *model, void *state) {
    return (struct code_core *)((unsigned char *)state + model->core_at);
}

static inline struct code_unit *code_units(const struct code_model *model, void *state) {
    return (struct code_unit *)((unsigned char *)state + model->unit_at);
}

static inline struct code_warp *code_warp_at(const struct code_model *model, void *state, uint32_t w) {
    return (struct code_warp *)((unsigned char *)state + model->warp_at + w * model->warp_size);
}

static inline const struct code_program *code_program_of(const struct code_model *model,
                                                         const struct code_warp *warp) {
    return &model->programs[warp->path];
}

/* The number of the unit that a warp's sub-core uses. */
static inline uint32_t code_unit_number(const struct code_model *model, const struct code_warp *warp,
                                        uint8_t unit) {
    return unit * model->cores + (model->machine->units[unit].shared ? 0 : warp->core);
}

/* Whether an instruction waits to begin a stage, which is *stage then. */
static inline bool code_awaits(const struct code_entry *entry, uint32_t *stage) {
    *stage = entry->stage + (entry->phase == CODE_BLOCKS);
    return entry->phase == CODE_WAITS || entry->phase == CODE_BLOCKS;
}

/* Instructions in the queue in front of unit `number`, as their first stage, or as a later one. */
uint32_t code_queued(const struct code_model *model, void *state, uint32_t number, bool first);

/* Whether there is room in the queue of an instruction's first unit. */
bool code_has_room(const struct code_model *model, void *state, const struct code_warp *warp,
                   const struct code_inst *inst);

/* Whether older instructions of the warp have yet to begin on a unit; `flights`: so many are older. */
bool code_is_behind(const struct code_model *model, const struct code_warp *warp, uint32_t flights,
                    uint8_t unit);

/* An instruction takes the unit of its stage. */
void code_start(const struct code_model *model, void *state, struct code_warp *warp, struct code_entry *entry,
                uint32_t stage);

/* The instruction has ended: entry number `at` of the warp becomes those of its counters. */
void code_end(const struct code_model *model, struct code_warp *warp, uint32_t at);

/* Adds an entry behind the warp's flights, or behind everything; false when there is no place. */
bool code_add(const struct code_model *model, struct code_warp *warp, const struct code_entry *entry);

/* ---- code_issue.c */

void code_list_issues(const struct code_model *model, void *state, struct search_choices *choices);

/* Warp `w` issues, or finds that its constant is not there when `probe` is not 0. */
void code_issue(const struct code_model *model, void *state, uint32_t w, uint32_t probe);

/* The instruction of the warp that holds the issue stage goes into its queue. */
void code_enter(const struct code_model *model, void *state, struct code_warp *warp);

/* Opens the barrier that all warps have come to that have not ended, as far as that is possible by now. */
void code_release(const struct code_model *model, void *state);

/* Most cycles of a barrier that need not open yet. */
#define CODE_OPEN (UINT32_C(1) << 30)

/* ---- code_key.c */

size_t code_key(const void *of, void *state, uint8_t *scratch, uint8_t *key);

#endif
