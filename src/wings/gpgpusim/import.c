/* A machine of the flags of a gpgpusim.config. */
#include "wings/gpgpusim/import.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"
#include "warpbound_gpgpusim.h"

/* Cycles from the issue of an instruction to its result, beyond the latency of its opcode: the stages of the
 * simulator's pipeline around the unit (operand collector, dispatch, write-back). */
#define PIPELINE_CYCLES 4u

/* Cycles after which a store or fence has left the load/store unit. */
#define STORE_CYCLES 3u

/* Most SMs of a machine. */
#define SMS_MAX 1024u

/* The first architectures whose lanes become requests by lines of 128 bytes, and by sectors of 32. */
#define LEAST_COALESCING 20u
#define LEAST_SECTORED 40u

/* Most threads of a block, a limit of CUDA that the file does not state. */
#define BLOCK_THREADS_MAX 1024u

/* The defaults of GPGPU-Sim 4's option table. */
static const struct import_config simulator_defaults = {
    .latency_int = {{1, 1, 19, 25, 145, 32}},
    .latency_fp = {{1, 1, 1, 1, 30}},
    .latency_dp = {{8, 8, 8, 8, 335}},
    .init_int = {{1, 1, 4, 4, 32, 4}},
    .init_fp = {{1, 1, 1, 1, 5}},
    .init_dp = {{8, 8, 8, 8, 130}},
    .latency_sfu = 8,
    .init_sfu = 8,
    .latency_tensor = 64,
    .init_tensor = 64,
    .clock_mhz = 500,
    .schedulers = 1,
    .issue_per_warp = 2,
    .issue_to_other_units = 1,
    .sp_units = 1,
    .sfu_units = 1,
    .smem_latency = 3,
    .l1_latency = 1,
    .l2_latency = 85,
    .dram_latency = 30,
    .threads = 1024,
    .blocks = 8,
    .cluster_sms = 3,
    .registers = 8192,
    .shared_bytes = 16384,
    .gpgpusim =
        {
            .collectors = {[GPGPUSIM_SP] = 4, [GPGPUSIM_SFU] = 4, [GPGPUSIM_TENSOR] = 4, [GPGPUSIM_LSU] = 2},
            .id_oc = {1, 1, 1, 1, 1, 1, 1},
            .register_banks = 8,
            .collector_steps = 1,
            .result_buses = 1,
        },
    .fetch = {.ways = 4, .line = 256, .instruction_bytes = 8, .buffer = 2, .per_cycle = 1, .misses = 2},
    .l1_banks = 1,
    .own_collectors = 1,
    .widest_oc_ex = 1,
};

/* Which units the machine has; an absent one is stood in for by another. */
struct unit_map {
    uint8_t sp, integer, sfu, dp, tensor, mem, lsu;
};

/* Adds a unit of `count` instances on the SM. Sub-cores of the simulator own equal parts of them. */
static uint8_t add_unit(struct wb_machine *machine, const struct import_config *config, const char *name,
                        uint32_t count) {
    struct machine_unit *unit = &machine->units[machine->unit_count];
    bool divided = config->sub_core_model == 1 && count % config->schedulers == 0;
    unit->count = divided ? count / config->schedulers : count;
    unit->shared = !divided;
    memcpy(unit->name, name, strlen(name) + 1);
    return (uint8_t)machine->unit_count++;
}

/* Without INT units integers run on SP, without DP units f64 on SFU, as in the simulator. */
static struct unit_map add_units(struct wb_machine *machine, const struct import_config *config) {
    struct unit_map map;
    map.sp = add_unit(machine, config, "SP", config->sp_units);
    map.integer = config->int_units > 0 ? add_unit(machine, config, "INT", config->int_units) : map.sp;
    map.sfu = add_unit(machine, config, "SFU", config->sfu_units);
    map.dp = config->dp_units > 0 ? add_unit(machine, config, "DP", config->dp_units) : map.sfu;
    bool tensor = config->tensor_available == 1 && config->tensor_units > 0;
    map.tensor = tensor ? add_unit(machine, config, "TENSOR", config->tensor_units) : UNIT_NONE;
    map.lsu = add_unit(machine, config, "LSU", 1);
    map.mem = config->mem_unit_count > 0 ? add_unit(machine, config, "MEM", config->mem_unit_count) : map.lsu;
    return map;
}

/* A class whose result is there `distance` cycles after its start, not counting the latency `plus`. */
static struct machine_class class_of(uint8_t unit, uint32_t init, uint32_t distance, enum latency_base plus) {
    return (struct machine_class){
        .given = true,
        .unit = unit,
        .init = init,
        .latency = distance > init ? distance - init : 0,
        .plus = plus,
    };
}

/* The class of opcodes first..last of one type: the slowest of them, so that the machine is never faster than
 * the file says. */
