/* The bounds of docs/machine-code-bounds.md, instruction by instruction. */
#include "naive_sass.h"

#include <string.h>

#define POSITIONS SASS_GRID_INSTS

/* A block in the middle of it. */
struct view {
    const struct sass_grid *grid;
    const struct sass_program *programs; /* of the block */
    enum sass_mutant mutant;
    bool clash[SASS_GRID_UNITS];
    bool blocks_back[SASS_GRID_UNITS][SASS_GRID_UNITS]; /* [u][v]: v, when held, can keep u from its next */
    uint32_t section[SASS_GRID_WARPS][POSITIONS];
    uint32_t sections;
};

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static uint64_t beyond(uint64_t time, uint64_t hold) {
    return time > hold ? time - hold : 0;
}

static const struct sass_timed *entry(const struct view *view, uint32_t w, uint32_t k) {
    return &view->programs[w].steps[k].stated;
}

/* ---- Lines that are missed once -------------------------------------------------------------------------
 */

static uint32_t l1_line(const struct view *view, uint32_t w, uint32_t k) {
    return entry(view, w, k)->line / view->grid->lines.halves;
}

/* Whether a warp has executed an instruction of the L1's line (or its constant) in a section before
 * `section`.
 */
static bool is_in_l1(const struct view *view, uint32_t w, uint32_t section, uint32_t line, bool constant) {
    for (uint32_t v = 0; v < view->grid->warps; v++)
        for (uint32_t q = 0; q < view->programs[v].count; q++) {
            const uint32_t its = constant ? entry(view, v, q)->constant_line : l1_line(view, v, q);
            uint32_t since = view->section[v][q];
            if (view->mutant == SASS_COLD_ASKED && !constant && q > 0) since = view->section[v][q - 1];
            const bool soon = view->mutant == SASS_COLD_SAME_SECTION && v != w;
            if (its == line && since < section + soon) return true;
        }
    return false;
}

/* What a miss of the line of instruction k keeps it from issue behind the one before. */
static uint64_t fetch_of(const struct view *view, uint32_t w, uint32_t k) {
    const struct sass_lines *lines = &view->grid->lines;
    const uint32_t line = entry(view, w, k)->line;
    /* A barrier asks for what is behind it. */
    const uint32_t section = k > 0 ? view->section[w][k - 1] : 0;
    bool asked = false, asked_l1 = is_in_l1(view, w, section, l1_line(view, w, k), false);
    if (view->mutant == SASS_NO_FETCH) return 0;
    for (uint32_t o = 0; o < k; o++) {
        asked = asked || entry(view, w, o)->line == line;
        asked_l1 = asked_l1 || l1_line(view, w, o) == l1_line(view, w, k);
    }
    if (view->mutant == SASS_NO_COLD || (view->mutant == SASS_COLD_FIRST_WARP && w > 0))
        asked = asked_l1 = true;
    if (view->mutant == SASS_COLD_ONE_CORE && w > 0) asked = true;
    return entry(view, w, k)->fetch + (lines->l0 && !asked ? lines->stated.l0 : 0) +
           (lines->l1 && !asked_l1 ? lines->stated.l1 : 0);
}

/* Whether the warp asks for the constant of instruction k for the first time. */
static bool is_new_constant(const struct view *view, uint32_t w, uint32_t k) {
    const uint32_t line = entry(view, w, k)->constant_line;
    for (uint32_t o = 0; o < k; o++)
        if (entry(view, w, o)->constant_line == line) return false;
    return line != SASS_NO_LINE && view->grid->lines.constants && view->mutant != SASS_NO_COLD;
}

static uint32_t operand_of(const struct view *view, uint32_t w, uint32_t k) {
    const struct sass_lines *lines = &view->grid->lines;
    const uint32_t stated = entry(view, w, k)->operand, line = entry(view, w, k)->constant_line;
    if (!is_new_constant(view, w, k)) return stated;
    const bool in_l1 = !lines->l1 || is_in_l1(view, w, view->section[w][k], line, true);
    return stated + lines->stated.constant + (in_l1 ? 0 : lines->stated.l1);
}

static uint32_t slot_of(const struct view *view, uint32_t w, uint32_t k) {
    if (view->mutant == SASS_NO_BUBBLES) return 1;
    bool probes = is_new_constant(view, w, k) && view->mutant != SASS_COLD_PROBE;
    if (view->mutant == SASS_COLD_PROBE_ONCE && w >= view->grid->sub_cores) probes = false;
    return entry(view, w, k)->slot + (probes ? view->grid->lines.stated.probe : 0);
}

uint64_t naive_sass_misses(const struct sass_grid *grid) {
    const struct sass_lines *lines = &grid->lines;
    uint32_t l0 = 0, l1 = 0, constants = 0;
    uint64_t sum = 0;
    for (uint32_t w = 0; w < grid->blocks * grid->warps; w++)
        for (uint32_t k = 0; k < grid->programs[w].count; k++) {
            const struct sass_timed *timed = &grid->programs[w].steps[k].stated;
            if (lines->l0) l0 |= 1u << timed->line;
            if (lines->l1) l1 |= 1u << timed->line / lines->halves;
            if (lines->constants && timed->constant_line != SASS_NO_LINE)
                constants |= 1u << timed->constant_line;
        }
    for (uint32_t l = 0; l < SASS_GRID_LINES; l++)
        sum += (l0 >> l & 1) * grid->sub_cores * lines->stated.l0 + (l1 >> l & 1) * lines->stated.l1;
    for (uint32_t l = 0; l < SASS_GRID_CONSTANTS; l++)
        if ((constants >> l & 1) != 0)
            sum += (uint64_t)grid->sub_cores * (lines->stated.constant + lines->stated.probe) +
                   (lines->l1 ? lines->stated.l1 : 0);
    return sum;
}

