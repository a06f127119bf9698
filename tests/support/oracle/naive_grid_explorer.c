#include "naive_grid_explorer.h"

#include <stdlib.h>
#include <string.h>

#include "naive_sim.h"

#define REGISTERS 16
#define JOINED 16 /* longest path of warps that wait for what joins queues */
#define QUEUE 8   /* the last starts of a unit; deeper queues are not searched */

struct warp {
    uint32_t next; /* instruction of its path */
    bool held;     /* by a barrier that it has reached */
    cycles from;   /* it may issue from then on */
    cycles ready[REGISTERS];
    cycles done[JOINED]; /* of the first instructions of its path */
};

struct room {
    bool taken, used;
    uint32_t kind;
    cycles start, last; /* of its block: may issue; the latest completion so far */
    struct warp warps[NAIVE_GRID_WARPS];
};

struct unit {
    cycles free_at[NAIVE_GRID_INSTANCES];
    cycles starts[QUEUE]; /* of the last instructions, the latest last */
};

struct sm {
    struct room rooms[NAIVE_GRID_ROOMS];
    struct unit units[NAIVE_GRID_SUB_CORES][NAIVE_GRID_UNITS]; /* a shared one is of sub-core 0 */
    uint32_t issued[NAIVE_GRID_SUB_CORES];                     /* in this cycle */
    uint32_t got;                                              /* blocks */
};

struct grid {
    cycles now, idle_from;             /* idle_from: the dispatcher has nothing to do */
    uint32_t left[NAIVE_GRID_BLOCKS];  /* per kind */
    uint32_t next_own[NAIVE_GRID_SMS]; /* static: the next block of each SM */
    uint32_t given, last;              /* by a rule: blocks so far; the SM that got the last one */
    struct sm sms[NAIVE_GRID_SMS];
};

struct search {
    const struct synthetic_block *block;
    const struct wb_machine *machine;
    uint32_t sms, rooms;
    uint32_t room_warps;    /* of the largest block */
    bool sub_cores_compete; /* for a shared unit: which of them is first in a cycle makes a difference */
    uint32_t class_of[NAIVE_GRID_BLOCKS];
    uint32_t insts[NAIVE_GRID_BLOCKS][NAIVE_GRID_WARPS][NAIVE_INSTS];
    uint32_t lengths[NAIVE_GRID_BLOCKS][NAIVE_GRID_WARPS];
    uint64_t steps; /* that may still be taken */
    cycles longest;
};

static const struct timed_inst *head(const struct search *search, const struct room *room, uint32_t w) {
    const struct warp *warp = &room->warps[w];
    if (warp->next == search->lengths[room->kind][w]) return NULL;
    return &search->block->timed.code.insts[search->insts[room->kind][w][warp->next]];
}

static uint32_t warps_of(const struct search *search, const struct room *room) {
    return search->block->classes.items[room->kind].timed.warp_count;
}

/* R5. The warps of the SM belong to its sub-cores in turn, room by room. */
static uint32_t sub_core_of(const struct search *search, uint32_t room, uint32_t w) {
    return (room * search->room_warps + w) % search->machine->sub_cores;
}

static uint32_t unit_owner(const struct search *search, uint32_t unit, uint32_t sub_core) {
    return search->machine->units[unit].shared ? 0 : sub_core;
}

/* R2: the operands' completions. */
static cycles operands_at(const struct search *search, const struct room *room, uint32_t w) {
    const struct timed_code *code = &search->block->timed.code;
    const struct timed_inst *inst = head(search, room, w);
    const struct warp *warp = &room->warps[w];
    cycles at = 0;
    for (uint32_t i = 0; i < (uint32_t)inst->source_count + inst->destination_count; i++) {
        const uint32_t reg = code->operands[inst->first_operand + i];
        const uint64_t awaited = naive_awaited(code, search->insts[room->kind][w], warp->next, reg);
        if (warp->ready[reg] > at) at = warp->ready[reg];
        for (uint32_t p = 0; p < warp->next && p < JOINED; p++)
            if ((awaited >> p & 1) != 0 && warp->done[p] > at) at = warp->done[p];
    }
    return at;
}

