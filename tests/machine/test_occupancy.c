/* How many blocks an SM holds at a time: the rules by rows, NVIDIA's GPUs by known values of its calculator,
 * what kernels say of their registers, and what must hold of any machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/containers.h"
#include "load_machine.h"
#include "machine/occupancy.h"
#include "messages.h"

/* A row: limits, what a block takes, and how many fit. */
struct row {
    struct machine_limits limits;
    struct block_demand demand;
    uint32_t registers, blocks;
};

static void test_limits(void **state) {
    (void)state;
    static const struct row rows[] = {
        {{.blocks = 8, .warps = 48, .threads = 1536}, {.warps = 8, .threads = 256}, 0, 6},
        {{.blocks = 8, .warps = 48, .threads = 1536}, {.warps = 2, .threads = 64}, 0, 8},
        {{.blocks = 8, .warps = 48, .threads = 1024}, {.warps = 8, .threads = 256}, 0, 4},
        {{.threads = 96}, {.warps = 2, .threads = 33}, 0, 1},
        {{.blocks = 8, .shared_bytes = 49152}, {.warps = 1, .threads = 32, .shared_bytes = 16384}, 0, 3},
        {{.blocks = 8, .shared_bytes = 49152}, {.warps = 1, .threads = 32, .shared_bytes = 49153}, 0, 0},
        {{.blocks = 8, .registers = 32768}, {.warps = 8, .threads = 256}, 21, 6},
        {{.blocks = 8, .registers = 32768}, {.warps = 8, .threads = 256}, 0, 8},
        {{.blocks = 8, .registers = 8191}, {.warps = 8, .threads = 256}, 32, 0},
        {{.registers = 8192, .thread_registers = 31}, {.warps = 1, .threads = 32}, 31, 8},
        {{.registers = 8192, .thread_registers = 31}, {.warps = 1, .threads = 32}, 32, 0},
        {{.registers = 8192, .register_unit = 256}, {.warps = 1, .threads = 32}, 9, 16},
        {{.registers = 8192 - 256, .register_unit = 256}, {.warps = 1, .threads = 32}, 8, 31},
        {{.registers = 8192 - 256, .register_unit = 256, .warp_unit = 4}, {.warps = 1, .threads = 32}, 8, 28},
        {{.registers = 8192 - 256, .register_unit = 256, .warp_unit = 4},
         {.warps = 29, .threads = 900},
         8,
         0},
        {{.shared_bytes = 1024, .shared_unit = 256}, {.warps = 1, .threads = 32, .shared_bytes = 257}, 0, 2},
        {{.shared_bytes = 1024, .shared_reserved = 100}, {.warps = 1, .threads = 32}, 0, 10},
        {{.shared_bytes = 1024, .shared_per_block = 100},
         {.warps = 1, .threads = 32, .shared_bytes = 100},
         0,
         10},
        {{.shared_bytes = 1024, .shared_per_block = 100},
         {.warps = 1, .threads = 32, .shared_bytes = 101},
         0,
         0},
        {{.shared_bytes = 1024, .shared_reserved = 1, .shared_unit = 128},
         {.warps = 1, .threads = 32, .shared_bytes = UINT64_MAX},
         0,
         0},
        {{.blocks = 8, .threads_per_block = 512}, {.warps = 17, .threads = 513}, 0, 0},
        {{0}, {.warps = 8, .threads = 256, .shared_bytes = 1 << 20}, 255, WB_UNLIMITED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wb_machine machine = {.limits = rows[i].limits, .warp_width = 32};
        uint32_t blocks = machine_resident_blocks(&machine, &rows[i].demand, rows[i].registers);
        if (blocks != rows[i].blocks) fail_msg("row %zu: %u", i, blocks);
    }
}

/* Threads of a warp take room together, however many they are. */
static void test_warp_width(void **state) {
    (void)state;
    struct wb_machine machine = {.limits = {.threads = 64, .registers = 1024}, .warp_width = 8};
    const struct block_demand demand = {.warps = 2, .threads = 9};
    assert_int_equal(machine_resident_blocks(&machine, &demand, 0), 4);
    assert_int_equal(machine_resident_blocks(&machine, &demand, 32), 2);
    machine.warp_width = 32;
    assert_int_equal(machine_resident_blocks(&machine, &demand, 0), 1);
}

static void test_channels(void **state) {
    (void)state;
    struct wb_machine machine = {.limits = {.blocks = 8}, .warp_width = 32, .memory = {.channels = 20}};
    const struct block_demand small = {.warps = 2, .threads = 64}, large = {.warps = 8, .threads = 256},
                              huge = {.warps = 21, .threads = 672};
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct resident_range range;
    assert_int_equal(machine_resident_range(&machine, &small, true, diagnostics, &range), WB_OK);
    assert_int_equal(range.most, 8);
    assert_int_equal(machine_resident_range(&machine, &large, true, diagnostics, &range), WB_OK);
    assert_int_equal(range.most, 2);
    assert_int_equal(machine_resident_range(&machine, &huge, false, diagnostics, &range), WB_OK);
    assert_int_equal(range.most, 8);
    assert_int_equal(machine_resident_range(&machine, &huge, true, diagnostics, &range), WB_ERR_INPUT);
    assert_non_null(strstr(wb_diagnostics_text(diagnostics), "no room for a block of 21 warps"));
    wb_diagnostics_free(diagnostics);
}

/* What NVIDIA's calculator says of a GPU: threads of a block, registers of a thread, shared memory of a
 * block, and the blocks that fit. */
struct known {
    const char *machine;
    uint32_t threads, registers;
    uint64_t shared;
    uint32_t blocks;
};

static const struct known known[] = {
    /* 2.0: 1536 threads, 8 blocks, 32768 registers in units of 64 to pairs of warps, 48 kB in units of 128.
     */
    {"fermi-sm20", 256, 16, 0, 6},     /* 512 a warp: 64 warps have registers, 48 have room */
    {"fermi-sm20", 256, 20, 0, 6},     /* 640: 51, in pairs 50 */
    {"fermi-sm20", 256, 21, 0, 5},     /* 672, that is 704: 46 */
    {"fermi-sm20", 256, 32, 0, 4},     /* 1024: 32 */
    {"fermi-sm20", 256, 33, 0, 3},     /* 1056, that is 1088: 30 */
    {"fermi-sm20", 256, 63, 0, 2},     /* 2016, that is 2048: 16 */
    {"fermi-sm20", 256, 64, 0, 0},     /* no thread has so many */
    {"fermi-sm20", 32, 16, 0, 8},      /* as many blocks as there may be */
    {"fermi-sm20", 192, 16, 6144, 8},  /* 48 kB in 8 */
    {"fermi-sm20", 192, 16, 6145, 7},  /* 6272: 7.8 */
    {"fermi-sm20", 192, 16, 49152, 1}, /* all of it */
    {"fermi-sm20", 192, 16, 49153, 0},
    {"fermi-sm20", 1024, 32, 0, 1}, /* 32 warps of the 48 */
    {"fermi-sm20", 1024, 33, 0, 0}, /* 30 warps have registers */
    {"fermi-sm20", 1025, 16, 0, 0}, /* more threads than a block may have */
    /* 3.5: 2048 threads, 16 blocks, 65536 registers in units of 256 to four warps, 48 kB in units of 256. */
    {"kepler-sm35", 256, 32, 0, 8},     /* 1024: 64 */
    {"kepler-sm35", 256, 33, 0, 6},     /* 1056, that is 1280: 51, in fours 48 */
    {"kepler-sm35", 256, 40, 0, 6},     /* 1280 */
    {"kepler-sm35", 256, 64, 0, 4},     /* 2048: 32 */
    {"kepler-sm35", 256, 128, 0, 2},    /* 4096: 16 */
    {"kepler-sm35", 256, 255, 0, 1},    /* 8160, that is 8192: 8 */
    {"kepler-sm35", 256, 256, 0, 0},    /* no thread has so many */
    {"kepler-sm35", 64, 32, 0, 16},     /* as many blocks as there may be: half of the warps */
    {"kepler-sm35", 128, 32, 3072, 16}, /* 48 kB in 16 */
    {"kepler-sm35", 128, 32, 3073, 14}, /* 3328: 14.8 */
    {"kepler-sm35", 1024, 64, 0, 1},    /* 32 warps of 2048 are all registers */
    {"kepler-sm35", 1024, 65, 0, 0},    /* 2304: 28 */
    {"kepler-sm35", 96, 168, 0, 4},     /* 5376: 12 warps, 3 a block */
    {"kepler-sm35", 96, 224, 0, 2},     /* 7168: 9 warps, in fours 8 */
    /* 8.0: 2048 threads, 32 blocks, 164 kB in units of 128 with 1 kB for the system. */
    {"ampere-sm80", 256, 32, 0, 8},
    {"ampere-sm80", 256, 64, 0, 4},
    {"ampere-sm80", 256, 128, 0, 2},
    {"ampere-sm80", 256, 255, 0, 1},
    {"ampere-sm80", 32, 32, 0, 32},      /* as many blocks as there may be */
    {"ampere-sm80", 256, 32, 19968, 8},  /* 20992 with the system's: 8 are all of 167936 */
    {"ampere-sm80", 256, 32, 19969, 7},  /* 21120: 7.95 */
    {"ampere-sm80", 256, 32, 82944, 2},  /* 83968: 2 are all of it */
    {"ampere-sm80", 256, 32, 82945, 1},  /* 84096 */
    {"ampere-sm80", 256, 32, 166912, 1}, /* 163 kB, the most of a block */
    {"ampere-sm80", 256, 32, 166913, 0},
    {"ampere-sm80", 1024, 32, 0, 2},
    {"ampere-sm80", 1024, 64, 0, 1},
    {"ampere-sm80", 1024, 65, 0, 0},
    {"ampere-sm80", 33, 32, 0, 32}, /* two warps a block */
    /* 8.6: 1536 threads, 16 blocks, 100 kB. */
    {"ecrts2025-orin", 256, 32, 0, 6},
    {"ecrts2025-orin", 256, 40, 0, 6}, /* 1280: 51, in fours 48 */
    {"ecrts2025-orin", 256, 41, 0, 5}, /* 1312, that is 1536: 42, in fours 40 */
    {"ecrts2025-orin", 256, 64, 0, 4},
    {"ecrts2025-orin", 256, 128, 0, 2},
    {"ecrts2025-orin", 256, 129, 0, 1},     /* 4352: 15, in fours 12 */
    {"ecrts2025-orin", 64, 32, 0, 16},      /* as many blocks as there may be: two thirds of the warps */
    {"ecrts2025-orin", 128, 32, 7424, 12},  /* 8448: 12.1; there are warps for 12 */
    {"ecrts2025-orin", 128, 32, 7552, 11},  /* 8576: 11.9 */
    {"ecrts2025-orin", 128, 32, 16384, 5},  /* 17408: 5.9 */
    {"ecrts2025-orin", 128, 32, 101376, 1}, /* 99 kB, the most of a block */
    {"ecrts2025-orin", 128, 32, 101377, 0},
    {"ecrts2025-orin", 1024, 32, 0, 1},
    {"ecrts2025-orin", 768, 40, 0, 2},
    /* 9.0: 2048 threads, 32 blocks, 228 kB. */
    {"hopper-sm90", 256, 32, 0, 8},
    {"hopper-sm90", 256, 64, 0, 4},
    {"hopper-sm90", 256, 128, 0, 2},
    {"hopper-sm90", 384, 168, 0, 1},     /* 5376: 12 */
    {"hopper-sm90", 384, 169, 0, 0},     /* 5632: 11, in fours 8 */
    {"hopper-sm90", 128, 32, 28160, 8},  /* 29184: 8 are all of 233472 */
    {"hopper-sm90", 128, 32, 28161, 7},  /* 29312 */
    {"hopper-sm90", 128, 32, 232448, 1}, /* 227 kB, the most of a block */
    {"hopper-sm90", 128, 32, 232449, 0},
};

static struct block_demand demand_of(const struct wb_machine *machine, uint32_t threads, uint64_t shared) {
    return (struct block_demand){.threads = threads,
                                 .warps = (threads + machine->warp_width - 1) / machine->warp_width,
                                 .shared_bytes = shared};
}

static void test_known_gpus(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        wb_machine *machine = load_machine(known[i].machine);
        const struct block_demand demand = demand_of(machine, known[i].threads, known[i].shared);
        uint32_t blocks = machine_resident_blocks(machine, &demand, known[i].registers);
        if (blocks != known[i].blocks)
            fail_msg("%s, %u threads, %u registers, %llu bytes: %u blocks, not %u", known[i].machine,
                     known[i].threads, known[i].registers, (unsigned long long)known[i].shared, blocks,
                     known[i].blocks);
        wb_machine_free(machine);
    }
}