static bool is_latch(const struct sass_grid *grid, const struct sass_timed *timed) {
    return timed->stage_count > 0 && (timed->fixed || grid->queue[timed->stages[0].unit] == 0);
}

static bool is_finite(const struct sass_grid *grid, const struct sass_timed *timed) {
    return timed->stage_count > 0 && !is_latch(grid, timed) &&
           grid->queue[timed->stages[0].unit] != SASS_UNLIMITED;
}

/* ---- Ways -----------------------------------------------------------------------------------------------
 */

/* Whether two instructions that have one unit on their ways, at stages a and b, come to it differently. */
static bool comes_differently(const struct sass_grid *grid, const struct sass_timed *x, uint32_t a,
                              const struct sass_timed *y, uint32_t b) {
    if (a != b || is_latch(grid, x) != is_latch(grid, y)) return true;
    for (uint32_t i = 0; i < a; i++)
        if (x->stages[i].unit != y->stages[i].unit) return true;
    return false;
}

static void find_meetings(const struct sass_grid *grid, bool clash[SASS_GRID_UNITS]) {
    const struct sass_timed *first[SASS_GRID_UNITS] = {NULL};
    uint32_t stage[SASS_GRID_UNITS] = {0};
    memcpy(clash, grid->any_order, SASS_GRID_UNITS * sizeof *clash);
    for (uint32_t w = 0; w < grid->blocks * grid->warps; w++)
        for (uint32_t k = 0; k < grid->programs[w].count; k++) {
            const struct sass_timed *timed = &grid->programs[w].steps[k].stated;
            for (uint32_t i = 0; i < timed->stage_count; i++) {
                const uint8_t unit = timed->stages[i].unit;
                if (first[unit] == NULL) {
                    first[unit] = timed;
                    stage[unit] = i;
                }
                if (comes_differently(grid, timed, i, first[unit], stage[unit])) clash[unit] = true;
            }
        }
}

static void find_blocking(const struct sass_grid *grid, bool blocks_back[][SASS_GRID_UNITS]) {
    memset(blocks_back, 0, SASS_GRID_UNITS * sizeof *blocks_back);
    for (uint32_t u = 0; u < grid->units; u++)
        blocks_back[u][u] = true;
    for (uint32_t w = 0; w < grid->blocks * grid->warps; w++)
        for (uint32_t k = 0; k < grid->programs[w].count; k++) {
            const struct sass_timed *timed = &grid->programs[w].steps[k].stated;
            for (uint32_t i = 0; i + 1 < timed->stage_count; i++)
                if (grid->queue[timed->stages[i + 1].unit] != SASS_UNLIMITED)
                    blocks_back[timed->stages[i].unit][timed->stages[i + 1].unit] = true;
        }
    for (uint32_t v = 0; v < grid->units; v++)
        for (uint32_t u = 0; u < grid->units; u++)
            for (uint32_t x = 0; x < grid->units; x++)
                if (blocks_back[u][v] && blocks_back[v][x]) blocks_back[u][x] = true;
}

void naive_sass_clashes(const struct sass_grid *grid, bool clash[SASS_GRID_UNITS]) {
    bool meetings[SASS_GRID_UNITS], blocks_back[SASS_GRID_UNITS][SASS_GRID_UNITS];
    find_meetings(grid, meetings);
    find_blocking(grid, blocks_back);
    memcpy(clash, meetings, sizeof meetings);
    for (uint32_t u = 0; u < grid->units; u++)
        for (uint32_t v = 0; v < grid->units; v++)
            if (meetings[u] && blocks_back[u][v]) clash[v] = true;
}

/* Whether warps of other sub-cores can be kept waiting by who holds the unit: it is shared, or blocks back
 * onto one that is. */
static bool concerns_all(const struct view *view, uint8_t unit) {
    for (uint32_t u = 0; u < view->grid->units; u++)
        if (view->grid->shared[u] &&
            (u == unit || (view->blocks_back[u][unit] && view->mutant != SASS_SHARED_ONLY)))
            return true;
    return false;
}

/* Whether an instruction that asks for stage i of `timed` can be kept waiting by one that holds `unit`. */
static bool keeps_back(const struct view *view, const struct sass_timed *timed, uint32_t i, uint8_t unit) {
    return view->blocks_back[timed->stages[i].unit][unit];
}

/* ---- Own graph ------------------------------------------------------------------------------------------
 */

/* Longest paths to the events of one section of a warp. */
struct events {
    uint64_t issue[POSITIONS], start[POSITIONS][SASS_STAGES_MAX];
    uint64_t end[POSITIONS]; /* of the last stage */
};

static uint64_t read_end(const struct view *view, const struct events *events, uint32_t j,
                         const struct sass_timed *timed) {
    return view->mutant == SASS_NO_READ_COUNTER ? 0 : events->end[j] + timed->read_most;
}

/* What wait mask and DEPBAR of instruction k wait for, from instruction `first` on. */
static uint64_t awaited(const struct view *view, const struct events *events, uint32_t w, uint32_t first,
                        uint32_t k) {
    const struct sass_timed *timed = entry(view, w, k);
    uint64_t at = 0;
    uint32_t newer = 0; /* increments of the counter that may be left */
    for (uint32_t j = k; j-- > first;) {
        const struct sass_timed *before = entry(view, w, j);
        const uint64_t write = events->end[j] + before->write_most;
        const uint64_t read = read_end(view, events, j, before);
        if (before->write_counter != SASS_NO_COUNTER && (timed->waits >> before->write_counter & 1) != 0)
            at = larger(at, write);
        if (before->read_counter != SASS_NO_COUNTER && (timed->waits >> before->read_counter & 1) != 0)
            at = larger(at, read);
        if (timed->left_counter == SASS_NO_COUNTER) continue;
        const bool both =
            before->write_counter == timed->left_counter && before->read_counter == timed->left_counter;
        if (before->write_counter == timed->left_counter && newer++ >= timed->left) at = larger(at, write);
        if (before->read_counter == timed->left_counter && newer++ >= timed->left)
            at = larger(at, both && view->mutant == SASS_DEPBAR_WRITE_FIRST ? 0 : read);
    }
    return at;
}

