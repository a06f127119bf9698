/* Every execution of a small grid of machine code that the rules of docs/machine-code-bounds.md, section 1,
 * allow: which block goes where, which warp is issued, what starts in which order, every latency of its
 * interval. A memoised search from cycle to cycle; all times of a state count from its cycle. Some cycles may
 * be pauses (struct sass_pauses): what an SM begins or has under way then takes a cycle longer. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "naive_sass.h"

#define UNDONE UINT8_MAX /* of a counter: not yet known how long; of a line: nobody has asked for it */

/* How far an instruction is. */
enum { NOT_ISSUED, BEFORE_QUEUE, FIRST_STAGE, ENDED = UINT8_MAX };
enum { WAITS, HOLDS, BLOCKS, MOVES, STEPS };
#define IN_PAUSE (SASS_PAUSE_ALL + 1u) /* even if nothing stands still */

/* Bits of moment.idle: units where they are, then SMs. */
#define IDLE_BLOCKED (SASS_GRID_UNITS * SASS_GRID_CORES)
#define IDLE_ISSUED (IDLE_BLOCKED + SASS_GRID_CORES)

struct step_state {
    uint8_t progress; /* FIRST_STAGE + STEPS * stage + WAITS .. */
    uint8_t left;     /* of holding or moving */
    uint8_t rank;     /* in the order of arrival at the unit */
    uint8_t write, read;
};

struct warp_state {
    uint8_t next, held, fresh, probed;
    uint8_t earliest, missing; /* cycles of stalls and probes, of misses: until it may go on */
};

struct state {
    struct warp_state warps[SASS_GRID_WARPS];
    struct step_state steps[SASS_GRID_WARPS][SASS_GRID_INSTS];
    uint8_t holds[SASS_GRID_UNITS][SASS_GRID_CORES], blocked[SASS_GRID_UNITS][SASS_GRID_CORES];
    uint8_t issue_holds[SASS_GRID_CORES], issue_owner[SASS_GRID_CORES]; /* 1 + warp */
    uint8_t waits_for_room[SASS_GRID_CORES];                            /* 1 + warp */
    uint8_t sm[SASS_GRID_WARPS]; /* per block: 0 not dispatched, 1 + SM, ENDED */
    uint8_t l0[SASS_GRID_CORES][SASS_GRID_LINES], l1[SASS_GRID_CORES][SASS_GRID_LINES]; /* L1: per SM */
    uint8_t constant[SASS_GRID_CORES][SASS_GRID_CONSTANTS], l1_constant[SASS_GRID_CORES][SASS_GRID_CONSTANTS];
    uint8_t pauses[SASS_GRID_CORES], paused[SASS_GRID_CORES]; /* per SM: cycles left to it; IN_PAUSE, kinds */
    uint8_t padding[4];
};

struct search {
    const struct sass_grid *grid;
    bool clash[SASS_GRID_UNITS];
    size_t slots, used, limit;
    struct state *keys;
    uint16_t *values; /* 1 + the longest */
    bool exhausted;
};

enum phase { DISPATCH, START, ISSUE, START_ISSUED, ADVANCE };

struct moment {
    enum phase phase;
    uint32_t decided; /* sub-cores that have issued, or cannot */
    uint32_t idle;    /* in a pause: units that nobody begins on, and SMs where nobody enters a queue */
    bool acted;
};

static uint32_t longest(struct search *search, const struct state *state);
static uint32_t proceed(struct search *search, const struct state *state, struct moment moment);

/* ---- Looking around -------------------------------------------------------------------------------------
 */

static const struct sass_step *step_of(const struct search *search, uint32_t w, uint32_t k) {
    return &search->grid->programs[w].steps[k];
}

static uint32_t core_of(const struct search *search, const struct state *state, uint32_t w) {
    const uint32_t sm = state->sm[w / search->grid->warps];
    return (sm - 1u) * search->grid->sub_cores + w % search->grid->warps % search->grid->sub_cores;
}

/* Where the unit is that a warp of a sub-core uses. */
static uint32_t place_of(const struct search *search, uint32_t unit, uint32_t core) {
    return search->grid->shared[unit] ? core - core % search->grid->sub_cores : core;
}

/* The stage that an instruction waits for, or SASS_STAGES_MAX. */
static uint32_t awaited_stage(const struct step_state *step) {
    if (step->progress < FIRST_STAGE || step->progress == ENDED) return SASS_STAGES_MAX;
    const uint32_t kind = (uint32_t)(step->progress - FIRST_STAGE) % STEPS;
    const uint32_t stage = (uint32_t)(step->progress - FIRST_STAGE) / STEPS;
    return kind == WAITS ? stage : kind == BLOCKS ? stage + 1 : SASS_STAGES_MAX;
}

static bool waits_at(const struct search *search, const struct state *state, uint32_t w, uint32_t k,
                     uint32_t unit, uint32_t place) {
    const uint32_t stage = awaited_stage(&state->steps[w][k]);
    return stage < SASS_STAGES_MAX && step_of(search, w, k)->stated.stages[stage].unit == unit &&
           place_of(search, unit, core_of(search, state, w)) == place;
}

/* Instructions in the queue of a unit: in front of the first stage, or of a later one. */
static uint32_t queued(const struct search *search, const struct state *state, uint32_t unit, uint32_t place,
                       bool first) {
    uint32_t count = 0;
    for (uint32_t w = 0; w < search->grid->blocks * search->grid->warps; w++)
        for (uint32_t k = 0; k < state->warps[w].next; k++) {
            const struct step_state *step = &state->steps[w][k];
            if (!waits_at(search, state, w, k, unit, place)) continue;
            const uint32_t kind = (uint32_t)(step->progress - FIRST_STAGE) % STEPS;
            count += kind == WAITS && (step->progress < FIRST_STAGE + STEPS) == first;
        }
    return count;
}

