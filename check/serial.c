/* k-serial of a kernel: theorem 5 of docs/sub-core-bounds.md, section 9 (kernel/SerialGrid.v:k_serial_bound);
 * and k-oldest, proposition 4 of docs/policy-bounds.md (kernel/OldestGrid.v:k_oldest_bound): a block stays
 * for a limited time where the oldest block of an SM issues first, and slots are given one stay after the
 * other. */
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

/* ---- V, and Lambda, the sum over the sections of the most latencies of a sub-core ---- */

/* A warp of a path. Times count latencies from the last arrival at the barrier before the section at hand. */
struct path {
    uint64_t *times;
    uint64_t *pending; /* the same by latencies alone: of a register what writes it; 0: it is complete */
    uint64_t unread, unread_before; /* the longest of what writes no register, in this section and before */
    struct cost cost;
};

struct serial {
    struct path *paths;
    uint64_t *private, *latest; /* of sub-cores: work, and L of the row */
    uint64_t row;               /* the last that was met, counted from 1 on */
    uint64_t time, latencies;   /* of those before */
};

static void meet_serial(struct walk *walk, uint64_t number) {
    const struct block *of = walk->block;
    const struct inst *inst = &of->insts.items[number];
    struct path *path = walk->context;
    execute(of, path->times, inst, &path->cost);
    for (uint64_t i = inst->first; i < inst->first + inst->operands; i++)
        path->pending[WARP_TIMES + of->operands.items[i]] = 0;
    if (inst->sources == inst->operands) path->unread = max(path->unread, inst->latency);
    result_there(of, path->pending, inst, inst->latency);
}

/* Until all is complete that was issued. */
static uint64_t completion(const struct block *of, const struct path *path) {
    uint64_t latest = max(path->times[COMPLETE], path->unread_before);
    for (uint64_t r = 0; r < of->registers; r++)
        latest = max(latest, path->times[WARP_TIMES + r]);
    return latest;
}

/* Adds the term of the row that was met last. */
static void add_row(const struct block *of, struct serial *serial, bool is_last) {
    const uint64_t shared = row_work(of, serial->row - 1, serial->private), cores = of->machine->sub_cores;
    uint64_t longest = 0, latest_of_all = 0;
    memset(serial->latest, 0, cores * sizeof *serial->latest);
    for (uint64_t g = 0; g < of->warps.count; g++) {
        const struct path *path = &serial->paths[of->warps.items[g].path];
        uint64_t *latest = &serial->latest[of->warps.items[g].sub_core];
        *latest = max(*latest, is_last ? completion(of, path) : path->times[NOW]);
    }
    for (uint64_t c = 0; c < cores; c++) {
        longest = max(longest, add(serial->latest[c], serial->private[c]));
        latest_of_all = max(latest_of_all, serial->latest[c]);
    }
    serial->time = add(serial->time, add(longest, shared));
    serial->latencies = add(serial->latencies, latest_of_all);
    count_work(of->check, cores);
}

/* What is pending takes its whole latency from the arrival on at most. */
static void begin_section(const struct block *of, uint64_t release, struct path *path) {
    memcpy(path->times + WARP_TIMES, path->pending + WARP_TIMES, of->registers * sizeof *path->times);
    path->times[NOW] = path->times[COMPLETE] = release;
    path->unread_before = max(path->unread_before, path->unread);
    path->unread = 0;
}

static void meet_row(struct walk *walk, uint64_t row) {
    const struct block *of = walk->block;
    struct serial *serial = walk->context;
    const uint64_t release = serial->row > 0 ? of->machine->release : 0;
    if (serial->row > 0) add_row(of, serial, false);
    serial->row = row + 1;
    for (uint64_t p = 0; p < of->paths; p++) {
        begin_section(of, release, &serial->paths[p]);
        walk_in(walk, &section_of(of, row, p)->steps, meet_serial, NULL, 0, &serial->paths[p]);
        count_work(of->check, of->registers);
    }
}

/* V in .time, and Lambda; an instruction waits so long besides, NULL: not at all. */
static struct serial serial_of(const struct block *of, const uint64_t *waits) {
    if (of->parts && of->rows.count > 1) refuse(of->check, "no claim of parts of paths with barriers");
    const uint64_t count = times_of(of), all = mul(of->paths, count), cores = of->machine->sub_cores;
    uint64_t *times = zeroed(of->check, mul(2, all), sizeof *times);
    uint64_t *local = zeroed(of->check, mul(2, cores), sizeof *local);
    struct path *paths = zeroed(of->check, of->paths, sizeof *paths);
    struct serial serial = {.paths = paths, .private = local, .latest = local + cores};
    for (uint64_t p = 0; p < of->paths; p++)
        paths[p] = (struct path){times + p * count, times + all + p * count, 0, 0, {true, waits}};
    walk_each(of, &of->rows, meet_row, &serial);
    if (serial.row > 0) add_row(of, &serial, true);
    free(times);
    free(paths);
    free(local);
    return serial;
}

