/* Any text as the value of an option that the library reads: an error with a message, or a value. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "warpbound.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct values {
    wb_launch *launch;
    wb_diagnostics *diagnostics;
};

static wb_machine *load_machine(const struct values *values) {
    wb_machine *machine = NULL;
    if (wb_machine_load("jcse2017", values->diagnostics, &machine) != WB_OK) abort();
    return machine;
}

static wb_status set_machine_key(const struct values *values, const char *text) {
    wb_machine *machine = load_machine(values);
    wb_status status = wb_machine_set(machine, text, values->diagnostics);
    if (status == WB_OK) status = wb_machine_check(machine, values->diagnostics);
    wb_machine_free(machine);
    return status;
}

static wb_status read_deadline(const struct values *values, const char *text) {
    wb_machine *machine = load_machine(values);
    uint64_t deadline;
    wb_status status = wb_deadline_cycles(machine, text, values->diagnostics, &deadline);
    wb_machine_free(machine);
    return status;
}

/* The only kernel has a C++ name; the text is another. */
static wb_status find_kernel(const struct values *values, const char *text) {
    char ptx[1024];
    if (strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != strlen(text))
        return WB_OK;
    const int length = snprintf(ptx, sizeof ptx,
                                ".version 7.0\n.target sm_80\n.address_size 64\n"
                                ".visible .entry _Z%.900s()\n{\n    ret;\n}\n",
                                text);
    wb_module *module = NULL;
    const wb_kernel *kernel;
    wb_status status = wb_module_parse("fuzz.ptx", ptx, (size_t)length, values->diagnostics, &module);
    if (status == WB_OK) status = wb_module_find_kernel(module, "sgemm", values->diagnostics, &kernel);
    wb_module_free(module);
    return status;
}

static wb_status set_registers(const struct values *values, const char *text) {
    return wb_launch_set_registers(values->launch, (uint32_t)strtoul(text, NULL, 10), values->diagnostics);
}

static wb_status set_variable(const struct values *values, const char *text) {
    if (strchr(text, '@') != NULL) return WB_OK; /* would read files */
    return wb_launch_set_variable(values->launch, text, values->diagnostics);
}

static wb_status (*const readers[])(const struct values *values, const char *text) = {
    set_machine_key, read_deadline, find_kernel, set_registers, set_variable};

enum { READERS = sizeof readers / sizeof *readers };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    struct values values = {.launch = wb_launch_new(), .diagnostics = wb_diagnostics_new()};
    char *text = strndup((const char *)data + 1, size - 1);
    wb_status status = readers[data[0] % READERS](&values, text);
    if ((status == WB_OK) != (wb_diagnostics_errors(values.diagnostics) == 0)) abort();
    free(text);
    wb_launch_free(values.launch);
    wb_diagnostics_free(values.diagnostics);
    return 0;
}
