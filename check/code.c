/* The lines of a certificate that are of machine code. */
#include "code.h"

#define LEFT_MAX 64

static void read_stages(const struct check *check, struct code *code, const uint64_t *n, uint64_t count) {
    const struct machine *machine = &check->machine;
    if (count % 3 != 0 || count / 3 > STAGES_MAX)
        refuse(check, "stages are a unit, a hold and a transfer each");
    for (code->stages = 0; code->stages < count / 3; code->stages++, n += 3) {
        struct stage *stage = &code->way[code->stages];
        *stage = (struct stage){n[0], n[1], n[2]};
        if (n[0] >= machine->units) refuse(check, "no unit: %" PRIu64, n[0]);
        for (uint64_t s = 0; s < code->stages; s++)
            if (code->way[s].unit == n[0]) refuse(check, "a way comes to unit %" PRIu64 " twice", n[0]);
        if (n[1] == 0) refuse(check, "a unit is held for one cycle at least");
        if (code->stages > 0 && machine->places[n[0]] != UNLIMITED && stage[-1].transfer > 0)
            refuse(check, "what is on its way to a queue that can be full holds its place");
    }
}

static void read_code(struct check *check, const uint64_t *n) {
    const struct machine *machine = &check->machine;
    struct block *block = check->block;
    struct code code = {n[0], n[1],  n[2],  n[3],  n[4],  n[5],  n[6] != 0, n[7] != 0, n[8],
                        n[9], n[10], n[11], n[12], n[13], n[14], UNLIMITED, 0,         {{0}}};
    if (!machine->is_code) refuse(check, "machine code on another machine");
    if (code.slot == 0 || code.stall == 0) refuse(check, "an issue and a stall take a cycle at least");
    if (code.least > code.stall) refuse(check, "a stall is at least longer than at most");
    if (code.waits >> COUNTERS != 0 || max(max(code.writes, code.reads), code.depbar) > NO_COUNTER)
        refuse(check, "no such counter");
    if (code.left > LEFT_MAX) refuse(check, "more than a counter counts");
    if (code.behind > 0 && !code.barrier) refuse(check, "only a barrier states what comes behind it");
    read_stages(check, &code, n + 15, check->numbers.count - 15);
    if (code.fixed && code.stages > 1) refuse(check, "a latch is no stage of a longer way");
    PUSH(check, &block->code, code);
    PUSH(check, &block->insts, (struct inst){.unit = NO_UNIT});
}

static void read_address(struct check *check, const uint64_t *n) {
    struct block *block = check->block;
    if (block->code.count == 0) refuse(check, "the address of no instruction");
    block->code.items[block->code.count - 1].address = n[0];
}

static void read_executed(struct check *check, const uint64_t *n) {
    struct block *block = check->block;
    if (block->executed.count > 0) refuse(check, "two blocks of one");
    for (uint64_t i = 0; i < check->numbers.count; i++)
        PUSH(check, &block->executed, n[i]);
}

static void read_code_machine(struct check *check, const uint64_t *n) {
    struct machine *machine = &check->machine;
    machine->is_code = true;
    machine->width = 1;
    machine->sub_cores = n[0], machine->release = n[1], machine->holds_issue = n[2] != 0;
}

static void read_code_unit(struct check *check, const uint64_t *n) {
    struct machine *machine = &check->machine;
    if (machine->units == UNITS_MAX) refuse(check, "more than %d units", UNITS_MAX);
    if (!machine->is_code) refuse(check, "a unit of machine code on another machine");
    machine->shared[machine->units] = n[0] != 0;
    machine->instances[machine->units] = 1;
    machine->places[machine->units++] = n[1];
}

static void read_any_order(struct check *check, const uint64_t *n) {
    struct machine *machine = &check->machine;
    if (!machine->is_code || n[0] == NO_UNIT) refuse(check, "no unit of machine code");
    machine->any_order |= (uint64_t)1 << n[0];
}

/* code-machine: sub-cores, release, full queues hold the issue stage. code-unit: whether sub-cores share it,
 * places of its queue. code-any-order: a unit at which a warp's instructions keep no order. */
const struct key code_keys[] = {
    {"code-machine", "ntf", BEGINS_ALL, read_code_machine},
    {"code-unit", "fd", OF_MACHINE, read_code_unit},
    {"code-any-order", "u", OF_MACHINE, read_any_order},
    {"code", "ttttttfftttttttt*", OF_BLOCK, read_code},
    {"executed", "tttp*", OF_BLOCK, read_executed},    /* index of a block, paths of its warps */
    {"address", "t", OF_BLOCK, read_address},          /* of the last `code`, in the kernel of the cubin */
    {"missed-once", "ntntttt", OF_BLOCK, read_missed}, /* as in struct missed */
    {.name = NULL},
};
