#include "explorer.h"

#include <stdlib.h>
#include <string.h>

#include "naive_sim.h"

#define STATE_NUMBERS                                                                                        \
    (EXPLORER_WARPS * (3 + EXPLORER_REGISTERS + EXPLORER_INSTS) +                                            \
     EXPLORER_UNITS * (EXPLORER_INSTANCES + EXPLORER_DEPTH) + EXPLORER_SUB_CORES)

struct warp_state {
    uint16_t next;     /* instruction of the path */
    uint16_t held;     /* by a barrier */
    uint16_t earliest; /* times are absolute here and relative to `now` in keys */
    uint16_t ready[EXPLORER_REGISTERS];
    uint16_t done[EXPLORER_INSTS]; /* per position, of what joins queues */
};

struct unit_state {
    uint16_t free_at[EXPLORER_INSTANCES];
    uint16_t starts[EXPLORER_DEPTH]; /* the last ones, oldest first */
};

struct state {
    uint16_t now;
    uint16_t last_free; /* when an instruction without a unit was executed last */
    struct warp_state warps[EXPLORER_WARPS];
    struct unit_state units[EXPLORER_UNITS];
    uint16_t slots[EXPLORER_SUB_CORES]; /* used in this cycle */
};

struct explorer {
    const struct timed_block *block;
    uint32_t insts[EXPLORER_WARPS][EXPLORER_INSTS]; /* per path */
    uint32_t lengths[EXPLORER_WARPS];
    /* per path and register, the instructions before which its value still matters */
    uint32_t last_use[EXPLORER_WARPS][EXPLORER_REGISTERS];
    uint32_t positions; /* of the longest path if something joins queues, else 0 */
    size_t key_numbers;
    /* the memo: open addressing, keys of key_numbers each, value 0: empty, else 1 + what is left */
    size_t slots, used, limit;
    uint16_t *keys;
    uint16_t *values;
    bool exhausted;
};

static const struct timed_inst *head(const struct explorer *explorer, const struct state *state, uint32_t w) {
    uint32_t path = explorer->block->warp_path[w];
    uint32_t next = state->warps[w].next;
    return next < explorer->lengths[path] ? &explorer->block->code.insts[explorer->insts[path][next]] : NULL;
}

static uint32_t unit_index(const struct explorer *explorer, uint32_t unit, uint32_t w) {
    const struct wb_machine *machine = explorer->block->machine;
    return unit * machine->sub_cores + (machine->units[unit].shared ? 0 : w % machine->sub_cores);
}

/* The instance that is free first. */
static uint32_t first_free(const struct explorer *explorer, const struct unit_state *unit, uint32_t index) {
    uint32_t first = 0;
    for (uint32_t i = 1; i < explorer->block->machine->units[index].count; i++) {
        if (unit->free_at[i] < unit->free_at[first]) first = i;
    }
    return first;
}

/* The positions whose completion a register of a queue stands for, as bits. */
static uint64_t awaited_by(const struct explorer *explorer, const struct state *state, uint32_t w,
                           uint32_t reg) {
    const uint32_t *insts = explorer->insts[explorer->block->warp_path[w]];
    return naive_awaited(&explorer->block->code, insts, state->warps[w].next, reg);
}

/* Whether warp w has at `at` what its next instruction needs, slots and its own last issue apart. */
static bool has_all(const struct explorer *explorer, const struct state *state, uint32_t w, uint32_t at) {
    const struct timed_block *block = explorer->block;
    const struct warp_state *warp = &state->warps[w];
    const struct timed_inst *inst = head(explorer, state, w);
    if (inst == NULL || warp->held) return false;
    for (uint32_t i = 0; i < (uint32_t)inst->source_count + inst->destination_count; i++) {
        const uint32_t reg = block->code.operands[inst->first_operand + i];
        if (warp->ready[reg] > at) return false;
        const uint64_t awaited = awaited_by(explorer, state, w, reg);
        for (uint32_t p = 0; p < warp->next; p++)
            if ((awaited >> p & 1) != 0 && warp->done[p] > at) return false;
    }
    const struct unit_state *unit = &state->units[unit_index(explorer, inst->unit, w)];
    if (unit->free_at[first_free(explorer, unit, inst->unit)] <= at) return true;
    uint32_t depth = block->machine->dispatch_depth;
    if (depth == DEPTH_UNLIMITED) return true;
    uint32_t waiting = 0;
    for (uint32_t i = 0; i < depth; i++)
        waiting += unit->starts[EXPLORER_DEPTH - 1 - i] > at;
    return waiting < depth;
}