static struct machine_class slowest(uint8_t unit, const struct import_times *init,
                                    const struct import_times *latency, enum import_op first,
                                    enum import_op last) {
    uint32_t longest_init = 1;
    uint32_t longest = 0;
    for (uint32_t op = first; op <= last; op++) {
        if (init->op[op] > longest_init) longest_init = init->op[op];
        if (latency->op[op] > longest) longest = latency->op[op];
    }
    return class_of(unit, longest_init, longest + PIPELINE_CYCLES, LATENCY_FIXED);
}

/* Classes that the flags give figures for. */
static void set_arithmetic(struct wb_machine *machine, const struct import_config *config,
                           const struct unit_map *map) {
    struct machine_class *classes = machine->classes;
    const struct import_times *init = &config->init_int;
    const struct import_times *latency = &config->latency_int;
    classes[PTX_CLASS_INT_ADD] = slowest(map->integer, init, latency, IMPORT_ADD, IMPORT_MAX);
    classes[PTX_CLASS_INT_MUL] = slowest(map->integer, init, latency, IMPORT_MUL, IMPORT_MAD);
    /* mul24 is emulated since compute capability 2.0: the simulator adds a cycle to mul's two figures. */
    classes[PTX_CLASS_INT_MUL24] = classes[PTX_CLASS_INT_MUL];
    classes[PTX_CLASS_INT_MUL24].init++;
    classes[PTX_CLASS_INT_DIV] = slowest(map->sfu, init, latency, IMPORT_DIV, IMPORT_DIV);
    classes[PTX_CLASS_FP16] = slowest(map->integer, init, latency, IMPORT_ADD, IMPORT_MAD);
    classes[PTX_CLASS_SHUFFLE] = slowest(map->integer, init, latency, IMPORT_SHFL, IMPORT_SHFL);
    classes[PTX_CLASS_FP32] = slowest(map->sp, &config->init_fp, &config->latency_fp, IMPORT_ADD, IMPORT_MAD);
    classes[PTX_CLASS_FP32_DIV] =
        slowest(map->sfu, &config->init_fp, &config->latency_fp, IMPORT_DIV, IMPORT_DIV);
    classes[PTX_CLASS_FP64] = slowest(map->dp, &config->init_dp, &config->latency_dp, IMPORT_ADD, IMPORT_MAD);
    classes[PTX_CLASS_FP64_DIV] =
        slowest(map->sfu, &config->init_dp, &config->latency_dp, IMPORT_DIV, IMPORT_DIV);
    struct machine_class special =
        class_of(map->sfu, config->init_sfu, config->latency_sfu + PIPELINE_CYCLES, LATENCY_FIXED);
    classes[PTX_CLASS_FP32_SPECIAL] = classes[PTX_CLASS_FP64_SPECIAL] = special;
    if (map->tensor != UNIT_NONE)
        classes[PTX_CLASS_TENSOR] = class_of(map->tensor, config->init_tensor,
                                             config->latency_tensor + PIPELINE_CYCLES, LATENCY_FIXED);
}

/* Everything else has latency and initiation interval 1 on the integer unit, accesses to memory excepted. */
static void set_simple(struct wb_machine *machine, const struct unit_map *map) {
    static const enum ptx_class simple[] = {
        PTX_CLASS_LOGIC,     PTX_CLASS_BITS,       PTX_CLASS_MOVE,       PTX_CLASS_COMPARE,
        PTX_CLASS_CONVERT,   PTX_CLASS_CONVERT64,  PTX_CLASS_FP32_MOVE,  PTX_CLASS_VOTE,
        PTX_CLASS_BRANCH,    PTX_CLASS_CALL,       PTX_CLASS_EXIT,       PTX_CLASS_BARRIER,
        PTX_CLASS_WARP_SYNC, PTX_CLASS_LOAD_PARAM, PTX_CLASS_LOAD_CONST, PTX_CLASS_OTHER,
    };
    for (size_t i = 0; i < sizeof simple / sizeof *simple; i++)
        machine->classes[simple[i]] = class_of(map->integer, 1, 1 + PIPELINE_CYCLES, LATENCY_FIXED);
}

