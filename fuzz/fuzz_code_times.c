/* Control fields and machines at random: kernels whose stall counts, counters and waits the bytes replace, on
 * the preset of their architecture with keys that the bytes change. Simulations take no longer than bounds,
 * of the block as it is and of covering paths, nor less than the stall counts of a lane say. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "bound/analysis/verdict.h"
#include "cubin/cubin.h"
#include "warpbound.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Warp instructions after which execution ends. */
#define INSTRUCTIONS_MAX 3000u

/* Bytes of the largest cubin. */
#define FILE_MAX 100000u

#define KERNELS WB_FUZZ_PROJECT "/kernels/"

static const struct {
    const char *name, *architecture;
} kernels[] = {
    {"vecadd", "86"},       {"reduce", "86"},    {"warp_reduce", "80"}, {"transpose", "89"},
    {"local_counts", "75"}, {"histogram", "87"}, {"bitonic", "90"},     {"prefix_scan", "86"},
};

/* Keys whose value is a byte, as a number between two. */
static const struct {
    const char *key;
    uint32_t least, step;
} keys[] = {
    {"sass.l0_size", 128, 128},
    {"sass.l0_miss", 0, 1},
    {"sass.l1_instruction_size", 128, 256},
    {"sass.l1_instruction_miss", 0, 8},
    {"sass.constant_size", 64, 64},
    {"sass.constant_ways", 1, 1},
    {"sass.constant_miss", 0, 1},
    {"sass.constant_probe", 0, 1},
    {"sass.register_banks", 1, 1},
    {"sass.bank_ports", 1, 1},
    {"sass.branch", 0, 1},
    {"sass.long_stall", 0, 1},
    {"unit.ADDRESS.queue", 0, 1},
    {"unit.LSU.queue", 0, 1},
    {"unit.DRAM.queue", 0, 1},
    {"unit.XU.queue", 0, 1},
    {"class.load_global.transfer", 0, 1},
    {"class.load_shared.transfer", 0, 1},
    {"class.alu.init", 1, 1},
    {"class.branch.init", 1, 1},
    {"barrier_release", 0, 1},
    {"sub_cores", 1, 1},
};

struct input {
    const uint8_t *data;
    size_t size;
};

static uint32_t take(struct input *input) {
    if (input->size == 0) return 0;
    input->size--;
    return *input->data++;
}

static void must(bool holds, const wb_diagnostics *diagnostics, const char *what) {
    if (holds) return;
    (void)fprintf(stderr, "%s: %s\n", what, wb_diagnostics_text(diagnostics));
    abort();
}

/* ---- What is analysed ---------------------------------------------------------------------------------- */

/* Replaces the control fields of some instructions, bits 105 to 121. */
static void change_controls(struct input *input, uint8_t *code, uint32_t count) {
    for (uint32_t changes = take(input) % 32; changes > 0; changes--) {
        const uint32_t at = (take(input) | take(input) << 8) % count;
        const uint32_t control = take(input) | take(input) << 8 | (take(input) & 1) << 16;
        uint8_t *last = code + (size_t)at * 16 + 13; /* bit 104 is its lowest */
        const uint32_t old = last[0] | (uint32_t)last[1] << 8 | (uint32_t)last[2] << 16;
        const uint32_t made = (old & ~(UINT32_C(0x1ffff) << 1)) | control << 1;
        for (uint32_t i = 0; i < 3; i++)
            last[i] = (uint8_t)(made >> (8 * i));
    }
}

static void change_machine(struct input *input, wb_machine *machine) {
    wb_diagnostics *messages = wb_diagnostics_new();
    if ((take(input) & 1) != 0) (void)wb_machine_set(machine, "unit.LSU.queue=unlimited", messages);
    for (uint32_t changes = take(input) % 8; changes > 0; changes--) {
        const uint32_t k = take(input) % (sizeof keys / sizeof *keys);
        char assignment[100];
        (void)snprintf(assignment, sizeof assignment, "%s=%u", keys[k].key,
                       (unsigned)(keys[k].least + keys[k].step * take(input)));
        (void)wb_machine_set(machine, assignment, messages); /* or is refused */
    }
    if ((take(input) & 1) != 0) (void)wb_machine_set(machine, "sass.full_queue=holds_warp", messages);
    wb_diagnostics_free(messages);
}

struct case_at_hand {
    wb_diagnostics *diagnostics;
    wb_launch *launch;
    wb_module *module;
    wb_machine *machine;
    const wb_kernel *kernel;
};