/* Ends of own holds from instruction `first` on that must be over for k to be issued. */
static uint64_t own_holds(const struct view *view, const struct events *events, uint32_t w, uint32_t first,
                          uint32_t k) {
    const struct sass_timed *timed = entry(view, w, k);
    const struct sass_grid *grid = view->grid;
    uint64_t at = 0;
    for (uint32_t o = first; o < k; o++) {
        const struct sass_timed *before = entry(view, w, o);
        for (uint32_t i = 0; i < before->stage_count; i++) {
            const uint8_t unit = before->stages[i].unit;
            bool needed =
                (is_latch(grid, timed) || is_finite(grid, timed)) && keeps_back(view, timed, 0, unit);
            /* a full queue of the sub-core holds up everybody */
            for (uint32_t v = w % grid->sub_cores; !needed && v < grid->warps; v += grid->sub_cores)
                for (uint32_t q = 0; !needed && q < view->programs[v].count; q++)
                    needed = grid->rules.full_holds_issue && view->mutant != SASS_NO_HOLDING &&
                             is_finite(grid, entry(view, v, q)) &&
                             keeps_back(view, entry(view, v, q), 0, unit);
            if (needed) at = larger(at, events->start[o][i] + before->stages[i].init);
        }
    }
    return at;
}

static void set_starts(const struct view *view, struct events *events, uint32_t w, uint32_t first,
                       uint32_t k) {
    const struct sass_timed *timed = entry(view, w, k);
    uint64_t asked = events->issue[k];
    for (uint32_t i = 0; i < timed->stage_count; i++) {
        for (uint32_t o = first; o < k; o++) {
            const struct sass_timed *before = entry(view, w, o);
            for (uint32_t j = 0; j < before->stage_count; j++)
                if (keeps_back(view, timed, i, before->stages[j].unit))
                    asked = larger(asked, events->start[o][j] + before->stages[j].init);
        }
        events->start[k][i] = asked;
        asked += timed->stages[i].init;
        events->end[k] = asked;
        asked += timed->stages[i].transfer;
    }
    if (timed->stage_count == 0) events->end[k] = events->issue[k];
}

/* How long section s of warp w takes alone. */
static uint64_t iso(const struct view *view, uint32_t s, uint32_t w) {
    const struct sass_program *program = &view->programs[w];
    struct events events;
    uint32_t first = 0;
    uint64_t end = 0;
    while (first < program->count && view->section[w][first] < s)
        first++;
    for (uint32_t k = first; k < program->count && view->section[w][k] == s; k++) {
        const struct sass_timed *timed = entry(view, w, k);
        const uint64_t operand = operand_of(view, w, k);
        const uint64_t fetch = fetch_of(view, w, k);
        uint64_t at = k == 0 ? fetch : 0;
        if (k > first) {
            const struct sass_timed *before = entry(view, w, k - 1);
            at = events.issue[k - 1] + larger(larger(before->stall, slot_of(view, w, k - 1)), fetch);
        }
        const uint64_t waits = awaited(view, &events, w, first, k),
                       holds = own_holds(view, &events, w, first, k);
        at = view->mutant == SASS_OPERAND_BESIDE ? larger(at + operand, larger(waits, holds))
                                                 : larger(at, larger(waits, holds)) + operand;
        events.issue[k] = at;
        set_starts(view, &events, w, first, k);
        end = larger(end, events.end[k] + larger(timed->write_most, timed->read_most));
        end = larger(end, at + slot_of(view, w, k));
        if (timed->barrier && view->mutant != SASS_NO_CLOSING_STALL) {
            end = larger(end, at + timed->stall);
            if (k + 1 < program->count) end = larger(end, at + fetch_of(view, w, k + 1));
        }
    }
    return end;
}

/* ---- Charges --------------------------------------------------------------------------------------------
 */

static uint64_t sum_of_inits(const struct view *view, const struct sass_timed *timed, bool of_all) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < timed->stage_count; i++) {
        if (of_all && !concerns_all(view, timed->stages[i].unit)) continue;
        sum = view->mutant == SASS_LARGEST_STAGE ? larger(sum, timed->stages[i].init)
                                                 : sum + timed->stages[i].init;
    }
    return sum;
}

/* How long an instruction can hold up the warps of its sub-core. */
static uint64_t charge(const struct view *view, uint32_t w, uint32_t k) {
    const struct sass_timed *timed = entry(view, w, k);
    const uint64_t inits = sum_of_inits(view, timed, false), slot = slot_of(view, w, k);
    if (timed->stage_count == 0) return slot;
    if (view->mutant == SASS_LARGEST_STAGE) return larger(slot, inits);
    if (!is_latch(view->grid, timed)) return slot + inits;
    if (operand_of(view, w, k) > 0 && view->mutant != SASS_PROBE_INSIDE)
        return slot + inits - (view->mutant == SASS_NO_BUBBLES ? 0 : 1);
    return larger(slot, timed->stages[0].init) + inits - timed->stages[0].init;
}

static bool uses(const struct view *view, uint32_t w, uint32_t s, uint8_t unit) {
    for (uint32_t k = 0; k < view->programs[w].count; k++) {
        const struct sass_timed *timed = entry(view, w, k);
        for (uint32_t i = 0; i < timed->stage_count && view->section[w][k] == s; i++)
            if (timed->stages[i].unit == unit) return true;
    }
    return false;
}