void measure_serial(struct grid *grid, struct class *class) {
    class->amounts[SERIAL] = serial_of(&grid->check->blocks.items[class->block], NULL).time;
}

uint64_t k_serial(struct grid *grid) {
    refuse_memory(grid);
    need(grid, SERIALS);
    const uint64_t blocks = grid->blocks, sms = grid->sms, n = rounded_up(blocks, sms);
    if (blocks <= grid->slots || sms == 1)
        return add(most(grid, SERIAL, n), mul(less(n, grid->room), grid->delay));
    const uint64_t tail = min(start_time(grid, grid->room), most(grid, SERIAL, grid->room));
    uint64_t sum = add(most(grid, SERIAL, blocks), mul(blocks - grid->slots, grid->delay));
    sum = add(sum, mul(sms - 1, add(tail, grid->delay)));
    return sum / sms;
}

/* ---- Oldest first ---- */

/* A younger block that has begun on a unit is waited for: all but the first cycle of the longest initiation
 * of any. */
void measure_oldest(struct grid *grid, struct class *class) {
    uint64_t waits[UNITS_MAX] = {0};
    for (uint64_t u = 0; u < grid->machine->units; u++)
        waits[u] = less(largest_of(grid, u), 1);
    const struct serial serial = serial_of(&grid->check->blocks.items[class->block], waits);
    class->amounts[OLDEST] = serial.time;
    class->amounts[OLDEST_LATENCY] = serial.latencies;
}

/* No block stays longer, with n - 1 older ones on its SM. */
static uint64_t stay(struct grid *grid, uint64_t n) {
    return min(add(chain_met(grid, n), most(grid, OLDEST_LATENCY, 1)), most(grid, OLDEST, n));
}

/* Until n blocks have ended that are there together. */
static uint64_t last_ones(struct grid *grid, uint64_t n) {
    return min(stay(grid, n), min(start_time(grid, n), most(grid, SERIAL, n)));
}

/* Where an SM gets n blocks, the stays in some slot before its last dispatch: of its own slots, or of another
 * SM's. */
static uint64_t own_stays(const struct grid *grid, uint64_t n) {
    return rounded_up(n, grid->room) - 1;
}

static uint64_t other_stays(const struct grid *grid, uint64_t n) {
    return grid->sms == 1 ? UNLIMITED : (grid->blocks - n) / (grid->sms - 1) / grid->room;
}

static bool others_stay_less(struct grid *grid, uint64_t n) {
    return own_stays(grid, n) >= other_stays(grid, n);
}

/* The most for any n: the first grow with it, the second fall. */
static uint64_t stays_before(struct grid *grid) {
    const uint64_t n = first_with(grid, others_stay_less);
    const uint64_t longest = min(own_stays(grid, n), other_stays(grid, n));
    if (n == grid->room) return longest;
    return max(longest, min(own_stays(grid, n - 1), other_stays(grid, n - 1)));
}

uint64_t k_oldest(struct grid *grid) {
    struct check *check = grid->check;
    const struct machine *machine = grid->machine;
    const uint64_t slots = grid->slots, blocks = grid->blocks;
    refuse_memory(grid);
    if (strcmp(subject_of(check, "policy"), "oldest") != 0)
        refuse(check, "no claim where any block may issue first");
    if (machine->depth != 0) refuse(check, "no claim at this dispatch depth");
    for (uint64_t u = 0; u < machine->units; u++)
        if (machine->shared[u] && machine->sub_cores > 1)
            refuse(check, "no claim where sub-cores share a unit");
    need(grid, SERIALS);
    need(grid, OLDESTS);
    if (blocks <= slots) return last_ones(grid, rounded_up(blocks, grid->sms));
    const uint64_t longest = stay(grid, grid->room), before = stays_before(grid);
    const uint64_t spread = mul(blocks - 1, longest) / slots;
    const uint64_t delays = max(rounded_up(blocks - slots - 1, slots), before) + 1;
    return add(add(min(spread, mul(before, longest)), last_ones(grid, grid->room)), mul(delays, grid->delay));
}
