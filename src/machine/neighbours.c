/* What others than a kernel have of the memory behind its SMs: kernels on other SMs, copies, the CPUs and the
 * display of a board. They evict what L2 and TLBs would keep for it, and have memory serve them instead of it
 * (docs/machine-code-bounds.md, section 7). */
#include <inttypes.h>
#include <string.h>

#include "base/base.h"
#include "base/files.h"
#include "machine/machine.h"

#define BUDGET_MOST (UINT32_MAX - 1)

wb_status neighbours_read(const struct ytree *document, const struct ytree_node *value,
                          struct stated_neighbours *stated) {
    static const struct field fields[] = {
        NUMBER_ROW(stated_neighbours, "requests", requests, 0, BUDGET_MOST),
        NUMBER_ROW(stated_neighbours, "bytes_per_us", bytes_per_us, 0, BUDGET_MOST),
        TEXT_ROW(stated_neighbours, "of", of, FIELD_TEXT, MACHINE_TEXT_MAX),
        TEXT_ROW(stated_neighbours, "every", every, FIELD_TEXT, MACHINE_NAME_MAX),
        {0},
    };
    *stated = (struct stated_neighbours){0};
    WB_TRY(ytree_require(document, value, YTREE_MAPPING, NEIGHBOURS_EXPECTED));
    WB_TRY(ytree_read_fields(document, value, fields, stated));
    const struct ytree_node *every = ytree_find(value, "every");
    const char *problem = every != NULL ? deadline_problem(stated->every) : NULL;
    if (problem != NULL) return ytree_error(document, every, "'%.60s': %s", stated->every, problem);
    const bool whole = ytree_find(value, "requests") != NULL && ytree_find(value, "bytes_per_us") != NULL;
    if (stated->of[0] != '\0' || (whole && every == NULL)) return WB_OK;
    return ytree_error(document, value, "expected " NEIGHBOURS_EXPECTED);
}

wb_status machine_set_neighbours(struct wb_machine *machine, const char *text, wb_diagnostics *diagnostics) {
    const size_t length = strcspn(text, ",");
    const char *rate = text[length] == ',' ? text + length + 1 : "", *kernel = strchr(rate, ',');
    uint64_t requests, bytes;
    const char *problem = machine->neighbours.stated ? "given twice" : NULL;
    if (!number_u64(text, length, &requests) || requests > BUDGET_MOST ||
        !number_u64(rate, strcspn(rate, ","), &bytes) || bytes > BUDGET_MOST)
        problem = "expected numbers of requests and of bytes per us, such as 1000,200";
    if (kernel != NULL) kernel = arena_string(&machine->arena, kernel + 1, strlen(kernel + 1));
    if (problem != NULL) {
        diagnose(diagnostics, SEVERITY_ERROR, "interference", "%s: %s", text, problem);
        return WB_ERR_INPUT;
    }
    machine->neighbours = (struct machine_neighbours){true, (uint32_t)requests, (uint32_t)bytes, 0, kernel};
    return WB_OK;
}

/* SMs whose shares the memory behind the kernel's SMs is. A MIG instance has memory of its own. */
static uint32_t sms_of_memory(const struct wb_machine *machine) {
    const struct machine_partition *partition = &machine->partition;
    if (partition->sms > 0 && partition->kind != PARTITION_MIG) return partition->of;
    return u32_max(machine->neighbours.of, machine->memory.sms);
}

/* A request passes L2 and DRAM, and may close a row, which is opened once more for a sector of the kernel. A
 * sector has DRAM for its SM's share of the time, divided among all SMs, if traffic spreads; else a row has
 * one bank, and each sector of the kernel is charged an opened row, too. */
struct cycles_fraction neighbours_hold(const struct wb_machine *machine) {
    const struct wb_machine *stated = machine_as_stated(machine);
    const struct machine_sass *sass = &stated->sass;
    if (machine_isa(stated) == ISA_PTX) return (struct cycles_fraction){stated->memory.service, 1};
    const uint64_t dram = machine_sector_most(stated), level = sass->l2_sector > 0 ? sass->l2_sector : dram;
    if (sass->row_cycle > 0) return (struct cycles_fraction){level + sass->row_cycle, 1};
    return (struct cycles_fraction){level + 2 * dram, sms_of_memory(stated)};
}

struct cycles_fraction neighbours_rate(const struct wb_machine *machine) {
    if (machine->neighbours.bytes_per_us == 0) return (struct cycles_fraction){0, 1};
    return (struct cycles_fraction){(uint64_t)machine->neighbours.bytes_per_us * 1000,
                                    (uint64_t)(machine->clock_mhz * 1000) * MEMORY_SECTOR_BYTES};
}

/* What a machine lacks to have them; or NULL. */
static const char *lacking(const struct wb_machine *machine) {
    const bool times_code = machine_isa(machine) == ISA_SASS;
    if (machine_unproven(machine) != NULL) return "no bound of this model is proven, with others or without";
    if (!times_code && memory_has_hierarchy(&machine->memory))
        return "no proof covers others beside data caches (l1_size)";
    if (!times_code && !memory_is_contended(&machine->memory))
        return "the machine has no memory that requests wait for (service)";
    if (neighbours_hold(machine).cycles == 0) return "no class of the machine counts sectors";
    if (machine->neighbours.bytes_per_us > 0 && machine->clock_mhz < 0.001)
        return "bytes per us need the machine's clock_mhz";
    return NULL;
}

bool neighbours_check(const struct wb_machine *machine, struct text *problem) {
    if (!machine->neighbours.stated) return true;
    const char *lacks = lacking(machine);
    if (lacks != NULL) {
        text_printf(problem, "interference: %s", lacks);
        return false;
    }
    for (int promise = 0; promise < RESIDENTS; promise++) {
        if (!machine_promises(machine, (enum resident)promise)) continue;
        if (!neighbours_evict(machine, (enum resident)promise)) continue;
        text_printf(problem, "interference: others may evict what is promised (resident: %s)",
                    promise == RESIDENT_BUFFERS ? machine->buffers.promises[0]
                                                : wb_resident_name_at((size_t)promise));
        return false;
    }
    const struct cycles_fraction hold = neighbours_hold(machine), rate = neighbours_rate(machine);
    if ((double)hold.cycles * (double)rate.cycles < (double)hold.per * (double)rate.per) return true;
    text_printf(problem,
                "interference: others may keep memory busy for ever: it serves a request of theirs for up to "
                "%g cycles, and %" PRIu32 " bytes per us are one each %g cycles",
                (double)hold.cycles / (double)hold.per, machine->neighbours.bytes_per_us,
                (double)rate.per / (double)rate.cycles);
    return false;
}