static uint32_t first_free(const struct search *search, const struct unit *unit, uint32_t number) {
    uint32_t first = 0;
    for (uint32_t i = 1; i < search->machine->units[number].count; i++)
        if (unit->free_at[i] < unit->free_at[first]) first = i;
    return first;
}

/* R4. */
static bool unit_takes(const struct search *search, const struct unit *unit, uint32_t number, cycles now) {
    const uint32_t depth = search->machine->dispatch_depth;
    uint32_t waiting = 0;
    if (unit->free_at[first_free(search, unit, number)] <= now || depth == DEPTH_UNLIMITED) return true;
    for (uint32_t q = 0; q < QUEUE; q++)
        waiting += unit->starts[q] > now;
    return waiting < depth;
}

static void complete(const struct search *search, struct room *room, uint32_t w, cycles at) {
    const struct timed_inst *inst = head(search, room, w);
    for (uint32_t i = 0; i < inst->destination_count; i++)
        room->warps[w]
            .ready[search->block->timed.code.operands[inst->first_operand + inst->source_count + i]] = at;
    if (room->warps[w].next < JOINED) room->warps[w].done[room->warps[w].next] = at;
    if (at > room->last) room->last = at;
    room->warps[w].held = inst->barrier;
    room->warps[w].next++;
}

/* R7, and instructions that take neither slot nor unit, in the cycle that begins. True when anything
 * happened. */
static bool step_room(const struct search *search, struct room *room, cycles now) {
    bool any = false;
    uint32_t live = 0, held = 0;
    cycles arrived = 0;
    for (uint32_t w = 0; w < warps_of(search, room); w++) {
        struct warp *warp = &room->warps[w];
        const struct timed_inst *inst = head(search, room, w);
        if (!warp->held && warp->from <= now && inst != NULL && inst->unit == UNIT_NONE &&
            operands_at(search, room, w) <= now) {
            complete(search, room, w, now + inst->latency);
            warp->from = now;
            any = true;
        }
        live += warp->held || head(search, room, w) != NULL;
        held += warp->held;
        if (warp->from > arrived) arrived = warp->from;
    }
    if (live == 0 || held < live || arrived > now) return any;
    for (uint32_t w = 0; w < warps_of(search, room); w++) {
        if (room->warps[w].held) room->warps[w].from = arrived + search->machine->barrier_release;
        room->warps[w].held = false;
    }
    return true;
}

static bool has_ended(const struct search *search, const struct room *room, cycles now) {
    for (uint32_t w = 0; w < warps_of(search, room); w++)
        if (room->warps[w].held || head(search, room, w) != NULL) return false;
    return room->last <= now && room->start <= now;
}

static void explore(struct search *search, const struct grid *grid, uint32_t sm, bool begins);

static uint32_t blocks_left(const struct search *search, const struct grid *grid) {
    uint32_t left = 0;
    for (size_t k = 0; k < search->block->classes.count; k++)
        left += grid->left[k];
    return left;
}

/* Whether the next block may go to the SM. */
static bool may_get_block(const struct search *search, const struct grid *grid, uint32_t sm, uint32_t *only) {
    const struct machine_memory *memory = &search->machine->memory;
    const uint32_t blocks = search->block->block_count;
    *only = UINT32_MAX;
    if (memory->dispatch == DISPATCH_STATIC) {
        if (grid->next_own[sm] >= blocks) return false;
        *only = search->class_of[grid->next_own[sm]];
        return true;
    }
    if (blocks > search->sms * search->rooms) return true;
    for (uint32_t s = 0; s < search->sms; s++)
        if (grid->sms[s].got < grid->sms[sm].got) return false;
    return true;
}