static bool has_room(const struct search *search, const struct state *state, uint32_t w, uint32_t k) {
    const uint32_t unit = step_of(search, w, k)->stated.stages[0].unit;
    const uint32_t place = place_of(search, unit, core_of(search, state, w));
    const uint8_t queue = search->grid->queue[unit];
    return queue == SASS_UNLIMITED || queued(search, state, unit, place, true) < queue;
}

/* Whether the SM of a sub-core pauses: nobody has to begin, or to issue. */
static bool is_paused(const struct search *search, const struct state *state, uint32_t core) {
    return state->paused[core / search->grid->sub_cores] != 0;
}

/* How long something takes that begins now on the SM of a sub-core: in a pause that keeps it back one more.
 */
static uint8_t begun(const struct search *search, const struct state *state, uint32_t core, uint32_t kind,
                     uint32_t time) {
    return (uint8_t)(time + ((state->paused[core / search->grid->sub_cores] & kind) != 0));
}

/* Whether the stage begins when the instruction is issued: pauses make it no longer. */
static bool is_latch(const struct search *search, const struct sass_timed *timed, uint32_t i) {
    return i == 0 && (timed->fixed || search->grid->queue[timed->stages[0].unit] == 0);
}

static bool is_free(const struct state *state, uint32_t unit, uint32_t place) {
    return state->holds[unit][place] == 0 && !state->blocked[unit][place];
}

/* Whether own earlier instructions have yet to start on the unit. */
static bool is_behind(const struct search *search, const struct state *state, uint32_t w, uint32_t k,
                      uint32_t unit) {
    if (search->clash[unit]) return false;
    for (uint32_t o = 0; o < k; o++) {
        const struct sass_timed *timed = &step_of(search, w, o)->stated;
        for (uint32_t i = 0; i < timed->stage_count; i++)
            if (timed->stages[i].unit == unit && state->steps[w][o].progress <= FIRST_STAGE + STEPS * i)
                return true;
    }
    return false;
}

/* ---- What happens ---------------------------------------------------------------------------------------
 */

static void arrive(const struct search *search, struct state *state, uint32_t w, uint32_t k,
                   uint32_t progress, uint32_t unit) {
    const uint32_t place = place_of(search, unit, core_of(search, state, w));
    struct step_state *step = &state->steps[w][k];
    step->left = 0;
    uint32_t before = 0;
    for (uint32_t v = 0; v < search->grid->blocks * search->grid->warps; v++)
        for (uint32_t o = 0; o < state->warps[v].next; o++)
            before += (v != w || o != k) && waits_at(search, state, v, o, unit, place);
    step->progress = (uint8_t)progress;
    step->rank = search->grid->rules.first_in_first_out ? (uint8_t)(1 + before) : 0;
}

/* An instruction that waits for stage i, whose place is free, waits no more. */
static void end_waiting(const struct search *search, struct state *state, uint32_t w, uint32_t k,
                        uint32_t i) {
    const struct sass_step *inst = step_of(search, w, k);
    struct step_state *step = &state->steps[w][k];
    const uint32_t core = core_of(search, state, w);
    const uint32_t unit = inst->stated.stages[i].unit, place = place_of(search, unit, core);
    for (uint32_t v = 0; step->rank > 0 && v < search->grid->blocks * search->grid->warps; v++)
        for (uint32_t o = 0; o < state->warps[v].next; o++)
            if (state->steps[v][o].rank > step->rank && waits_at(search, state, v, o, unit, place))
                state->steps[v][o].rank--;
    if (i > 0 && step->progress == FIRST_STAGE + STEPS * (i - 1) + BLOCKS) {
        const uint32_t before = inst->stated.stages[i - 1].unit;
        state->blocked[before][place_of(search, before, core)] = 0;
    }
    step->rank = 0;
}

/* Starts stage i of an instruction; the place is free. */
static void start(const struct search *search, struct state *state, uint32_t w, uint32_t k, uint32_t i) {
    const struct sass_step *inst = step_of(search, w, k);
    struct step_state *step = &state->steps[w][k];
    const uint32_t unit = inst->stated.stages[i].unit;
    const uint32_t core = core_of(search, state, w);
    const uint32_t kind = is_latch(search, &inst->stated, i) ? 0 : SASS_PAUSE_HOLDS;
    end_waiting(search, state, w, k, i);
    step->progress = (uint8_t)(FIRST_STAGE + STEPS * i + HOLDS);
    step->left = begun(search, state, core, kind, inst->actual.init[i]);
    state->holds[unit][place_of(search, unit, core)] = step->left;
}

/* What the instruction waits for at stage i has been fetched for another: its way is over. */
static void merge(const struct search *search, struct state *state, uint32_t w, uint32_t k, uint32_t i) {
    end_waiting(search, state, w, k, i);
    state->steps[w][k].progress =
        (uint8_t)(FIRST_STAGE + STEPS * (step_of(search, w, k)->stated.stage_count - 1) + HOLDS);
}

static void end_counters(const struct search *search, struct state *state, uint32_t w, uint32_t k,
                         uint32_t write, uint32_t read) {
    const uint32_t core = core_of(search, state, w);
    state->steps[w][k].progress = ENDED;
    state->steps[w][k].write = begun(search, state, core, SASS_PAUSE_WRITES, write);
    state->steps[w][k].read = begun(search, state, core, SASS_PAUSE_READS, read);
}

/* The stage that an instruction holds is over, and not its last one. A last stage of no time is passed over.
 */