/* Passes barriers without a slot and opens barriers that every live warp has reached. */
static void settle(const struct explorer *explorer, struct state *state) {
    for (;;) {
        uint32_t live = 0, held = 0;
        uint16_t release = 0;
        for (uint32_t w = 0; w < explorer->block->warp_count; w++) {
            struct warp_state *warp = &state->warps[w];
            const struct timed_inst *inst = head(explorer, state, w);
            for (; !warp->held && inst != NULL && inst->unit == UNIT_NONE; inst = head(explorer, state, w)) {
                warp->next++;
                warp->held = inst->barrier;
                if (warp->earliest > state->last_free) state->last_free = warp->earliest;
            }
            live += warp->held || inst != NULL;
            held += warp->held;
            if (warp->earliest > release) release = warp->earliest;
        }
        if (live == 0 || live != held) return;
        for (uint32_t w = 0; w < explorer->block->warp_count; w++) {
            if (state->warps[w].held)
                state->warps[w].earliest = (uint16_t)(release + explorer->block->machine->barrier_release);
            state->warps[w].held = 0;
        }
    }
}

/* Whether warp w can issue at `at`, slots apart. */
static bool can_issue(const struct explorer *explorer, const struct state *state, uint32_t w, uint32_t at) {
    return state->warps[w].earliest <= at && has_all(explorer, state, w, at);
}

/* Issues an instruction of warp w now; returns when its result is complete. */
static uint32_t issue_one(const struct explorer *explorer, struct state *state, uint32_t w) {
    const struct timed_block *block = explorer->block;
    struct warp_state *warp = &state->warps[w];
    const struct timed_inst *inst = head(explorer, state, w);
    struct unit_state *unit = &state->units[unit_index(explorer, inst->unit, w)];
    uint32_t instance = first_free(explorer, unit, inst->unit);
    uint16_t start = unit->free_at[instance] > state->now ? unit->free_at[instance] : state->now;
    unit->free_at[instance] = (uint16_t)(start + inst->init);
    memmove(unit->starts, unit->starts + 1, sizeof unit->starts - sizeof unit->starts[0]);
    unit->starts[EXPLORER_DEPTH - 1] = start;
    uint32_t done = start + inst->init + inst->latency;
    for (uint32_t i = 0; i < inst->destination_count; i++)
        warp->ready[block->code.operands[inst->first_operand + inst->source_count + i]] = (uint16_t)done;
    if (inst->joins != 0) warp->done[warp->next] = (uint16_t)done;
    warp->next++;
    warp->earliest = (uint16_t)(state->now + 1);
    warp->held = inst->barrier;
    settle(explorer, state);
    return done > state->last_free ? done : state->last_free;
}

/* Gives warp w a slot now: an instruction, and what follows it directly while it can issue, no barrier comes
 * before it and each is on another unit. Returns when all that is complete. */
static uint32_t issue(const struct explorer *explorer, struct state *state, uint32_t w) {
    const struct wb_machine *machine = explorer->block->machine;
    const struct warp_state *warp = &state->warps[w];
    uint32_t units = 0, last = 0;
    state->slots[w % machine->sub_cores]++;
    for (uint32_t left = machine->issue_per_warp > 1 ? machine->issue_per_warp : 1; left > 0; left--) {
        const struct timed_inst *inst = head(explorer, state, w);
        const uint32_t position = warp->next;
        units |= UINT32_C(1) << inst->unit;
        const uint32_t done = issue_one(explorer, state, w);
        last = done > last ? done : last;
        if (inst->barrier || warp->next != position + 1 || !has_all(explorer, state, w, state->now)) break;
        if ((units >> head(explorer, state, w)->unit & 1) != 0) break;
    }
    return last;
}

static uint16_t relative(const struct state *state, uint16_t time) {
    return time > state->now ? (uint16_t)(time - state->now) : 0;
}

static int compare_numbers(const void *a, const void *b) {
    return (int)*(const uint16_t *)a - (int)*(const uint16_t *)b;
}

