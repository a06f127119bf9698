#include "every_order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/containers.h"

#define UNITS_MAX 24u
#define OPS_MAX 40u
#define SETS_MAX 4u
#define WAYS_MAX 4u
#define FILLS_MAX 24u
#define STATES_MAX 400000u
#define NO_LINE 255u

enum op_kind { OP_REQUEST, OP_WAIT, OP_BARRIER };

/* What a warp does next: one request, a wait for the data of an access, or a barrier. */
struct op {
    enum op_kind kind;
    bool goes_on; /* a request of the same access as the one before: nothing comes in between */
    uint8_t touch, line, sector, set, access;
    uint8_t *fate;
};

/* A warp; without any order each access is one. */
struct unit {
    uint32_t block;
    uint32_t op_count;
    struct op ops[OPS_MAX];
};

struct way {
    uint8_t line, sectors, pending; /* NO_LINE: empty; pending: sectors whose data has not come */
};

/* Data on its way. */
struct fill {
    uint8_t line, sector;
    bool to_cache;    /* false: its line was given up */
    uint8_t reserved; /* keeps states without padding */
    uint32_t waiting; /* bits: accesses of all units */
};

struct state {
    struct fill fills[FILLS_MAX];        /* ascending; unused ones have line NO_LINE */
    struct way ways[SETS_MAX][WAYS_MAX]; /* latest use first */
    uint8_t next[UNITS_MAX];             /* per unit its next op */
};

struct explorer {
    const struct order_question *question;
    struct order_answer *answer;
    struct unit units[UNITS_MAX];
    uint32_t unit_count, ways;
    struct cache_index index;
    uint32_t choices; /* units, then fills */
    struct key_table seen;
    uint32_t states;
};

static void must(bool holds, const char *what) {
    if (holds) return;
    (void)fprintf(stderr, "too much for every_order: %s\n", what);
    abort();
}

/* Building the units. */

static struct op *add_op(struct unit *unit, struct op op) {
    must(unit->op_count < OPS_MAX, "ops");
    unit->ops[unit->op_count] = op;
    return &unit->ops[unit->op_count++];
}

static struct unit *add_unit(struct explorer *explorer, uint32_t block) {
    must(explorer->unit_count < UNITS_MAX, "units");
    struct unit *unit = &explorer->units[explorer->unit_count++];
    *unit = (struct unit){.block = block};
    return unit;
}

/* The requests of an access, in their order; `unit` NULL: nothing else is in order. */
static void add_access(struct explorer *explorer, struct unit *unit, uint32_t block, uint32_t warp,
                       uint32_t number, uint8_t *fates) {
    const struct traffic *traffic = explorer->question->traffic;
    const struct machine_memory *memory = &traffic->machine->memory;
    const struct traffic_pattern *pattern = traffic_pattern_of(traffic, block, warp);
    const struct traffic_access *access = &pattern->accesses[number];
    if (unit == NULL && access->request_count > 0) unit = add_unit(explorer, block);
    for (uint32_t r = 0; r < access->request_count; r++) {
        uint64_t address =
            traffic_base(traffic, block, warp, access->group) + pattern->offsets[access->first_request + r];
        uint64_t line = address / memory->l1.line_bytes;
        bool drops = access->kind != TRAFFIC_STORE || memory->l1_store == STORE_EVICTS;
        must(line < NO_LINE, "lines");
        struct op op = {
            .kind = OP_REQUEST, .goes_on = r > 0, .line = (uint8_t)line, .access = (uint8_t)number};
        op.touch = access->kind == TRAFFIC_LOAD ? TOUCH_LOAD
                   : drops                      ? TOUCH_STORE_EVICTS
                                                : TOUCH_STORE_UPDATES;
        op.set = (uint8_t)cache_set_of_line(&explorer->index, line);
        op.sector = (uint8_t)(1u << address % memory->l1.line_bytes / memory->l1.sector_bytes);
        op.fate = &fates[access->first_request + r];
        (void)add_op(unit, op);
    }
}