static void leave_stage(const struct search *search, struct state *state, uint32_t w, uint32_t k,
                        uint32_t i) {
    const struct sass_step *inst = step_of(search, w, k);
    struct step_state *step = &state->steps[w][k];
    const uint32_t next = inst->stated.stages[i + 1].unit;
    const uint32_t core = core_of(search, state, w);
    if (inst->actual.transfer[i] > 0) {
        step->progress = (uint8_t)(FIRST_STAGE + STEPS * i + MOVES);
        step->left = begun(search, state, core, SASS_PAUSE_TRANSFERS, inst->actual.transfer[i]);
        return;
    }
    if (inst->actual.init[i + 1] == 0) {
        step->progress = (uint8_t)(FIRST_STAGE + STEPS * (i + 1) + HOLDS);
        return;
    }
    const uint8_t queue = search->grid->queue[next];
    const bool room = queue == SASS_UNLIMITED || inst->stated.stages[i].transfer > 0 ||
                      queued(search, state, next, place_of(search, next, core), false) < queue;
    if (!room) {
        const uint32_t unit = inst->stated.stages[i].unit;
        state->blocked[unit][place_of(search, unit, core)] = 1;
    }
    arrive(search, state, w, k, FIRST_STAGE + STEPS * i + (room ? STEPS + WAITS : BLOCKS), next);
}

/* An instruction that has ended its last stage counts down its counters after some time. */
static uint32_t end_last(struct search *search, const struct state *state, struct moment moment, uint32_t w,
                         uint32_t k) {
    const struct sass_timed *timed = &step_of(search, w, k)->stated;
    uint32_t most = 0;
    for (uint32_t write = timed->write_least; write <= timed->write_most; write++)
        for (uint32_t read = timed->read_least; read <= timed->read_most; read++) {
            struct state next = *state;
            end_counters(search, &next, w, k, write, read);
            const uint32_t time = proceed(search, &next, moment);
            most = time > most ? time : most;
        }
    return most;
}

/* Stages that are over: true when there was one, and *time is then the longest way on. */
static bool end_stage(struct search *search, const struct state *state, struct moment moment,
                      uint32_t *time) {
    for (uint32_t w = 0; w < search->grid->blocks * search->grid->warps; w++)
        for (uint32_t k = 0; k < state->warps[w].next; k++) {
            const struct step_state *step = &state->steps[w][k];
            if (step->progress < FIRST_STAGE || step->progress == ENDED || step->left > 0) continue;
            const uint32_t kind = (uint32_t)(step->progress - FIRST_STAGE) % STEPS;
            const uint32_t stage = (uint32_t)(step->progress - FIRST_STAGE) / STEPS;
            if (kind != HOLDS && kind != MOVES) continue;
            if (kind == HOLDS && stage + 1 >= step_of(search, w, k)->stated.stage_count) {
                *time = end_last(search, state, moment, w, k);
                return true;
            }
            struct state next = *state;
            if (kind == HOLDS)
                leave_stage(search, &next, w, k, stage);
            else if (step_of(search, w, k)->actual.init[stage + 1] == 0)
                next.steps[w][k].progress = (uint8_t)(FIRST_STAGE + STEPS * (stage + 1) + HOLDS);
            else
                arrive(search, &next, w, k, FIRST_STAGE + STEPS * (stage + 1),
                       step_of(search, w, k)->stated.stages[stage + 1].unit);
            *time = proceed(search, &next, moment);
            return true;
        }
    return false;
}

/* In a pause of its SM the moment may go on without what can happen. */
static void leave_idle(struct search *search, const struct state *state, struct moment moment, uint32_t core,
                       uint32_t bit, uint32_t *time) {
    if (!is_paused(search, state, core)) return;
    moment.idle |= 1u << bit;
    const uint32_t most = proceed(search, state, moment);
    *time = most > *time ? most : *time;
}

static bool is_idle(struct moment moment, uint32_t bit) {
    return (moment.idle >> bit & 1) != 0;
}

/* An instruction that held a stage because the next had no room: it has now. True when there is one; of
 * several any. */
static bool unblock(struct search *search, const struct state *state, struct moment moment, uint32_t *time) {
    bool any = false;
    *time = 0;
    for (uint32_t w = 0; w < search->grid->blocks * search->grid->warps; w++)
        for (uint32_t k = 0; k < state->warps[w].next; k++) {
            const struct step_state *step = &state->steps[w][k];
            if (step->progress < FIRST_STAGE || step->progress == ENDED) continue;
            if ((step->progress - FIRST_STAGE) % STEPS != BLOCKS) continue;
            const uint32_t stage = (uint32_t)(step->progress - FIRST_STAGE) / STEPS;
            const uint32_t next = step_of(search, w, k)->stated.stages[stage + 1].unit;
            const uint32_t unit = step_of(search, w, k)->stated.stages[stage].unit;
            const uint32_t core = core_of(search, state, w);
            const uint32_t idle = IDLE_BLOCKED + core / search->grid->sub_cores;
            if (queued(search, state, next, place_of(search, next, core), false) >= search->grid->queue[next])
                continue;
            if (is_idle(moment, idle)) continue;
            if (!any) leave_idle(search, state, moment, core, idle, time);
            struct state then = *state;
            then.steps[w][k].progress = (uint8_t)(FIRST_STAGE + STEPS * (stage + 1) + WAITS);
            then.blocked[unit][place_of(search, unit, core)] = 0;
            const uint32_t most = proceed(search, &then, moment);
            *time = most > *time ? most : *time;
            any = true;
        }
    return any;
}