/* G2: the dispatcher takes a block and a room. */
static void place(const struct search *search, struct grid *grid, uint32_t sm, uint32_t number,
                  uint32_t kind) {
    const struct machine_memory *memory = &search->machine->memory;
    struct room *room = &grid->sms[sm].rooms[number];
    const bool used = room->used;
    memset(room, 0, sizeof *room);
    *room = (struct room){.taken = true, .used = true, .kind = kind};
    if (grid->idle_from < grid->now) grid->idle_from = grid->now;
    grid->idle_from += memory->dispatch_service;
    grid->given++;
    grid->last = sm;
    room->start = room->last = grid->idle_from + (used ? memory->dispatch_latency : 0);
    for (uint32_t w = 0; w < NAIVE_GRID_WARPS; w++)
        room->warps[w].from = room->start;
    grid->left[kind]--;
    grid->sms[sm].got++;
    grid->next_own[sm] += search->machine->memory.sms;
}

static bool has_rule(const struct search *search) {
    const uint32_t dispatch = search->machine->memory.dispatch;
    return dispatch != DISPATCH_STATIC && dispatch != DISPATCH_ANY;
}

/* Docs/memory-model.md, section 2: how much a rule wants to give the next block to a free room; the least. */
static uint32_t dislike(const struct search *search, const struct grid *grid, uint32_t sm, uint32_t room) {
    uint32_t free = 0;
    for (uint32_t r = 0; r < search->rooms; r++)
        free += !grid->sms[sm].rooms[r].taken;
    switch ((enum block_dispatch)search->machine->memory.dispatch) {
    case DISPATCH_GREEDY: return room * NAIVE_GRID_SMS + sm;
    case DISPATCH_ROUND_ROBIN:
        return ((sm + search->sms - grid->last - 1) % search->sms) * NAIVE_GRID_ROOMS + room;
    default: return ((NAIVE_GRID_ROOMS - free) * NAIVE_GRID_SMS + sm) * NAIVE_GRID_ROOMS + room;
    }
}

/* The next block goes where the rule says, however busy the dispatcher is. */
static bool dispatch_by_rule(struct search *search, const struct grid *grid) {
    uint32_t least = UINT32_MAX, sm = 0, room = 0;
    if (blocks_left(search, grid) == 0) return false;
    for (uint32_t s = 0; s < search->sms; s++)
        for (uint32_t r = 0; r < search->rooms; r++)
            if (!grid->sms[s].rooms[r].taken && dislike(search, grid, s, r) < least) {
                least = dislike(search, grid, s, r);
                sm = s, room = r;
            }
    if (least == UINT32_MAX) return false;
    struct grid next = *grid;
    place(search, &next, sm, room, search->class_of[grid->given]);
    explore(search, &next, 0, true);
    return true;
}

/* G3: every way to give away the next block, when there is one. */
static bool dispatch(struct search *search, const struct grid *grid) {
    bool any = false;
    if (has_rule(search)) return dispatch_by_rule(search, grid);
    if (blocks_left(search, grid) == 0 || grid->idle_from > grid->now) return false;
    for (uint32_t s = 0; s < search->sms; s++) {
        uint32_t only;
        /* Rooms that have been used alike and whose first warp is of the same sub-core are alike. */
        bool tried[2][NAIVE_GRID_SUB_CORES] = {0};
        if (!may_get_block(search, grid, s, &only)) continue;
        for (uint32_t r = 0; r < search->rooms; r++) {
            const struct room *room = &grid->sms[s].rooms[r];
            bool *alike = &tried[room->used][sub_core_of(search, r, 0)];
            if (room->taken || *alike) continue;
            *alike = true;
            if (search->block->block_count <= search->sms * search->rooms && room->used &&
                search->machine->memory.dispatch != DISPATCH_STATIC)
                continue; /* G4 */
            for (uint32_t k = 0; k < search->block->classes.count; k++) {
                if (grid->left[k] == 0 || (only != UINT32_MAX && only != k)) continue;
                struct grid next = *grid;
                place(search, &next, s, r, k);
                explore(search, &next, 0, true);
                any = true;
            }
        }
    }
    return any;
}