static void set_memory(struct wb_machine *machine, const struct unit_map *map) {
    static const enum ptx_class stores[] = {
        PTX_CLASS_STORE_PARAM,   PTX_CLASS_STORE_GLOBAL, PTX_CLASS_STORE_SHARED, PTX_CLASS_STORE_LOCAL,
        PTX_CLASS_STORE_GENERIC, PTX_CLASS_FENCE,        PTX_CLASS_PREFETCH,
    };
    struct machine_class *classes = machine->classes;
    for (size_t i = 0; i < sizeof stores / sizeof *stores; i++)
        classes[stores[i]] = class_of(map->lsu, 1, STORE_CYCLES, LATENCY_FIXED);
    struct machine_class global = class_of(map->mem, 1, PIPELINE_CYCLES, LATENCY_PLUS_MEM);
    classes[PTX_CLASS_LOAD_GLOBAL] = classes[PTX_CLASS_LOAD_LOCAL] = classes[PTX_CLASS_LOAD_GENERIC] = global;
    classes[PTX_CLASS_TEXTURE] = classes[PTX_CLASS_ASYNC_COPY] = global;
    classes[PTX_CLASS_ATOMIC_GLOBAL] = class_of(map->lsu, 1, PIPELINE_CYCLES, LATENCY_PLUS_MEM);
    classes[PTX_CLASS_LOAD_SHARED] = classes[PTX_CLASS_ATOMIC_SHARED] =
        class_of(map->lsu, 1, PIPELINE_CYCLES, LATENCY_PLUS_SHARED);
}

/* Latency of a global load: the unit's own, else the configured stages of a load that misses all caches,
 * without queueing. */
static uint32_t global_latency(const struct import_config *config) {
    if (config->mem_unit_count > 0) return config->mem_unit_latency;
    uint32_t sum = config->l1_latency + config->l2_latency + config->dram_latency;
    return sum < MACHINE_TIME_MAX ? sum : MACHINE_TIME_MAX;
}

/* The instruction cache, where the file states one that can miss: a line comes through the second level, the
 * first time from memory. With one fetch a cycle what it brings is decoded in the next; with more the decoder
 * comes again in the same. */
static void set_fetch(struct wb_machine *machine, const struct import_config *config) {
    if (config->fetch.size == 0 || config->perfect_fetch == 1) return;
    const uint32_t sum = config->l2_latency + config->dram_latency;
    machine->fetch = config->fetch;
    machine->fetch.latency = config->fetch.per_cycle == 1 ? 1 : 0;
    machine->fetch.miss_latency = sum < 1 ? 1 : sum < MACHINE_TIME_MAX ? sum : MACHINE_TIME_MAX;
}

/* What is not one SM alone: how many there are, how blocks come to them, and how lanes become requests: by
 * lines up to architecture 39, by sectors behind. */
static void set_gpu(struct wb_machine *machine, const struct import_config *config) {
    const uint64_t sms = (uint64_t)config->clusters * config->cluster_sms;
    machine->launch_overhead = config->launch_latency;
    machine->memory.dispatch_latency = config->block_latency;
    if (sms > 0) machine->memory.sms = sms < SMS_MAX ? (uint32_t)sms : SMS_MAX;
    if (sms > 1) machine->memory.dispatch = DISPATCH_ROUND_ROBIN;
    if (config->coalescing < LEAST_COALESCING || config->perfect_memory == 1) return;
    machine->memory.requests = config->coalescing < LEAST_SECTORED ? REQUESTS_FERMI : REQUESTS_VOLTA;
}

/* ---- Whether the model gpgpusim can execute the SM, and what else it is then told
 * -------------------------- */

/* Cycles that an acknowledgement needs beyond those in the first-level cache. */
#define WAY_BACK_CYCLES 2u

/* What the model takes for granted, beside fetch that never misses: one scheduler that issues to different
 * units, one instance of each unit with one register in front of it, loads on a unit of their own, memory
 * that never makes anyone wait. */
static bool fits(const struct import_config *config) {
    const struct machine_gpgpusim *gpgpusim = &config->gpgpusim;
    uint32_t collectors = gpgpusim->generic_collectors;
    if (config->own_collectors == 1)
        for (uint32_t u = 0; u < GPGPUSIM_UNITS; u++)
            collectors += gpgpusim->collectors[u];
    return config->schedulers == 1 && (config->issue_per_warp == 1 || config->issue_to_other_units == 1) &&
           config->sp_units == 1 && config->int_units == 1 && config->dp_units == 1 &&
           config->sfu_units == 1 && config->tensor_available == 1 && config->tensor_units == 1 &&
           config->mem_unit_count == 1 && config->widest_oc_ex == 1 && config->perfect_memory == 1 &&
           gpgpusim->generic_collectors > 0 && gpgpusim->generic_ports > 0 &&
           collectors <= GPGPUSIM_COLLECTORS_MAX;
}

/* Whether no unit gives a result before it is free again. The LSU is not told its times. */
static bool results_last(const struct wb_machine *machine) {
    uint8_t lsu = UNIT_NONE;
    (void)machine_unit_find(machine, "LSU", &lsu);
    for (uint32_t i = 0; i < PTX_CLASS_COUNT; i++) {
        const struct machine_class *class = &machine->classes[i];
        if (class->given && class->unit != lsu && machine_latency(machine, class) < GPGPUSIM_STAGES)
            return false;
    }
    return true;
}

