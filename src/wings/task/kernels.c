/* What the kernels of a task take: each on its SMs, beside what may run at the same time (docs/task.md). */
#include <string.h>

#include "bound/analysis/analysis.h"
#include "launch/launch.h"
#include "wings/task/task.h"

/* Whether a copy may run at the same time. */
static bool has_copies(const struct wb_task *task, uint32_t number) {
    for (uint32_t n = 0; n < task->nodes.count; n++)
        if (task->nodes.items[n].kind == TASK_COPY && !task_are_ordered(task, n, number)) return true;
    return false;
}

/* Whether another kernel may. */
static bool has_kernels(const struct wb_task *task, uint32_t number) {
    for (uint32_t n = 0; n < task->nodes.count; n++)
        if (task->nodes.items[n].kind == TASK_KERNEL && !task_are_ordered(task, n, number)) return true;
    return false;
}

/* The same machine, with the part of the SMs that the node has. Another kernel or a copy at the same time
 * evicts what the L2 keeps, but for a MIG instance, whose slices are its own. */
static void take_part(const struct wb_task *task, uint32_t number, struct wb_machine *machine) {
    const struct task_node *node = &task->nodes.items[number];
    *machine = *task->machine;
    if (node->part != WHOLE_GPU) {
        machine->partition = task->parts.items[node->part].partition;
        machine->partition.of = machine->memory.sms;
        machine->memory.sms = machine->partition.sms;
    }
    const bool has_slices = machine->partition.sms > 0 && machine->partition.kind == PARTITION_MIG;
    if (has_copies(task, number) || (has_kernels(task, number) && !has_slices)) machine->sass.l2_keeps = 0;
}

static wb_status refuse(const struct wb_task *task, const struct task_node *node, const char *why,
                        wb_diagnostics *diagnostics) {
    diagnose_at(diagnostics, SEVERITY_ERROR, &task->source, node->at, "%s: %s", node->name, why);
    return WB_ERR_INPUT;
}

/* ---- Loading ------------------------------------------------------------------------------------------- */

static wb_status check_launches(const struct wb_task *task, const struct task_node *node,
                                const wb_launches *launches, wb_diagnostics *diagnostics) {
    if (wb_launches_is_list(launches))
        return refuse(task, node, "its file is a list of launches: a node is one of them", diagnostics);
    if (wb_launches_code(launches) == NULL)
        return refuse(task, node, "its launch file does not name its code", diagnostics);
    if (wb_launches_setting(launches, WB_LAUNCH_INTERFERENCE) != NULL)
        return refuse(task, node, "a task has no neighbours: omit interference from its launch files",
                      diagnostics);
    if (wb_launches_setting(launches, WB_LAUNCH_PARTITION) != NULL)
        return refuse(task, node, "the task says which partition it has, not its launch file", diagnostics);
    if (wb_launches_setting(launches, WB_LAUNCH_RESIDENT) != NULL)
        diagnose_at(diagnostics, SEVERITY_WARNING, &task->source, node->at,
                    "%s: what its launch file promises (resident) is not taken: other nodes run before it",
                    node->name);
    return WB_OK;
}

static wb_status load(struct wb_task *task, struct task_node *node, wb_diagnostics *diagnostics,
                      const wb_kernel **kernel) {
    wb_launches *launches = NULL;
    WB_TRY(wb_launches_read(node->launch, WB_FILES_BELOW, diagnostics, &launches));
    wb_status status = check_launches(task, node, launches, diagnostics);
    if (status == WB_OK)
        status =
            wb_module_read_for(wb_launches_code(launches), &node->machine,
                               wb_launches_setting(launches, WB_LAUNCH_IMAGE), diagnostics, &node->module);
    if (status == WB_OK)
        status = wb_module_find_kernel(node->module, wb_launches_setting(launches, WB_LAUNCH_KERNEL),
                                       diagnostics, kernel);
    const char *facts = wb_launches_setting(launches, WB_LAUNCH_FACTS);
    if (status == WB_OK && facts != NULL) status = wb_facts_read(facts, *kernel, diagnostics, &node->facts);
    if (status == WB_OK) node->launched = wb_launches_take(launches, 0);
    wb_launches_free(launches);
    return status;
}

/* ---- Bounds -------------------------------------------------------------------------------------------- */

static wb_status judge(struct wb_task *task, struct task_node *node, wb_diagnostics *diagnostics) {
    const wb_verdict verdict = wb_analysis_judge(node->analysis, WB_SCOPE_KERNEL, NULL);
    if (verdict.state == WB_CONTRADICTION) {
        (void)refuse(task, node, "contradiction: an execution takes longer than its bound (analyze)",
                     diagnostics);
        return WB_ERR_LIMIT;
    }
    if (!verdict.is_bounded) {
        (void)refuse(task, node, "no bound of the kernel is proven (analyze says why)", diagnostics);
        return WB_ERR_DECLINED;
    }
    node->time = verdict.cycles;
    node->overhead = verdict.overhead;
    node->slowest = cycles_add(verdict.slowest.cycles, verdict.overhead);
    task->of_model |= verdict.model != WB_MODEL_NONE;
    return WB_OK;
}

wb_status task_bound_kernel(struct wb_task *task, uint32_t number, const wb_analyze_options *options,
                            wb_diagnostics *diagnostics) {
    struct task_node *node = &task->nodes.items[number];
    const wb_kernel *kernel = NULL;
    wb_analyze_options asked = *options;
    take_part(task, number, &node->machine);
    WB_TRY(load(task, node, diagnostics, &kernel));
    if (has_copies(task, number) && machine_isa(task->machine) != ISA_SASS)
        return refuse(task, node,
                      "copies beside a kernel are bounded only for machine code: order them (after)",
                      diagnostics);
    asked.facts = node->facts;
    asked.inputs = node->facts != NULL ? WB_INPUTS_GIVEN : WB_INPUTS_USUAL;
    wb_status status =
        wb_analyze(kernel, node->launched, &node->machine, &asked, diagnostics, &node->analysis);
    if (status == WB_OK) status = judge(task, node, diagnostics);
    if (status != WB_OK) diagnose_at(diagnostics, SEVERITY_NOTE, &task->source, node->at, "of this node");
    return status;
}