/* What a kernel says of its registers on a machine, and what they are then at most. */
struct register_row {
    const char *machine;
    uint32_t threads;
    struct register_facts facts;
    uint32_t least, most;
    wb_register_source source;
    uint32_t blocks_least, blocks_most;
};

static const struct register_row register_rows[] = {
    {"ecrts2025-orin", 256, {0}, 1, 255, WB_REGISTERS_OF_MACHINE, 1, 6},
    {"ecrts2025-orin", 1024, {0}, 1, 64, WB_REGISTERS_ONE_BLOCK, 1, 1},
    {"ecrts2025-orin", 32, {0}, 1, 255, WB_REGISTERS_OF_MACHINE, 8, 16},
    {"ecrts2025-orin", 256, {.exact = 40}, 40, 40, WB_REGISTERS_GIVEN, 6, 6},
    {"ecrts2025-orin", 256, {.exact = 41, .most = 32}, 41, 41, WB_REGISTERS_GIVEN, 5, 5},
    {"ecrts2025-orin", 256, {.most = 64}, 1, 64, WB_REGISTERS_MAXNREG, 4, 6},
    {"ecrts2025-orin", 256, {.most = 8}, 1, 24, WB_REGISTERS_MAXNREG, 6, 6}, /* calls may need 24 */
    {"ecrts2025-orin", 256, {.most = 4000}, 1, 255, WB_REGISTERS_OF_MACHINE, 1, 6},
    {"ecrts2025-orin", 256, {.bound_threads = 1024}, 1, 64, WB_REGISTERS_LAUNCH_BOUNDS, 4, 6},
    {"ecrts2025-orin", 256, {.bound_threads = 256}, 1, 255, WB_REGISTERS_OF_MACHINE, 1, 6},
    {"ecrts2025-orin",
     256,
     {.bound_threads = 256, .bound_blocks = 3},
     1,
     80,
     WB_REGISTERS_LAUNCH_BOUNDS,
     3,
     6},
    {"ecrts2025-orin",
     128,
     {.bound_threads = 256, .bound_blocks = 3},
     1,
     80,
     WB_REGISTERS_LAUNCH_BOUNDS,
     6,
     12},
    {"ecrts2025-orin",
     256,
     {.bound_threads = 256, .bound_blocks = 3, .most = 48},
     1,
     48,
     WB_REGISTERS_MAXNREG,
     5,
     6},
    /* More blocks than there is room for otherwise, and blocks without their threads: ignored. */
    {"ecrts2025-orin", 256, {.bound_threads = 256, .bound_blocks = 7}, 1, 255, WB_REGISTERS_OF_MACHINE, 1, 6},
    {"ecrts2025-orin", 256, {.bound_blocks = 6}, 1, 255, WB_REGISTERS_OF_MACHINE, 1, 6},
    {"ecrts2025-orin", 32, {.bound_threads = 32, .bound_blocks = 17}, 1, 255, WB_REGISTERS_OF_MACHINE, 8, 16},
    /* No block of so many threads: the directive says nothing. */
    {"ecrts2025-orin", 256, {.bound_threads = UINT32_MAX}, 1, 255, WB_REGISTERS_OF_MACHINE, 1, 6},
    {"fermi-sm20", 256, {0}, 1, 63, WB_REGISTERS_OF_MACHINE, 2, 6},
    {"fermi-sm20", 1024, {0}, 1, 32, WB_REGISTERS_ONE_BLOCK, 1, 1},
    /* What papers do not say is not taken from NVIDIA. */
    {"jcse2017", 256, {0}, 1, 128, WB_REGISTERS_ONE_BLOCK, 1, 6},
#ifdef WB_WING_ABSTRACT_CTA
    {"hirvisalo", 1024, {0}, 1, WB_UNLIMITED, WB_REGISTERS_UNKNOWN, 1, 1},
    {"hirvisalo", 1024, {.most = 40}, 1, 40, WB_REGISTERS_MAXNREG, 1, 1},
#endif
};

