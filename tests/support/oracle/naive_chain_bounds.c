#include "naive_chain_bounds.h"

#include <stdlib.h>
#include <string.h>

#define SECTIONS (SUB_CORE_INSTS + 1)
#define EXTRAS_MAX (CHAIN_BLOCKS_MAX * SECTIONS * SUB_CORES_MAX)
#define NONE UINT64_MAX

const char *const chain_mutant_names[CHAIN_MUTANTS] = {
    [CHAIN_AS_PROVEN] = "as proven",
    [CHAIN_NO_SIGMA] = "no sigma",
    [CHAIN_NO_SIGMA_ELEMENTS] = "no sigma beside the extras",
    [CHAIN_NO_SIGMA_IN_EXTRAS] = "no sigma in the extras",
    [CHAIN_SIGMA_NO_QUEUE] = "sigma without queues",
    [CHAIN_SIGMA_NO_UNIT] = "sigma without units",
    [CHAIN_SIGMA_READ_ALL] = "sigma without what is behind a read result",
    [CHAIN_NO_EXTRAS] = "no extras",
    [CHAIN_HALF_PICKS] = "half the picks",
    [CHAIN_PICK_FEWER] = "a pick fewer",
    [CHAIN_PICKS_OF_TURNS] = "picks of a turn fewer",
    [CHAIN_PICK_FEWER_LATER] = "a pick fewer in turns",
    [CHAIN_LAST_IS_OWN] = "the last block like those before it",
    [CHAIN_REST_OF_FEWER] = "other work of a block fewer",
    [CHAIN_CHANGE_FEWER] = "a change fewer",
    [CHAIN_ONE_SECTION] = "no change within a block",
    [CHAIN_NO_LAST] = "no latencies of the last block",
    [CHAIN_LAST_IS_LATENCY] = "latencies alone of the last block",
    [CHAIN_NO_OWN] = "no latencies of blocks before it",
    [CHAIN_OWN_FEWER] = "latencies of a block fewer",
    [CHAIN_LATENCY_CUT] = "latencies that end at barriers",
    [CHAIN_NO_RELEASE] = "no releases of barriers",
    [CHAIN_WORK_OF_FIRST] = "work of the first sub-core",
    [CHAIN_WORK_COARSE] = "work of whole blocks",
    [CHAIN_NO_SHARED] = "no work of shared units",
    [CHAIN_SHARED_APART] = "shared units apart",
    [CHAIN_BLOCK_FEWER] = "work of a block fewer",
    [CHAIN_NO_DELAY] = "no dispatch latency",
    [CHAIN_DELAY_FEWER] = "a dispatch latency fewer",
    [CHAIN_NO_SERVICE] = "no dispatch service",
    [CHAIN_SERVICE_FEWER] = "a dispatch service fewer",
    [CHAIN_NO_TAIL] = "no tail",
    [CHAIN_TAIL_OF_ONE] = "a tail of one block",
    [CHAIN_SM_MORE] = "an SM more",
    [CHAIN_ROOM_MORE] = "a room more",
};

/* The windows that blocks are cut into: their sections, met in time or in the order of issue (section 10), or
 * the whole of them. */
enum windows { FINE, ISSUED, COARSE, WINDOWS };

/* What a block comes to. */
struct block {
    uint64_t initiations;            /* E */
    uint64_t work_fine, work_coarse; /* W */
    uint64_t extras[WINDOWS][SECTIONS * SUB_CORES_MAX];
    uint32_t extra_count[WINDOWS];
    uint64_t latency, alone; /* lam, SIB */
    uint64_t changes;        /* chg */
};

/* A block as the definitions see it. */
struct sections {
    const struct sub_core_grid *grid;
    const struct sub_core_kind *kind;
    enum chain_mutant mutant;
    uint32_t count;
    uint32_t section[SUB_CORE_WARPS][SUB_CORE_INSTS]; /* of each instruction */
};

