#include "random_gpu.h"

#include <stdlib.h>

const struct random_gpu_family random_small_gpus = {
    .waits = true,
    .sms = 3,
    .sub_cores = 2,
    .width = 2,
    .per_warp = 3,
    .units = 2,
    .blocks = 6,
    .resident = 3,
    .shape = {HAND_SHAPE(3, 5, 16, 16, 4), .store_percent = 20, .atomic_percent = 15, .barrier_percent = 15},
};

static uint32_t one_of(struct random_state *random, uint32_t least, uint32_t most) {
    return least + (uint32_t)random_below(random, most - least + 1);
}

static void random_cores(struct random_state *random, const struct random_gpu_family *family,
                         struct wb_machine *machine) {
    static const uint32_t depths[] = {0, 0, 1, 2, DEPTH_UNLIMITED};
    machine->sub_cores = one_of(random, 1, family->sub_cores);
    machine->issue_width = one_of(random, 1, family->width);
    machine->dispatch_depth = depths[random_below(random, 5)];
    machine->units[1].count = one_of(random, 1, family->units);
    for (uint32_t u = 0; u < machine->unit_count; u++)
        machine->units[u].shared = random_below(random, 2) != 0;
    machine->limits.blocks = one_of(random, 1, family->resident);
}

/* A cache of few sets. */
static void random_cache(struct random_state *random, struct cache_geometry *cache, uint32_t sets) {
    cache->ways = one_of(random, 1, 4);
    cache->bytes = cache->ways * cache->line_bytes * sets;
    cache->hashed = random_below(random, 4) == 0;
}

static void random_memory(struct random_state *random, const struct random_gpu_family *family,
                          struct machine_memory *memory) {
    /* Long latencies or long services: either can dominate. */
    const uint32_t latency = 1u << one_of(random, 0, 6), service = 1u << one_of(random, 0, 3);
    bool sectors = random_below(random, 3) == 0;
    memory->requests = sectors ? REQUESTS_VOLTA : REQUESTS_FERMI;
    memory->l1.sector_bytes = memory->l2.sector_bytes = sectors ? MEMORY_SECTOR_BYTES : MEMORY_LINE_BYTES;
    memory->request_cycles = one_of(random, 1, 2);
    memory->l2_partitions = one_of(random, 1, 2);
    random_cache(random, &memory->l1, 1u << one_of(random, 0, 2));
    random_cache(random, &memory->l2, memory->l2_partitions << one_of(random, 0, 2));
    memory->l1_store = random_below(random, 2) != 0 ? STORE_EVICTS : STORE_UPDATES;
    memory->l1_victim = random_below(random, 2) != 0 ? VICTIM_BYPASSED : VICTIM_STALLS;
    memory->l1_latency = one_of(random, 0, latency);
    memory->l1_mshrs = 1u << one_of(random, 0, 4);
    memory->noc_latency = one_of(random, 1, latency);
    memory->l2_latency = one_of(random, 0, latency);
    memory->dram_latency = one_of(random, 0, 2 * latency);
    memory->l2_service = one_of(random, 1, service);
    memory->dram_service = one_of(random, 1, service);
    memory->reply_service = one_of(random, 1, service);
    memory->sms = one_of(random, 1, family->sms);
    memory->dispatch = family->dispatch;
    memory->dispatch_latency = one_of(random, 0, 8);
    memory->channel_depth = one_of(random, 1, 4);
}

static bool one_in(struct random_state *random, uint32_t chances) {
    return random_below(random, chances) == 0;
}

/* Takes the caches away: one memory serves all SMs. */
static void share_memory(struct random_state *random, struct machine_memory *memory) {
    memory->l1.bytes = 0;
    memory->service = 1u << one_of(random, 0, 3);
    if (one_in(random, 2)) memory->service = one_of(random, 1, 3);
    memory->arbiter = one_of(random, ARBITER_FIFO, ARBITER_ANY);
    memory->outstanding = one_in(random, 3) ? 0 : one_of(random, 1, 9);
}