static void test_register_ranges(void **state) {
    (void)state;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    for (size_t i = 0; i < sizeof register_rows / sizeof *register_rows; i++) {
        const struct register_row *row = &register_rows[i];
        wb_machine *machine = load_machine(row->machine);
        struct block_demand demand = demand_of(machine, row->threads, 0);
        struct resident_range resident;
        demand.registers = row->facts;
        const struct register_range range = machine_register_range(machine, &demand);
        if (range.least != row->least || range.most != row->most || range.source != row->source)
            fail_msg("row %zu: %u to %u, %d", i, range.least, range.most, (int)range.source);
        assert_int_equal(machine_resident_range(machine, &demand, false, diagnostics, &resident), WB_OK);
        if (resident.least != row->blocks_least || resident.most != row->blocks_most)
            fail_msg("row %zu: %u to %u blocks", i, resident.least, resident.most);
        wb_machine_free(machine);
    }
    wb_diagnostics_free(diagnostics);
}

/* The launch of a block that does not fit fails, with one message wherever it is asked for. */
static void test_no_room(void **state) {
    (void)state;
    wb_machine *machine = load_machine("ecrts2025-orin");
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct block_demand demand = demand_of(machine, 1024, 2048);
    struct resident_range range;
    demand.registers.exact = 65;
    assert_int_equal(machine_resident_range(machine, &demand, false, diagnostics, &range), WB_ERR_INPUT);
    demand.registers.exact = 0;
    demand.shared_bytes = 101377;
    assert_int_equal(machine_resident_range(machine, &demand, false, diagnostics, &range), WB_ERR_INPUT);
    assert_string_equal(
        wb_diagnostics_text(diagnostics),
        "ecrts2025-orin: error: an SM has no room for a block of 32 warps, 2048 bytes of shared "
        "memory and 65 registers a thread\n"
        "ecrts2025-orin: error: an SM has no room for a block of 32 warps, 101377 bytes of shared "
        "memory and 1 or more registers a thread\n");
    wb_diagnostics_free(diagnostics);
    wb_machine_free(machine);
}