/* Whether an instruction touches a register that an access of `instruction` wrote. */
static bool waits_for(const struct timed_code *code, uint32_t waiter, uint32_t instruction) {
    const struct timed_inst *later = &code->insts[waiter], *load = &code->insts[instruction];
    for (uint32_t d = 0; d < load->destination_count; d++) {
        uint32_t written = code->operands[load->first_operand + load->source_count + d];
        for (uint32_t i = 0; i < (uint32_t)later->source_count + later->destination_count; i++) {
            if (code->operands[later->first_operand + i] == written) return true;
        }
    }
    return false;
}

/* One warp: its path, with waits for all earlier accesses that a step needs. */
static void add_warp(struct explorer *explorer, uint32_t block, uint32_t warp, uint8_t *fates) {
    const struct traffic *traffic = explorer->question->traffic;
    const struct wb_grid *grid = traffic->grid;
    const struct traffic_pattern *pattern = traffic_pattern_of(traffic, block, warp);
    uint32_t path = grid->shapes.items[grid->blocks.items[block].shape].warps[warp].path, next = 0;
    bool any_order = explorer->question->order == PORT_ANY_ORDER;
    bool waits = !any_order && explorer->question->cache != CACHE_WITHOUT_TIME;
    struct unit *unit = any_order ? NULL : add_unit(explorer, block);
    struct path_cursor cursor = path_begin(&grid->paths.items[path]);
    struct path_step step;
    for (uint64_t at = 0; path_next(&cursor, &step); at++) {
        for (uint32_t a = 0; a < next && waits; a++) {
            if (waits_for(explorer->question->code, step.instruction, pattern->accesses[a].instruction))
                (void)add_op(unit, (struct op){.kind = OP_WAIT, .access = (uint8_t)a});
        }
        if (grid->is_barrier[step.instruction] && explorer->question->order == PORT_ISSUE_ORDER)
            (void)add_op(unit, (struct op){.kind = OP_BARRIER});
        for (; next < pattern->access_count && pattern->accesses[next].step == at; next++)
            add_access(explorer, unit, block, warp, next, fates);
    }
}

static void build(struct explorer *explorer) {
    const struct order_question *question = explorer->question;
    const struct wb_grid *grid = question->traffic->grid;
    struct arena *arena = &explorer->answer->arena;
    explorer->answer->fates = arena_array(arena, grid->blocks.count, sizeof *explorer->answer->fates);
    must(explorer->answer->fates != NULL, "memory");
    for (uint32_t b = 0; b < grid->blocks.count; b++) {
        uint8_t **fates = arena_array(arena, grid->warp_count, sizeof *fates);
        must(fates != NULL, "memory");
        explorer->answer->fates[b] = fates;
        for (uint32_t w = 0; w < grid->warp_count; w++) {
            fates[w] = arena_alloc(arena, traffic_pattern_of(question->traffic, b, w)->request_count + 1);
            must(fates[w] != NULL, "memory");
            add_warp(explorer, b, w, fates[w]);
        }
    }
}

/* The cache. */

static uint32_t access_bit(const struct explorer *explorer, uint32_t unit, const struct op *op) {
    uint32_t number = op->access;
    for (uint32_t u = 0; u < unit; u++) {
        uint32_t most = 0;
        for (uint32_t o = 0; o < explorer->units[u].op_count; o++)
            most =
                explorer->units[u].ops[o].access + 1u > most ? explorer->units[u].ops[o].access + 1u : most;
        number += most;
    }
    must(number < 32 || explorer->question->cache == CACHE_WITHOUT_TIME, "accesses");
    return 1u << (number & 31);
}

static int compare_fills(const void *left, const void *right) {
    return memcmp(left, right, sizeof(struct fill));
}

static void sort_fills(const struct explorer *explorer, struct state *state) {
    if (explorer->question->cache == CACHE_WITHOUT_TIME) return;
    qsort(state->fills, FILLS_MAX, sizeof state->fills[0], compare_fills);
}

static uint32_t find_way(const struct explorer *explorer, const struct way *ways, uint8_t line) {
    uint32_t way = 0;
    while (way < explorer->ways && ways[way].line != line)
        way++;
    return way;
}