/* What the other warps, and own instructions that may overtake own ones, hold in section s. */
static uint64_t others(const struct view *view, uint32_t s, uint32_t w, bool fib) {
    const struct sass_grid *grid = view->grid;
    uint64_t sum = 0;
    for (uint32_t u = 0; u < grid->warps; u++)
        for (uint32_t k = 0; k < view->programs[u].count; k++) {
            const struct sass_timed *timed = entry(view, u, k);
            if (view->section[u][k] != s) continue;
            if (u == w) {
                for (uint32_t i = 0; i < timed->stage_count && view->mutant != SASS_NO_OWN_CLASH; i++)
                    sum += view->clash[timed->stages[i].unit] ? timed->stages[i].init : 0;
                continue;
            }
            const bool unused = fib && timed->fixed && timed->stage_count > 0 &&
                                !view->clash[timed->stages[0].unit] && !grid->shared[timed->stages[0].unit] &&
                                !uses(view, w, s, timed->stages[0].unit);
            if (u % grid->sub_cores == w % grid->sub_cores)
                sum += unused ? slot_of(view, u, k) : charge(view, u, k);
            else
                sum += sum_of_inits(view, timed, true);
        }
    return sum;
}

/* Whether the warp waits for all of instruction k before position `end`: not by one that is issued in the
 * next cycle, which may not see its count yet. */
static bool is_awaited(const struct view *view, uint32_t w, uint32_t k, uint32_t end) {
    const struct sass_timed *timed = entry(view, w, k);
    for (uint32_t j = k + (timed->stall_least > 1 ? 1 : 2); j < end; j++) {
        uint32_t waits = entry(view, w, j)->waits;
        if (entry(view, w, j)->left_counter != SASS_NO_COUNTER && entry(view, w, j)->left == 0)
            waits |= 1u << entry(view, w, j)->left_counter;
        if (timed->write_counter != SASS_NO_COUNTER && (waits >> timed->write_counter & 1) != 0) return true;
        if (timed->read_counter != SASS_NO_COUNTER && (waits >> timed->read_counter & 1) != 0) return true;
    }
    return false;
}

static bool is_serial(const struct view *view, const struct sass_timed *timed) {
    for (uint32_t i = 0; i < timed->stage_count; i++)
        if (!view->blocks_back[timed->stages[0].unit][timed->stages[i].unit]) return false;
    return true;
}

static bool ends_with_barrier(const struct view *view, uint32_t s) {
    for (uint32_t w = 0; w < view->grid->warps; w++)
        for (uint32_t k = 0; k < view->programs[w].count; k++)
            if (view->section[w][k] == s && entry(view, w, k)->barrier) return true;
    return false;
}

/* What warp w can leave behind section s, beyond the end of its longest path, at the barrier that ends it, or
 * at those of other warps when it ends there. */
static uint64_t spill(const struct view *view, uint32_t s, uint32_t w) {
    const struct sass_program *program = &view->programs[w];
    uint64_t pipe[SASS_GRID_UNITS] = {0}, one[SASS_GRID_UNITS] = {0}, latch[SASS_GRID_UNITS] = {0};
    uint64_t largest = 0, ahead = 0;
    uint32_t end = program->count;
    if (!ends_with_barrier(view, s)) return 0;
    while (end > 0 && view->section[w][end - 1] > s)
        end--;
    if (end == 0 || view->section[w][end - 1] < s) return 0;
    const struct sass_timed *last = entry(view, w, end - 1);
    const bool queued = last->stage_count > 0 && !last->fixed;
    uint64_t left = slot_of(view, w, end - 1) - (queued ? 0u : 1u);
    for (uint32_t k = end; k-- > 0 && view->section[w][k] == s;) {
        const struct sass_timed *timed = entry(view, w, k);
        if (k + 1 < end) ahead += timed->stall_least;
        const uint64_t inits = sum_of_inits(view, timed, false);
        if (timed->fixed) {
            if (timed->stage_count > 0)
                latch[timed->stages[0].unit] = larger(latch[timed->stages[0].unit], beyond(inits, ahead + 1));
        } else if (timed->stage_count > 0 && !is_awaited(view, w, k, end)) {
            left += inits;
            if (is_serial(view, timed)) {
                pipe[timed->stages[0].unit] += inits;
                largest = larger(largest, pipe[timed->stages[0].unit]);
                continue;
            }
            for (uint32_t i = 0; i < timed->stage_count; i++) {
                const uint8_t unit = timed->stages[i].unit;
                one[unit] += view->clash[unit] ? 0 : timed->stages[i].init;
                largest = larger(largest, one[unit]);
            }
        }
    }
    for (uint32_t u = 0; u < SASS_GRID_UNITS; u++)
        left += latch[u];
    return left - largest;
}

/* ---- Latencies ------------------------------------------------------------------------------------------
 */

/* Cycles from its issue in which an instruction holds something, without a gap. */
static uint64_t hold_of(const struct view *view, uint32_t w, uint32_t k) {
    const struct sass_timed *timed = entry(view, w, k);
    const uint32_t first = timed->stage_count > 0 ? timed->stages[0].init : 1;
    return operand_of(view, w, k) > 0 || timed->slot < first ? first : timed->slot;
}

static uint64_t work_of(const struct view *view, uint32_t w, uint32_t k) {
    const struct sass_timed *timed = entry(view, w, k);
    const uint64_t inits = sum_of_inits(view, timed, false);
    if (view->mutant == SASS_NO_BUBBLES) return inits > 0 ? inits : 1;
    if (operand_of(view, w, k) > 0 || timed->stage_count == 0) return slot_of(view, w, k) + inits;
    return hold_of(view, w, k) + inits - timed->stages[0].init;
}