/* A number that is 0, not stated, every third time. */
static uint32_t maybe(struct random_state *random, uint32_t most) {
    return random_below(random, 3) == 0 ? 0 : 1 + (uint32_t)random_below(random, most);
}

static struct wb_machine random_machine(struct random_state *random) {
    struct wb_machine machine = {.warp_width = 1 + (uint32_t)random_below(random, 32)};
    struct machine_limits *limits = &machine.limits;
    limits->blocks = maybe(random, 16);
    limits->warps = maybe(random, 64);
    limits->threads = maybe(random, 2048);
    limits->threads_per_block = maybe(random, 1024);
    limits->registers = maybe(random, 65536);
    limits->shared_bytes = maybe(random, 65536);
    limits->thread_registers = maybe(random, 255);
    limits->shared_per_block = maybe(random, 65536);
    limits->register_unit = maybe(random, 256);
    limits->warp_unit = maybe(random, 4);
    limits->shared_unit = maybe(random, 256);
    limits->shared_reserved = maybe(random, 1024);
    return machine;
}

static struct block_demand random_demand(struct random_state *random, const struct wb_machine *machine) {
    const uint32_t threads = 1 + (uint32_t)random_below(random, 600);
    struct block_demand demand = demand_of(machine, threads, maybe(random, 20000));
    struct register_facts *registers = &demand.registers;
    registers->exact = random_below(random, 2) == 0 ? 0 : maybe(random, 255);
    registers->most = maybe(random, 255);
    registers->bound_threads = maybe(random, 1024);
    registers->bound_blocks = maybe(random, 8);
    return demand;
}