/* Makes a machine one of the model gpgpusim if the flags are those of an SM that the model can execute. */
static void import_model(const struct import_config *config, struct wb_machine *machine) {
    if (!fits(config) || !results_last(machine) || fetch_can_stall(&machine->fetch)) return;
    machine->model = MACHINE_GPGPUSIM;
    machine->gpgpusim = config->gpgpusim;
    machine->gpgpusim.stated = true;
    if (config->own_collectors == 0)
        for (uint32_t u = 0; u < GPGPUSIM_UNITS; u++)
            machine->gpgpusim.collectors[u] = 0;
    bool around = config->skip_l1 == 1;
    machine->gpgpusim.store_banks = around ? 1 : config->l1_banks;
    machine->gpgpusim.store_ack_delay = around ? 1 : config->l1_latency + WAY_BACK_CYCLES;
    /* The version with a unit for global loads executes all other loads but those from shared memory, and
     * what it does not know, like a move. */
    static const enum ptx_class moves[] = {PTX_CLASS_LOAD_LOCAL, PTX_CLASS_LOAD_GENERIC, PTX_CLASS_PREFETCH};
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++)
        machine->classes[moves[i]] = machine->classes[PTX_CLASS_MOVE];
}

/* ---- Files ---- */

/* Makes the machine of the flags. */
static void import_build(const struct import_config *config, struct wb_machine *machine) {
    machine_defaults(machine);
    memcpy(machine->name, "gpgpusim", sizeof "gpgpusim");
    memcpy(machine->description, "imported from a gpgpusim.config", sizeof "imported from a gpgpusim.config");
    machine->clock_mhz = config->clock_mhz;
    machine->sub_cores = config->schedulers;
    machine->issue_per_warp = config->issue_per_warp;
    machine->dispatch_depth = DEPTH_UNLIMITED;
    machine->mem_latency = global_latency(config);
    machine->shared_latency = config->smem_latency;
    struct unit_map map = add_units(machine, config);
    set_arithmetic(machine, config, &map);
    set_simple(machine, &map);
    set_memory(machine, &map);
    set_fetch(machine, config);
    set_gpu(machine, config);
    machine->limits = (struct machine_limits){
        .blocks = config->blocks,
        .warps = config->threads / 32,
        .threads = config->threads,
        .threads_per_block = config->threads < BLOCK_THREADS_MAX ? config->threads : BLOCK_THREADS_MAX,
        .registers = config->registers,
        .shared_bytes = config->shared_bytes,
        .shared_per_block = config->block_shared_bytes,
    };
    import_model(config, machine);
    machine_take_over_classes(machine);
}

wb_status import_parse(const char *name, const char *text, size_t size, wb_diagnostics *diagnostics,
                       wb_machine **machine) {
    struct source source = {name, text, size};
    struct import_config config = simulator_defaults;
    WB_TRY(import_read(&source, diagnostics, &config));
    if (config.issue_to_other_units == 0 && config.issue_per_warp > 1)
        diagnose_at(diagnostics, SEVERITY_WARNING, &source, config.one_unit_at,
                    "instructions that a warp issues in one cycle go to different units here, not to one");
    struct wb_machine *made = malloc(sizeof *made);
    if (made == NULL) return diagnose_out_of_memory(diagnostics, name);
    import_build(&config, made);
    *machine = made;
    return WB_OK;
}

/* The folder of a configuration names it: SM86_RTX3070/gpgpusim.config. */
static void name_by_folder(const char *path, struct wb_machine *machine) {
    const char *end = strrchr(path, '/');
    if (end == NULL || end == path) return;
    const char *start = end;
    while (start > path && start[-1] != '/')
        start--;
    char folder[MACHINE_NAME_MAX] = {0};
    size_t length = (size_t)(end - start);
    if (length == 0 || length >= sizeof folder || start[0] == '.') return;
    memcpy(folder, start, length);
    (void)field_store(field_find(machine_fields, "name"), folder, machine);
}

wb_status wb_machine_import(const char *path, wb_diagnostics *diagnostics, wb_machine **machine) {
    char *text;
    size_t size;
    WB_TRY(file_read(path, SETTINGS_SIZE_MAX, diagnostics, &text, &size));
    wb_machine *made = NULL;
    wb_status status = content_expect(CONTENT_OF_WING, path, text, size, diagnostics);
    if (status == WB_OK) status = import_parse(path, text, size, diagnostics, &made);
    wb_input input = input_of(WB_INPUT_MACHINE, path, text, size);
    free(text);
    if (status != WB_OK) return status;
    assert(made != NULL);
    if (input_copy(&input, &made->arena, &input) != WB_OK || vec_push(&made->inputs, input) != WB_OK) {
        wb_machine_free(made);
        return diagnose_out_of_memory(diagnostics, path);
    }
    name_by_folder(path, made);
    *machine = made;
    return WB_OK;
}