/* Whether every room that can be filled in cycle 0 is. */
static bool dealt_at_start(const struct search *search, const struct grid *grid) {
    if (grid->now > 0) return true;
    if (search->machine->memory.dispatch_service > 0 && !has_rule(search)) return true;
    for (uint32_t s = 0; s < search->sms; s++) {
        uint32_t only;
        if (blocks_left(search, grid) == 0 || !may_get_block(search, grid, s, &only)) continue;
        for (uint32_t r = 0; r < search->rooms; r++)
            if (!grid->sms[s].rooms[r].used) return false;
    }
    return true;
}

/* Everything at the start of a cycle that leaves no choice. */
static void begin_cycle(const struct search *search, struct grid *grid) {
    for (uint32_t s = 0; s < search->sms; s++) {
        for (uint32_t r = 0; r < search->rooms; r++) {
            struct room *room = &grid->sms[s].rooms[r];
            while (room->taken && room->start <= grid->now && step_room(search, room, grid->now))
                continue;
            if (room->taken && has_ended(search, room, grid->now)) room->taken = false;
        }
    }
}

static bool all_ended(const struct search *search, const struct grid *grid) {
    for (uint32_t s = 0; s < search->sms; s++)
        for (uint32_t r = 0; r < search->rooms; r++)
            if (grid->sms[s].rooms[r].taken) return false;
    return blocks_left(search, grid) == 0;
}

/* R2, R4, R7. */
static bool has_all(const struct search *search, const struct grid *grid, uint32_t sm, uint32_t room,
                    uint32_t w) {
    const struct room *of = &grid->sms[sm].rooms[room];
    const struct timed_inst *inst = head(search, of, w);
    const uint32_t sub_core = sub_core_of(search, room, w);
    if (inst == NULL || inst->unit == UNIT_NONE || of->warps[w].held) return false;
    const struct unit *unit = &grid->sms[sm].units[unit_owner(search, inst->unit, sub_core)][inst->unit];
    return operands_at(search, of, w) <= grid->now && unit_takes(search, unit, inst->unit, grid->now);
}

/* R1 and R5 besides. */
static bool can_issue(const struct search *search, const struct grid *grid, uint32_t sm, uint32_t room,
                      uint32_t w) {
    return grid->sms[sm].rooms[room].warps[w].from <= grid->now &&
           grid->sms[sm].issued[sub_core_of(search, room, w)] < search->machine->issue_width &&
           has_all(search, grid, sm, room, w);
}

/* R3. */
static void issue(const struct search *search, struct grid *grid, uint32_t sm, uint32_t number, uint32_t w) {
    struct room *room = &grid->sms[sm].rooms[number];
    const struct timed_inst *inst = head(search, room, w);
    const uint32_t sub_core = sub_core_of(search, number, w);
    struct unit *unit = &grid->sms[sm].units[unit_owner(search, inst->unit, sub_core)][inst->unit];
    cycles *free_at = &unit->free_at[first_free(search, unit, inst->unit)];
    const cycles start = *free_at > grid->now ? *free_at : grid->now;
    *free_at = start + inst->init;
    memmove(unit->starts, unit->starts + 1, sizeof unit->starts - sizeof *unit->starts);
    unit->starts[QUEUE - 1] = start;
    room->warps[w].from = grid->now + 1;
    complete(search, room, w, start + inst->init + inst->latency);
}

/* R1: the slot of a warp, with what follows its next instruction on other units. */
static void use_slot(const struct search *search, struct grid *grid, uint32_t sm, uint32_t number,
                     uint32_t w) {
    const struct room *room = &grid->sms[sm].rooms[number];
    uint32_t units = 0, count = 0;
    grid->sms[sm].issued[sub_core_of(search, number, w)]++;
    do {
        units |= UINT32_C(1) << head(search, room, w)->unit;
        issue(search, grid, sm, number, w);
    } while (++count < search->machine->issue_per_warp && has_all(search, grid, sm, number, w) &&
             (units >> head(search, room, w)->unit & 1) == 0);
}

/* R6: every way in which one sub-core of the SM goes on: any of them where they compete, else the first that
 * can. False: the SM issues no more in this cycle. */