/* What is wrong with how many blocks fit, or NULL. More of anything never lets more of them fit; no resource
 * is overdrawn, and where so many fit, some resource leaves no room for one more. */
static const char *check_demand(const struct wb_machine *machine, const struct block_demand *demand,
                                uint32_t registers) {
    const uint32_t blocks = machine_resident_blocks(machine, demand, registers);
    const struct block_demand threads = demand_of(machine, demand->threads + 1, demand->shared_bytes),
                              shared = demand_of(machine, demand->threads, demand->shared_bytes + 1);
    struct resource_use uses[RESOURCE_COUNT];
    bool binds = false;
    if (machine_resident_blocks(machine, &threads, registers) > blocks) return "threads";
    if (machine_resident_blocks(machine, &shared, registers) > blocks) return "shared memory";
    if (machine_resident_blocks(machine, demand, registers + 1) > blocks) return "registers";
    if (blocks == WB_UNLIMITED || blocks == 0) return NULL;
    machine_resource_uses(machine, demand, registers, uses);
    for (int r = 0; r < RESOURCE_COUNT; r++) {
        if (uses[r].blocks < blocks) return "more than a resource allows";
        if (uses[r].available == 0) continue;
        if (blocks * uses[r].taken > uses[r].available) return "a resource is overdrawn";
        binds = binds || uses[r].blocks == blocks;
    }
    if (registers > machine_registers_for(machine, demand, blocks)) return "registers for these blocks";
    if (registers <= machine_registers_for(machine, demand, blocks + 1) &&
        uses[RESOURCE_REGISTERS].blocks == blocks)
        return "registers for one block more";
    return binds ? NULL : "nothing binds";
}