/* Lets every instruction start that may be the next on some free unit; true when there is one. */
static bool start_some(struct search *search, const struct state *state, struct moment moment,
                       uint32_t *time) {
    const struct sass_grid *grid = search->grid;
    for (uint32_t unit = grid->units; unit-- > 0;)
        for (uint32_t place = 0; place < grid->sub_cores * grid->sms; place++) {
            const uint32_t idle = unit * SASS_GRID_CORES + place;
            if (!is_free(state, unit, place) || is_idle(moment, idle)) continue;
            uint32_t first = UINT8_MAX;
            uint64_t can = 0;
            for (uint32_t w = 0; w < grid->blocks * grid->warps; w++)
                for (uint32_t k = 0; k < state->warps[w].next; k++) {
                    if (!waits_at(search, state, w, k, unit, place) || is_behind(search, state, w, k, unit))
                        continue;
                    const uint32_t rank = state->steps[w][k].rank;
                    if (rank < first) can = 0;
                    if (rank <= first) can |= UINT64_C(1) << (w * SASS_GRID_INSTS + k);
                    first = rank < first ? rank : first;
                }
            if (can == 0) continue;
            moment.acted = true;
            *time = 0;
            leave_idle(search, state, moment, place, idle, time);
            for (uint32_t i = 0; i < 64; i++) {
                if ((can >> i & 1) == 0) continue;
                const uint32_t w = i / SASS_GRID_INSTS, k = i % SASS_GRID_INSTS;
                struct state next = *state;
                start(search, &next, w, k, awaited_stage(&state->steps[w][k]));
                uint32_t most = proceed(search, &next, moment);
                *time = most > *time ? most : *time;
                const uint32_t stage = awaited_stage(&state->steps[w][k]);
                if (stage == 0 || !grid->any_order[unit]) continue;
                next = *state;
                merge(search, &next, w, k, stage);
                most = proceed(search, &next, moment);
                *time = most > *time ? most : *time;
            }
            return true;
        }
    return false;
}

static uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

/* Cycles until a line of a cache is there that is asked for now, where it is in the one behind it after some
 * cycles (in a pause: at least one). */
static uint32_t ask(uint8_t *left, uint32_t behind, uint8_t miss) {
    if (*left == UNDONE) *left = (uint8_t)(behind + miss);
    return *left;
}

/* Cycles until instruction k of the warp, which is asked for now, is there. */
static uint32_t fetched(const struct search *search, struct state *state, uint32_t w, uint32_t k) {
    const struct sass_lines *lines = &search->grid->lines;
    const struct sass_step *step = step_of(search, w, k);
    const uint32_t core = core_of(search, state, w), sm = core / search->grid->sub_cores;
    const uint32_t line = step->stated.line, l1_line = line / lines->halves;
    const uint32_t now = begun(search, state, core, SASS_PAUSE_MISSES, 0);
    uint32_t behind = now;
    if (lines->l1) behind = ask(&state->l1[sm][l1_line], now, lines->actual.l1[l1_line]);
    if (lines->l0) behind = ask(&state->l0[core][line], larger(behind, now), lines->actual.l0[line]);
    return larger(behind, now + step->actual.fetch);
}

/* Cycles until the constant of its next instruction is there, UNDONE where nobody has asked for it. */
static uint32_t constant_left(const struct search *search, const struct state *state, uint32_t w) {
    const uint32_t line = step_of(search, w, state->warps[w].next)->stated.constant_line;
    if (line == SASS_NO_LINE || !search->grid->lines.constants) return 0;
    return state->constant[core_of(search, state, w)][line];
}

/* A warp that was chosen does not find its constant: it and its sub-core wait. */
static void look_for_constant(const struct search *search, struct state *state, uint32_t w) {
    const struct sass_lines *lines = &search->grid->lines;
    const uint32_t line = step_of(search, w, state->warps[w].next)->stated.constant_line;
    const uint32_t core = core_of(search, state, w), sm = core / search->grid->sub_cores;
    const uint32_t now = begun(search, state, core, SASS_PAUSE_MISSES, 0);
    uint32_t behind = now;
    if (lines->l1) behind = ask(&state->l1_constant[sm][line], now, lines->actual.l1_constant[line]);
    const uint32_t left =
        ask(&state->constant[core][line], larger(behind, now), lines->actual.constant[line]);
    state->warps[w].missing = (uint8_t)left;
    state->issue_owner[core] = (uint8_t)(1 + w);
    state->issue_holds[core] = state->warps[w].earliest = lines->actual.probe;
}

/* The warp goes on after its instruction k, whose stall counts from now. */
static void set_pace(const struct search *search, struct state *state, uint32_t w, uint32_t k) {
    const struct sass_program *program = &search->grid->programs[w];
    state->warps[w].missing = k + 1 < program->count ? (uint8_t)fetched(search, state, w, k + 1) : 0;
    state->warps[w].earliest = program->steps[k].actual.stall;
}

/* An instruction that held the issue stage goes into its queue. */
static void enter_queue(const struct search *search, struct state *state, uint32_t core) {
    const uint32_t w = state->waits_for_room[core] - 1u, k = state->warps[w].next - 1u;
    state->waits_for_room[core] = 0;
    if (search->grid->rules.late_stall) {
        state->issue_holds[core] = step_of(search, w, k)->actual.slot;
        set_pace(search, state, w, k);
    }
    arrive(search, state, w, k, FIRST_STAGE, step_of(search, w, k)->stated.stages[0].unit);
}

static bool enter_some(struct search *search, const struct state *state, struct moment moment,
                       uint32_t *time) {
    bool entered = false;
    *time = 0;
    moment.acted = true;
    for (uint32_t core = 0; core < search->grid->sub_cores * search->grid->sms; core++) {
        const uint32_t w = state->waits_for_room[core];
        const uint32_t idle = IDLE_ISSUED + core / search->grid->sub_cores;
        if (w == 0 || !has_room(search, state, w - 1, state->warps[w - 1].next - 1u)) continue;
        if (is_idle(moment, idle)) continue;
        if (!entered) leave_idle(search, state, moment, core, idle, time);
        struct state next = *state;
        enter_queue(search, &next, core);
        const uint32_t most = proceed(search, &next, moment);
        *time = most > *time ? most : *time;
        entered = true;
    }
    return entered;
}