/* Longest chain of cycles in which nothing need be held. */
static uint64_t chain(const struct view *view) {
    const struct sass_grid *grid = view->grid;
    static struct events events[SASS_GRID_WARPS];
    uint64_t released = 0, lam = 0;
    uint32_t next[SASS_GRID_WARPS] = {0};
    for (uint32_t s = 0; s < view->sections; s++) {
        uint64_t arrived = released;
        for (uint32_t w = 0; w < grid->warps; w++) {
            for (uint32_t k = next[w]; k < view->programs[w].count && view->section[w][k] == s; k++) {
                const struct sass_timed *timed = entry(view, w, k);
                const uint64_t operand = operand_of(view, w, k);
                const uint64_t fetch = fetch_of(view, w, k);
                uint64_t at = larger(released, k == 0 ? fetch : 0);
                if (k > 0) {
                    const struct sass_timed *before = entry(view, w, k - 1);
                    at = larger(at, events[w].issue[k - 1] +
                                        beyond(larger(before->stall, fetch), hold_of(view, w, k - 1)));
                }
                const uint64_t waits = awaited(view, &events[w], w, 0, k);
                at = view->mutant == SASS_OPERAND_BESIDE ? larger(at + operand, waits)
                                                         : larger(at, waits) + operand;
                events[w].issue[k] = events[w].end[k] = at;
                uint64_t start = at;
                for (uint32_t i = 0; i < timed->stage_count; i++) {
                    for (uint32_t o = 0; o < k && view->mutant != SASS_LAM_OWN_ORDER; o++)
                        for (uint32_t j = 0; j < entry(view, w, o)->stage_count; j++)
                            if (entry(view, w, o)->stages[j].unit == timed->stages[i].unit &&
                                !view->clash[timed->stages[i].unit])
                                start = larger(start, events[w].start[o][j]);
                    events[w].start[k][i] = events[w].end[k] = start;
                    start += view->mutant == SASS_NO_TRANSFER ? 0 : timed->stages[i].transfer;
                }
                lam = larger(lam, events[w].end[k] + larger(timed->write_most, timed->read_most));
                arrived = larger(arrived, at);
                if (timed->barrier) arrived = larger(arrived, events[w].end[k]);
                next[w] = k + 1;
            }
        }
        released = arrived + (s + 1 < view->sections ? grid->release : 0);
    }
    return lam;
}

/* ---- Blocks ---------------------------------------------------------------------------------------------
 */

static struct view view_of(const struct sass_grid *grid, uint32_t first_warp, enum sass_mutant mutant) {
    struct view view = {.grid = grid, .programs = &grid->programs[first_warp], .mutant = mutant};
    if (mutant == SASS_CLASH_ALONE) {
        find_meetings(grid, view.clash);
    } else if (mutant == SASS_ALL_IN_ORDER) {
        struct sass_grid in_order = *grid;
        memset(in_order.any_order, 0, sizeof in_order.any_order);
        naive_sass_clashes(&in_order, view.clash);
    } else {
        naive_sass_clashes(grid, view.clash);
    }
    find_blocking(grid, view.blocks_back);
    for (uint32_t w = 0; w < grid->warps; w++) {
        uint32_t s = 0;
        for (uint32_t k = 0; k < view.programs[w].count; k++) {
            view.section[w][k] = s;
            if (s + 1 > view.sections) view.sections = s + 1;
            s += entry(&view, w, k)->barrier;
        }
    }
    return view;
}

struct sass_bounds naive_sass_block(const struct sass_grid *grid, uint32_t first_warp,
                                    enum sass_mutant mutant) {
    const struct view view = view_of(grid, first_warp, mutant);
    struct sass_bounds bounds = {.sib = 0};
    for (uint32_t s = 0; s < view.sections; s++) {
        uint64_t sib = 0, fib = 0;
        const bool ends = ends_with_barrier(&view, s);
        for (uint32_t w = 0; w < grid->warps; w++) {
            const uint64_t own = iso(&view, s, w) + spill(&view, s, w);
            sib = larger(sib, own + others(&view, s, w, false));
            fib = larger(fib, own + others(&view, s, w, true));
        }
        if (mutant == SASS_ISO_AND_WARPS) fib = iso(&view, s, 0) + grid->warps - 1;
        bounds.sib += sib + (ends ? grid->release : 0);
        bounds.fib += fib + (ends ? grid->release : 0);
    }
    const uint32_t beside = grid->beside[first_warp / grid->warps];
    bounds.sib += beside;
    bounds.fib += beside;
    bounds.elb = chain(&view) + beside;
    for (uint32_t w = 0; w < grid->warps; w++)
        for (uint32_t k = 0; k < view.programs[w].count; k++)
            bounds.elb += work_of(&view, w, k);
    return bounds;
}

/* ---- Grids ----------------------------------------------------------------------------------------------
 */

/* What the bounds of grids take from a block, and those that an SM gets: in falling order. */
struct works {
    uint32_t count;
    uint64_t work[SASS_GRID_WARPS]; /* E */
    uint64_t lam[SASS_GRID_WARPS];
    uint64_t holds[SASS_GRID_WARPS];   /* H: what it can hold as one of others */
    uint64_t alone[SASS_GRID_WARPS];   /* SIB+ */
    uint64_t solo[SASS_GRID_WARPS];    /* the least of the bounds of the block */
    uint64_t busiest[SASS_GRID_WARPS]; /* sub-core, and what is shared */
    uint64_t beyond[SASS_GRID_WARPS];  /* what the other sub-cores have of their own, together */
    uint64_t own[SASS_GRID_WARPS];     /* what its stay takes beside what is held by `busiest` and others */
    uint32_t extra_count;
    uint64_t extras[SASS_GRID_WARPS * SASS_GRID_CORES]; /* what each of the other sub-cores has */
    uint32_t turns; /* sub-cores that a chain of a block runs in, one behind the other, at most */
};

