#include "perhaps_orders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/containers.h"

#define UNITS (PERHAPS_BLOCKS * PERHAPS_WARPS)
#define STATES_MAX 1500000u
#define EMPTY 0u /* a way; lines are numbered from 1 in states */

struct state {
    uint8_t next[UNITS];                      /* of each warp its next access */
    uint8_t ways[PERHAPS_SETS][PERHAPS_WAYS]; /* latest use first */
};

struct explorer {
    const struct perhaps_grid *grid;
    struct perhaps_truth *truth;
    bool barrier[PERHAPS_PHASES]; /* executed, of this exploration; of both blocks alike */
    struct key_table seen;
    uint64_t states;
};

static uint32_t explore(struct explorer *explorer, const struct state *state);

static const struct perhaps_warp *program_of(const struct explorer *explorer, uint32_t unit) {
    return &explorer->grid->program[unit % explorer->grid->warps];
}

static bool has_ended(const struct explorer *explorer, const struct state *state, uint32_t unit) {
    return state->next[unit] >= program_of(explorer, unit)->count;
}

static bool block_has_ended(const struct explorer *explorer, const struct state *state, uint32_t block) {
    for (uint32_t w = 0; w < explorer->grid->warps; w++)
        if (!has_ended(explorer, state, block * explorer->grid->warps + w)) return false;
    return true;
}

static bool has_started(const struct explorer *explorer, const struct state *state, uint32_t block) {
    uint32_t running = 0;
    for (uint32_t b = 0; b < block; b++)
        running += !block_has_ended(explorer, state, b);
    return running < explorer->grid->resident;
}

/* Executed barriers in front of a phase. */
static uint32_t barriers_before(const struct explorer *explorer, uint32_t phase) {
    uint32_t count = 0;
    for (uint32_t p = 1; p <= phase; p++)
        count += explorer->barrier[p];
    return count;
}

/* Whether a barrier holds the unit's next access back: some warp of the block has accesses in front of it. */
static bool is_held(const struct explorer *explorer, const struct state *state, uint32_t unit) {
    const uint32_t warps = explorer->grid->warps, block = unit / warps;
    if (!explorer->grid->ordered) return false;
    const uint32_t own = barriers_before(explorer, program_of(explorer, unit)->ops[state->next[unit]].phase);
    for (uint32_t u = block * warps; u < (block + 1) * warps; u++)
        if (!has_ended(explorer, state, u) &&
            barriers_before(explorer, program_of(explorer, u)->ops[state->next[u]].phase) < own)
            return true;
    return false;
}

static uint32_t way_of(const struct explorer *explorer, const uint8_t *ways, uint8_t line) {
    uint32_t way = 0;
    while (way < explorer->grid->ways && ways[way] != line)
        way++;
    return way;
}

/* One request; whether it is a load that misses. */
static bool request(const struct explorer *explorer, struct state *state, enum perhaps_kind kind,
                    uint8_t number) {
    uint8_t *ways = state->ways[number % explorer->grid->sets];
    const uint8_t line = number + 1;
    const uint32_t count = explorer->grid->ways;
    uint32_t way = way_of(explorer, ways, line);
    const bool there = way < count;
    if (kind == PERHAPS_ATOMIC || (kind == PERHAPS_STORE && explorer->grid->evicts)) {
        if (!there) return false;
        memmove(ways + way, ways + way + 1, count - way - 1);
        ways[count - 1] = EMPTY;
        return false;
    }
    if (kind == PERHAPS_STORE && !there) return false;
    if (!there) way = count - 1;
    memmove(ways + 1, ways, way);
    ways[0] = line;
    return !there;
}

/* The requests of an access to these lines (EMPTY: the lane makes none), in the order of its lanes; how many
 * miss. */
static uint32_t requests(const struct explorer *explorer, struct state *state, enum perhaps_kind kind,
                         const uint8_t lines[PERHAPS_LANES]) {
    uint32_t misses = 0;
    for (uint32_t l = 0; l < PERHAPS_LANES; l++) {
        bool asked = lines[l] == EMPTY;
        for (uint32_t before = 0; before < l; before++)
            asked = asked || lines[before] == lines[l];
        if (!asked) misses += request(explorer, state, kind, lines[l] - 1);
    }
    return misses;
}