/* ---- Issue ----------------------------------------------------------------------------------------------
 */

static bool counts_hold(const struct search *search, const struct state *state, uint32_t w) {
    const struct warp_state *warp = &state->warps[w];
    const struct sass_timed *timed = &step_of(search, w, warp->next)->stated;
    uint32_t left = 0;
    for (uint32_t j = 0; j < warp->next; j++) {
        const struct sass_timed *before = &step_of(search, w, j)->stated;
        if (search->grid->rules.hidden_count && warp->fresh > 0 && j + 1 == warp->next) continue;
        const bool write = before->write_counter != SASS_NO_COUNTER && state->steps[w][j].write > 0;
        const bool read = before->read_counter != SASS_NO_COUNTER && state->steps[w][j].read > 0;
        if (write && (timed->waits >> before->write_counter & 1) != 0) return false;
        if (read && (timed->waits >> before->read_counter & 1) != 0) return false;
        left += (write && before->write_counter == timed->left_counter) +
                (read && before->read_counter == timed->left_counter);
    }
    return timed->left_counter == SASS_NO_COUNTER || left <= timed->left;
}

static bool is_ready(const struct search *search, const struct state *state, uint32_t w) {
    const struct warp_state *warp = &state->warps[w];
    const uint8_t sm = state->sm[w / search->grid->warps];
    if (sm == 0 || sm == ENDED || warp->next >= search->grid->programs[w].count) return false;
    if (warp->held || warp->earliest + warp->missing > 0 || !counts_hold(search, state, w)) return false;
    const uint32_t constant = constant_left(search, state, w);
    if (constant > 0 && constant != UNDONE && !search->grid->rules.probes_again) return false;
    const struct sass_timed *timed = &step_of(search, w, warp->next)->stated;
    if (timed->stage_count == 0) return true;
    const uint32_t unit = timed->stages[0].unit;
    const uint32_t place = place_of(search, unit, core_of(search, state, w));
    if (timed->fixed || search->grid->queue[unit] == 0)
        return is_free(state, unit, place) && !is_behind(search, state, w, warp->next, unit);
    return search->grid->rules.full_holds_issue || has_room(search, state, w, warp->next);
}

/* Whether the barrier instruction that holds a warp has ended. */
static bool barrier_ended(const struct state *state, uint32_t w) {
    return state->steps[w][state->warps[w].next - 1u].progress == ENDED;
}

/* Cycles until the barrier that holds a warp lets it go on. */
static uint32_t release_of(const struct search *search, const struct state *state, uint32_t w) {
    uint32_t passed = 0;
    for (uint32_t k = 0; k < state->warps[w].next; k++)
        passed += search->grid->programs[w].steps[k].stated.barrier;
    assert(passed > 0);
    return search->grid->actual_release[w][passed - 1];
}

/* Opens barriers that all warps of a block have reached that have not ended. */
static bool release(const struct search *search, struct state *state) {
    const struct sass_grid *grid = search->grid;
    bool opened = false;
    for (uint32_t b = 0; b < grid->blocks; b++) {
        uint32_t held = 0, live = 0;
        bool ended = true;
        for (uint32_t w = b * grid->warps; w < (b + 1) * grid->warps; w++) {
            held += state->warps[w].held;
            live += state->warps[w].held || state->warps[w].next < grid->programs[w].count;
            ended = ended && (!state->warps[w].held || barrier_ended(state, w));
        }
        if (held == 0 || held != live || (grid->rules.late_release && !ended)) continue;
        opened = true;
        for (uint32_t w = b * grid->warps; w < (b + 1) * grid->warps; w++) {
            if (!state->warps[w].held) continue;
            state->warps[w].held = 0;
            state->warps[w].earliest = (uint8_t)larger(
                state->warps[w].earliest, !grid->rules.late_release + release_of(search, state, w));
        }
    }
    return opened;
}

/* `late`: in a pause, not into its queue, although that has room. */
static void issue(const struct search *search, struct state *state, uint32_t w, bool late) {
    struct warp_state *warp = &state->warps[w];
    const uint32_t k = warp->next, core = core_of(search, state, w);
    const struct sass_step *inst = step_of(search, w, k);
    if (constant_left(search, state, w) > 0) {
        look_for_constant(search, state, w);
        return;
    }
    state->issue_owner[core] = (uint8_t)(1 + w);
    if (inst->actual.operand + inst->actual.probe > 0 && !warp->probed) {
        warp->probed = 1;
        warp->missing = begun(search, state, core, SASS_PAUSE_MISSES, inst->actual.operand);
        warp->earliest = state->issue_holds[core] = inst->actual.probe;
        return;
    }
    warp->probed = 0;
    warp->next++;
    warp->fresh = 2;
    warp->held = inst->stated.barrier;
    state->issue_holds[core] = inst->actual.slot;
    set_pace(search, state, w, k);
    struct step_state *step = &state->steps[w][k];
    step->write = step->read = UNDONE;
    if (inst->stated.stage_count == 0) {
        step->progress = FIRST_STAGE + HOLDS;
    } else if (inst->stated.fixed || search->grid->queue[inst->stated.stages[0].unit] == 0) {
        start(search, state, w, k, 0);
    } else if (!late && has_room(search, state, w, k)) {
        arrive(search, state, w, k, FIRST_STAGE, inst->stated.stages[0].unit);
    } else {
        step->progress = BEFORE_QUEUE;
        state->waits_for_room[core] = (uint8_t)(1 + w);
        if (search->grid->rules.late_stall) warp->earliest = UNDONE;
    }
    if (!search->grid->rules.late_release) (void)release(search, state);
}