static void random_times(struct random_state *random, struct timed_code *code) {
    for (uint32_t i = 0; i < code->inst_count; i++) {
        struct timed_inst *inst = &code->insts[i];
        if (inst->unit == UNIT_NONE) continue;
        inst->init = one_in(random, 12) ? one_of(random, 4, 60) : one_of(random, 1, 3);
        inst->latency = one_of(random, 0, 6);
        if (i >= HAND_INSTRUCTIONS) continue;
        inst->memory_latency = 50;
        inst->latency += inst->memory_latency;
    }
}

/* Instructions of several classes wait differently long for the same memory. */
static void random_returns(struct random_state *random, struct timed_code *code) {
    const uint32_t most = 1u << one_of(random, 0, 6);
    for (uint32_t i = 0; i < HAND_INSTRUCTIONS; i++) {
        struct timed_inst *inst = &code->insts[i];
        const uint32_t rest = inst->latency - inst->memory_latency;
        inst->memory_latency = one_in(random, 2) ? most : one_of(random, 1, most);
        inst->latency = rest + inst->memory_latency;
    }
}

/* Accesses join queues, and uses wait for these instead of results. */
static void random_waits(struct random_state *random, struct hand_grid *hand) {
    struct timed_code *code = &hand->code;
    enum { GROUPS = 4, REGISTERS = GROUPS + 1 };
    uint32_t *operands = arena_array(&hand->arena, HAND_INSTRUCTIONS + REGISTERS, sizeof *operands);
    if (operands == NULL) abort();
    for (uint32_t r = 0; r < HAND_INSTRUCTIONS + REGISTERS; r++)
        operands[r] = r;
    code->operands = operands;
    code->register_count = HAND_INSTRUCTIONS + REGISTERS;
    code->queues[QUEUE_COPIES] = (struct timed_queue){HAND_INSTRUCTIONS, GROUPS};
    code->queues[QUEUE_ACCESSES] = (struct timed_queue){HAND_INSTRUCTIONS + GROUPS, 1};
    for (uint32_t i = 0; i < HAND_INSTRUCTIONS; i++) {
        struct timed_inst *access = &code->insts[i], *use = &code->insts[HAND_USE_OF(i)];
        if (one_in(random, 2)) access->joins = 1u << QUEUE_COPIES;
        if (access->joins != 0 && one_in(random, 2)) access->destination_count = 0;
        if (one_in(random, 3)) access->joins |= 1u << QUEUE_ACCESSES;
        if (one_in(random, 5)) access->commits = 1u << QUEUE_COPIES;
        if (one_in(random, 4)) use->commits = 1u << QUEUE_COPIES;
        if (one_in(random, 2)) use->first_operand = HAND_INSTRUCTIONS + one_of(random, 0, REGISTERS - 1);
    }
    code->insts[HAND_OTHER].commits = 1u << QUEUE_COPIES;
}

/* Some uses take neither slot nor unit, as `exit` does on some machines. */
static void random_slotless_uses(struct random_state *random, struct timed_code *code) {
    for (uint32_t i = HAND_USE_OF(0); i < HAND_OTHER; i++) {
        if (!one_in(random, 10)) continue;
        code->insts[i].unit = UNIT_NONE;
        code->insts[i].init = 0;
    }
}

/* Memory instructions keep their units for the time of their class, as those of a kernel do. */
static void keep_units(const struct traffic *traffic, const struct timed_code *code) {
    for (size_t p = 0; p < traffic->patterns.count; p++) {
        const struct traffic_pattern *pattern = &traffic->patterns.items[p];
        for (uint32_t a = 0; a < pattern->access_count; a++) {
            struct traffic_access *access = &pattern->accesses[a];
            uint32_t init = code->insts[access->instruction].init;
            if (access->cycles < init) access->cycles = init;
        }
    }
}

