#include "warp/timed/timed.h"

#include <assert.h>
#include <string.h>

/* ---- Queues ---- */

enum wait_queue wait_queue_of(const struct timed_code *code, uint32_t reg) {
    enum wait_queue queue = QUEUE_COPIES;
    while (queue < QUEUE_COUNT && reg - code->queues[queue].first >= code->queues[queue].count)
        queue++;
    return queue;
}

void wait_queues_step(const struct timed_code *code, const struct timed_inst *inst, cycles *times,
                      size_t stride, cycles at) {
    for (uint32_t q = 0; (inst->joins | inst->commits) >> q != 0; q++) {
        const struct timed_queue *queue = &code->queues[q];
        if (queue->count == 0) continue;
        cycles *all = times + queue->first * stride;
        if (inst->joins >> q & 1) *all = cycles_max(*all, at);
        for (uint32_t j = queue->count; (inst->commits >> q & 1) != 0 && j-- > 1;)
            all[j * stride] = all[(j - 1) * stride];
    }
}

wb_status queue_members_note(struct queue_members *queues, const struct timed_code *code,
                             const struct timed_inst *inst, uint32_t position) {
    for (uint32_t q = 0; (inst->joins | inst->commits) >> q != 0; q++) {
        struct queue_member member = {position, queues->commits[q]};
        if (code->queues[q].count == 0) continue;
        if (inst->joins >> q & 1) WB_TRY(vec_push(&queues->members[q], member));
        queues->commits[q] += inst->commits >> q & 1;
    }
    return WB_OK;
}

wb_status queue_members_take(struct queue_members *queues, const struct timed_code *code, uint32_t reg) {
    const enum wait_queue q = wait_queue_of(code, reg);
    queues->taken.count = 0;
    if (q == QUEUE_COUNT) return WB_OK;
    const uint32_t later = reg - code->queues[q].first; /* commits that stand between */
    assert(later <= WAIT_GROUPS_MAX + 1 || later < code->queues[q].count);
    struct queue_member *members = queues->members[q].items;
    size_t taken = 0;
    while (taken < queues->members[q].count && members[taken].commits + later <= queues->commits[q])
        WB_TRY(vec_push(&queues->taken, members[taken++].position));
    for (size_t m = taken; taken > 0 && m < queues->members[q].count; m++)
        members[m - taken] = members[m];
    queues->members[q].count -= taken;
    return WB_OK;
}

void queue_members_clear(struct queue_members *queues) {
    for (uint32_t q = 0; q < QUEUE_COUNT; q++)
        queues->members[q].count = queues->commits[q] = 0;
}

void queue_members_free(struct queue_members *queues) {
    for (uint32_t q = 0; q < QUEUE_COUNT; q++)
        vec_free(&queues->members[q]);
    vec_free(&queues->taken);
}

/* ---- Roles ---- */

#define JOINS(queue) (uint8_t)(1u << (queue))

/* Whether instructions of the class access memory that a fence orders. */
static bool is_access(enum ptx_class class) {
    switch (class) {
    case PTX_CLASS_LOAD_GLOBAL:
    case PTX_CLASS_LOAD_SHARED:
    case PTX_CLASS_LOAD_LOCAL:
    case PTX_CLASS_LOAD_GENERIC:
    case PTX_CLASS_STORE_GLOBAL:
    case PTX_CLASS_STORE_SHARED:
    case PTX_CLASS_STORE_LOCAL:
    case PTX_CLASS_STORE_GENERIC:
    case PTX_CLASS_ATOMIC_GLOBAL:
    case PTX_CLASS_ATOMIC_SHARED:
    case PTX_CLASS_ASYNC_COPY:
    case PTX_CLASS_TEXTURE: return true;
    default: return false;
    }
}