/* Whether the next instruction of a warp, in a pause, may be issued and stay in the issue stage. */
static bool may_stay_out(const struct search *search, const struct state *state, uint32_t w) {
    const struct sass_step *inst = step_of(search, w, state->warps[w].next);
    const bool probes = inst->actual.operand + inst->actual.probe > 0 && !state->warps[w].probed;
    return search->grid->rules.full_holds_issue && is_paused(search, state, core_of(search, state, w)) &&
           inst->stated.stage_count > 0 && !is_latch(search, &inst->stated, 0) && !probes &&
           constant_left(search, state, w) == 0 && has_room(search, state, w, state->warps[w].next);
}

/* Some sub-core issues, or none can any more. */
static uint32_t issue_some(struct search *search, const struct state *state, struct moment moment) {
    const struct sass_grid *grid = search->grid;
    uint32_t most = 0, resting = 0;
    bool any = false;
    for (uint32_t core = 0; core < grid->sub_cores * grid->sms; core++) {
        if ((moment.decided >> core & 1) != 0 || state->issue_holds[core] > 0 || state->waits_for_room[core])
            continue;
        for (uint32_t w = 0; w < grid->blocks * grid->warps; w++) {
            if (!is_ready(search, state, w) || core_of(search, state, w) != core) continue;
            struct state next = *state;
            struct moment then = moment;
            then.acted = true;
            then.decided |= 1u << core;
            issue(search, &next, w, false);
            const uint32_t time = proceed(search, &next, then);
            most = larger(time, most);
            any = true;
            if (is_paused(search, state, core) && !grid->pauses.issue) resting |= 1u << core;
            if (!may_stay_out(search, state, w)) continue;
            next = *state;
            issue(search, &next, w, true);
            most = larger(most, proceed(search, &next, then));
        }
    }
    if (any && resting == 0) return most;
    moment.decided |= resting; /* where an SM pauses, what is ready need not be issued */
    if (!any) {
        moment.phase = START_ISSUED;
        moment.idle = 0;
    }
    return larger(most, proceed(search, state, moment));
}

/* ---- Blocks ---------------------------------------------------------------------------------------------
 */

static bool has_ended(const struct search *search, const struct state *state, uint32_t b) {
    const struct sass_grid *grid = search->grid;
    for (uint32_t w = b * grid->warps; w < (b + 1) * grid->warps; w++) {
        if (state->warps[w].next < grid->programs[w].count || state->warps[w].held) return false;
        for (uint32_t k = 0; k < grid->programs[w].count; k++) {
            const struct step_state *step = &state->steps[w][k];
            if (step->progress != ENDED || step->write > 0 || step->read > 0) return false;
        }
        const uint32_t core = core_of(search, state, w);
        if (state->issue_owner[core] == 1 + w && state->issue_holds[core] > 0) return false;
    }
    return true;
}

static void clear_block(const struct search *search, struct state *state, uint32_t b) {
    const struct sass_grid *grid = search->grid;
    for (uint32_t w = b * grid->warps; w < (b + 1) * grid->warps; w++) {
        for (uint32_t core = 0; core < SASS_GRID_CORES; core++)
            if (state->issue_owner[core] == 1 + w) state->issue_owner[core] = 0;
        memset(state->steps[w], 0, sizeof state->steps[w]);
        memset(&state->warps[w], 0, sizeof state->warps[w]);
        state->warps[w].next = 0;
    }
    state->sm[b] = ENDED;
}

/* Blocks that have ended go, others come; true when one came or went. */
static bool dispatch(struct search *search, const struct state *state, struct moment moment, uint32_t *time) {
    const struct sass_grid *grid = search->grid;
    for (uint32_t b = 0; b < grid->blocks; b++) {
        if (state->sm[b] == 0 || state->sm[b] == ENDED || !has_ended(search, state, b)) continue;
        struct state next = *state;
        clear_block(search, &next, b);
        *time = proceed(search, &next, moment);
        return true;
    }
    bool any = false;
    *time = 0;
    uint32_t blocks_of[SASS_GRID_CORES] = {0}, given = 0;
    for (uint32_t b = 0; b < grid->blocks; b++)
        given += state->sm[b] != 0;
    for (uint32_t b = 0; b < grid->blocks; b++)
        if (state->sm[b] != 0 && state->sm[b] != ENDED) blocks_of[state->sm[b] - 1]++;
    for (uint32_t b = 0; b < grid->blocks; b++) {
        if (state->sm[b] != 0) continue;
        for (uint32_t sm = 0; sm < grid->sms; sm++) {
            if (blocks_of[sm] >= grid->slots || (grid->is_static && b % grid->sms != sm)) continue;
            /* round-robin as long as all fit */
            if (!grid->is_static && grid->blocks <= grid->sms * grid->slots && given % grid->sms != sm)
                continue;
            struct state next = *state;
            next.sm[b] = (uint8_t)(1 + sm);
            for (uint32_t w = b * grid->warps; w < (b + 1) * grid->warps; w++)
                next.warps[w].missing =
                    grid->programs[w].count > 0 ? (uint8_t)fetched(search, &next, w, 0) : 0;
            *time = larger(*time, proceed(search, &next, moment));
            any = true;
        }
        if (any && grid->identical && !grid->is_static) break;
    }
    return any;
}

/* ---- Time -----------------------------------------------------------------------------------------------
 */