/* Registers dealt out one warp after the other to the parts of the register file, each the next that has
 * room: the blocks that fit in the end. */
static uint32_t deal_registers(const struct machine_limits *limits, uint32_t width, uint32_t warps,
                               uint32_t registers) {
    const uint32_t parts = limits->warp_unit == 0 ? 1 : limits->warp_unit;
    const uint32_t unit = limits->register_unit == 0 ? 1 : limits->register_unit;
    uint32_t warp = 0, used = 0, dealt = 0;
    while (warp < registers * width)
        warp += unit;
    while (parts * (used + warp) <= limits->registers) {
        used += warp; /* a warp in every part */
        dealt += parts;
    }
    return dealt / warps;
}

static void test_any_machine(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 20000; seed++) {
        struct random_state random = random_seeded(seed);
        const struct wb_machine machine = random_machine(&random);
        const struct block_demand demand = random_demand(&random, &machine);
        const uint32_t registers = 1 + (uint32_t)random_below(&random, 255);
        struct resource_use uses[RESOURCE_COUNT];
        const char *wrong = check_demand(&machine, &demand, registers);
        if (wrong != NULL) fail_msg("seed %llu: %s", (unsigned long long)seed, wrong);
        machine_resource_uses(&machine, &demand, registers, uses);
        const struct machine_limits *limits = &machine.limits;
        if (limits->registers == 0 || (limits->thread_registers != 0 && registers > limits->thread_registers))
            continue;
        uint32_t dealt = deal_registers(limits, machine.warp_width, demand.warps, registers);
        if (uses[RESOURCE_REGISTERS].blocks != dealt)
            fail_msg("seed %llu: %u blocks, not %u", (unsigned long long)seed,
                     uses[RESOURCE_REGISTERS].blocks, dealt);
    }
}