/* A wait for all groups of a queue but the newest, as many as operand 0 says. */
static void wait_for_groups(const struct ptx_function *function, const struct ptx_inst *inst,
                            enum wait_queue queue, struct wait_role *role) {
    const struct ptx_operand *left = &function->operands[inst->first_operand];
    role->queue = queue;
    if (left->kind != PTX_OPERAND_INT)
        role->unmodelled = "leaves a number of pending groups that is not a constant";
    else if (left->value > WAIT_GROUPS_MAX)
        role->unmodelled = "leaves more than 64 groups pending, which is not supported";
    else
        role->since = (uint32_t)left->value + 1;
}

struct wait_role wait_role_of(const struct ptx_function *function, const struct ptx_inst *inst) {
    struct wait_role role = {.queue = QUEUE_COUNT, .on_chip = true};
    switch ((enum ptx_op)inst->form->op) {
    case PTX_OP_CP_ASYNC: role.joins = JOINS(QUEUE_COPIES); break;
    case PTX_OP_CP_ASYNC_COMMIT_GROUP: role.commits = JOINS(QUEUE_COPIES); return role;
    case PTX_OP_CP_ASYNC_WAIT_ALL: role.queue = QUEUE_COPIES; return role;
    case PTX_OP_CP_ASYNC_WAIT_GROUP: wait_for_groups(function, inst, QUEUE_COPIES, &role); return role;
    case PTX_OP_CP_ASYNC_BULK_COMMIT_GROUP: role.commits = JOINS(QUEUE_BULK_COPIES); return role;
    case PTX_OP_CP_ASYNC_BULK_WAIT_GROUP:
        wait_for_groups(function, inst, QUEUE_BULK_COPIES, &role);
        return role;
    case PTX_OP_CP_ASYNC_BULK:
    case PTX_OP_CP_ASYNC_BULK_TENSOR:
    case PTX_OP_CP_REDUCE_ASYNC_BULK:
    case PTX_OP_CP_REDUCE_ASYNC_BULK_TENSOR:
    case PTX_OP_MULTIMEM_CP_ASYNC_BULK:
    case PTX_OP_MULTIMEM_CP_REDUCE_ASYNC_BULK:
        if (strstr(inst->form->text, ".bulk_group") != NULL) role.joins = JOINS(QUEUE_BULK_COPIES);
        break;
    default: break;
    }
    role.on_chip = false;
    const enum ptx_wait wait = (enum ptx_wait)inst->form->wait;
    role.fence = wait == PTX_WAIT_FENCE || wait == PTX_WAIT_ORDER || wait == PTX_WAIT_RUNTIME;
    if (role.fence) role.queue = QUEUE_ACCESSES;
    role.fence |= wait == PTX_WAIT_SLEEP;
    if (is_access((enum ptx_class)inst->form->class_)) role.joins |= JOINS(QUEUE_ACCESSES);
    return role;
}

/* Whom a barrier joins whose operand `index`, which may be omitted, is a number of threads. */
static enum barrier_scope scope_of_count(const struct ptx_function *function, const struct ptx_inst *inst,
                                         uint32_t index, const uint32_t size[3], uint32_t warp_width) {
    if (index >= inst->operand_count) return BARRIER_WHOLE;
    const struct ptx_operand *operand = &function->operands[inst->first_operand + index];
    uint64_t threads = (uint64_t)size[0] * size[1] * size[2];
    uint64_t rounded = (threads + warp_width - 1) / warp_width * warp_width;
    switch (operand->kind) {
    case PTX_OPERAND_NONE: return BARRIER_WHOLE;
    case PTX_OPERAND_INT: return operand->value == rounded ? BARRIER_WHOLE : BARRIER_PART;
    default: return BARRIER_COUNTED;
    }
}

enum barrier_scope barrier_scope_of(const struct ptx_function *function, const struct ptx_inst *inst,
                                    const uint32_t size[3], uint32_t warp_width) {
    enum ptx_op op = (enum ptx_op)inst->form->op;
    if (op != PTX_OP_BAR || inst->form->mode == PTX_MODE_WARP) return BARRIER_NONE;
    if (inst->form->mode == PTX_MODE_ARRIVE) return BARRIER_PART;
    return scope_of_count(function, inst, inst->form->mode == PTX_MODE_RED ? 2 : 1, size, warp_width);
}