/* Calls for each time of a state that runs down. */
#define FOR_TIMES(state, time, body)                                                                         \
    do {                                                                                                     \
        for (uint32_t w_ = 0; w_ < SASS_GRID_WARPS; w_++) {                                                  \
            {                                                                                                \
                uint8_t *time = &(state)->warps[w_].earliest;                                                \
                body                                                                                         \
            }                                                                                                \
            {                                                                                                \
                uint8_t *time = &(state)->warps[w_].fresh;                                                   \
                body                                                                                         \
            }                                                                                                \
            {                                                                                                \
                uint8_t *time = &(state)->warps[w_].missing;                                                 \
                body                                                                                         \
            }                                                                                                \
            for (uint32_t k_ = 0; k_ < (state)->warps[w_].next; k_++) {                                      \
                {                                                                                            \
                    uint8_t *time = &(state)->steps[w_][k_].left;                                            \
                    body                                                                                     \
                }                                                                                            \
                {                                                                                            \
                    uint8_t *time = &(state)->steps[w_][k_].write;                                           \
                    body                                                                                     \
                }                                                                                            \
                {                                                                                            \
                    uint8_t *time = &(state)->steps[w_][k_].read;                                            \
                    body                                                                                     \
                }                                                                                            \
            }                                                                                                \
        }                                                                                                    \
        for (uint32_t c_ = 0; c_ < SASS_GRID_CORES; c_++) {                                                  \
            {                                                                                                \
                uint8_t *time = &(state)->issue_holds[c_];                                                   \
                body                                                                                         \
            }                                                                                                \
            for (uint32_t u_ = 0; u_ < SASS_GRID_UNITS; u_++) {                                              \
                uint8_t *time = &(state)->holds[u_][c_];                                                     \
                body                                                                                         \
            }                                                                                                \
            for (uint32_t l_ = 0; l_ < 2 * SASS_GRID_LINES; l_++) {                                          \
                uint8_t *time = &(l_ % 2 == 0 ? (state)->l0 : (state)->l1)[c_][l_ / 2];                      \
                body                                                                                         \
            }                                                                                                \
            for (uint32_t l_ = 0; l_ < 2 * SASS_GRID_CONSTANTS; l_++) {                                      \
                uint8_t *time = &(l_ % 2 == 0 ? (state)->constant : (state)->l1_constant)[c_][l_ / 2];       \
                body                                                                                         \
            }                                                                                                \
        }                                                                                                    \
    } while (false)

/* The cycles until something happens that was not possible in this one; 0: nothing is left. */
static uint32_t until_next(struct state *state) {
    uint32_t least = 0;
    FOR_TIMES(state, time, if (*time > 0 && *time != UNDONE && (least == 0 || *time < least)) least = *time;);
    return least;
}

static void pass(struct state *state, uint32_t passed) {
    FOR_TIMES(state, time, if (*time > 0 && *time != UNDONE) *time = (uint8_t)(*time - passed););
}

/* ---- Pauses ---------------------------------------------------------------------------------------------
 */

static bool is_any(const uint8_t *numbers) {
    for (uint32_t i = 0; i < SASS_GRID_CORES; i++)
        if (numbers[i] > 0) return true;
    return false;
}

static bool is_over(const struct search *search, const struct state *state) {
    for (uint32_t b = 0; b < search->grid->blocks; b++)
        if (state->sm[b] != ENDED) return false;
    return true;
}

static void lengthen(uint8_t *time) {
    if (*time > 0 && *time != UNDONE) ++*time;
}

/* A pause of an SM lengthens the misses of its lines. */
static void pause_lines(const struct search *search, struct state *state, uint32_t sm) {
    const uint32_t cores = search->grid->sub_cores;
    for (uint32_t l = 0; l < SASS_GRID_LINES; l++) {
        lengthen(&state->l1[sm][l]);
        for (uint32_t core = sm * cores; core < (sm + 1) * cores; core++)
            lengthen(&state->l0[core][l]);
    }
    for (uint32_t l = 0; l < SASS_GRID_CONSTANTS; l++) {
        lengthen(&state->l1_constant[sm][l]);
        for (uint32_t core = sm * cores; core < (sm + 1) * cores; core++)
            lengthen(&state->constant[core][l]);
    }
}

static void pause_step(const struct search *search, struct state *state, uint32_t w, uint32_t k,
                       uint32_t kinds) {
    const struct sass_timed *timed = &step_of(search, w, k)->stated;
    struct step_state *step = &state->steps[w][k];
    if ((kinds & SASS_PAUSE_WRITES) != 0) lengthen(&step->write);
    if ((kinds & SASS_PAUSE_READS) != 0) lengthen(&step->read);
    if (step->progress < FIRST_STAGE || step->progress == ENDED) return;
    const uint32_t kind = (uint32_t)(step->progress - FIRST_STAGE) % STEPS;
    const uint32_t stage = (uint32_t)(step->progress - FIRST_STAGE) / STEPS;
    if (kind == MOVES && (kinds & SASS_PAUSE_TRANSFERS) != 0) step->left++;
    if (kind != HOLDS || (kinds & SASS_PAUSE_HOLDS) == 0 || is_latch(search, timed, stage)) return;
    const uint32_t unit = timed->stages[stage].unit;
    step->left++;
    state->holds[unit][place_of(search, unit, core_of(search, state, w))]++;
}

/* An SM pauses in the next cycle: what is under way at its beginning, or would end there, goes on through it.
 */
static void pause_sm(const struct search *search, struct state *state, uint32_t sm, uint32_t kinds) {
    state->paused[sm] = (uint8_t)(IN_PAUSE | kinds);
    if ((kinds & SASS_PAUSE_MISSES) != 0) pause_lines(search, state, sm);
    for (uint32_t w = 0; w < search->grid->blocks * search->grid->warps; w++) {
        if (state->sm[w / search->grid->warps] != sm + 1) continue;
        if ((kinds & SASS_PAUSE_MISSES) != 0) lengthen(&state->warps[w].missing);
        for (uint32_t k = 0; k < state->warps[w].next; k++)
            pause_step(search, state, w, k, kinds);
    }
}