static void use_way(struct way *ways, uint32_t way) {
    struct way used = ways[way];
    memmove(ways + 1, ways, way * sizeof *ways);
    ways[0] = used;
}

static void drop_way(const struct explorer *explorer, struct state *state, struct way *ways, uint32_t way) {
    for (uint32_t f = 0; f < FILLS_MAX; f++) {
        if (state->fills[f].line == ways[way].line) state->fills[f].to_cache = false;
    }
    memmove(ways + way, ways + way + 1, (explorer->ways - way - 1) * sizeof *ways);
    ways[explorer->ways - 1] = (struct way){NO_LINE, 0, 0};
}

/* The way that a new line may take, or `ways`: it has to wait. */
static uint32_t victim_of(const struct explorer *explorer, const struct way *ways) {
    uint32_t last = explorer->ways - 1;
    switch (explorer->question->cache) {
    case CACHE_STALLS: return ways[last].pending != 0 ? explorer->ways : last;
    case CACHE_SKIPS_PENDING:
        for (uint32_t way = explorer->ways; way-- > 0;) {
            if (ways[way].pending == 0) return way;
        }
        return explorer->ways;
    case CACHE_WITHOUT_TIME:
    case CACHE_BYPASSES:
    case CACHE_ON_FILL: break;
    }
    return last;
}

/* Data that is on its way for a sector, and comes into the cache if it is in it already. */
static struct fill *find_fill(struct state *state, const struct op *op) {
    for (uint32_t f = 0; f < FILLS_MAX; f++) {
        struct fill *fill = &state->fills[f];
        if (fill->line == op->line && fill->sector == op->sector && fill->to_cache) return fill;
    }
    return NULL;
}

/* Asks the second level for a sector. */
static void add_fill(struct state *state, const struct op *op, uint32_t waiting) {
    uint32_t f = 0;
    while (f < FILLS_MAX && state->fills[f].line != NO_LINE)
        f++;
    must(f < FILLS_MAX, "fills");
    state->fills[f] = (struct fill){op->line, op->sector, true, 0, waiting};
}

/* A load of a cache that allocates when data comes: what is on its way is not asked for again. */
static bool load_on_fill(const struct explorer *explorer, struct state *state, uint32_t unit,
                         const struct op *op) {
    struct way *ways = state->ways[op->set];
    uint32_t way = find_way(explorer, ways, op->line);
    struct fill *fill = find_fill(state, op);
    if (way < explorer->ways && (ways[way].sectors & op->sector) != 0) {
        use_way(ways, way);
        *op->fate |= FATE_HIT;
    } else if (fill != NULL) {
        fill->waiting |= access_bit(explorer, unit, op);
        *op->fate |= FATE_HIT | FATE_LATE;
    } else {
        add_fill(state, op, access_bit(explorer, unit, op));
        *op->fate |= FATE_MISS;
    }
    return true;
}

/* A load; false: it has to wait. */
static bool load(const struct explorer *explorer, struct state *state, uint32_t unit, const struct op *op) {
    struct way *ways = state->ways[op->set];
    uint32_t way = find_way(explorer, ways, op->line);
    if (way == explorer->ways) {
        uint32_t victim = victim_of(explorer, ways);
        if (victim == explorer->ways) return false;
        if (ways[victim].line != NO_LINE) drop_way(explorer, state, ways, victim);
        way = find_way(explorer, ways, NO_LINE);
        ways[way] = (struct way){op->line, 0, 0};
    }
    use_way(ways, way);
    if ((ways[0].sectors & op->sector) == 0) {
        *op->fate |= FATE_MISS;
        ways[0].sectors |= op->sector;
        if (explorer->question->cache == CACHE_WITHOUT_TIME) return true;
        ways[0].pending |= op->sector;
        add_fill(state, op, access_bit(explorer, unit, op));
    } else if ((ways[0].pending & op->sector) != 0) {
        find_fill(state, op)->waiting |= access_bit(explorer, unit, op);
        *op->fate |= FATE_HIT | FATE_LATE;
    } else {
        *op->fate |= FATE_HIT;
    }
    return true;
}