/* The part of a key that describes one warp; values that nobody will read are left out. */
static void warp_key(const struct explorer *explorer, const struct state *state, uint32_t w, uint16_t *key) {
    const struct warp_state *warp = &state->warps[w];
    uint32_t path = explorer->block->warp_path[w];
    key[0] = warp->next;
    key[1] = warp->held;
    key[2] = relative(state, warp->earliest);
    for (uint32_t r = 0; r < explorer->block->code.register_count; r++)
        key[3 + r] = warp->next < explorer->last_use[path][r] ? relative(state, warp->ready[r]) : 0;
    for (uint32_t p = 0; p < explorer->positions; p++)
        key[3 + explorer->block->code.register_count + p] = relative(state, warp->done[p]);
}

/* Warps of one path and sub-core are interchangeable: their parts of the key are sorted. */
static void sort_warps(const struct explorer *explorer, uint16_t *key, size_t part) {
    const struct timed_block *block = explorer->block;
    const uint32_t cores = block->machine->sub_cores;
    for (uint32_t a = 0; a < block->warp_count; a++) {
        for (uint32_t b = a + 1; b < block->warp_count; b++) {
            uint16_t swap[3 + EXPLORER_REGISTERS + EXPLORER_INSTS];
            if (block->warp_path[a] != block->warp_path[b] || a % cores != b % cores) continue;
            uint16_t *first = key + a * part, *second = key + b * part;
            if (memcmp(first, second, part * sizeof *key) <= 0) continue;
            memcpy(swap, first, part * sizeof *key);
            memcpy(first, second, part * sizeof *key);
            memcpy(second, swap, part * sizeof *key);
        }
    }
}

static size_t make_key(const struct explorer *explorer, const struct state *state, uint16_t *key) {
    const struct timed_block *block = explorer->block;
    const struct wb_machine *machine = block->machine;
    size_t part = 3 + block->code.register_count + explorer->positions;
    for (uint32_t w = 0; w < block->warp_count; w++)
        warp_key(explorer, state, w, key + w * part);
    sort_warps(explorer, key, part);
    size_t numbers = block->warp_count * part;
    for (uint32_t u = 0; u < machine->unit_count * machine->sub_cores; u++) {
        const struct unit_state *unit = &state->units[u];
        for (uint32_t i = 0; i < EXPLORER_INSTANCES; i++)
            key[numbers + i] = relative(state, unit->free_at[i]);
        qsort(key + numbers, EXPLORER_INSTANCES, sizeof *key, compare_numbers);
        numbers += EXPLORER_INSTANCES;
        bool finite = machine->dispatch_depth > 0 && machine->dispatch_depth != DEPTH_UNLIMITED;
        for (uint32_t i = 0; finite && i < EXPLORER_DEPTH; i++)
            key[numbers++] = relative(state, unit->starts[i]);
    }
    for (uint32_t s = 0; s < machine->sub_cores; s++)
        key[numbers++] = state->slots[s];
    return numbers;
}

/* The memo slot of a key: the one that has it, or the empty one where it belongs. */
static size_t memo_slot(const struct explorer *explorer, const uint16_t *key) {
    uint64_t hash = 0;
    for (size_t i = 0; i < explorer->key_numbers; i++)
        hash = (hash ^ key[i]) * UINT64_C(0x9e3779b97f4a7c15);
    size_t slot = (size_t)(hash >> 24) & (explorer->slots - 1);
    while (explorer->values[slot] != 0 && memcmp(&explorer->keys[slot * explorer->key_numbers], key,
                                                 explorer->key_numbers * sizeof *key) != 0)
        slot = (slot + 1) & (explorer->slots - 1);
    return slot;
}

static void memo_grow(struct explorer *explorer) {
    size_t slots = explorer->slots;
    uint16_t *keys = explorer->keys, *values = explorer->values;
    explorer->slots = slots * 4;
    explorer->keys = calloc(explorer->slots * explorer->key_numbers, sizeof *keys);
    explorer->values = calloc(explorer->slots, sizeof *values);
    if (explorer->keys == NULL || explorer->values == NULL) abort();
    for (size_t i = 0; values != NULL && i < slots; i++) {
        if (values[i] == 0) continue;
        const uint16_t *key = &keys[i * explorer->key_numbers];
        size_t slot = memo_slot(explorer, key);
        memcpy(&explorer->keys[slot * explorer->key_numbers], key, explorer->key_numbers * sizeof *key);
        explorer->values[slot] = values[i];
    }
    free(keys);
    free(values);
}

