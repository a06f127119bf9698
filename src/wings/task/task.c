/* How long a task takes: its nodes one by one, and its longest path (docs/task.md). */
#include <stdlib.h>

#include "bound/analysis/analysis.h"
#include "wings/task/task.h"

#define SECTOR_BYTES 32u

/* Cycles in which memory serves a copy, which has parts of sectors at either end, instead of any kernel
 * beside it: as it serves neighbours. */
static cycles held_by(const struct wb_task *task, uint32_t copy) {
    const uint64_t sectors = task->nodes.items[copy].bytes / SECTOR_BYTES + 2;
    cycles most = 0;
    for (uint32_t n = 0; n < task->nodes.count; n++) {
        if (task->nodes.items[n].kind != TASK_KERNEL || task_are_ordered(task, n, copy)) continue;
        const struct cycles_fraction hold = neighbours_hold(&task->nodes.items[n].machine);
        most = cycles_max(most, cycles_ceiling(cycles_mul(sectors, hold.cycles), hold.per));
    }
    return most;
}

/* A copy takes no longer than its bytes do at its bandwidth, the host no longer than it says. */
static wb_status bound_other(struct wb_task *task, uint32_t number, wb_diagnostics *diagnostics) {
    struct task_node *node = &task->nodes.items[number];
    if (node->kind == TASK_HOST) {
        WB_TRY(wb_deadline_cycles(task->machine, node->duration, diagnostics, &node->time));
        node->time = cycles_add(node->time, 1); /* deadlines are rounded down */
    } else {
        const double clock = task->machine->clock_mhz;
        const double exact = (double)node->bytes / (double)node->rate * clock;
        node->time = (cycles)exact + 1;
        node->held = held_by(task, number);
    }
    node->slowest = node->time;
    return WB_OK;
}

/* All partitions together are no larger than the GPU. */
static wb_status check_parts(const struct wb_task *task, wb_diagnostics *diagnostics) {
    uint64_t sms = 0;
    for (size_t p = 0; p < task->parts.count; p++) {
        sms += task->parts.items[p].partition.sms;
        if (sms <= task->machine->memory.sms) continue;
        diagnose_at(diagnostics, SEVERITY_ERROR, &task->source, task->parts.items[p].at,
                    "the partitions have more SMs than %s, which has %u", task->machine->name,
                    task->machine->memory.sms);
        return WB_ERR_INPUT;
    }
    return WB_OK;
}

wb_status wb_task_bound(wb_task *task, const wb_machine *machine, const wb_analyze_options *options,
                        wb_diagnostics *diagnostics) {
    task->machine = machine;
    task->accept = options->accept;
    if (machine->partition.sms > 0 || machine->neighbours.stated) {
        const bool parts = machine->partition.sms > 0;
        diagnose(diagnostics, SEVERITY_ERROR, parts ? "partition" : "interference",
                 parts ? "a task names partitions in its file" : "a task has no neighbours");
        return WB_ERR_INPUT;
    }
    if (!wb_machine_takes_grids(machine) || machine->clock_mhz <= 0) {
        diagnose(diagnostics, SEVERITY_ERROR, machine->name,
                 "tasks need a machine of whole kernels with a clock");
        return WB_ERR_INPUT;
    }
    WB_TRY(check_parts(task, diagnostics));
    for (uint32_t n = 0; n < task->nodes.count; n++)
        if (task->nodes.items[n].kind == TASK_KERNEL) WB_TRY(task_load_kernel(task, n, diagnostics));
    for (uint32_t n = 0; n < task->nodes.count; n++)
        if (task->nodes.items[n].kind == TASK_KERNEL)
            WB_TRY(task_bound_kernel(task, n, options, diagnostics));
    for (uint32_t n = 0; n < task->nodes.count; n++)
        if (task->nodes.items[n].kind != TASK_KERNEL) WB_TRY(bound_other(task, n, diagnostics));
    task_find_ends(task);
    if (task->time != CYCLES_SATURATED) return WB_OK;
    diagnose(diagnostics, SEVERITY_ERROR, task->name, "its time does not fit into 64 bits");
    return WB_ERR_LIMIT;
}

bool wb_task_node_at(const wb_task *task, size_t index, wb_task_node *made) {
    static const char *const kinds[] = {[TASK_KERNEL] = "kernel", [TASK_COPY] = "copy", [TASK_HOST] = "host"};
    if (index >= task->nodes.count) return false;
    const struct task_node *node = &task->nodes.items[index];
    const bool is_kernel = node->kind == TASK_KERNEL;
    *made = (wb_task_node){.name = node->name,
                           .kind = kinds[node->kind],
                           .place = !is_kernel                ? node->place
                                    : node->part == WHOLE_GPU ? NULL
                                                              : task->parts.items[node->part].name,
                           .cycles = node->time,
                           .overhead = node->overhead,
                           .beside = node->beside,
                           .end = node->end,
                           .slowest = node->slowest,
                           .critical = node->critical,
                           .analysis = node->analysis};
    return true;
}

void wb_task_federate(wb_task *task) {
    task->federated = true;
}

uint64_t wb_task_cycles(const wb_task *task) {
    return task->time;
}

wb_state wb_task_judge(const wb_task *task, const uint64_t *deadline) {
    if (deadline == NULL) return WB_BOUNDED;
    if (task->time > *deadline) return WB_OPEN;
    return task->of_model && (task->accept & WB_ACCEPT_PTX_MODEL) == 0 ? WB_MODEL_ONLY : WB_MET;
}

void wb_task_free(wb_task *task) {
    if (task == NULL) return;
    for (size_t n = 0; n < task->nodes.count; n++) {
        struct task_node *node = &task->nodes.items[n];
        wb_analysis_free(node->analysis);
        launched_free(&node->of);
    }
    arena_free(&task->arena);
    free(task);
}