/* What is wrong with the thresholds, or NULL: with them so many blocks fit, with one register or byte more
 * not. */
static const char *check_steps(const struct wb_machine *machine, const struct block_demand *demand,
                               const wb_occupancy *occupancy) {
    uint32_t before = occupancy->blocks_least;
    for (size_t s = 0; s < occupancy->step_count; s++) {
        const wb_occupancy_step *step = &occupancy->steps[s];
        struct block_demand less = *demand;
        uint32_t registers = step->fewer_registers ? step->registers : occupancy->registers_least;
        if (step->less_shared) less.shared_bytes = step->shared_bytes;
        if (!step->fewer_registers && !step->less_shared) return "a step without need";
        if (step->blocks <= before) return "a step downwards";
        if (machine_resident_blocks(machine, &less, registers) < step->blocks) return "too little";
        if (step->fewer_registers && machine_resident_blocks(machine, &less, registers + 1) >= step->blocks)
            return "too few registers";
        if (!step->less_shared && machine_resident_blocks(machine, &less, registers) != step->blocks)
            return "room for more blocks than the step says";
        less.shared_bytes++;
        if (step->less_shared && machine_resident_blocks(machine, &less, registers) >= step->blocks)
            return "too little shared memory";
        before = step->blocks;
    }
    return NULL;
}

static const char *check_occupancy(const struct wb_machine *machine, const struct block_demand *demand,
                                   const wb_occupancy *occupancy) {
    const uint32_t least = occupancy->blocks_least, most = occupancy->blocks_most;
    if (occupancy->registers_least < 1 || occupancy->registers_least > occupancy->registers_most)
        return "registers";
    if (most != machine_resident_blocks(machine, demand, occupancy->registers_least)) return "most blocks";
    if (least != machine_resident_blocks(machine, demand, occupancy->registers_most)) return "least blocks";
    if (least > most) return "more at least than at most";
    if (demand->registers.exact != 0 && least != most) return "a range, with registers known";
    /* The launch of a block that does not fit would fail. */
    if (demand->registers.exact == 0 && most > 0 && least == 0) return "registers with which no block fits";
    return check_steps(machine, demand, occupancy);
}

static void test_any_occupancy(void **state) {
    (void)state;
    size_t steps = 0, ranges = 0, both = 0;
    for (uint64_t seed = 1; seed <= 20000; seed++) {
        struct random_state random = random_seeded(seed);
        const struct wb_machine machine = random_machine(&random);
        const struct block_demand demand = random_demand(&random, &machine);
        wb_occupancy occupancy = {0};
        machine_occupancy(&machine, &demand, &occupancy);
        const char *wrong = check_occupancy(&machine, &demand, &occupancy);
        if (wrong != NULL) fail_msg("seed %llu: %s", (unsigned long long)seed, wrong);
        ranges += occupancy.blocks_least < occupancy.blocks_most;
        for (size_t s = 0; s < occupancy.step_count; s++, steps++)
            both += occupancy.steps[s].fewer_registers && occupancy.steps[s].less_shared;
    }
    print_message("%zu ranges, %zu steps, %zu of them with both\n", ranges, steps, both);
    assert_true(ranges > 500 && steps > 2000 && both > 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits),          cmocka_unit_test(test_warp_width),
        cmocka_unit_test(test_channels),        cmocka_unit_test(test_known_gpus),
        cmocka_unit_test(test_register_ranges), cmocka_unit_test(test_no_room),
        cmocka_unit_test(test_any_machine),     cmocka_unit_test(test_any_occupancy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