static void describe(struct random_gpu *gpu) {
    const struct wb_machine *machine = &gpu->hand.machine;
    const struct machine_memory *m = &machine->memory;
    text_printf(
        &gpu->label,
        "sub_cores %u, width %u x %u, depth %d, memory units %u%s, blocks at a time %u, sms %u, dispatch %u "
        "+ "
        "%u, requests %u x %u, l1 %u B / %u ways (hash %d, store %u, victim %u, latency %u, mshrs %u), "
        "noc %u, l2 %u B / %u ways / %u parts (latency %u, service %u), dram %u + %u, reply %u, channel "
        "depth %u, one memory %u (%s, %u on the way)\n%s",
        machine->sub_cores, machine->issue_width, machine->issue_per_warp, (int)machine->dispatch_depth,
        machine->units[1].count, machine->units[1].shared ? " shared" : "", machine->limits.blocks, m->sms,
        m->dispatch, m->dispatch_latency, m->requests, m->request_cycles, m->l1.bytes, m->l1.ways,
        m->l1.hashed, m->l1_store, m->l1_victim, m->l1_latency, m->l1_mshrs, m->noc_latency, m->l2.bytes,
        m->l2.ways, m->l2_partitions, m->l2_latency, m->l2_service, m->dram_latency, m->dram_service,
        m->reply_service, m->channel_depth, m->service, memory_arbiter_name(m), m->outstanding,
        gpu->hand.text.data);
}

void random_gpu_make(uint64_t seed, const struct random_gpu_family *family, struct random_gpu *gpu) {
    struct random_state random = random_seeded(seed);
    *gpu = (struct random_gpu){0};
    hand_grid_begin(&gpu->hand);
    random_cores(&random, family, &gpu->hand.machine);
    random_memory(&random, family, &gpu->hand.machine.memory);
    struct hand_shape shape = family->shape;
    shape.warps = one_of(&random, 1, shape.warps);
    shape.accesses = one_of(&random, 1, shape.accesses);
    shape.lines = one_of(&random, 1, shape.lines);
    shape.sectors = gpu->hand.machine.memory.requests == REQUESTS_VOLTA ? 4 : 0;
    shape.use_percent = one_of(&random, 0, 100);
    uint32_t blocks = one_of(&random, 1, family->blocks);
    for (uint32_t b = 0; b < blocks; b++)
        hand_grid_add_random(&gpu->hand, &random, &shape);
    random_times(&random, &gpu->hand.code);
    random_slotless_uses(&random, &gpu->hand.code);
    if (family->contended) {
        share_memory(&random, &gpu->hand.machine.memory);
        random_returns(&random, &gpu->hand.code);
    }
    if (family->waits && one_in(&random, 2)) random_waits(&random, &gpu->hand);
    if (family->per_warp > 1) gpu->hand.machine.issue_per_warp = one_of(&random, 1, family->per_warp);
    describe(gpu);
    gpu->timed =
        (struct timed_grid){.grid = &gpu->hand.grid, .machine = &gpu->hand.machine, .code = gpu->hand.code};
    if (traffic_make(&gpu->hand.grid, &gpu->hand.machine, NULL, &gpu->timed.traffic) != WB_OK) abort();
    hand_uncache(&gpu->timed.traffic);
    keep_units(&gpu->timed.traffic, &gpu->hand.code);
}

void random_gpu_free(struct random_gpu *gpu) {
    timed_grid_free(&gpu->timed);
    hand_grid_free(&gpu->hand);
    text_free(&gpu->label);
}

void random_gpu_vary_code(uint64_t seed, struct random_gpu *gpu) {
    struct random_state random = random_seeded(~seed);
    uint32_t kind = (uint32_t)random_below(&random, 8);
    for (uint32_t i = 0; i < gpu->hand.code.inst_count; i++) {
        struct timed_inst *inst = &gpu->hand.code.insts[i];
        bool chosen = random_below(&random, 2) != 0;
        if ((kind & 1) != 0 && chosen && inst->unit == 1) inst->unit = 0;
        if (inst->barrier || inst->unit == 1) continue;
        if ((kind & 2) != 0 && chosen && inst->source_count == 1 && inst->destination_count == 0)
            *inst = (struct timed_inst){.first_operand = inst->first_operand,
                                        .source_count = 1,
                                        .unit = UNIT_NONE,
                                        .latency = (uint32_t)random_below(&random, 3),
                                        .uncounted = true};
    }
    struct traffic *traffic = &gpu->timed.traffic;
    for (size_t p = 0; (kind & 4) != 0 && p < traffic->patterns.count; p++) {
        for (uint32_t a = 0; a < traffic->patterns.items[p].access_count; a++)
            traffic->patterns.items[p].accesses[a].cycles += (uint32_t)random_below(&random, 8);
    }
}