static void add_work(const struct sass_grid *grid, uint32_t b, enum sass_mutant mutant, struct works *works) {
    const struct view view = view_of(grid, b * grid->warps, mutant);
    const struct sass_bounds bounds = naive_sass_block(grid, b * grid->warps, mutant);
    const uint32_t n = works->count++;
    uint64_t own[SASS_GRID_CORES] = {0}, shared = 0;
    works->lam[n] = chain(&view);
    works->alone[n] = bounds.sib;
    works->solo[n] = bounds.fib < bounds.elb ? bounds.fib : bounds.elb;
    works->work[n] = works->holds[n] = grid->beside[b];
    for (uint32_t w = 0; w < grid->warps; w++)
        for (uint32_t k = 0; k < view.programs[w].count; k++) {
            const struct sass_timed *timed = entry(&view, w, k);
            const uint64_t both = sum_of_inits(&view, timed, true);
            works->work[n] += work_of(&view, w, k);
            works->holds[n] += charge(&view, w, k);
            own[w % grid->sub_cores] += beyond(work_of(&view, w, k), both);
            shared += both;
        }
    for (uint32_t i = 0; i < grid->sub_cores; i++)
        for (uint32_t j = i + 1; j < grid->sub_cores; j++)
            if (own[j] > own[i]) {
                const uint64_t swap = own[i];
                own[i] = own[j];
                own[j] = swap;
            }
    const bool one = grid->warps == 1 || mutant == SASS_ONE_TURN;
    const uint32_t turns = one || view.sections == 0 ? 1 : view.sections;
    works->turns = turns > works->turns ? turns : works->turns;
    works->busiest[n] = own[0] + shared + grid->beside[b];
    works->own[n] = works->lam[n];
    works->beyond[n] = 0;
    for (uint32_t i = 1; i < grid->sub_cores; i++) {
        if (mutant != SASS_NO_EXTRAS) works->extras[works->extra_count++] = own[i];
        if (i < turns) works->own[n] += own[i];
        works->beyond[n] += own[i];
    }
}

static void sort(uint64_t *numbers, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = i + 1; j < count; j++)
            if (numbers[j] > numbers[i]) {
                const uint64_t swap = numbers[i];
                numbers[i] = numbers[j];
                numbers[j] = swap;
            }
}

/* Sum of the n largest. */
static uint64_t top(const uint64_t *numbers, uint32_t count, uint32_t n) {
    uint64_t sorted[SASS_GRID_WARPS * SASS_GRID_CORES], sum = 0;
    memcpy(sorted, numbers, count * sizeof *numbers);
    sort(sorted, count);
    for (uint32_t i = 0; i < n && i < count; i++)
        sum += sorted[i];
    return sum;
}