static void memo_store(struct explorer *explorer, const uint16_t *key, uint32_t value) {
    if (++explorer->used * 2 > explorer->slots) memo_grow(explorer);
    if (explorer->used > explorer->limit) explorer->exhausted = true;
    size_t slot = memo_slot(explorer, key);
    memcpy(&explorer->keys[slot * explorer->key_numbers], key, explorer->key_numbers * sizeof *key);
    explorer->values[slot] = (uint16_t)(value + 1);
}

/* The warps that may issue next in this cycle, as bits. */
static uint32_t choices(const struct explorer *explorer, const struct state *state) {
    const struct wb_machine *machine = explorer->block->machine;
    uint32_t bits = 0;
    for (uint32_t w = 0; w < explorer->block->warp_count; w++) {
        bool slot = state->slots[w % machine->sub_cores] < machine->issue_width;
        if (slot && can_issue(explorer, state, w, state->now)) bits |= UINT32_C(1) << w;
    }
    return bits;
}

static bool done(const struct explorer *explorer, const struct state *state) {
    for (uint32_t w = 0; w < explorer->block->warp_count; w++) {
        if (head(explorer, state, w) != NULL || state->warps[w].held) return false;
    }
    return true;
}

/* The most cycles from `state->now` until everything that is not yet issued is complete. */
static uint32_t longest(struct explorer *explorer, struct state *state) {
    if (explorer->exhausted || done(explorer, state)) return 0;
    uint32_t waited = 0, bits;
    while ((bits = choices(explorer, state)) == 0) {
        state->now++;
        waited++;
        memset(state->slots, 0, sizeof state->slots);
    }
    uint16_t key[STATE_NUMBERS];
    explorer->key_numbers = make_key(explorer, state, key);
    if (explorer->values == NULL) memo_grow(explorer);
    size_t slot = memo_slot(explorer, key);
    if (explorer->values[slot] != 0) return waited + explorer->values[slot] - 1;
    uint32_t best = 0;
    for (uint32_t w = 0; w < explorer->block->warp_count; w++) {
        if (!(bits >> w & 1)) continue;
        struct state next = *state;
        uint32_t own = issue(explorer, &next, w) - state->now;
        uint32_t rest = longest(explorer, &next);
        best = rest > best ? rest : best;
        best = own > best ? own : best;
    }
    memo_store(explorer, key, best);
    return waited + best;
}

static bool fits(const struct timed_block *block) {
    const struct wb_machine *machine = block->machine;
    if (block->warp_count > EXPLORER_WARPS || block->code.register_count > EXPLORER_REGISTERS) return false;
    if (machine->sub_cores > EXPLORER_SUB_CORES || machine->unit_count * machine->sub_cores > EXPLORER_UNITS)
        return false;
    if (machine->dispatch_depth != DEPTH_UNLIMITED && machine->dispatch_depth > EXPLORER_DEPTH) return false;
    for (uint32_t u = 0; u < machine->unit_count; u++) {
        if (machine->units[u].count > EXPLORER_INSTANCES) return false;
    }
    return true;
}

cycles explore(const struct timed_block *block, size_t states) {
    if (!fits(block)) return 0;
    struct explorer explorer = {.block = block, .limit = states, .slots = 64};
    for (uint32_t p = 0; p < block->path_count; p++) {
        explorer.lengths[p] = naive_expand(&block->paths[p], explorer.insts[p]);
        for (uint32_t i = 0; i < explorer.lengths[p]; i++) {
            const struct timed_inst *inst = &block->code.insts[explorer.insts[p][i]];
            if (inst->joins != 0 && explorer.positions < explorer.lengths[p])
                explorer.positions = explorer.lengths[p];
            for (uint32_t k = 0; k < (uint32_t)inst->source_count + inst->destination_count; k++)
                explorer.last_use[p][block->code.operands[inst->first_operand + k]] = i + 1;
        }
    }
    struct state state;
    memset(&state, 0, sizeof state);
    settle(&explorer, &state);
    uint32_t worst = longest(&explorer, &state);
    free(explorer.keys);
    free(explorer.values);
    return explorer.exhausted ? 0 : worst;
}
