/* Branches and the SIMT stack, calls and their frames, the ends of lanes. */
#include <assert.h>
#include <inttypes.h>

#include "warp/alu/lanes.h"
#include "warp/interpret/base_region.h"
#include "warp/interpret/execute.h"

/* Divides the lanes of the top entry into sides with different targets, the first of which executes first.
 * The lanes meet again at `reconvergence`: sides that start there need not be executed. */
static wb_status diverge(struct warp *warp, const struct micro *op, uint32_t reconvergence,
                         const struct side *sides, uint32_t count) {
    assert(count >= 1 && warp->stack.count > warp->frame->stack_base);
    struct simt_entry *top = &warp->stack.items[warp->stack.count - 1];
    if (count == 1) {
        top->pc = sides[0].pc;
        return WB_OK;
    }
    run_assume(warp->run, divided_lanes_assumed(warp));
    if (top->reconvergence == reconvergence || reconvergence == PTX_NO_INDEX)
        warp->stack.count--; /* the entry below goes on there, or nobody does */
    else
        top->pc = reconvergence;
    for (uint32_t i = count; i-- > 0;) {
        if (sides[i].pc == reconvergence) continue;
        struct simt_entry entry = {.pc = sides[i].pc, .reconvergence = reconvergence, .mask = sides[i].mask};
        if (vec_push(&warp->stack, entry) != WB_OK) return warp_no_memory(warp, op);
    }
    return WB_OK;
}

wb_status branch_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    const struct simt_entry *top = &warp->stack.items[warp->stack.count - 1];
    struct side sides[2] = {{op->branch.targets[0], mask}, {top->pc, top->mask & ~mask}};
    if (mask == 0) return WB_OK;
    bool divided = sides[1].mask != 0 && sides[0].pc != sides[1].pc;
    if (divided) meeting_side_first(warp, sides, 2);
    return diverge(warp, op, op->branch.reconvergence, sides, divided ? 2 : 1);
}

void side_add(struct side *sides, uint32_t *count, uint32_t pc, uint32_t mask) {
    uint32_t i = 0;
    while (i < *count && sides[i].pc < pc)
        i++;
    if (i == *count || sides[i].pc != pc) {
        memmove(&sides[i + 1], &sides[i], (*count - i) * sizeof *sides);
        sides[i] = (struct side){pc, 0};
        ++*count;
    }
    sides[i].mask |= mask;
}

wb_status branch_index_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    const struct simt_entry *top = &warp->stack.items[warp->stack.count - 1];
    const struct lanes *index = warp_slot(warp, op->source[0]);
    struct side sides[WARP_LANES + 1];
    uint32_t count = 0;
    if (mask == 0) return WB_OK;
    if ((mask & ~index->known) != 0)
        return warp_decline(warp, op, op->source[0], mask & ~index->known, NEED_TARGET);
    FOR_LANES_OF(l, mask) {
        if (index->value[l] >= op->branch.target_count)
            return warp_fail(warp, op, WB_ERR_INPUT, "lane %u of warp %u: index %" PRIu64 " of %u targets", l,
                             warp->number, index->value[l], op->branch.target_count);
        side_add(sides, &count, op->branch.targets[index->value[l]], 1u << l);
    }
    if ((top->mask & ~mask) != 0) side_add(sides, &count, top->pc, top->mask & ~mask);
    return diverge(warp, op, op->branch.reconvergence, sides, count);
}

/* Room for the local memory of a function that is called, on top of that of its callers. */
static wb_status frame_make_local(struct warp *warp, const struct micro *call,
                                  const struct function_code *code) {
    const struct run *run = warp->run;
    const uint64_t size = warp->local.size + code->local_size, before = warp->local.capacity;
    if (local_resize(&warp->local, size) == WB_OK)
        return warp->local.capacity == before ? WB_OK : run_check_memory(run);
    if (size <= LOCAL_MAX) return warp_no_memory(warp, call);
    diagnose(run->diagnostics, SEVERITY_ERROR, wb_kernel_name(run->kernel),
             "%" PRIu64 " bytes of local memory a thread, %" PRIu64
             " of them of function %s: more than the %" PRIu64
             " that a thread can have; make its .local variables smaller, or nest calls less deeply",
             size, (uint64_t)code->local_size, code->function->name, LOCAL_MAX);
    return WB_ERR_LIMIT;
}