static void store(const struct explorer *explorer, struct state *state, const struct op *op) {
    struct way *ways = state->ways[op->set];
    uint32_t way = find_way(explorer, ways, op->line);
    if (way == explorer->ways) return;
    if (op->touch == TOUCH_STORE_UPDATES)
        use_way(ways, way);
    else
        drop_way(explorer, state, ways, way);
}

/* One of the fills comes. */
static void take_fill(const struct explorer *explorer, struct state *state, uint32_t number) {
    struct fill fill = state->fills[number];
    struct way *ways = state->ways[cache_set_of_line(&explorer->index, fill.line)];
    uint32_t way = find_way(explorer, ways, fill.line);
    state->fills[number] = (struct fill){.line = NO_LINE};
    sort_fills(explorer, state);
    if (explorer->question->cache == CACHE_ON_FILL) {
        if (way == explorer->ways) {
            way--;
            ways[way] = (struct way){fill.line, 0, 0};
        }
        ways[way].sectors |= fill.sector;
        use_way(ways, way);
    } else if (fill.to_cache) {
        ways[way].pending &= (uint8_t)~fill.sector;
    }
}

/* The program. */

static bool has_ended(const struct explorer *explorer, const struct state *state, uint32_t unit) {
    return state->next[unit] == explorer->units[unit].op_count;
}

/* Whether a block has started: those in front of it leave less than `resident` running. */
static bool has_started(const struct explorer *explorer, const struct state *state, uint32_t block) {
    uint32_t running = 0;
    for (uint32_t b = 0; b < block; b++) {
        bool runs = false;
        for (uint32_t u = 0; u < explorer->unit_count; u++)
            runs |= explorer->units[u].block == b && !has_ended(explorer, state, u);
        running += runs;
    }
    return running < explorer->question->resident;
}

static uint32_t barriers_issued(const struct explorer *explorer, const struct state *state, uint32_t unit) {
    uint32_t count = 0;
    for (uint32_t o = 0; o < state->next[unit]; o++)
        count += explorer->units[unit].ops[o].kind == OP_BARRIER;
    return count;
}

static bool is_held(const struct explorer *explorer, const struct state *state, uint32_t unit) {
    uint32_t own = barriers_issued(explorer, state, unit);
    for (uint32_t u = 0; u < explorer->unit_count; u++) {
        if (explorer->units[u].block == explorer->units[unit].block && !has_ended(explorer, state, u) &&
            barriers_issued(explorer, state, u) < own)
            return true;
    }
    return false;
}

/* The unit whose access is at the port with requests left, or unit_count. */
static uint32_t at_port(const struct explorer *explorer, const struct state *state) {
    for (uint32_t u = 0; u < explorer->unit_count; u++) {
        if (!has_ended(explorer, state, u) && explorer->units[u].ops[state->next[u]].goes_on) return u;
    }
    return explorer->unit_count;
}

static bool data_missing(const struct explorer *explorer, const struct state *state, uint32_t unit,
                         const struct op *op) {
    uint32_t bit = access_bit(explorer, unit, op);
    for (uint32_t f = 0; f < FILLS_MAX; f++) {
        if (state->fills[f].line != NO_LINE && (state->fills[f].waiting & bit) != 0) return true;
    }
    return false;
}

/* A unit's next op, if it can be done now; *missed: it was a load that missed. */
static bool step_unit(const struct explorer *explorer, struct state *state, uint32_t unit, bool *missed) {
    const struct op *op = &explorer->units[unit].ops[state->next[unit]];
    *missed = false;
    if (is_held(explorer, state, unit) || !has_started(explorer, state, explorer->units[unit].block))
        return false;
    if (op->kind == OP_WAIT && data_missing(explorer, state, unit, op)) return false;
    if (op->kind == OP_REQUEST && op->touch == TOUCH_LOAD) {
        uint8_t before = *op->fate;
        *op->fate = 0;
        bool done = explorer->question->cache == CACHE_ON_FILL ? load_on_fill(explorer, state, unit, op)
                                                               : load(explorer, state, unit, op);
        *missed = *op->fate == FATE_MISS;
        *op->fate |= before;
        if (!done) return false;
    } else if (op->kind == OP_REQUEST) {
        store(explorer, state, op);
    }
    sort_fills(explorer, state);
    state->next[unit]++;
    return true;
}

