#include "memory/access_costs.h"

#include <stdlib.h>

#include "memory/requests.h"

/* Transactions of one executed instruction, over all of its records: an asynchronous copy loads and stores,
 * and a generic address can lead different lanes to different memories. */
struct transactions {
    uint32_t requests; /* of global and local memory */
    uint32_t passes;   /* over memory of the SM */
};

static void add_transactions(const struct access *access, const struct access_list *list, uint32_t granule,
                             struct transactions *sum) {
    sum->requests += access_request_count(access, list->tables.items, granule);
    sum->passes += access_pass_count(access, list->tables.items);
}

/* Requests and passes follow one another on the unit. An instruction whose class has no unit takes no time.
 */
static struct execution_cost cost_of(const struct wb_machine *machine, const struct machine_class *class,
                                     struct transactions sum) {
    if (class->unit == UNIT_NONE) return (struct execution_cost){0, 0};
    uint32_t init = pass_cycles(class->init, sum.passes);
    if (sum.requests > 0) init += transaction_cycles(&machine->memory, class->init, sum.requests);
    uint32_t latency = machine_latency(machine, class);
    /* Stores are acknowledged by a memory that all SMs share. */
    if (sum.requests > 0 && memory_is_contended(&machine->memory) && class->plus != LATENCY_PLUS_MEM)
        latency += machine->mem_latency;
    return (struct execution_cost){init, latency};
}

static void warp_costs(const struct wb_block *block, const struct wb_machine *machine,
                       const struct access_list *list, struct execution_cost *costs) {
    uint32_t granule = memory_request_bytes(&machine->memory);
    for (size_t r = 0, end; r < list->items.count; r = end) {
        const struct access *access = &list->items.items[r];
        const struct ptx_inst *inst = block_inst(block, access->instruction, NULL);
        struct transactions sum = {0};
        for (end = r; end < list->items.count && list->items.items[end].step == access->step; end++)
            add_transactions(&list->items.items[end], list, granule, &sum);
        struct execution_cost cost = cost_of(machine, &machine->classes[inst->form->class_], sum);
        for (size_t k = r; k < end; k++)
            costs[k] = cost;
    }
}

/* Whether the costs can be known. */
static wb_status check(const struct wb_block *block, const struct wb_machine *machine,
                       wb_diagnostics *diagnostics) {
    if (machine->model == MACHINE_GPGPUSIM) {
        diagnose(diagnostics, SEVERITY_ERROR, machine->name,
                 "the model of GPGPU-Sim has rules of its own for requests; expected requests: ideal");
        return WB_ERR_INPUT;
    }
    if (block->accesses == NULL) {
        diagnose(diagnostics, SEVERITY_ERROR, machine->name,
                 "the machine counts requests, but the block was executed without recording its accesses");
        return WB_ERR_INPUT;
    }
    if (block->uncounted != PTX_NO_INDEX) {
        ptx_diagnose(diagnostics, SEVERITY_ERROR, block->kernel->module,
                     block_inst(block, block->uncounted, NULL),
                     "which memory this instruction accesses is not known, so that its requests cannot be "
                     "counted; a machine with requests: ideal (--memory ideal) does not count them");
        return WB_ERR_DECLINED;
    }
    return WB_OK;
}

wb_status access_costs_make(const struct wb_block *block, const struct wb_machine *machine,
                            wb_diagnostics *diagnostics, struct execution_cost **costs) {
    size_t count = 0, next = 0;
    *costs = NULL;
    if (machine->memory.requests == REQUESTS_IDEAL) return WB_OK;
    WB_TRY(check(block, machine, diagnostics));
    for (uint32_t w = 0; w < block->warp_count; w++)
        count += block->accesses[w].items.count;
    struct execution_cost *made = calloc(count + 1, sizeof *made);
    if (made == NULL) return diagnose_out_of_memory(diagnostics, wb_kernel_name(block->kernel));
    for (uint32_t w = 0; w < block->warp_count; w++) {
        warp_costs(block, machine, &block->accesses[w], made + next);
        next += block->accesses[w].items.count;
    }
    *costs = made;
    return WB_OK;
}