wb_status frame_push(struct warp *warp, const struct micro *call, const struct function_code *code,
                     uint32_t mask) {
    assert(warp->depth < CALL_DEPTH_MAX && mask != 0);
    struct frame *frame = &warp->frames[warp->depth];
    if (frame->room < code->slot_count) {
        free(frame->registers);
        frame->registers = NULL;
        warp->run->register_bytes -= frame->room * (uint64_t)sizeof *frame->registers;
        frame->room = 0;
        WB_TRY(run_count_registers(warp->run, code->function,
                                   code->slot_count * (uint64_t)sizeof *frame->registers));
        frame->room = code->slot_count;
        frame->registers = calloc(code->slot_count, sizeof *frame->registers);
        if (frame->registers == NULL) return warp_no_memory(warp, call);
    }
    for (uint32_t i = 0; i < code->slot_count; i++) {
        lanes_forget(&frame->registers[i], LANES_ALL, ORIGIN_UNWRITTEN);
        frame->registers[i].base_region = BASE_REGION_NONE;
        frame->registers[i].numbers = 0;
        frame->registers[i].unknown_base_region = BASE_REGION_NO_LANES;
    }
    frame->code = code;
    frame->call = call;
    frame->stack_base = warp->stack.count;
    frame->local_base = warp->local.size;
    struct simt_entry entry = {.pc = 0, .reconvergence = PTX_NO_INDEX, .mask = mask};
    WB_TRY(frame_make_local(warp, call, code));
    if (vec_push(&warp->stack, entry) != WB_OK) return warp_no_memory(warp, call);
    if (code->uses_local)
        lanes_broadcast(&frame->registers[code->function->reg_count + SLOT_LOCAL_BASE], frame->local_base);
    warp->depth++;
    warp->frame = frame;
    warp->banks[BANK_FRAME] = frame->registers;
    return WB_OK;
}

void frame_pop(struct warp *warp) {
    assert(warp->depth > 0 && warp->stack.count >= warp->frame->stack_base);
    (void)local_resize(&warp->local, warp->frame->local_base); /* lower: cannot fail */
    warp->depth--;
    if (warp->depth == 0) {
        warp->state = WARP_DONE;
        return;
    }
    warp->frame--;
    warp->banks[BANK_FRAME] = warp->frame->registers;
}

wb_status simt_settle(struct warp *warp) {
    while (warp->depth != 0) {
        if (warp->stack.count == warp->frame->stack_base) {
            frame_pop(warp);
            continue;
        }
        struct simt_entry *top = &warp->stack.items[warp->stack.count - 1];
        if (top->mask != 0 && top->wait != SIMT_RUNS) return meeting_end(warp, top);
        if (top->mask != 0 && top->pc != top->reconvergence) return WB_OK;
        warp->stack.count--;
    }
    return WB_OK;
}

/* The lanes of an operand of a call, in the frame it belongs to. */
static struct lanes *frame_slot(const struct warp *warp, const struct frame *frame, struct slot slot) {
    return slot.bank == BANK_FRAME ? &frame->registers[slot.index] : warp_slot(warp, slot);
}

/* Copies one lane's .param variable to another frame, by units of 8 bytes. */
static void pass_param(const struct warp *warp, uint32_t lane, uint64_t from, uint64_t to, uint32_t size) {
    for (uint32_t at = 0; at < size; at += 8) {
        struct place source = local_place(&warp->local, lane, from + at);
        struct place target = local_place(&warp->local, lane, to + at);
        memcpy(target.bytes, source.bytes, 8);
        *target.known = *source.known;
    }
}

