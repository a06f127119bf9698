#include "machine/occupancy.h"
#include "base/cycles.h"

#include <inttypes.h>

/* A kernel may have so many registers whatever its directives say: what calls need on some GPU. (~) */
#define CONVENTION_REGISTERS 24u

/* A granularity that is not stated is none. */
static uint64_t unit_of(uint32_t stated) {
    return stated == 0 ? 1 : stated;
}

/* The next multiple of `unit`; UINT64_MAX where that does not fit. */
static uint64_t round_up(uint64_t value, uint64_t unit) {
    const uint64_t rest = value % unit;
    if (rest == 0) return value;
    return value > UINT64_MAX - (unit - rest) ? UINT64_MAX : value + (unit - rest);
}

/* A resource that is simply added up; a block takes none of it, or none is stated: no limit. */
static struct resource_use use_of(uint64_t taken, uint64_t available) {
    struct resource_use use = {taken, available, WB_UNLIMITED};
    if (taken != 0 && available != 0 && available / taken < WB_UNLIMITED)
        use.blocks = (uint32_t)(available / taken);
    return use;
}

/* Registers are given to warps in units, from one of `warp_unit` equal parts. */
static struct resource_use use_registers(const struct wb_machine *machine, const struct block_demand *demand,
                                         uint32_t registers) {
    const struct machine_limits *limits = &machine->limits;
    const uint64_t warp = round_up((uint64_t)registers * machine->warp_width, unit_of(limits->register_unit));
    struct resource_use use = {warp * demand->warps, limits->registers, WB_UNLIMITED};
    if (limits->thread_registers != 0 && registers > limits->thread_registers) {
        use.blocks = 0;
    } else if (use.taken != 0 && use.available != 0) {
        const uint64_t warps = limits->registers / warp;
        use.blocks = (uint32_t)((warps - warps % unit_of(limits->warp_unit)) / demand->warps);
    }
    return use;
}

static struct resource_use use_shared(const struct wb_machine *machine, const struct block_demand *demand) {
    const struct machine_limits *limits = &machine->limits;
    uint64_t taken = demand->shared_bytes + limits->shared_reserved;
    if (taken < demand->shared_bytes) taken = UINT64_MAX;
    struct resource_use use = use_of(round_up(taken, unit_of(limits->shared_unit)), limits->shared_bytes);
    if (limits->shared_per_block != 0 && demand->shared_bytes > limits->shared_per_block) use.blocks = 0;
    return use;
}

void machine_resource_uses(const struct wb_machine *machine, const struct block_demand *demand,
                           uint32_t registers, struct resource_use uses[RESOURCE_COUNT]) {
    const struct machine_limits *limits = &machine->limits;
    uses[RESOURCE_BLOCKS] = use_of(1, limits->blocks);
    uses[RESOURCE_WARPS] = use_of(demand->warps, limits->warps);
    /* Threads of a warp take room together, those that do not exist included. */
    uses[RESOURCE_THREADS] = use_of((uint64_t)demand->warps * machine->warp_width, limits->threads);
    if (limits->threads_per_block != 0 && demand->threads > limits->threads_per_block)
        uses[RESOURCE_THREADS].blocks = 0;
    uses[RESOURCE_REGISTERS] = use_registers(machine, demand, registers);
    uses[RESOURCE_SHARED] = use_shared(machine, demand);
}

static uint32_t least_blocks(const struct resource_use uses[RESOURCE_COUNT]) {
    uint32_t blocks = WB_UNLIMITED;
    for (int r = 0; r < RESOURCE_COUNT; r++)
        blocks = u32_min(blocks, uses[r].blocks);
    return blocks;
}

uint32_t machine_resident_blocks(const struct wb_machine *machine, const struct block_demand *demand,
                                 uint32_t registers) {
    struct resource_use uses[RESOURCE_COUNT];
    machine_resource_uses(machine, demand, registers, uses);
    return least_blocks(uses);
}