static uint64_t smaller(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* S_n: n blocks that no other comes to. */
static uint64_t tail(const struct works *works, uint32_t n) {
    uint64_t most = 0;
    if (n == 1) return top(works->solo, works->count, 1);
    for (uint32_t b = 0; b < works->count && n > 0; b++) {
        uint64_t work[SASS_GRID_WARPS], holds[SASS_GRID_WARPS];
        uint32_t count = 0;
        for (uint32_t o = 0; o < works->count; o++) {
            if (o == b) continue;
            work[count] = works->work[o];
            holds[count++] = works->holds[o];
        }
        const uint64_t idle = works->work[b] + works->lam[b] + top(work, count, n - 1);
        const uint64_t walk = works->alone[b] + top(holds, count, n - 1);
        most = larger(most, smaller(idle, walk));
    }
    return most;
}

/* W(n, f): n blocks, f of which follow each other in a slot. */
static uint64_t follow(const struct works *works, uint32_t n, uint32_t f) {
    uint64_t alpha[SASS_GRID_WARPS];
    for (uint32_t b = 0; b < works->count; b++)
        alpha[b] = larger(works->alone[b], works->holds[b]);
    const uint64_t lam = top(works->lam, works->count, 1);
    const uint64_t idle = top(works->work, works->count, n) + f * lam;
    return smaller(idle, top(alpha, works->count, f) + top(works->holds, works->count, n - f));
}

/* h(n): an SM that gets n blocks in all. */
static uint64_t one_sm(const struct sass_grid *grid, const struct works *works, uint32_t n) {
    if (grid->slots <= 1) return top(works->solo, works->count, n);
    if (n <= grid->slots) return tail(works, n);
    const uint32_t f = (n - 1) / grid->slots;
    return follow(works, n, f) + top(works->lam, works->count, 1);
}

/* What n blocks hold of what a chain reaches that changes its sub-core so often among `others` of them. */
static uint64_t reached(const struct works *works, uint32_t n, uint32_t changes, uint32_t others) {
    const uint64_t cut =
        smaller(top(works->extras, works->extra_count, changes), top(works->beyond, works->count, others));
    return top(works->busiest, works->count, n) + smaller(cut, top(works->beyond, works->count, n));
}

/* S'_n, h'(n), g'(n): the same by chains through sub-cores. */
static uint64_t tail_chain(const struct works *works, uint32_t n) {
    if (n == 0) return 0;
    return reached(works, n, (n - 1) * (works->turns - 1), n - 1) + top(works->own, works->count, 1);
}

static uint64_t one_sm_chain(const struct sass_grid *grid, const struct works *works, uint32_t n) {
    const uint32_t r = grid->slots, f = (n + r - 1) / r;
    if (n <= r) return tail_chain(works, n);
    const uint64_t last = larger(top(works->own, works->count, 1), top(works->lam, works->count, 1));
    return reached(works, n, (r - 1) * (f * works->turns - 1), n) + top(works->own, works->count, f - 1) +
           last;
}

static uint64_t other_chain(const struct sass_grid *grid, const struct works *works, uint32_t q) {
    const uint32_t r = grid->slots, f = q / r;
    const uint32_t changes = (r - 1) * (f * works->turns - 1);
    return reached(works, q, changes, q) + top(works->own, works->count, f);
}

static uint64_t area_chain(const struct sass_grid *grid, const struct works *works) {
    const uint32_t m = grid->sms, r = grid->slots, b = works->count;
    if (m * r == 0 || b <= m * r) return UINT64_MAX;
    const uint32_t changes = b * works->turns + (r - 1) * works->turns - m * r;
    const uint64_t work = top(works->busiest, b, b), extras = reached(works, b, changes, b) - work;
    const uint64_t last = larger(top(works->own, b, 1), top(works->lam, b, 1));
    const uint64_t behind = smaller(tail(works, r), tail_chain(works, r));
    return (r * work + (r - 1) * extras + top(works->own, b, b) + (r - 1) * last + (m - 1) * r * behind) /
           (m * r);
}

static uint64_t area(const struct sass_grid *grid, const struct works *works) {
    const uint64_t m = grid->sms, r = grid->slots, lam = top(works->lam, works->count, 1);
    const uint64_t all = works->count, rest = smaller(r, all);
    const uint64_t x =
        smaller(top(works->work, works->count, (uint32_t)rest), beyond(tail(works, (uint32_t)rest), lam));
    if (m * r == 0 || all <= m * r) return UINT64_MAX;
    return ((top(works->work, works->count, works->count) + (m - 1) * x) * r +
            top(works->lam, works->count, works->count) + (m * r - 1) * lam) /
           (m * r);
}

/* ---- Lines that grids miss once -------------------------------------------------------------------------
 */

/* What that adds where some blocks come first, and where others follow them. */
struct cold {
    uint64_t shared, chain, turns; /* beside their times */
    uint64_t longer, held, unsure; /* or to these */
    uint32_t slots;
};

static bool has_l0_line(const struct sass_grid *grid, const struct sass_timed *timed, uint32_t line) {
    return line < SASS_GRID_LINES ? timed->line == line
                                  : grid->lines.constants && timed->constant_line == line - SASS_GRID_LINES;
}

/* The section in which a warp of the block in a sub-core has a line first, of instructions or behind those of
 * constants; SASS_GRID_INSTS: in none. */
static uint32_t first_section(const struct view *view, uint32_t core, uint32_t line) {
    uint32_t first = SASS_GRID_INSTS;
    for (uint32_t w = core; w < view->grid->warps; w += view->grid->sub_cores)
        for (uint32_t k = 0; k < view->programs[w].count; k++)
            if (has_l0_line(view->grid, entry(view, w, k), line) && view->section[w][k] < first)
                first = view->section[w][k];
    return first;
}

/* Misses of L0s that keep back a chain of the block's warps. */
static uint64_t cold_chain(const struct view *view) {
    uint64_t sum = 0, largest = 0;
    for (uint32_t s = 0; s < SASS_GRID_INSTS && view->grid->lines.l0; s++) {
        uint64_t most = 0;
        for (uint32_t c = 0; c < view->grid->sub_cores; c++) {
            uint64_t own = 0;
            for (uint32_t line = 0; line < SASS_GRID_LINES; line++)
                if (first_section(view, c, line) == s) own += view->grid->lines.stated.l0;
            most = larger(most, own);
        }
        sum += most;
        largest = larger(largest, most);
    }
    return view->mutant == SASS_COLD_ONE_SECTION ? largest : sum;
}

/* By how much the block is longer, and holds more, when its warps find no line. */
static void note_longer(const struct sass_grid *grid, const struct sass_grid *warm, uint32_t b,
                        enum sass_mutant mutant, struct cold *cold) {
    const struct sass_bounds with = naive_sass_block(grid, b * grid->warps, mutant),
                             without = naive_sass_block(warm, b * grid->warps, mutant);
    const struct view cold_view = view_of(grid, b * grid->warps, mutant),
                      warm_view = view_of(warm, b * grid->warps, mutant);
    uint64_t work = 0, holds = 0;
    for (uint32_t w = 0; w < grid->warps; w++)
        for (uint32_t k = 0; k < warm_view.programs[w].count; k++) {
            work += work_of(&cold_view, w, k) - work_of(&warm_view, w, k);
            holds += charge(&cold_view, w, k) - charge(&warm_view, w, k);
        }
    cold->held = larger(cold->held, larger(work, holds));
    cold->longer = larger(cold->longer, larger(with.sib - without.sib, with.fib - without.fib));
    cold->longer = larger(cold->longer, beyond(chain(&cold_view), chain(&warm_view)));
    cold->longer = larger(cold->longer, cold->held);
    cold->chain = larger(cold->chain, cold_chain(&cold_view));
}

/* Lines that not every block has in every sub-core. */
static void note_unsure(const struct sass_grid *grid, enum sass_mutant mutant, struct cold *cold) {
    const struct sass_lines *lines = &grid->lines;
    uint64_t any = 0, unsure_l0 = 0;
    for (uint32_t line = 0; line < SASS_GRID_LINES + SASS_GRID_CONSTANTS; line++) {
        const bool constant = line >= SASS_GRID_LINES;
        const uint64_t l0 = lines->l0 && !constant ? grid->sub_cores * lines->stated.l0 : 0;
        const uint64_t own = constant ? grid->sub_cores * (lines->stated.constant + lines->stated.probe) : l0;
        bool touched = false, by_all = true;
        for (uint32_t b = 0; b < grid->blocks; b++)
            for (uint32_t c = 0; c < grid->sub_cores; c++) {
                const struct view view = view_of(grid, b * grid->warps, mutant);
                const bool here = first_section(&view, c, line) < SASS_GRID_INSTS;
                touched |= here;
                by_all &= here;
            }
        if (touched) any += l0;
        if (!touched || by_all || mutant == SASS_COLD_WARM) continue;
        unsure_l0 += l0;
        cold->unsure += own + (lines->l1 ? lines->stated.l1 : 0);
    }
    cold->turns = smaller(cold->chain + unsure_l0, any);
}

static struct cold cold_of(const struct sass_grid *grid, const struct sass_grid *warm,
                           enum sass_mutant mutant) {
    struct cold cold = {.slots = grid->slots};
    struct sass_grid shared = *grid;
    if (mutant == SASS_NO_COLD) return cold;
    shared.lines.l0 = false;
    cold.shared = naive_sass_misses(&shared);
    for (uint32_t b = 0; b < grid->blocks; b++)
        note_longer(grid, warm, b, mutant, &cold);
    note_unsure(grid, mutant, &cold);
    if (mutant == SASS_COLD_HELD) cold.held = 0;
    return cold;
}

/* On an SM that gets n blocks. */
static uint64_t cold_time(const struct cold *cold, uint32_t n) {
    if (n <= cold->slots) return smaller(cold->shared + cold->chain, cold->longer + n * cold->held);
    return smaller(cold->shared + cold->turns, cold->longer + cold->slots * cold->held + cold->unsure);
}

static uint64_t sum_of(uint64_t bound, uint64_t misses) {
    return bound == UINT64_MAX ? bound : bound + misses;
}

/* ---- All bounds of grids --------------------------------------------------------------------------------
 */

static uint64_t balance(const struct sass_grid *grid, const struct works *works, const struct cold *cold,
                        bool chains) {
    const uint32_t m = grid->sms, r = grid->slots, b = works->count;
    uint64_t most = 0;
    if (m < 2 || r == 0 || b <= m * r) return UINT64_MAX;
    for (uint32_t n = r; n <= b - (m - 1) * r; n++) {
        const uint32_t q = (b - n) / (m - 1);
        uint64_t rest = r == 1 ? top(works->solo, b, q) : follow(works, q, q / r);
        uint64_t own = one_sm(grid, works, n), behind = tail(works, r);
        if (chains) {
            rest = smaller(rest, other_chain(grid, works, q));
            own = smaller(own, one_sm_chain(grid, works, n));
            behind = smaller(behind, tail_chain(works, r));
        }
        const uint64_t other = rest + cold_time(cold, q) + behind + cold_time(cold, r);
        most = larger(most, smaller(own + cold_time(cold, n), other));
    }
    return most;
}

static struct sass_bounds several_blocks(const struct sass_grid *grid, const struct cold *cold,
                                         enum sass_mutant mutant) {
    struct sass_bounds bounds = naive_sass_block(grid, 0, mutant);
    struct works all = {.count = 0};
    for (uint32_t b = 0; b < grid->blocks; b++)
        add_work(grid, b, mutant, &all);
    bounds.area = bounds.balance = bounds.chain_area = bounds.chain_balance = UINT64_MAX;
    bounds.kernel = bounds.chain = 0;
    if (grid->is_static) {
        for (uint32_t sm = 0; sm < grid->sms; sm++) {
            struct works works = {.count = 0};
            for (uint32_t b = sm; b < grid->blocks; b += grid->sms)
                add_work(grid, b, mutant, &works);
            if (works.count == 0) continue;
            const uint64_t misses = cold_time(cold, works.count);
            bounds.kernel = larger(bounds.kernel, one_sm(grid, &works, works.count) + misses);
            bounds.chain = larger(bounds.chain, one_sm_chain(grid, &works, works.count) + misses);
        }
    } else {
        const uint32_t full = grid->sms * grid->slots;
        const uint32_t n = grid->blocks > full ? grid->blocks - (grid->sms - 1) * grid->slots
                                               : (grid->blocks + grid->sms - 1) / grid->sms;
        bounds.kernel = one_sm(grid, &all, n) + cold_time(cold, n);
        bounds.chain = one_sm_chain(grid, &all, n) + cold_time(cold, n);
        const uint64_t misses = cold_time(cold, grid->slots + 1) + cold_time(cold, grid->slots);
        bounds.area = sum_of(area(grid, &all), misses);
        bounds.chain_area = sum_of(area_chain(grid, &all), misses);
        bounds.balance = balance(grid, &all, cold, false);
        bounds.chain_balance = balance(grid, &all, cold, true);
    }
    return bounds;
}

/* What pauses add. Those of other SMs delay who is dispatched when all are busy, and those of its own SM what
 * it does then. */
static void add_pauses(const struct sass_grid *grid, enum sass_mutant mutant, struct sass_bounds *bounds) {
    uint64_t once = grid->pauses.cycles;
    if (mutant == SASS_PAUSES_SHORT) once = beyond(once, 1);
    const bool common = grid->sms == 1 || grid->pauses.common || mutant == SASS_PAUSES_ONCE;
    const uint64_t twice = common ? once : 2 * once;
    bounds->sib += once;
    bounds->fib += once;
    bounds->elb += once;
    bounds->kernel += once;
    bounds->chain += once;
    bounds->area = sum_of(bounds->area, twice);
    bounds->balance = sum_of(bounds->balance, twice);
    bounds->chain_area = sum_of(bounds->chain_area, twice);
    bounds->chain_balance = sum_of(bounds->chain_balance, twice);
}

static void set_least(const struct sass_grid *grid, struct sass_bounds *bounds) {
    bounds->least = smaller(bounds->fib, bounds->elb);
    if (grid->blocks == 1) return;
    bounds->least = smaller(smaller(bounds->kernel, bounds->chain), smaller(bounds->area, bounds->balance));
    bounds->least = smaller(bounds->least, smaller(bounds->chain_area, bounds->chain_balance));
}

struct sass_bounds naive_sass_grid(const struct sass_grid *grid, enum sass_mutant mutant) {
    struct sass_bounds bounds;
    if (grid->blocks == 1) {
        bounds = naive_sass_block(grid, 0, mutant);
    } else {
        struct sass_grid warm = *grid;
        warm.lines.l0 = warm.lines.l1 = warm.lines.constants = false;
        const struct cold cold = cold_of(grid, &warm, mutant);
        bounds = several_blocks(&warm, &cold, mutant);
    }
    add_pauses(grid, mutant, &bounds);
    set_least(grid, &bounds);
    return bounds;
}
