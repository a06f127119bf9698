/* The lines of a certificate that say what the machine and its blocks are. */
#include "check.h"

static void read_machine(struct check *check, const uint64_t *n) {
    struct machine *machine = &check->machine;
    machine->depth = n[0], machine->sub_cores = n[1], machine->width = n[2], machine->release = n[3];
    machine->queue = machine->depth == UNLIMITED ? UNLIMITED : min(machine->depth, 1);
}

static void read_unit(struct check *check, const uint64_t *n) {
    struct machine *machine = &check->machine;
    if (machine->is_code) refuse(check, "a unit that is none of machine code");
    if (machine->units == UNITS_MAX) refuse(check, "more than %d units", UNITS_MAX);
    machine->shared[machine->units] = n[0] != 0;
    machine->instances[machine->units++] = n[1];
}

static void read_block(struct check *check, const uint64_t *n) {
    PUSH(check, &check->blocks,
         (struct block){.check = check, .machine = &check->machine, .registers = n[0]});
    check->block = &check->blocks.items[check->blocks.count - 1];
}

static void read_parts(struct check *check, const uint64_t *n) {
    (void)n;
    struct block *block = check->block;
    block->parts = true;
}

/* ---- What stands still at times: caches, memory that SMs share, instruction fetch ---- */

const char *const held_names[HELD_KINDS + 1] = {"l2",           "dram",       "write-backs", "answers",
                                                "l1-stalls",    "requests",   "atomics",     "translations",
                                                "dram-sectors", "l2-sectors", "fetch",       NULL};

uint64_t held_in_all(const struct machine *machine) {
    uint64_t sum = 0;
    for (size_t k = 0; k < HELD_KINDS; k++)
        sum = add(sum, machine->held[k]);
    return sum;
}

static void read_held(struct check *check, const uint64_t *n) {
    struct machine *machine = &check->machine;
    const uint64_t bit = (uint64_t)1 << n[0];
    if ((machine->held_kinds & bit) != 0) refuse(check, "said twice: what is held by %s", held_names[n[0]]);
    machine->held_kinds |= bit;
    machine->held[n[0]] = mul(n[1], n[2]);
}

static void read_stalled(struct check *check, const uint64_t *n) {
    struct machine *machine = &check->machine;
    struct block *block = check->block;
    block->states_stalls = true;
    block->stalls = add(block->stalls, rounded_up(n[0], n[2]));
    block->far_stalls = add(block->far_stalls, rounded_up(add(n[0], n[1]), n[2]));
    for (uint64_t i = 3; i < check->numbers.count; i++) {
        const uint64_t unit = n[i];
        if (unit == NO_UNIT) continue;
        const uint64_t own = machine->shared[unit] ? 1 : machine->sub_cores;
        if ((machine->port_set >> unit & 1) == 0)
            machine->ports = add(machine->ports, mul(machine->instances[unit], own));
        machine->port_set |= (uint64_t)1 << unit;
        block->sends = true;
    }
}

/* ---- Blocks ---- */

/* What a register of a queue says is what joined it. */
static bool is_queued(const struct block *block, uint64_t first, uint64_t count) {
    bool queued = false;
    for (uint64_t q = 0; q < block->queues; q++)
        queued = queued || (first < block->queue_first[q] + block->queue_count[q] &&
                            block->queue_first[q] < first + count);
    return queued;
}

static void read_queue(struct check *check, const uint64_t *n) {
    struct block *block = check->block;
    if (block->insts.count > 0) refuse(check, "a queue behind instructions");
    if (block->queues == QUEUES_MAX) refuse(check, "more than %d queues", QUEUES_MAX);
    if (n[1] > block->registers - n[0]) refuse(check, "more than there are registers");
    if (is_queued(block, n[0], n[1])) refuse(check, "a register is of one queue");
    block->queue_first[block->queues] = n[0];
    block->queue_count[block->queues++] = n[1];
}