uint32_t machine_registers_for(const struct wb_machine *machine, const struct block_demand *demand,
                               uint32_t blocks) {
    const struct machine_limits *limits = &machine->limits;
    const uint32_t most = limits->thread_registers == 0 ? WB_UNLIMITED : limits->thread_registers;
    const uint64_t warps = round_up((uint64_t)blocks * demand->warps, unit_of(limits->warp_unit));
    if (limits->registers == 0 || warps == 0) return most;
    const uint64_t room = limits->registers / warps, warp = room - room % unit_of(limits->register_unit);
    return u32_min(most, (uint32_t)(warp / unit_of(machine->warp_width)));
}

/* Most bytes of shared memory of a block with which `blocks` blocks find room, as far as shared memory goes.
 * False when not even 0 are few enough. */
static bool machine_shared_for(const struct wb_machine *machine, uint32_t blocks, uint64_t *bytes) {
    const struct machine_limits *limits = &machine->limits;
    *bytes = limits->shared_per_block == 0 ? UINT64_MAX : limits->shared_per_block;
    if (limits->shared_bytes == 0 || blocks == 0) return true;
    uint64_t room = limits->shared_bytes / blocks;
    room -= room % unit_of(limits->shared_unit);
    if (room < limits->shared_reserved) return false;
    if (room - limits->shared_reserved < *bytes) *bytes = room - limits->shared_reserved;
    return true;
}

/* The registers to which .maxntid or .reqntid with .minnctapersm hold the compiler; WB_UNLIMITED: none. It
 * ignores a number of blocks that do not fit on an SM for other reasons. */
static uint32_t registers_of_launch_bounds(const struct wb_machine *machine,
                                           const struct register_facts *facts) {
    const uint64_t width = unit_of(machine->warp_width);
    const struct block_demand bound = {
        .threads = facts->bound_threads,
        .warps = (uint32_t)(facts->bound_threads / width + (facts->bound_threads % width != 0))};
    if (facts->bound_threads == 0) return WB_UNLIMITED;
    const bool kept =
        machine->limits.threads != 0 && machine_resident_blocks(machine, &bound, 0) >= facts->bound_blocks;
    uint32_t registers =
        machine_registers_for(machine, &bound, kept && facts->bound_blocks > 1 ? facts->bound_blocks : 1);
    return registers == 0 ? WB_UNLIMITED : registers;
}

/* Lowers a range to what a directive holds the compiler to. */
static void hold_to(uint32_t most, wb_register_source source, struct register_range *range) {
    if (most < CONVENTION_REGISTERS) most = CONVENTION_REGISTERS;
    if (most >= range->most) return;
    range->most = most;
    range->source = source;
}

struct register_range machine_register_range(const struct wb_machine *machine,
                                             const struct block_demand *demand) {
    const struct register_facts *facts = &demand->registers;
    if (facts->exact != 0)
        return (struct register_range){facts->exact, facts->exact,
                                       facts->of_code ? WB_REGISTERS_OF_CODE : WB_REGISTERS_GIVEN};
    /* The launch of a block that does not fit would fail. */
    struct register_range range = {1, machine_registers_for(machine, demand, 1), WB_REGISTERS_ONE_BLOCK};
    if (range.most == WB_UNLIMITED) range.source = WB_REGISTERS_UNKNOWN;
    if (range.most != 0 && range.most == machine->limits.thread_registers)
        range.source = WB_REGISTERS_OF_MACHINE;
    hold_to(registers_of_launch_bounds(machine, facts), WB_REGISTERS_LAUNCH_BOUNDS, &range);
    if (facts->most != 0) hold_to(facts->most, WB_REGISTERS_MAXNREG, &range);
    if (range.most == 0) range.most = range.least; /* no block fits, however few there are */
    return range;
}

wb_status machine_resident_range(const struct wb_machine *machine, const struct block_demand *demand,
                                 bool reordered, wb_diagnostics *diagnostics, struct resident_range *range) {
    const struct register_range registers = machine_register_range(machine, demand);
    range->most = machine_resident_blocks(machine, demand, registers.least);
    range->least = machine_resident_blocks(machine, demand, registers.most);
    if (reordered) {
        const uint32_t channels = use_of(demand->warps, machine->memory.channels).blocks;
        range->most = u32_min(range->most, channels);
        range->least = u32_min(range->least, channels);
    }
    if (range->most != 0) return WB_OK;
    diagnose(diagnostics, SEVERITY_ERROR, machine->name,
             "an SM has no room for a block of %" PRIu32 " warps, %" PRIu64
             " bytes of shared memory and %" PRIu32 "%s registers a thread",
             demand->warps, demand->shared_bytes, registers.least,
             registers.least == registers.most ? "" : " or more");
    return WB_ERR_INPUT;
}

