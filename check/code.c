/* The lines of a certificate that are of machine code, and what its walks have in common. */
#include "code.h"

#define LEFT_MAX 64

static void read_stages(struct code *code, const uint64_t *n, uint64_t count) {
    if (count % 3 != 0 || count / 3 > STAGES_MAX) refuse("stages are a unit, a hold and a transfer each");
    for (code->stages = 0; code->stages < count / 3; code->stages++, n += 3) {
        struct stage *stage = &code->way[code->stages];
        *stage = (struct stage){n[0], n[1], n[2]};
        if (n[0] >= machine.units) refuse("no unit: %" PRIu64, n[0]);
        for (uint64_t s = 0; s < code->stages; s++)
            if (code->way[s].unit == n[0]) refuse("a way comes to unit %" PRIu64 " twice", n[0]);
        if (n[1] == 0) refuse("a unit is held for one cycle at least");
        if (code->stages > 0 && machine.places[n[0]] != UNLIMITED && stage[-1].transfer > 0)
            refuse("what is on its way to a queue that can be full holds its place");
    }
}

static void read_code(const uint64_t *n) {
    struct code code = {.stall = n[0],
                        .least = n[1],
                        .slot = n[2],
                        .fetch = n[3],
                        .operand = n[4],
                        .behind = n[5],
                        .fixed = n[6] != 0,
                        .barrier = n[7] != 0,
                        .writes = n[8],
                        .write = n[9],
                        .reads = n[10],
                        .read = n[11],
                        .waits = n[12],
                        .depbar = n[13],
                        .left = n[14]};
    if (!machine.is_code) refuse("machine code on another machine");
    if (block->parts) refuse("machine code of parts of paths");
    if (code.slot == 0 || code.stall == 0) refuse("an issue and a stall take a cycle at least");
    if (code.least > code.stall) refuse("a stall is at least longer than at most");
    if (code.waits >> COUNTERS != 0 || max(max(code.writes, code.reads), code.depbar) > NO_COUNTER)
        refuse("no such counter");
    if (code.left > LEFT_MAX) refuse("more than a counter counts");
    if (code.behind > 0 && !code.barrier) refuse("only a barrier states what comes behind it");
    read_stages(&code, n + 15, numbers.count - 15);
    if (code.fixed && code.stages > 1) refuse("a latch is no stage of a longer way");
    PUSH(&block->code, code);
    PUSH(&block->insts, (struct inst){.unit = NO_UNIT});
}

uint64_t holds(const struct code *code, uint64_t of_units) {
    uint64_t sum = 0;
    for (uint64_t s = 0; s < code->stages; s++)
        if (has(of_units, code->way[s].unit)) sum = add(sum, code->way[s].hold);
    return sum;
}

/* ---- Counters ---- */

struct passage passage_of(const struct block *of, uint64_t counts) {
    struct passage passage = {.counts = counts};
    for (uint64_t i = 0; i < of->code.count; i++) {
        const struct code *code = &of->code.items[i];
        if (code->depbar != NO_COUNTER)
            passage.recent[code->depbar] = max(passage.recent[code->depbar], code->left);
    }
    return passage;
}

static uint64_t counts_before(const struct passage *passage, uint64_t counter) {
    uint64_t sum = 0;
    for (uint64_t c = 0; c < counter; c++)
        sum += passage->recent[c] + 1;
    return sum;
}

uint64_t times_of_counts(const struct passage *passage) {
    return counts_before(passage, COUNTERS);
}

static uint64_t *counts_of(const struct walk *walk, uint64_t counter) {
    const struct passage *passage = walk->context;
    return walk->times + passage->counts + counts_before(passage, counter);
}

uint64_t counted(const struct walk *walk, const struct code *code) {
    const struct passage *passage = walk->context;
    uint64_t at = 0;
    for (uint64_t c = 0; c < COUNTERS; c++) {
        const uint64_t *counts = counts_of(walk, c);
        const bool all = has(code->waits, c);
        for (uint64_t i = 0; (all || code->depbar == c) && i <= passage->recent[c]; i++)
            if (all || i >= code->left) at = max(at, counts[i]);
    }
    return at;
}

