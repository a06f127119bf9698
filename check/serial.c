/* k-serial of a kernel: theorem 5 of docs/sub-core-bounds.md, section 9; and the sums that k-oldest has of
 * it. */
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

/* A warp of a path. Times count latencies from the last arrival at the barrier before the section at hand. */
struct path {
    uint64_t *times;
    uint64_t
        *pending; /* the same of latencies alone: of a register what writes it, 0 where that is complete */
    uint64_t unread, unread_before; /* the longest of what writes no register, in this section and before */
    const uint64_t *waits;          /* of units: what an instruction waits for besides, or NULL */
};

struct serial {
    struct path *paths;
    uint64_t *private, *latest; /* of sub-cores: work, and L of the row */
    uint64_t row;               /* the last that was met, counted from 1 on */
    struct serial_sums sums;    /* of those before */
};

static void meet_serial(struct walk *walk, uint64_t number) {
    const struct block *of = walk->block;
    const struct inst *inst = &of->insts.items[number];
    struct path *path = walk->context;
    path->times[NOW] = operands_there(walk, path->times, inst);
    if (path->waits != NULL && inst->unit != NO_UNIT)
        path->times[NOW] = add(path->times[NOW], path->waits[inst->unit]);
    for (uint64_t i = inst->first; i < inst->first + inst->operands; i++)
        path->pending[WARP_TIMES + of->operands.items[i]] = 0;
    if (inst->sources == inst->operands) path->unread = max(path->unread, inst->latency);
    result_there(walk, path->times, inst, add(path->times[NOW], inst->latency));
    result_there(walk, path->pending, inst, inst->latency);
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
    const uint64_t shared = row_work(of, serial->row - 1, serial->private);
    uint64_t most = 0, latest_of_all = 0;
    memset(serial->latest, 0, machine.sub_cores * sizeof *serial->latest);
    for (uint64_t g = 0; g < of->warps.count; g++) {
        const struct path *path = &serial->paths[of->warps.items[g].path];
        uint64_t *latest = &serial->latest[of->warps.items[g].sub_core];
        *latest = max(*latest, is_last ? completion(of, path) : path->times[NOW]);
    }
    for (uint64_t c = 0; c < machine.sub_cores; c++) {
        most = max(most, add(serial->latest[c], serial->private[c]));
        latest_of_all = max(latest_of_all, serial->latest[c]);
    }
    serial->sums.time = add(serial->sums.time, add(most, shared));
    serial->sums.latencies = add(serial->sums.latencies, latest_of_all);
    count_work(machine.sub_cores);
}

/* What is pending takes its whole latency from the arrival on at most. */
static void begin_section(const struct block *of, uint64_t release, struct path *path) {
    memcpy(path->times + WARP_TIMES, path->pending + WARP_TIMES, of->registers * sizeof *path->times);
    path->times[NOW] = path->times[COMPLETE] = release;
    path->unread_before = max(path->unread_before, path->unread);
    path->unread = 0;
}

static void meet_serial_row(struct walk *walk, uint64_t row) {
    const struct block *of = walk->block;
    struct serial *serial = walk->context;
    const uint64_t release = serial->row > 0 ? machine.release : 0;
    if (serial->row > 0) add_row(of, serial, false);
    serial->row = row + 1;
    for (uint64_t p = 0; p < of->paths; p++) {
        begin_section(of, release, &serial->paths[p]);
        walk_each(of, &section_of(of, row, p)->steps, meet_serial, &serial->paths[p]);
        count_work(of->registers);
    }
}

struct serial_sums serial_sums(const struct block *of, const uint64_t *waits) {
    if (of->parts && of->rows.count > 1) refuse("no claim of parts of paths with barriers");
    const uint64_t count = times_of(of), all = mul(of->paths, count);
    uint64_t *times = zeroed(mul(2, all), sizeof *times);
    struct serial serial = {.paths = zeroed(of->paths, sizeof(struct path)),
                            .private = zeroed(machine.sub_cores, sizeof(uint64_t)),
                            .latest = zeroed(machine.sub_cores, sizeof(uint64_t))};
    for (uint64_t p = 0; p < of->paths; p++) {
        serial.paths[p].waits = waits;
        serial.paths[p].times = times + p * count;
        serial.paths[p].pending = times + all + p * count;
    }
    walk_each(of, &of->rows, meet_serial_row, &serial);
    if (serial.row > 0) add_row(of, &serial, true);
    free(times);
    free(serial.paths);
    free(serial.private);
    free(serial.latest);
    return serial.sums;
}

static ranking by_serial;

uint64_t serial_most(uint64_t n) {
    for (uint64_t k = by_serial.count; k < grid.classes.count; k++) {
        const struct class *class = &grid.classes.items[k];
        const struct serial_sums sums = serial_sums(&blocks.items[class->block], NULL);
        PUSH(&by_serial, (struct amount){sums.time, class->blocks});
        if (by_serial.count == grid.classes.count) rank(&by_serial);
    }
    return top(&by_serial, n);
}

static uint64_t formula(void) {
    const uint64_t n = grid.sms == 1 ? grid.blocks : rounded_up(grid.blocks, grid.sms);
    if (grid.blocks <= grid.slots || grid.sms == 1)
        return add(serial_most(n), mul(n - min(n, grid.room), grid.delay));
    const uint64_t tail = min(start_time(grid.room), serial_most(grid.room));
    uint64_t sum = add(serial_most(grid.blocks), mul(grid.blocks - grid.slots, grid.delay));
    sum = add(sum, mul(grid.sms - 1, add(tail, grid.delay)));
    return sum / grid.sms;
}

uint64_t k_serial(void) {
    refuse_memory();
    return with_chains(formula);
}
