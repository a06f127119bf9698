/* A part of a GPU that a kernel runs on: some of the SMs, and how they are set apart. Bounds take it for a
 * GPU of so many SMs, and say what of that its kind enforces: assumptions N1 to N4. */
#include <string.h>

#include "base/base.h"
#include "base/files.h"
#include "machine/machine.h"

const char *const partition_kinds[] = {[PARTITION_GREEN_CONTEXT] = "green-context",
                                       [PARTITION_SM_MASK] = "sm-mask",
                                       [PARTITION_MPS] = "mps",
                                       [PARTITION_MIG] = "mig",
                                       [PARTITION_KINDS] = NULL};

static const char *kind_at(size_t index) {
    return partition_kinds[index];
}

wb_status partition_read(const struct ytree *document, const struct ytree_node *value,
                         struct machine_partition *partition) {
    static const struct field fields[] = {
        NUMBER_ROW(machine_partition, "sms", sms, 1, UINT32_MAX - 1, .required = true),
        WORD_ROW(machine_partition, "kind", kind, partition_kinds),
        {0},
    };
    *partition = (struct machine_partition){.kind = PARTITION_KINDS};
    WB_TRY(ytree_require(document, value, YTREE_MAPPING, PARTITION_EXPECTED));
    WB_TRY(ytree_read_fields(document, value, fields, partition));
    return partition->kind != PARTITION_KINDS ? WB_OK
                                              : ytree_error(document, value, "expected " PARTITION_EXPECTED);
}

/* The same as an option has it. */
static wb_status parse_partition(const char *text, wb_diagnostics *diagnostics,
                                 struct machine_partition *made) {
    const size_t length = strcspn(text, ",");
    uint64_t sms;
    size_t kind;
    if (text[length] != ',' || !number_u64(text, length, &sms) || sms == 0 || sms > UINT32_MAX) {
        diagnose(diagnostics, SEVERITY_ERROR, "partition",
                 "expected a number of SMs and a kind, such as 8,green-context");
        return WB_ERR_INPUT;
    }
    WB_TRY(choose_name("partition", text + length + 1, kind_at, diagnostics, &kind));
    *made = (struct machine_partition){(uint32_t)sms, (uint32_t)kind, 0};
    return WB_OK;
}

wb_status machine_set_partition(struct wb_machine *machine, const char *text, wb_diagnostics *diagnostics) {
    struct machine_partition partition;
    WB_TRY(parse_partition(text, diagnostics, &partition));
    const char *problem = machine->partition.sms > 0            ? "given twice"
                          : partition.sms > machine->memory.sms ? "the machine has fewer SMs"
                                                                : NULL;
    if (problem != NULL) {
        diagnose(diagnostics, SEVERITY_ERROR, "partition", "%s: %s", text, problem);
        return WB_ERR_INPUT;
    }
    partition.of = machine->memory.sms;
    machine->partition = partition;
    machine->memory.sms = partition.sms;
    return WB_OK;
}