/* Copies one lane of an operand of a call between the frames of caller and callee. */
static void pass_lane(struct warp *warp, uint32_t lane, const struct frame *from,
                      const struct call_operand *source, const struct frame *to,
                      const struct call_operand *target) {
    uint64_t from_at = from->local_base + source->offset, to_at = to->local_base + target->offset;
    if (source->is_param && target->is_param) {
        pass_param(warp, lane, from_at, to_at, source->size < target->size ? source->size : target->size);
        return;
    }
    uint64_t value = 0, base_region = BASE_REGION_NONE;
    uint32_t bytes = target->is_param && target->size < 8 ? target->size : 8;
    bool known;
    if (source->is_param) {
        struct place place = local_place(&warp->local, lane, from_at);
        known = place_read(&place, source->size < 8 ? source->size : 8, &value);
        if (known && source->size >= 8) base_region = base_region_of_value(warp->run, value);
    } else {
        const struct lanes *lanes = frame_slot(warp, from, source->slot);
        value = lanes->value[lane];
        base_region = lanes->base_region;
        known = (lanes->known >> lane & 1) != 0;
        if (known && target->is_param) known = base_region_is_kept(warp, lanes, lane, bytes);
    }
    if (target->is_param) {
        struct place place = local_place(&warp->local, lane, to_at);
        if (known)
            place_write(&place, bytes, value);
        else
            (void)place_forget(&place, bytes); /* local memory: cannot fail */
        return;
    }
    struct lanes *lanes = frame_slot(warp, to, target->slot);
    lanes->base_region = base_region_joined(lanes->base_region, base_region);
    lanes->numbers &= ~(1u << lane);
    lanes->value[lane] = value;
    lanes->known = (lanes->known & ~(1u << lane)) | (uint32_t)known << lane;
    if (!known)
        lanes_unknown_by(lanes, 1u << lane, from->call == NULL ? ORIGIN_UNWRITTEN : from->call->index);
}

static void pass_all(struct warp *warp, uint32_t mask, const struct frame *from,
                     const struct call_operand *sources, const struct frame *to,
                     const struct call_operand *targets, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        FOR_LANES_OF(l, mask) pass_lane(warp, l, from, &sources[i], to, &targets[i]);
}

/* Calls one function for the lanes of `mask`. */
static wb_status call_function(struct warp *warp, const struct micro *op, uint32_t function, uint32_t mask) {
    const struct function_code *code = &warp->run->program.functions[function];
    const char *name = warp->run->module->functions[function].name;
    if (code->micros == NULL)
        return warp_fail(warp, op, WB_ERR_DECLINED,
                         "the body of '%s' is not in the module: compile it into the same PTX or, if this "
                         "call is never reached, say so by a flow fact: never LABEL (--facts)",
                         name);
    if (code->function->param_count != op->call.argument_count ||
        code->function->return_count < op->call.result_count)
        return warp_fail(warp, op, WB_ERR_INPUT,
                         "'%s' has %u parameters and %u results, the call has %u and %u", name,
                         code->function->param_count, code->function->return_count, op->call.argument_count,
                         op->call.result_count);
    if (warp->depth == CALL_DEPTH_MAX)
        return warp_fail(warp, op, WB_ERR_LIMIT, "calls nest deeper than %u", CALL_DEPTH_MAX);
    WB_TRY(frame_push(warp, op, code, mask));
    pass_all(warp, mask, warp->frame - 1, op->call.arguments, warp->frame, code->params,
             op->call.argument_count);
    return WB_OK;
}

/* Puts an indirect call back, divided by callees: the lanes of `group` call first, the others later, and all
 * go on behind the call together. */
