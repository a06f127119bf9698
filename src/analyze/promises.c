/* Whether a launch can keep what it promises of memory (machine_promise). */
#include <inttypes.h>
#include <string.h>

#include "base/cycles.h"
#include "launch/launch.h"
#include "machine/machine.h"
#include "ptx/ptx.h"
#include "sass/sass.h"

/* Of all buffers that the arguments are. */
static uint64_t bytes_of_data(const struct wb_launch *launch) {
    uint64_t bytes = 0;
    for (size_t a = 0; a < launch->arguments.count; a++) {
        const struct launch_argument *argument = &launch->arguments.items[a];
        for (size_t i = 0; i < launch_part_count(argument); i++) {
            uint64_t offset;
            const struct launch_argument *part = launch_part(argument, i, &offset);
            if (part->is_buffer &&
                __builtin_add_overflow(bytes, launch_contents_size(&part->contents), &bytes))
                return UINT64_MAX;
        }
    }
    return bytes;
}

static uint64_t bytes_of_code(const struct wb_kernel *kernel) {
    const struct machine_code *code = kernel->module->code;
    for (uint32_t k = 0; code != NULL && k < code->kernel_count; k++)
        if (code->kernels[k].function == kernel->function)
            return (uint64_t)code->kernels[k].count * SASS_BYTES;
    return 0;
}

static wb_status refuse(const struct wb_machine *machine, const char *promise, const char *what,
                        uint64_t bytes, const char *level, const char *key, uint32_t size,
                        wb_diagnostics *diagnostics) {
    diagnose(diagnostics, SEVERITY_ERROR, "resident",
             "%s cannot stay resident: %s %" PRIu64 " bytes, %s of %s %" PRIu32 " (sass.%s)", promise, what,
             bytes, level, machine->name, size, key);
    return WB_ERR_INPUT;
}

/* Of the named buffers; WB_ERR_INPUT with a message where one is none of the launch. */
static wb_status find_bytes_of_buffers(const struct wb_launch *launch, const struct wb_machine *machine,
                                       wb_diagnostics *diagnostics, uint64_t *bytes) {
    *bytes = 0;
    if (!machine_promises(machine, RESIDENT_BUFFERS)) return WB_OK;
    for (uint32_t n = 0; n < machine->buffers.count; n++) {
        const char *promise = machine->buffers.promises[n];
        const struct launch_argument *part;
        const char *problem = launch_promise_problem(launch, promise, strlen(promise), &part);
        if (problem != NULL) {
            diagnose(diagnostics, SEVERITY_ERROR, "resident", "'%.60s': %s", promise, problem);
            return WB_ERR_INPUT;
        }
        *bytes = cycles_add(*bytes, launch_contents_size(&part->contents));
    }
    return WB_OK;
}

wb_status wb_promises_check(const wb_kernel *kernel, const wb_launch *launch, const wb_machine *machine,
                            wb_diagnostics *diagnostics) {
    if (machine->resident == 0) return WB_OK;
    if (launch->trace.text != NULL && machine_promises(machine, RESIDENT_DATA)) {
        diagnose(diagnostics, SEVERITY_ERROR, launch->trace.source.name,
                 "a trace does not say how large buffers are: whether data can stay resident is not known");
        return WB_ERR_INPUT;
    }
    const struct machine_sass *sass = &machine->sass;
    const bool has_data = machine_promises(machine, RESIDENT_DATA);
    const uint64_t code = bytes_of_code(kernel);
    uint64_t data;
    WB_TRY(find_bytes_of_buffers(launch, machine, diagnostics, &data));
    const char *what = has_data ? "the launch's buffers have" : "the promised buffers have";
    if (has_data) data = bytes_of_data(launch);
    if (sass->l2_bytes > 0 && data > sass->l2_bytes)
        return refuse(machine, "data", what, data, "the second level", "l2_size", sass->l2_bytes,
                      diagnostics);
    if (machine_promises(machine, RESIDENT_CODE_L1) && code > sass->l1_instructions.bytes)
        return refuse(machine, "code-l1", "the kernel has", code, "the L1 of instructions",
                      "l1_instruction_size", sass->l1_instructions.bytes, diagnostics);
    const uint64_t both = cycles_add(code, data);
    if (machine_promises(machine, RESIDENT_CODE) && sass->l2_bytes > 0 && both > sass->l2_bytes)
        return refuse(machine, "code", data > 0 ? "the kernel and its buffers have" : "the kernel has", both,
                      "the second level", "l2_size", sass->l2_bytes, diagnostics);
    return WB_OK;
}