/* Goes on with all that the lanes from `lane` on may access; the most misses. */
static uint32_t choose(struct explorer *explorer, const struct state *state, uint32_t unit,
                       const struct perhaps_op *op, uint32_t lane, uint8_t lines[PERHAPS_LANES]) {
    uint32_t most = 0;
    if (lane == PERHAPS_LANES) {
        struct state after = *state;
        const uint32_t warps = explorer->grid->warps;
        uint8_t *worst = &explorer->truth->most[unit / warps][unit % warps][state->next[unit]];
        const uint32_t misses = requests(explorer, &after, op->kind, lines);
        if (misses > *worst) *worst = (uint8_t)misses;
        after.next[unit]++;
        return misses + explore(explorer, &after);
    }
    const struct perhaps_lane *of = &op->lanes[lane];
    for (uint32_t i = of->lines == 0 || of->maybe_executed ? 0 : 1; i <= of->lines; i++) {
        lines[lane] = i == 0 ? EMPTY : (uint8_t)(of->first + i);
        const uint32_t misses = choose(explorer, state, unit, op, lane + 1, lines);
        if (misses > most) most = misses;
    }
    return most;
}

/* The most misses when this unit goes on. */
static uint32_t step(struct explorer *explorer, const struct state *state, uint32_t unit) {
    const struct perhaps_op *op = &program_of(explorer, unit)->ops[state->next[unit]];
    uint8_t lines[PERHAPS_LANES] = {0};
    uint32_t most = 0;
    if (op->maybe_executed) {
        struct state after = *state;
        after.next[unit]++;
        most = explore(explorer, &after);
    }
    uint32_t misses;
    if (op->kind == PERHAPS_EXIT) {
        struct state after = *state;
        after.next[unit] = PERHAPS_OPS;
        misses = explore(explorer, &after);
    } else {
        misses = choose(explorer, state, unit, op, 0, lines);
    }
    return misses > most ? misses : most;
}

static uint32_t explore(struct explorer *explorer, const struct state *state) {
    const uint32_t units = explorer->grid->blocks * explorer->grid->warps;
    uint32_t hash, most = 0;
    const uint8_t *key = (const uint8_t *)state;
    if (key_table_find(&explorer->seen, key, sizeof *state, &hash, &most)) return most;
    if (explorer->states++ >= STATES_MAX) {
        explorer->truth->complete = false;
        return 0;
    }
    for (uint32_t u = 0; u < units; u++) {
        if (has_ended(explorer, state, u) || !has_started(explorer, state, u / explorer->grid->warps) ||
            is_held(explorer, state, u))
            continue;
        const uint32_t misses = step(explorer, state, u);
        if (misses > most) most = misses;
    }
    const uint8_t *kept = key_table_keep(&explorer->seen, key, sizeof *state);
    if (kept == NULL || key_table_insert(&explorer->seen, kept, hash, most) != WB_OK) {
        (void)fprintf(stderr, "out of memory\n");
        abort();
    }
    return most;
}

void perhaps_explore(const struct perhaps_grid *grid, struct perhaps_truth *truth) {
    *truth = (struct perhaps_truth){.complete = true};
    for (uint32_t choice = 0; choice < 1u << PERHAPS_PHASES; choice++) {
        struct explorer explorer = {.grid = grid, .truth = truth};
        struct state start;
        bool possible = true;
        for (uint32_t p = 0; p < PERHAPS_PHASES; p++) {
            explorer.barrier[p] = (choice >> p & 1) != 0;
            possible = possible && (explorer.barrier[p] || (p > 0 && p < grid->phases && grid->skipped[p]));
        }
        if (!possible) continue;
        memset(&start, 0, sizeof start);
        const uint32_t misses = explore(&explorer, &start);
        if (misses > truth->misses) truth->misses = misses;
        truth->states += explorer.states;
        key_table_free(&explorer.seen);
    }
}