/* Does the choice-th of the steps that may come next, if it can be done: those of the units, then fills. */
static bool step_choice(const struct explorer *explorer, struct state *state, uint32_t choice, bool *missed) {
    *missed = false;
    if (choice >= explorer->unit_count) {
        uint32_t fill = choice - explorer->unit_count;
        if (state->fills[fill].line == NO_LINE) return false;
        take_fill(explorer, state, fill);
        return true;
    }
    uint32_t only = at_port(explorer, state);
    if ((only < explorer->unit_count && choice != only) || has_ended(explorer, state, choice)) return false;
    return step_unit(explorer, state, choice, missed);
}

/* The most misses from a state on, in all orders. */
static uint32_t explore(struct explorer *explorer, const struct state *state) {
    uint32_t hash, most = 0;
    const uint8_t *key = (const uint8_t *)state;
    if (key_table_find(&explorer->seen, key, sizeof *state, &hash, &most)) return most;
    if (explorer->states++ >= STATES_MAX) {
        explorer->answer->complete = false;
        return 0;
    }
    for (uint32_t choice = 0; choice < explorer->choices; choice++) {
        struct state after = *state;
        bool missed;
        if (!step_choice(explorer, &after, choice, &missed)) continue;
        uint32_t misses = missed + explore(explorer, &after);
        most = misses > most ? misses : most;
    }
    const uint8_t *kept = key_table_keep(&explorer->seen, key, sizeof *state);
    must(kept != NULL && key_table_insert(&explorer->seen, kept, hash, most) == WB_OK, "memory");
    return most;
}

/* The misses of one random order. */
static uint32_t walk(const struct explorer *explorer, struct state state, struct random_state *random) {
    uint32_t misses = 0, refused = 0, choices = explorer->choices;
    while (refused < choices) {
        uint32_t first = (uint32_t)random_below(random, choices);
        for (refused = 0; refused < choices; refused++) {
            struct state after = state;
            bool missed;
            if (!step_choice(explorer, &after, (first + refused) % choices, &missed)) continue;
            state = after;
            misses += missed;
            break;
        }
    }
    return misses;
}

/* The most misses of a number of random orders. */
static uint32_t walk_often(struct explorer *explorer, const struct state *start) {
    struct random_state random = random_seeded(explorer->question->seed);
    uint32_t most = 0;
    for (uint32_t i = 0; i < explorer->question->walks; i++) {
        uint32_t misses = walk(explorer, *start, &random);
        most = misses > most ? misses : most;
    }
    explorer->answer->complete = false;
    return most;
}

void every_order(const struct order_question *question, struct order_answer *answer) {
    const struct cache_geometry *l1 = &question->traffic->machine->memory.l1;
    struct explorer *explorer = calloc(1, sizeof *explorer);
    must(explorer != NULL, "memory");
    *answer = (struct order_answer){.complete = true};
    explorer->question = question;
    explorer->answer = answer;
    explorer->ways = l1->ways;
    explorer->index = cache_index_of(l1);
    must(explorer->index.set_count <= SETS_MAX && explorer->ways <= WAYS_MAX, "cache");
    build(explorer);
    explorer->choices = explorer->unit_count + (question->cache == CACHE_WITHOUT_TIME ? 0 : FILLS_MAX);
    struct state start;
    memset(&start, 0, sizeof start);
    for (uint32_t f = 0; f < FILLS_MAX; f++)
        start.fills[f].line = NO_LINE;
    for (uint32_t s = 0; s < SETS_MAX; s++) {
        for (uint32_t w = 0; w < WAYS_MAX; w++)
            start.ways[s][w].line = NO_LINE;
    }
    answer->most_misses = question->walks > 0 ? walk_often(explorer, &start) : explore(explorer, &start);
    key_table_free(&explorer->seen);
    free(explorer);
}

void order_answer_free(struct order_answer *answer) {
    arena_free(&answer->arena);
}