static bool issue_any(struct search *search, const struct grid *grid, uint32_t sm) {
    bool any = false;
    for (uint32_t sub_core = 0; sub_core < search->machine->sub_cores; sub_core++) {
        for (uint32_t r = 0; r < search->rooms; r++) {
            const struct room *room = &grid->sms[sm].rooms[r];
            for (uint32_t w = 0; room->taken && w < warps_of(search, room); w++) {
                if (sub_core_of(search, r, w) != sub_core || !can_issue(search, grid, sm, r, w)) continue;
                struct grid next = *grid;
                use_slot(search, &next, sm, r, w);
                explore(search, &next, sm, false);
                any = true;
            }
        }
        if (any && !search->sub_cores_compete) return true;
    }
    return any;
}

/* SM `sm` is the next to issue in this cycle, which begins or has begun. */
static void explore(struct search *search, const struct grid *state, uint32_t sm, bool begins) {
    struct grid grid = *state;
    for (;; grid.now++, sm = 0, begins = true) {
        if (search->steps == 0) return;
        search->steps--;
        if (begins) {
            for (uint32_t s = 0; s < search->sms; s++)
                memset(grid.sms[s].issued, 0, sizeof grid.sms[s].issued);
            if (dealt_at_start(search, &grid)) begin_cycle(search, &grid);
            if (dispatch(search, &grid)) return;
            if (all_ended(search, &grid)) {
                if (grid.now > search->longest) search->longest = grid.now;
                return;
            }
        }
        for (; sm < search->sms; sm++)
            if (issue_any(search, &grid, sm)) return;
    }
}

static bool fits(const struct synthetic_block *block) {
    const struct wb_machine *machine = &block->machine;
    const uint32_t depth = machine->dispatch_depth;
    if (block->block_count > NAIVE_GRID_BLOCKS || machine->memory.sms > NAIVE_GRID_SMS ||
        machine->limits.blocks > NAIVE_GRID_ROOMS || machine->unit_count > NAIVE_GRID_UNITS ||
        machine->sub_cores > NAIVE_GRID_SUB_CORES || block->timed.code.register_count > REGISTERS ||
        (depth != DEPTH_UNLIMITED && depth > QUEUE))
        return false;
    for (uint32_t u = 0; u < machine->unit_count; u++)
        if (machine->units[u].count > NAIVE_GRID_INSTANCES) return false;
    for (size_t k = 0; k < block->classes.count; k++)
        if (block->classes.items[k].timed.warp_count > NAIVE_GRID_WARPS) return false;
    return true;
}

cycles naive_grid_explore(const struct synthetic_block *block, uint64_t steps) {
    if (!fits(block)) return 0;
    struct search *search = calloc(1, sizeof *search);
    struct grid *grid = calloc(1, sizeof *grid);
    if (search == NULL || grid == NULL) abort();
    search->block = block;
    search->machine = &block->machine;
    search->sms = block->machine.memory.sms;
    search->rooms = block->machine.limits.blocks;
    search->steps = steps;
    uint32_t number = 0;
    for (size_t k = 0; k < block->classes.count; k++) {
        const struct timed_block *timed = &block->classes.items[k].timed;
        if (timed->warp_count > search->room_warps) search->room_warps = timed->warp_count;
        grid->left[k] = block->classes.items[k].count;
        for (uint32_t b = 0; b < grid->left[k]; b++)
            search->class_of[number++] = (uint32_t)k;
        for (uint32_t w = 0; w < timed->warp_count; w++)
            search->lengths[k][w] = naive_expand(&timed->paths[timed->warp_path[w]], search->insts[k][w]);
    }
    for (uint32_t s = 0; s < search->sms; s++)
        grid->next_own[s] = s;
    grid->last = search->sms - 1;
    for (uint32_t u = 0; u < block->machine.unit_count; u++)
        search->sub_cores_compete |= block->machine.sub_cores > 1 && block->machine.units[u].shared;
    explore(search, grid, 0, true);
    const cycles longest = search->steps > 0 ? search->longest : 0;
    free(search);
    free(grid);
    return longest;
}