/* The most cycles from the next one on, which may be a pause of SMs from `sm` on. */
static uint32_t pass_one(struct search *search, const struct state *state, uint32_t sm) {
    const struct sass_pauses *pauses = &search->grid->pauses;
    struct state next = *state;
    if (sm >= SASS_GRID_CORES || sm == (pauses->common ? 1 : search->grid->sms)) {
        pass(&next, 1);
        return longest(search, &next);
    }
    const uint32_t last = pauses->common ? search->grid->sms : sm + 1;
    memset(&next.paused[sm], 0, last - sm);
    uint32_t most = pass_one(search, &next, sm + 1);
    for (uint32_t whole = pauses->kinds == SASS_PAUSE_ALL; whole < 2 && state->pauses[sm] > 0; whole++) {
        struct state then = next;
        then.pauses[sm]--;
        for (uint32_t its = sm; its < last; its++)
            pause_sm(search, &then, its, whole ? SASS_PAUSE_ALL : pauses->kinds);
        most = larger(most, pass_one(search, &then, sm + 1));
    }
    return most;
}

static uint32_t proceed(struct search *search, const struct state *state, struct moment moment) {
    uint32_t time = 0;
    if (search->exhausted) return 0;
    if (end_stage(search, state, moment, &time)) return time;
    if (search->grid->rules.late_release) {
        struct state next = *state;
        if (release(search, &next)) return proceed(search, &next, moment);
    }
    if (moment.phase == DISPATCH) {
        if (dispatch(search, state, moment, &time)) return time;
        moment.phase = search->grid->rules.issue_first ? ISSUE : START;
    }
    const struct sass_rules *rules = &search->grid->rules;
    const bool is_prompt = moment.phase == ISSUE && rules->prompt_start && !rules->issue_first;
    if (moment.phase == START || moment.phase == START_ISSUED || is_prompt) {
        if (unblock(search, state, moment, &time)) return time;
        if (start_some(search, state, moment, &time)) return time;
        if (enter_some(search, state, moment, &time)) return time;
        if (!is_prompt) {
            moment.phase = moment.phase == START ? ISSUE : ADVANCE;
            moment.idle = 0;
        }
    }
    if (moment.phase == ISSUE) return issue_some(search, state, moment);
    struct state next = *state;
    const uint32_t passed = moment.acted || is_any(state->paused) ? 1 : until_next(&next);
    if (passed == 0 || is_over(search, state)) return 0;
    if (is_any(state->pauses) || is_any(state->paused)) return 1 + pass_one(search, state, 0);
    pass(&next, passed);
    return passed + longest(search, &next);
}

/* ---- Memory ---------------------------------------------------------------------------------------------
 */

static size_t slot_of(const struct search *search, const struct state *state) {
    uint64_t hash = 0, part;
    static_assert(sizeof *state % sizeof part == 0, "hashed by words");
    for (size_t i = 0; i < sizeof *state; i += sizeof part) {
        memcpy(&part, (const char *)state + i, sizeof part);
        hash = (hash ^ part ^ hash >> 29) * UINT64_C(0x9e3779b97f4a7c15);
    }
    size_t slot = (size_t)(hash >> 24) & (search->slots - 1);
    while (search->values[slot] != 0 && memcmp(&search->keys[slot], state, sizeof *state) != 0)
        slot = (slot + 1) & (search->slots - 1);
    return slot;
}

static void grow(struct search *search) {
    const size_t slots = search->slots;
    struct state *keys = search->keys;
    uint16_t *values = search->values;
    search->slots = slots == 0 ? 256 : slots * 4;
    search->keys = malloc(search->slots * sizeof *keys);
    search->values = calloc(search->slots, sizeof *values);
    if (search->keys == NULL || search->values == NULL) abort();
    for (size_t i = 0; i < slots; i++) {
        if (values[i] == 0) continue;
        const size_t slot = slot_of(search, &keys[i]);
        search->keys[slot] = keys[i];
        search->values[slot] = values[i];
    }
    free(keys);
    free(values);
}

/* The most cycles from a state at the beginning of a cycle to the end of the grid. */
static uint32_t longest(struct search *search, const struct state *state) {
    if (search->slots == 0) grow(search);
    const size_t slot = slot_of(search, state);
    if (search->values[slot] != 0) return search->values[slot] - 1u;
    const uint32_t time = proceed(search, state, (struct moment){.phase = DISPATCH});
    if (++search->used > search->limit) search->exhausted = true;
    if (search->exhausted) return 0;
    if (search->used * 2 > search->slots) grow(search);
    const size_t place = slot_of(search, state);
    search->keys[place] = *state;
    search->values[place] = (uint16_t)(time + 1);
    return time;
}

uint32_t sass_explore(const struct sass_grid *grid, size_t states) {
    struct search search = {.grid = grid, .limit = states};
    naive_sass_clashes(grid, search.clash);
    struct state state;
    memset(&state, 0, sizeof state);
    memset(state.l0, UNDONE, sizeof state.l0);
    memset(state.l1, UNDONE, sizeof state.l1);
    memset(state.constant, UNDONE, sizeof state.constant);
    memset(state.l1_constant, UNDONE, sizeof state.l1_constant);
    memset(state.pauses, grid->pauses.cycles, grid->pauses.common ? 1 : grid->sms);
    const uint32_t time = pass_one(&search, &state, 0);
    free(search.keys);
    free(search.values);
    return search.exhausted ? 0 : time;
}