/* False: a counter that there is not was asked for. */
static bool read_case(struct input *input, struct case_at_hand *made) {
    const uint32_t k = take(input) % (sizeof kernels / sizeof *kernels);
    char path[300];
    char *bytes = NULL;
    size_t size;
    struct cubin cubin;
    wb_diagnostics *diagnostics = made->diagnostics;
    (void)snprintf(path, sizeof path, KERNELS "cubin/%s.sm_%s.cubin", kernels[k].name,
                   kernels[k].architecture);
    must(file_read(path, FILE_MAX, diagnostics, &bytes, &size) == WB_OK, diagnostics, "file");
    must(cubin_read(path, (const uint8_t *)bytes, size, diagnostics, &cubin) == WB_OK, diagnostics, "cubin");
    const size_t at = (size_t)(cubin.kernels[0].code - (const uint8_t *)bytes);
    const uint32_t count = cubin.kernels[0].code_bytes / 16;
    cubin_free(&cubin);
    change_controls(input, (uint8_t *)bytes + at, count);
    must(wb_module_parse(path, bytes, size, diagnostics, &made->module) == WB_OK, diagnostics, "module");
    free(bytes);
    (void)snprintf(path, sizeof path, KERNELS "%s.yaml", kernels[k].name);
    must(wb_launch_read(path, WB_FILES_BELOW, diagnostics, &made->launch) == WB_OK, diagnostics, "launch");
    if (wb_module_find_kernel(made->module, wb_launch_kernel(made->launch), diagnostics, &made->kernel) !=
        WB_OK)
        return false;
    must(wb_calibration_machine(wb_module_architecture(made->module), diagnostics, &made->machine) == WB_OK,
         diagnostics, "machine");
    change_machine(input, made->machine);
    return true;
}

/* ---- What must hold ------------------------------------------------------------------------------------ */

static wb_analysis *bounded(const wb_block *block, const struct case_at_hand *at) {
    wb_analysis *analysis = NULL;
    if (wb_analysis_new(block, at->machine, at->diagnostics, &analysis) != WB_OK) return NULL;
    must(wb_analysis_bound(analysis, "code-sib,code-fib,code-elb", NULL, at->diagnostics) == WB_OK,
         at->diagnostics, "bounds");
    return analysis;
}

static void check(const wb_block *given, const wb_block *covering, const struct case_at_hand *at) {
    const uint32_t first[3] = {0, 0, 0};
    wb_stalls stalls = {0};
    wb_analysis *one = bounded(given, at), *all = covering == NULL ? NULL : bounded(covering, at);
    must(stalls_find(at->kernel, at->launch, first, at->diagnostics, &stalls) == WB_OK, at->diagnostics,
         "stalls");
    if (one != NULL) {
        must(wb_analysis_simulate(one, "cggty,gto,lrr", NULL, at->diagnostics) == WB_OK, at->diagnostics,
             "simulations");
        size_t count;
        const wb_simulation *simulations = wb_analysis_simulations(one, &count);
        for (size_t i = 0; i < count; i++) {
            must(simulations[i].cycles <= wb_analysis_best(one)->cycles, at->diagnostics, "above a bound");
            must(all == NULL || simulations[i].cycles <= wb_analysis_best(all)->cycles, at->diagnostics,
                 "above a bound for all data");
            must(simulations[i].cycles >= stalls.cycles - stalls.wait_cycles, at->diagnostics,
                 "below the stall counts");
        }
    }
    wb_analysis_free(one);
    wb_analysis_free(all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct input input = {data, size};
    struct case_at_hand at = {.diagnostics = wb_diagnostics_new()};
    const bool is_code = read_case(&input, &at);
    wb_trace_options options = {
        .size = sizeof options, .instruction_limit = INSTRUCTIONS_MAX, .record_accesses = true};
    wb_block *given = NULL, *covering = NULL;
    if (is_code && wb_machine_check(at.machine, at.diagnostics) == WB_OK &&
        wb_block_trace(at.kernel, at.launch, &options, at.diagnostics, &given) == WB_OK) {
        options.cover = options.unknown_contents = true;
        (void)wb_block_trace(at.kernel, at.launch, &options, at.diagnostics, &covering);
        check(given, covering, &at);
    }
    wb_block_free(given);
    wb_block_free(covering);
    wb_machine_free(at.machine);
    wb_launch_free(at.launch);
    wb_module_free(at.module);
    wb_diagnostics_free(at.diagnostics);
    return 0;
}
