/* What the kernels of a task take: each on its SMs, beside what may run at the same time (docs/task.md). */
#include <string.h>

#include "bound/analysis/analysis.h"
#include "launch/launch.h"
#include "ptx/ptx.h"
#include "sass/sass.h"
#include "warp/timed/timed.h"
#include "wings/task/task.h"

/* Whether a node of the kind may run at the same time. */
static bool has_beside(const struct wb_task *task, uint32_t number, enum task_kind kind) {
    for (uint32_t n = 0; n < task->nodes.count; n++)
        if (task->nodes.items[n].kind == kind && !task_are_ordered(task, n, number)) return true;
    return false;
}

/* ---- The machine of a kernel --------------------------------------------------------------------------- */

static uint32_t less(uint32_t room, uint64_t taken) {
    return room > taken ? room - (uint32_t)taken : 0;
}

/* Takes whole lines that so many bytes may lie in. */
static void take_lines(struct sass_cache *cache, uint64_t bytes) {
    cache->bytes = less(cache->bytes, (cycles_ceiling(bytes, cache->line_bytes) + 2) * cache->line_bytes);
}

/* Takes from the caches of instructions and constants what a kernel that shares them may keep there, wherever
 * its lines are: its own code and all that it may call, and all constants that it has, of each bank wherever
 * that is. */
static void take_room(const struct task_node *other, struct machine_sass *sass) {
    const struct wb_module *module = other->of.module;
    const struct ptx_function *kernel = kernel_function(other->of.kernel);
    uint64_t code = 0, banks = 1;
    bool is_bindless = false;
    for (uint32_t i = 0; i < module->code->inst_count; i++) {
        const struct machine_inst *inst = &module->code->insts[i];
        const struct ptx_function *of = &module->functions[module->code->kernels[inst->kernel].function];
        if (of != kernel && of->is_entry) continue;
        code += SASS_BYTES;
        is_bindless |= sass_reads_bindless(&inst->sass);
        const struct sass_source *constant = sass_constant_operand(&inst->sass);
        if (constant != NULL) banks |= UINT64_C(1) << constant->number % 64;
    }
    const uint64_t more = (uint64_t)__builtin_popcountll(banks) - 1; /* sets may be full of lines of each */
    const uint64_t lines = constant_bytes(module, kernel) / sass->constants.line_bytes + 2 + more;
    struct sass_cache *constants = &sass->constants;
    const uint32_t set_bytes = constants->ways * constants->line_bytes;
    const uint32_t sets = set_bytes > 0 ? constants->bytes / set_bytes : 0;
    const uint64_t ways = sets > 0 && !is_bindless ? cycles_ceiling(lines, sets) + more : UINT32_MAX;
    constants->ways = less(constants->ways, ways);
    constants->bytes = sets * constants->ways * constants->line_bytes;
    take_lines(&sass->l0, code);
    take_lines(&sass->l1_instructions, is_bindless ? UINT32_MAX : code + lines * constants->line_bytes);
}

/* Kernels on the same SMs leave nothing of what data caches and TLBs keep, and of the others what they do not
 * need themselves. */
static void share_sms(const struct wb_task *task, uint32_t number, struct wb_machine *machine) {
    machine->sass.l1_keeps = machine->sass.l2_keeps = machine->sass.tlb_keeps = 0;
    for (uint32_t n = 0; n < task->nodes.count; n++) {
        const struct task_node *other = &task->nodes.items[n];
        if (task_share(task, n, number) && machine_isa(machine) == ISA_SASS) take_room(other, &machine->sass);
    }
}

/* The same machine, with the part of the SMs that the node has. Another kernel or a copy at the same time
 * evicts what the L2 keeps, but for a MIG instance, whose slices are its own. */
static void take_part(const struct wb_task *task, uint32_t number, struct wb_machine *machine) {
    const struct task_node *node = &task->nodes.items[number];
    *machine = *task->machine;
    if (task->federated)
        machine->partition =
            (struct machine_partition){machine->memory.sms, PARTITION_SM_MASK, machine->memory.sms};
    if (node->part != WHOLE_GPU) {
        machine->partition = task->parts.items[node->part].partition;
        machine->partition.of = machine->memory.sms;
        machine->memory.sms = machine->partition.sms;
    }
    const bool has_slices = machine->partition.sms > 0 && machine->partition.kind == PARTITION_MIG;
    if (task->federated || has_beside(task, number, TASK_COPY) ||
        (has_beside(task, number, TASK_KERNEL) && !has_slices))
        machine->sass.l2_keeps = 0;
    if (node->shared) share_sms(task, number, machine);
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

wb_status task_load_kernel(struct wb_task *task, uint32_t number, wb_diagnostics *diagnostics) {
    struct task_node *node = &task->nodes.items[number];
    wb_launches *launches = NULL;
    WB_TRY(wb_launches_read(node->launch, WB_FILES_BELOW, diagnostics, &launches));
    wb_status status = check_launches(task, node, launches, diagnostics);
    if (status == WB_OK) status = launched_load(launches, task->machine, diagnostics, &node->of);
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
        (void)refuse(task, node,
                     node->shared ? "no bound is proven of it beside others on its SMs: order them (after, "
                                    "stream), or give each a partition"
                                  : "no bound of the kernel is proven (analyze says why)",
                     diagnostics);
        return WB_ERR_DECLINED;
    }
    node->time = verdict.cycles;
    node->overhead = verdict.overhead;
    node->atomics = cycles_mul(node->analysis->beside.atomics, node->machine.sass.atomic_word);
    node->held = cycles_mul(node->machine.memory.dispatch_service, node->analysis->work.block_count);
    node->slowest = node->shared ? 0 : cycles_add(verdict.slowest.cycles, verdict.overhead);
    task->shared |= node->shared;
    task->of_model |= verdict.model != WB_MODEL_NONE;
    return WB_OK;
}

wb_status task_bound_kernel(struct wb_task *task, uint32_t number, const wb_analyze_options *options,
                            wb_diagnostics *diagnostics) {
    struct task_node *node = &task->nodes.items[number];
    wb_analyze_options asked = *options;
    const struct machine_memory *memory = &task->machine->memory;
    if (has_beside(task, number, TASK_COPY) && machine_isa(task->machine) != ISA_SASS)
        return refuse(task, node,
                      "copies beside a kernel are bounded only for machine code: order them (after)",
                      diagnostics);
    if ((has_beside(task, number, TASK_KERNEL) || task->federated) &&
        (memory_is_contended(memory) || memory_has_hierarchy(memory)))
        return refuse(task, node,
                      "kernels beside others are not bounded on machines with service or l1_size: order them "
                      "(after)",
                      diagnostics);
    take_part(task, number, &node->machine);
    if (node->shared || task->federated) asked.methods = TASK_SHARED_METHOD;
    asked.facts = node->of.facts;
    asked.inputs = node->of.facts != NULL ? WB_INPUTS_GIVEN : WB_INPUTS_USUAL;
    wb_status status =
        wb_analyze(node->of.kernel, node->of.launch, &node->machine, &asked, diagnostics, &node->analysis);
    if (status == WB_OK) status = judge(task, node, diagnostics);
    if (status != WB_OK) diagnose_at(diagnostics, SEVERITY_NOTE, &task->source, node->at, "of this node");
    return status;
}