static uint64_t max(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static uint64_t min(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static uint64_t less(uint64_t a, uint64_t b) {
    return a > b ? a - b : 0;
}

static uint64_t sum_of(uint64_t a, uint64_t b) {
    return a == NONE || b == NONE ? NONE : a + b;
}

static int falling(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x < y) - (x > y);
}

static void divide(struct sections *block) {
    block->count = 1;
    for (uint32_t w = 0; w < block->kind->warps; w++) {
        uint32_t section = 0;
        for (uint32_t i = 0; i < block->kind->programs[w].count; i++) {
            block->section[w][i] = section;
            section += block->kind->programs[w].insts[i].barrier;
        }
        if (section + 1 > block->count) block->count = section + 1;
    }
}

static bool is_of(const struct sections *block, uint32_t w, uint32_t i, uint32_t section) {
    return i < block->kind->programs[w].count && block->section[w][i] == section;
}

static bool executes(const struct sections *block, uint32_t w, uint32_t i, uint32_t section) {
    return is_of(block, w, i, section) && !block->kind->programs[w].insts[i].bare;
}

static const struct sub_core_inst *inst_at(const struct sections *block, uint32_t w, uint32_t i) {
    return &block->kind->programs[w].insts[i];
}

static uint32_t sub_core_of(const struct sections *block, uint32_t w) {
    return w % block->grid->sub_cores;
}

/* Per sub-core e_c(j), behind them u(j). */
static void section_loads(const struct sections *block, uint32_t section, uint64_t loads[SUB_CORES_MAX + 1]) {
    memset(loads, 0, (SUB_CORES_MAX + 1) * sizeof *loads);
    for (uint32_t w = 0; w < block->kind->warps; w++) {
        for (uint32_t i = 0; i < block->kind->programs[w].count; i++) {
            if (!executes(block, w, i, section)) continue;
            const struct sub_core_inst *inst = inst_at(block, w, i);
            loads[block->grid->units[inst->unit].shared ? SUB_CORES_MAX : sub_core_of(block, w)] +=
                inst->init;
        }
    }
}

/* ---- sigma ---- */

/* What can wait for a unit of a sub-core, or be under way on it, when section j begins: counted by the unit.
 */
static uint64_t behind_by_count(const struct sections *block, uint32_t j, uint32_t c, uint32_t unit) {
    uint64_t longest = 0;
    for (uint32_t w = c; w < block->kind->warps; w += block->grid->sub_cores)
        for (uint32_t i = 0; i < block->kind->programs[w].count; i++)
            if (block->section[w][i] < j && !inst_at(block, w, i)->bare && inst_at(block, w, i)->unit == unit)
                longest = max(longest, inst_at(block, w, i)->init);
    if (longest == 0) return 0;
    uint64_t queued = longest;
    const uint64_t under_way = (longest - 1) * block->grid->units[unit].instances;
    if (block->mutant == CHAIN_SIGMA_NO_QUEUE) return under_way;
    if (block->grid->depth == DEPTH_UNLIMITED) return NONE;
    queued *= block->grid->depth;
    return queued + (block->mutant == CHAIN_SIGMA_NO_UNIT ? 0 : under_way);
}

/* The same by what a warp has issued and is not known to have initiated. */
static uint64_t behind_of_warp(const struct sections *block, uint32_t j, uint32_t w, uint32_t unit) {
    const struct sub_core_program *program = &block->kind->programs[w];
    uint64_t read = 0, pending = 0;
    for (uint32_t i = 0; i < program->count; i++)
        if (block->section[w][i] < j) read |= program->insts[i].operands;
    uint32_t last = UINT32_MAX;
    for (uint32_t i = 0; i < program->count; i++)
        if ((read >> i & 1) != 0 && program->insts[i].unit == unit) last = i;
    const bool in_order = block->grid->units[unit].instances == 1;
    for (uint32_t i = 0; i < program->count; i++) {
        const struct sub_core_inst *inst = &program->insts[i];
        if (block->section[w][i] >= j || inst->bare || inst->unit != unit) continue;
        if (last != UINT32_MAX && (in_order ? i <= last : (read >> i & 1) != 0)) continue;
        if (block->mutant == CHAIN_SIGMA_READ_ALL && last != UINT32_MAX) continue;
        pending += inst->init;
    }
    return pending;
}

static uint64_t sigma_of(const struct sections *block, bool by_count, uint32_t j) {
    uint64_t most = 0;
    if (block->mutant == CHAIN_NO_SIGMA) return 0;
    for (uint32_t c = 0; j > 0 && c < block->grid->sub_cores; c++) {
        uint64_t sum = 0;
        for (uint32_t u = 0; u < block->grid->unit_count; u++) {
            if (block->grid->units[u].shared) continue;
            uint64_t pending = 0;
            for (uint32_t w = c; w < block->kind->warps; w += block->grid->sub_cores)
                pending += behind_of_warp(block, j, w, u);
            const uint64_t counted = behind_by_count(block, j, c, u);
            sum = sum_of(sum, by_count ? counted : min(counted, pending));
        }
        most = max(most, sum);
    }
    return most;
}

/* sigma(j), or the largest of the block where it is not told apart. */
static uint64_t sigma(const struct sections *block, const struct chain_view *view, uint32_t j) {
    uint64_t most = 0;
    if (!view->largest_sigma) return sigma_of(block, view->covering, j);
    for (uint32_t other = 1; other < block->count; other++)
        most = max(most, sigma_of(block, view->covering, other));
    return most;
}

/* ---- Latencies ---- */

static uint64_t release_of(const struct sections *block) {
    return block->mutant == CHAIN_NO_RELEASE ? 0 : block->grid->release;
}

/* lam. */
static uint64_t latency_of(const struct sections *block) {
    uint64_t issue[SUB_CORE_WARPS][SUB_CORE_INSTS] = {{0}}, released = 0, longest = 0;
    for (uint32_t j = 0; j < block->count; j++) {
        uint64_t arrival = released;
        longest = max(longest, released);
        for (uint32_t w = 0; w < block->kind->warps; w++) {
            uint64_t at = released;
            for (uint32_t i = 0; i < block->kind->programs[w].count; i++) {
                if (!executes(block, w, i, j)) continue;
                for (uint32_t p = 0; p < i; p++) {
                    if ((inst_at(block, w, i)->operands >> p & 1) == 0) continue;
                    if (block->section[w][p] < j && block->mutant == CHAIN_LATENCY_CUT) continue;
                    at = max(at, issue[w][p] + inst_at(block, w, p)->latency);
                }
                issue[w][i] = at;
                longest = max(longest, at + inst_at(block, w, i)->latency);
            }
            arrival = max(arrival, at);
        }
        released = arrival + release_of(block);
    }
    return longest;
}

/* iso_j(w): the section alone, from a clean machine. */
static uint64_t isolated(const struct sections *block, uint32_t w, uint32_t j) {
    uint64_t start[SUB_CORE_INSTS] = {0}, issue = 0, longest = 0;
    bool first = true;
    for (uint32_t i = 0; i < block->kind->programs[w].count; i++) {
        if (!executes(block, w, i, j)) continue;
        const struct sub_core_inst *inst = inst_at(block, w, i);
        const uint32_t depth = block->grid->depth;
        uint32_t before = 0; /* own instructions on the unit, the last first */
        uint64_t free_at = 0, room_at = 0;
        if (!first) issue++;
        first = false;
        for (uint32_t p = i; p-- > 0;) {
            if (!executes(block, w, p, j)) continue;
            const struct sub_core_inst *other = inst_at(block, w, p);
            if ((inst->operands >> p & 1) != 0) issue = max(issue, start[p] + other->init + other->latency);
            if (other->unit != inst->unit) continue;
            before++;
            if (before == 1) free_at = start[p] + other->init;
            if (before == depth) room_at = start[p];
        }
        if (depth == 0) room_at = free_at;
        issue = max(issue, room_at);
        start[i] = max(issue, free_at);
        longest = max(longest, start[i] + inst->init + inst->latency);
    }
    return longest;
}

/* SIB with the releases; NONE where it is not proven of blocks that share their SM. */
static uint64_t alone(const struct sections *block) {
    uint64_t sum = (block->count - 1) * release_of(block);
    if (block->grid->depth > 0 && block->grid->depth != DEPTH_UNLIMITED) return NONE;
    for (uint32_t j = 0; j < block->count; j++) {
        uint64_t longest = 0;
        for (uint32_t w = 0; w < block->kind->warps; w++) {
            uint64_t time = isolated(block, w, j);
            for (uint32_t u = 0; time > 0 && u < block->kind->warps; u++) {
                for (uint32_t i = 0; u != w && i < block->kind->programs[u].count; i++) {
                    if (!executes(block, u, i, j)) continue;
                    if (sub_core_of(block, u) == sub_core_of(block, w) ||
                        block->grid->units[inst_at(block, u, i)->unit].shared)
                        time += inst_at(block, u, i)->init;
                }
            }
            longest = max(longest, time);
        }
        sum += longest;
    }
    return sum;
}

/* ---- Changes of the chain ---- */

static uint32_t active_in(const struct sections *block, uint32_t j) {
    uint32_t active = 0;
    for (uint32_t w = 0; w < block->kind->warps; w++)
        for (uint32_t i = 0; i < block->kind->programs[w].count; i++)
            if (is_of(block, w, i, j)) active |= 1U << sub_core_of(block, w);
    return active;
}

/* 1 and the most changes of a sequence that takes one of the sub-cores of each section that has
 * anything, be it barriers. */
static uint64_t changes(const struct sections *block) {
    uint64_t most[SUB_CORES_MAX] = {0}, longest = 0;
    bool any = false;
    for (uint32_t j = 0; j < block->count; j++) {
        const uint32_t active = active_in(block, j);
        uint64_t next[SUB_CORES_MAX];
        if (active == 0) continue;
        for (uint32_t c = 0; c < block->grid->sub_cores; c++) {
            next[c] = NONE;
            if ((active >> c & 1) == 0) continue;
            next[c] = 0;
            for (uint32_t from = 0; any && from < block->grid->sub_cores; from++)
                if (most[from] != NONE) next[c] = max(next[c], most[from] + (from != c));
        }
        memcpy(most, next, sizeof most);
        any = true;
    }
    for (uint32_t c = 0; any && c < block->grid->sub_cores; c++)
        if (most[c] != NONE) longest = max(longest, most[c]);
    return 1 + longest;
}

/* ---- Blocks ---- */

static uint64_t work_of(const struct sections *block, uint64_t loads[SUB_CORES_MAX + 1]) {
    const uint32_t sub_cores = block->grid->sub_cores;
    const uint64_t first = loads[0];
    qsort(loads, sub_cores, sizeof *loads, falling);
    const uint64_t largest = block->mutant == CHAIN_WORK_OF_FIRST ? first : loads[0];
    if (block->mutant == CHAIN_NO_SHARED) return largest;
    if (block->mutant == CHAIN_SHARED_APART) return max(largest, loads[SUB_CORES_MAX]);
    return largest + loads[SUB_CORES_MAX];
}

static void add_extra(struct block *out, enum windows windows, uint64_t extra) {
    out->extras[windows][out->extra_count[windows]++] = extra;
}

static void measure(const struct sub_core_grid *grid, const struct sub_core_kind *kind,
                    const struct chain_view *view, enum chain_mutant mutant, struct block *out) {
    struct sections block = {.grid = grid, .kind = kind, .mutant = mutant};
    uint64_t all[SUB_CORES_MAX + 1] = {0};
    memset(out, 0, sizeof *out);
    divide(&block);
    for (uint32_t j = 0; j < block.count; j++) {
        uint64_t loads[SUB_CORES_MAX + 1];
        const uint64_t behind = grid->sub_cores > 1 ? sigma(&block, view, j) : 0;
        section_loads(&block, j, loads);
        for (uint32_t c = 0; c <= SUB_CORES_MAX; c++) {
            all[c] += loads[c];
            out->initiations += loads[c];
        }
        out->work_fine += work_of(&block, loads);
        for (uint32_t i = 1; i < grid->sub_cores; i++) {
            add_extra(out, FINE, sum_of(loads[i], mutant == CHAIN_NO_SIGMA_IN_EXTRAS ? 0 : behind));
            add_extra(out, ISSUED, loads[i]);
        }
        if (j > 0 && grid->sub_cores > 1 && mutant != CHAIN_NO_SIGMA_ELEMENTS) add_extra(out, FINE, behind);
    }
    out->work_coarse = work_of(&block, all);
    for (uint32_t i = 1; i < grid->sub_cores; i++)
        add_extra(out, COARSE, all[i]);
    if (mutant == CHAIN_WORK_COARSE) out->work_fine = out->work_coarse;
    out->latency = latency_of(&block);
    out->alone = alone(&block);
    out->changes = mutant == CHAIN_ONE_SECTION ? 1 : changes(&block);
    if (mutant == CHAIN_CHANGE_FEWER) out->changes = max(1, out->changes - 1);
}

/* ---- Grids ---- */

struct grid {
    uint32_t count;
    struct block *blocks;
    uint64_t rooms, sms, delay, service;
    bool is_static;
    const struct chain_view *view;
    enum windows windows;
    enum chain_mutant mutant;
};

static uint64_t work_in(const struct grid *grid, uint32_t b) {
    return grid->windows == COARSE ? grid->blocks[b].work_coarse : grid->blocks[b].work_fine;
}

static uint64_t sum_largest(uint64_t *values, uint32_t count, uint64_t n) {
    uint64_t sum = 0;
    qsort(values, count, sizeof *values, falling);
    for (uint32_t i = 0; i < count && i < n; i++)
        sum = sum_of(sum, values[i]);
    return sum;
}

/* W^n. */
static uint64_t work(const struct grid *grid, uint64_t n) {
    uint64_t each[CHAIN_BLOCKS_MAX];
    for (uint32_t b = 0; b < grid->count; b++)
        each[b] = work_in(grid, b);
    return sum_largest(each, grid->count, less(n, grid->mutant == CHAIN_BLOCK_FEWER));
}

/* E^n. */
static uint64_t all_work(const struct grid *grid, uint64_t n) {
    uint64_t each[CHAIN_BLOCKS_MAX];
    for (uint32_t b = 0; b < grid->count; b++)
        each[b] = grid->blocks[b].initiations;
    return sum_largest(each, grid->count, less(n, grid->mutant == CHAIN_BLOCK_FEWER));
}

/* own of a block. */
static uint64_t own_of(const struct grid *grid, uint32_t b) {
    const struct block *block = &grid->blocks[b];
    if (grid->windows == ISSUED) return block->latency;
    return less(min(block->work_fine + block->latency, block->alone), work_in(grid, b));
}

/* The sum of the largest. */
static uint64_t owns(const struct grid *grid, uint64_t count) {
    uint64_t each[CHAIN_BLOCKS_MAX];
    for (uint32_t b = 0; b < grid->count; b++)
        each[b] = own_of(grid, b);
    return sum_largest(each, grid->count, count);
}

/* The same of the blocks before the last one. */
static uint64_t owns_before(const struct grid *grid, uint64_t count) {
    if (grid->mutant == CHAIN_NO_OWN) return 0;
    return owns(grid, less(count, grid->mutant == CHAIN_OWN_FEWER));
}

static uint64_t latency(const struct grid *grid) {
    uint64_t most = 0;
    for (uint32_t b = 0; b < grid->count && grid->mutant != CHAIN_NO_LAST; b++)
        most = max(most, grid->blocks[b].latency);
    return most;
}

static uint64_t most_changes(const struct grid *grid) {
    uint64_t most = 0;
    for (uint32_t b = 0; b < grid->count; b++)
        most = max(most, grid->blocks[b].changes);
    return most;
}

/* TOP_picks(n). */
static uint64_t top(const struct grid *grid, uint64_t picks, uint64_t n) {
    uint64_t *all = malloc(EXTRAS_MAX * sizeof *all), rests[CHAIN_BLOCKS_MAX];
    uint32_t count = 0;
    if (all == NULL) abort();
    for (uint32_t b = 0; b < grid->count; b++) {
        const struct block *block = &grid->blocks[b];
        rests[b] = less(block->initiations, work_in(grid, b));
        for (uint32_t i = 0; i < block->extra_count[grid->windows]; i++)
            all[count++] = block->extras[grid->windows][i];
    }
    if (grid->mutant == CHAIN_HALF_PICKS) picks = (picks + 1) / 2;
    if (grid->mutant == CHAIN_PICK_FEWER) picks = less(picks, 1);
    if (grid->mutant == CHAIN_REST_OF_FEWER) n = less(n, 1);
    const uint64_t picked = sum_largest(all, count, picks);
    free(all);
    return grid->mutant == CHAIN_NO_EXTRAS ? 0 : min(picked, sum_largest(rests, grid->count, n));
}

/* What n blocks keep the chain waiting: no more than all of them do. */
static uint64_t busy_with(const struct grid *grid, uint64_t n, uint64_t extras) {
    return min(sum_of(work(grid, n), extras), all_work(grid, n));
}

/* S'_n. */
static uint64_t together(const struct grid *grid, uint64_t n) {
    const uint64_t extras = top(grid, (n - 1) * (most_changes(grid) - 1), n - 1);
    return busy_with(grid, n, extras) + (grid->mutant == CHAIN_NO_LAST ? 0 : owns(grid, 1));
}

static uint64_t delays(const struct grid *grid, uint64_t count) {
    if (grid->mutant == CHAIN_NO_DELAY) return 0;
    return less(count, grid->mutant == CHAIN_DELAY_FEWER) * grid->delay;
}

/* h'(n). */
static uint64_t h(const struct grid *grid, uint64_t n) {
    const uint64_t turns = (n + grid->rooms - 1) / grid->rooms, change = most_changes(grid);
    const uint64_t late = grid->is_static && grid->service > 0 && n > 1 ? delays(grid, 1) : 0;
    if (n <= grid->rooms) return sum_of(together(grid, n), late);
    const uint64_t cut = turns - (grid->mutant == CHAIN_PICKS_OF_TURNS);
    const uint64_t picks =
        less((grid->rooms - 1) * less(cut * change, 1), grid->mutant == CHAIN_PICK_FEWER_LATER);
    uint64_t last = latency(grid);
    if (grid->mutant == CHAIN_LAST_IS_OWN) last = 0;
    if (grid->mutant != CHAIN_LAST_IS_LATENCY && grid->mutant != CHAIN_NO_LAST)
        last = max(last, owns(grid, 1));
    return busy_with(grid, n, top(grid, picks, n)) + owns_before(grid, turns - 1) + last +
           delays(grid, turns - 1);
}

/* g'(q). */
static uint64_t g(const struct grid *grid, uint64_t q) {
    const uint64_t turns = q / grid->rooms;
    const uint64_t cut = turns - (grid->mutant == CHAIN_PICKS_OF_TURNS);
    const uint64_t picks = (grid->rooms - 1) * less(cut * most_changes(grid), 1);
    return busy_with(grid, q, top(grid, picks, q)) + owns_before(grid, turns) + delays(grid, turns - 1);
}

static uint64_t tail(const struct grid *grid) {
    if (grid->mutant == CHAIN_NO_TAIL) return 0;
    return together(grid, grid->mutant == CHAIN_TAIL_OF_ONE ? 1 : grid->rooms);
}

static bool starts_at_once(const struct grid *grid) {
    return grid->count <= grid->sms * grid->rooms;
}

static uint64_t one_sm(const struct grid *grid) {
    if (starts_at_once(grid)) return h(grid, (grid->count + grid->sms - 1) / grid->sms);
    return h(grid, grid->count - (grid->sms - 1) * grid->rooms);
}

static uint64_t balance(const struct grid *grid) {
    uint64_t longest = 0;
    if (grid->sms == 1 || starts_at_once(grid)) return one_sm(grid);
    for (uint64_t n = grid->rooms; n <= grid->count - (grid->sms - 1) * grid->rooms; n++) {
        const uint64_t others = grid->sms - 1 + (grid->mutant == CHAIN_SM_MORE);
        const uint64_t q = max((grid->count - n) / others, grid->rooms);
        longest = max(longest, min(h(grid, n), sum_of(g(grid, q), tail(grid) + delays(grid, 1))));
    }
    return longest;
}

/* Theorem D with so much time behind the last dispatch. */
static uint64_t area_with(const struct grid *grid, uint64_t tail) {
    const uint64_t rooms = grid->rooms, sms = grid->sms + (grid->mutant == CHAIN_SM_MORE);
    uint64_t owns_all = owns_before(grid, grid->count), changes_all = 0, last = latency(grid);
    for (uint32_t b = 0; b < grid->count; b++)
        changes_all += grid->blocks[b].changes;
    if (grid->mutant == CHAIN_PICKS_OF_TURNS) changes_all = less(changes_all, rooms * most_changes(grid));
    if (grid->view->larger_last) last = max(last, owns(grid, 1));
    const uint64_t picks = less(changes_all + (rooms - 1) * most_changes(grid), grid->sms * rooms);
    const uint64_t after = last + top(grid, picks, grid->count) + delays(grid, 1);
    const uint64_t all = rooms * work(grid, grid->count) + owns_all + (rooms - 1) * after +
                         (grid->sms - 1) * rooms * (tail + delays(grid, 1)) +
                         delays(grid, less(grid->count, grid->sms * rooms));
    const uint64_t slots = sms * rooms;
    return slots == 0 ? NONE : all / slots;
}

static uint64_t area(const struct grid *grid) {
    if (starts_at_once(grid)) return one_sm(grid);
    const uint64_t whole = grid->service > 0 ? together(grid, grid->rooms) + delays(grid, 1) : 0;
    return max(area_with(grid, tail(grid)), whole);
}

static uint64_t bound_of(const struct grid *grid, enum chain_bound bound) {
    switch (bound) {
    case CHAIN_BALANCE: return balance(grid);
    case CHAIN_AREA: return area(grid);
    default: return one_sm(grid);
    }
}

/* Whether the view knows what sections leave behind. */
static bool knows_windows(const struct grid *grid) {
    for (uint32_t b = 0; grid->view->largest_sigma && grid->windows == FINE && b < grid->count; b++)
        for (uint32_t i = 0; i < grid->blocks[b].extra_count[FINE]; i++)
            if (grid->blocks[b].extras[FINE][i] == NONE) return false;
    return true;
}

static uint64_t term_of(const struct grid *grid, enum chain_term term, uint64_t n) {
    if (!knows_windows(grid)) return NONE;
    switch (term) {
    case CHAIN_TOGETHER: return together(grid, n);
    case CHAIN_OF_SM: return h(grid, n);
    case CHAIN_OF_OTHER: return g(grid, n);
    default: return area_with(grid, n);
    }
}

/* A grid without blocks. */
static struct grid begin(const struct sub_core_grid *from, const struct chain_view *view,
                         enum chain_mutant mutant) {
    struct grid grid = {.blocks = calloc(CHAIN_BLOCKS_MAX, sizeof *grid.blocks),
                        .rooms = from->rooms + (mutant == CHAIN_ROOM_MORE),
                        .sms = from->is_static ? 1 : from->sms,
                        .delay = from->delay,
                        .service = from->service,
                        .is_static = from->is_static,
                        .view = view,
                        .mutant = mutant};
    if (grid.blocks == NULL || sub_core_grid_blocks(from) > CHAIN_BLOCKS_MAX || from->rooms == 0) abort();
    return grid;
}

/* Every `step`-th block, from number `first` on. */
static void add_blocks(const struct sub_core_grid *from, uint32_t first, uint32_t step, struct grid *grid) {
    uint32_t number = 0;
    grid->count = 0;
    for (uint32_t k = 0; k < from->kind_count; k++) {
        struct block block;
        measure(from, &from->kinds[k], grid->view, grid->mutant, &block);
        for (uint32_t b = 0; b < from->kinds[k].blocks; b++, number++)
            if (number >= first && (number - first) % step == 0) grid->blocks[grid->count++] = block;
    }
}

uint64_t naive_chain_bound(const struct sub_core_grid *from, const struct chain_view *view,
                           enum chain_bound bound, enum chain_mutant mutant) {
    struct grid grid = begin(from, view, mutant);
    uint64_t longest = 0;
    for (uint32_t sm = 0; sm < (from->is_static ? from->sms : 1); sm++) {
        add_blocks(from, sm, from->is_static ? from->sms : 1, &grid);
        uint64_t least = NONE;
        for (grid.windows = FINE; grid.count > 0 && grid.windows < WINDOWS; grid.windows++)
            least = min(least, bound_of(&grid, from->is_static ? CHAIN_ONE_SM : bound));
        if (grid.count > 0) longest = max(longest, least);
    }
    free(grid.blocks);
    const uint64_t services = sub_core_grid_blocks(from) - (mutant == CHAIN_SERVICE_FEWER);
    return sum_of(longest, mutant == CHAIN_NO_SERVICE ? 0 : services * from->service);
}

uint64_t naive_chain_term(const struct sub_core_grid *from, const struct chain_view *view,
                          enum chain_term term, uint64_t n) {
    struct grid grid = begin(from, view, CHAIN_AS_PROVEN);
    uint64_t least = NONE;
    add_blocks(from, 0, 1, &grid);
    for (grid.windows = FINE; grid.windows < WINDOWS; grid.windows++)
        least = min(least, term_of(&grid, term, n));
    free(grid.blocks);
    return least;
}