static const char *const resource_names[RESOURCE_COUNT] = {"blocks", "warps", "threads", "registers",
                                                           "shared memory"};

/* What a block may take at most of a resource by itself; 0: not stated. */
static uint32_t limit_of_block(const struct machine_limits *limits, int resource) {
    return resource == RESOURCE_THREADS  ? limits->threads_per_block
           : resource == RESOURCE_SHARED ? limits->shared_per_block
                                         : 0;
}

static void fill_resources(const struct wb_machine *machine, const struct block_demand *demand,
                           wb_occupancy *occupancy) {
    struct resource_use few[RESOURCE_COUNT], many[RESOURCE_COUNT];
    machine_resource_uses(machine, demand, occupancy->registers_least, few);
    machine_resource_uses(machine, demand, occupancy->registers_most, many);
    occupancy->blocks_most = least_blocks(few);
    occupancy->blocks_least = least_blocks(many);
    for (int r = 0; r < RESOURCE_COUNT; r++)
        occupancy->resources[r] = (wb_occupancy_resource){
            .name = resource_names[r],
            .block_least = few[r].taken,
            .block_most = many[r].taken,
            .block_limit = limit_of_block(&machine->limits, r),
            .sm = few[r].available,
            .blocks_least = many[r].blocks,
            .blocks_most = few[r].blocks,
            .binds_least = many[r].blocks != WB_UNLIMITED && many[r].blocks == occupancy->blocks_least,
            .binds_most = few[r].blocks != WB_UNLIMITED && few[r].blocks == occupancy->blocks_most,
        };
}

/* What would let `blocks` blocks fit; false when neither registers nor shared memory do. */
static bool step_to(const struct wb_machine *machine, const struct block_demand *demand,
                    const wb_occupancy *occupancy, uint32_t blocks, wb_occupancy_step *step) {
    uint64_t shared;
    for (int r = RESOURCE_BLOCKS; r <= RESOURCE_THREADS; r++)
        if (occupancy->resources[r].blocks_most < blocks) return false;
    uint32_t registers = machine_registers_for(machine, demand, blocks);
    if (registers == 0 || !machine_shared_for(machine, blocks, &shared)) return false;
    *step = (wb_occupancy_step){.blocks = blocks,
                                .fewer_registers = registers < occupancy->registers_most,
                                .registers = registers,
                                .less_shared = shared < demand->shared_bytes,
                                .shared_bytes = shared};
    return true;
}

/* The steps from the fewest blocks to one more than the most; each to all blocks that it makes room for. */
static void fill_steps(const struct wb_machine *machine, const struct block_demand *demand,
                       wb_occupancy *occupancy) {
    const uint64_t last = (uint64_t)occupancy->blocks_most + 1;
    for (uint64_t blocks = (uint64_t)occupancy->blocks_least + 1; blocks <= last && blocks < WB_UNLIMITED;) {
        wb_occupancy_step *step = &occupancy->steps[occupancy->step_count];
        if (occupancy->step_count == WB_OCCUPANCY_STEPS_MAX ||
            !step_to(machine, demand, occupancy, (uint32_t)blocks, step))
            return;
        if (!step->less_shared) step->blocks = machine_resident_blocks(machine, demand, step->registers);
        occupancy->step_count++;
        blocks = (uint64_t)step->blocks + 1;
    }
}

void machine_occupancy(const struct wb_machine *machine, const struct block_demand *demand,
                       wb_occupancy *occupancy) {
    const struct register_range registers = machine_register_range(machine, demand);
    occupancy->machine = machine;
    occupancy->threads = demand->threads;
    occupancy->warps = demand->warps;
    occupancy->shared_bytes = demand->shared_bytes;
    occupancy->registers_least = registers.least;
    occupancy->registers_most = registers.most;
    occupancy->register_source = registers.source;
    occupancy->warps_of_sm = machine->limits.warps;
    fill_resources(machine, demand, occupancy);
    fill_steps(machine, demand, occupancy);
}