static wb_status divide_call(struct warp *warp, const struct micro *op, uint32_t mask, uint32_t group) {
    uint32_t next = warp->stack.items[warp->stack.count - 1].pc;
    struct simt_entry others = {.pc = next - 1, .reconvergence = next, .mask = mask & ~group};
    struct simt_entry first = {.pc = next - 1, .reconvergence = next, .mask = group};
    warp->replayed = true;
    run_assume(warp->run, ASSUMED_DIVIDED_LANES);
    if (vec_push(&warp->stack, others) != WB_OK || vec_push(&warp->stack, first) != WB_OK)
        return warp_no_memory(warp, op);
    return WB_OK;
}

wb_status call_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    if (mask == 0) return WB_OK;
    if (op->call.callee != PTX_NO_INDEX) return call_function(warp, op, op->call.callee, mask);
    const struct lanes *address = warp_slot(warp, op->source[0]);
    if ((mask & ~address->known) != 0)
        return warp_decline(warp, op, op->source[0], mask & ~address->known, NEED_CALLEE);
    uint64_t target = UINT64_MAX; /* the lowest address first: an order that does not depend on the lanes */
    uint32_t group = 0;
    FOR_LANES_OF(l, mask) target = address->value[l] < target ? address->value[l] : target;
    FOR_LANES_OF(l, mask) group |= (uint32_t)(address->value[l] == target) << l;
    if (group != mask) return divide_call(warp, op, mask, group);
    uint64_t function = (target - FUNCTION_WINDOW) / FUNCTION_STEP;
    if (target % FUNCTION_STEP != 0 || function >= warp->run->module->function_count)
        return warp_fail(warp, op, WB_ERR_INPUT, "0x%" PRIx64 " is not the address of a function", target);
    return call_function(warp, op, (uint32_t)function, mask);
}

void return_results(struct warp *warp, uint32_t mask) {
    const struct frame *frame = warp->frame;
    assert(warp->depth > 1 && frame->call != NULL);
    pass_all(warp, mask, frame, frame->code->returns, frame - 1, frame->call->call.results,
             frame->call->call.result_count);
}

/* Makes the results of a call by `caller` unknown: registers in `mask`, variables in `stored` as well. */
static void forget_call(struct warp *warp, const struct frame *caller, const struct micro *call,
                        uint32_t mask, uint32_t stored) {
    for (uint32_t i = 0; i < call->call.result_count; i++) {
        const struct call_operand *result = &call->call.results[i];
        if (!result->is_param) lanes_forget(frame_slot(warp, caller, result->slot), mask, call->index);
        for (uint32_t at = 0; result->is_param && at < result->size; at += 8) {
            FOR_LANES_OF(l, mask | stored) {
                struct place place = local_place(&warp->local, l, caller->local_base + result->offset + at);
                (void)place_forget(&place, 8); /* local memory: cannot fail */
            }
        }
    }
}

void forget_results(struct warp *warp, uint32_t mask, uint32_t stored) {
    forget_call(warp, warp->frame - 1, warp->frame->call, mask, stored);
}

wb_status runtime_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    forget_call(warp, warp->frame, op, mask, 0);
    return WB_OK;
}

wb_status runtime_unsure(struct warp *warp, const struct micro *op, uint32_t mask, uint32_t unsure) {
    return runtime_execute(warp, op, mask | unsure);
}

wb_status return_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    const struct frame *frame = warp->frame;
    if (frame->call == NULL) return exit_execute(warp, op, mask);
    return_results(warp, mask);
    for (size_t i = frame->stack_base; i < warp->stack.count; i++)
        warp->stack.items[i].mask &= ~mask;
    return WB_OK;
}

wb_status exit_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    (void)op;
    warp->live &= ~mask;
    for (size_t i = 0; i < warp->stack.count; i++)
        warp->stack.items[i].mask &= ~mask;
    return WB_OK;
}

wb_status trap_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    if (mask == 0) return WB_OK;
    return warp_fail(warp, op, WB_ERR_INPUT, "lane %u of warp %u %s", (uint32_t)__builtin_ctz(mask),
                     warp->number, op->form->op == PTX_OP_TRAP ? "executes 'trap'" : "fails an assertion");
}