static void read_inst(struct check *check, const uint64_t *n) {
    struct machine *machine = &check->machine;
    struct block *block = check->block;
    if (machine->is_code) refuse(check, "an instruction that is no machine code");
    const struct inst inst = {n[0], n[1], n[2], block->operands.count, n[5], check->numbers.count - 6,
                              n[3], n[4]};
    if ((inst.unit == NO_UNIT) != (inst.init == 0))
        refuse(check, "a unit takes one cycle at least, no unit none");
    if (inst.sources > inst.operands) refuse(check, "more sources than registers");
    for (uint64_t i = 6; i < check->numbers.count; i++) {
        if (i >= 6 + inst.sources && is_queued(block, n[i], 1))
            refuse(check, "%" PRIu64 " is of a queue", n[i]);
        PUSH(check, &block->operands, n[i]);
    }
    if (inst.unit != NO_UNIT) block->largest[inst.unit] = max(block->largest[inst.unit], inst.init);
    PUSH(check, &block->insts, inst);
}

static void read_section(struct check *check, const uint64_t *n) {
    (void)n;
    struct block *block = check->block;
    if (block->paths > 0) refuse(check, "a section behind rows");
    PUSH(check, &block->sections, (struct section){.alone = 0});
}

/* A step of the rows, or, if there are none yet, of the last section. Loops do not nest. */
static void read_step(struct check *check, const struct step *step, bool of_rows) {
    struct block *block = check->block;
    if (block->sections.count == 0) refuse(check, "no section");
    program *of_section = &block->sections.items[block->sections.count - 1].steps;
    program *steps = block->paths > 0 ? &block->rows : of_section;
    if (of_rows != (block->paths > 0) && step->count > 0) refuse(check, "a run behind rows");
    if (step->count == 0 && step->first > steps->count) refuse(check, "more than there are steps");
    for (uint64_t i = steps->count - step->first; step->count == 0 && i < steps->count; i++) {
        if (steps->items[i].count == 0) refuse(check, "a loop in a loop");
        steps->items[i].often = add(step->times, 1);
    }
    PUSH(check, steps, *step);
}

static void read_run(struct check *check, const uint64_t *n) {
    struct block *block = check->block;
    if (n[1] > block->insts.count - n[0]) refuse(check, "more than there are instructions");
    read_step(check, &(struct step){n[0], n[1], 0, 1}, false);
}

static void read_again(struct check *check, const uint64_t *n) {
    read_step(check, &(struct step){n[0], 0, n[1], 1}, false);
}

static void read_row(struct check *check, const uint64_t *n) {
    struct block *block = check->block;
    const uint64_t count = check->numbers.count;
    if (block->paths != 0 && count != block->paths) refuse(check, "a row has a section for every path");
    block->paths = count;
    for (uint64_t i = 0; i < count; i++)
        PUSH(check, &block->cells, n[i]);
    read_step(check, &(struct step){block->cells.count / count - 1, 1, 0, 1}, true);
}

static void read_warps(struct check *check, const uint64_t *n) {
    struct block *block = check->block;
    PUSH(check, &block->warps, (struct warps){n[0], n[1], n[2]});
    block->warp_count = add(block->warp_count, n[2]);
}

const struct key certificate_keys[] = {
    {"machine", "dnnt", BEGINS_ALL, read_machine}, /* depth, sub-cores, issue width, release of barriers */
    {"unit", "fn", OF_MACHINE, read_unit},         /* whether sub-cores share it, instances */
    {"held", "htt", OF_MACHINE, read_held},        /* by what, so often, for so many cycles each */
    {"block", "t", BEGINS_BLOCK, read_block},      /* registers */
    {"stalled", "ttnu*", OF_BLOCK, read_stalled},  /* cycles on the way, in turns; at a time; ports, or - */
    {"parts", "", OF_BLOCK, read_parts},           /* warps execute parts of the paths */
    {"queue", "rn", OF_BLOCK, read_queue},         /* first register, count */
    {"inst", "uttqqtr*", OF_BLOCK,
     read_inst}, /* unit, initiation, latency, joins, commits, sources, registers */
    {"section", "", OF_BLOCK, read_section},
    {"run", "in", OF_BLOCK, read_run},      /* first instruction, count: of the last section */
    {"again", "tt", OF_BLOCK, read_again},  /* steps, times: of the last section, or behind rows of these */
    {"row", "ss*", OF_BLOCK, read_row},     /* the section of each path */
    {"warps", "pcn", OF_BLOCK, read_warps}, /* path, sub-core, count */
    {.name = NULL},
};