static void count_one(const struct walk *walk, uint64_t counter, uint64_t at) {
    const struct passage *passage = walk->context;
    if (counter == NO_COUNTER) return;
    uint64_t *counts = counts_of(walk, counter), oldest = passage->recent[counter];
    if (oldest > 0) counts[oldest] = max(counts[oldest], counts[oldest - 1]);
    for (uint64_t i = oldest; i > 1; i--)
        counts[i - 1] = counts[i - 2];
    counts[0] = oldest > 0 ? at : max(counts[0], at);
}

void count_up(const struct walk *walk, const struct code *code, uint64_t end) {
    count_one(walk, code->reads, add(end, code->read));
    count_one(walk, code->writes, add(end, code->write));
}

/* ---- Rows ---- */

/* The last instruction of a section, or NULL; a barrier is nowhere else in it. */
static const struct code *last_of(const struct block *of, const program *steps) {
    const struct code *last = NULL;
    for (uint64_t s = 0; s < steps->count; s++)
        for (uint64_t i = 0; i < max(steps->items[s].count, 1); i++, count_work(0)) {
            if (last != NULL && last->barrier) refuse("a barrier in the middle of a section");
            if (steps->items[s].count > 0) last = &of->code.items[steps->items[s].first + i];
        }
    return last;
}

/* A warp goes on to the next row by a barrier only. */
static void check_barriers(const struct block *of) {
    for (uint64_t p = 0; p < of->paths; p++) {
        bool ended = false;
        for (struct rows at = {0}; next_row(of, &at);) {
            const struct code *last = last_of(of, &section_of(of, at.row, p)->steps);
            const bool goes_on = ended || (last != NULL && !last->barrier && at.often > 1);
            if (last != NULL && goes_on) refuse("a warp goes on without a barrier");
            ended = ended || last == NULL || !last->barrier;
        }
    }
}

uint64_t sum_of_rows(const struct block *of, const struct amount *amounts, row_time_function row_time) {
    uint64_t sum = 0;
    check_barriers(of);
    for (struct rows at = {0}; next_row(of, &at);) {
        const bool ends = at.step + 1 < of->rows.count || at.behind < of->rows.items[at.step].count;
        sum = add(sum, mul(add(row_time(of, amounts, at.row, ends), machine.release), at.often));
    }
    return sum - (of->paths > 0 ? machine.release : 0);
}

/* ---- Lines ---- */

static void read_code_machine(const uint64_t *n) {
    machine.is_code = true;
    machine.width = 1;
    machine.sub_cores = n[0], machine.release = n[1], machine.holds_issue = n[2] != 0;
}

static void read_code_unit(const uint64_t *n) {
    if (machine.units == UNITS_MAX) refuse("more than %d units", UNITS_MAX);
    if (!machine.is_code) refuse("a unit of machine code on another machine");
    machine.shared[machine.units] = n[0] != 0;
    machine.instances[machine.units] = 1;
    machine.places[machine.units++] = n[1];
}

static void read_any_order(const uint64_t *n) {
    if (!machine.is_code || n[0] == NO_UNIT) refuse("no unit of machine code");
    machine.any_order |= (uint64_t)1 << n[0];
}

/* code-machine: sub-cores, release, full queues hold the issue stage. code-unit: whether sub-cores share it,
 * places of its queue. code-any-order: a unit at which a warp's instructions keep no order. */
const struct key code_keys[] = {
    {"code-machine", "ntf", BEGINS_ALL, read_code_machine},
    {"code-unit", "fd", OF_MACHINE, read_code_unit},
    {"code-any-order", "u", OF_MACHINE, read_any_order},
    {"code", "ttttttfftttttttt*", OF_BLOCK, read_code},
    {.name = NULL},
};
