#include "papers/abstract_cta/abstract_code.h"

#include "warp/timed/wait_role.h"

bool abstract_accesses_memory(enum ptx_class class, bool *is_store) {
    *is_store = false;
    switch (class) {
    case PTX_CLASS_LOAD_GLOBAL:
    case PTX_CLASS_LOAD_SHARED:
    case PTX_CLASS_LOAD_LOCAL:
    case PTX_CLASS_LOAD_GENERIC:
    case PTX_CLASS_ATOMIC_GLOBAL:
    case PTX_CLASS_ATOMIC_SHARED:
    case PTX_CLASS_ASYNC_COPY:
    case PTX_CLASS_TEXTURE: return true;
    case PTX_CLASS_STORE_GLOBAL:
    case PTX_CLASS_STORE_SHARED:
    case PTX_CLASS_STORE_LOCAL:
    case PTX_CLASS_STORE_GENERIC: *is_store = true; return true;
    default: return false;
    }
}

wb_status abstract_code_begin(struct abstract_code *code, const struct kernel_flow *flow,
                              const struct abstract_threads *threads, wb_diagnostics *diagnostics,
                              struct abstract_warp *warp, struct arena *arena) {
    *code = (struct abstract_code){
        .flow = flow, .threads = threads, .diagnostics = diagnostics, .warp = warp, .stretch = 1};
    /* One more register than the function has: the carry flag. */
    code->marks = arena_array(arena, (size_t)flow->cfg.function->reg_count + 2, sizeof *code->marks);
    code->regs = arena_alloc(arena, sizeof *code->regs);
    return code->marks == NULL || code->regs == NULL ? WB_ERR_LIMIT : WB_OK;
}

/* Everything that the stretch has loaded so far is waited for. */
static void wait_for_all(struct abstract_code *code) {
    if (code->pending > code->waits) code->waits = code->pending;
}

/* Ends the stretch at hand: its nodes go to the sequence. */
static wb_status end_stretch(struct abstract_code *code, struct abstract_sequence *sequence) {
    wait_for_all(code);
    const uint32_t waits = code->waits;
    WB_TRY(abstract_add_time(code->warp, code->instructions, 0, sequence));
    for (uint32_t i = 0; i < waits + code->stores; i++)
        WB_TRY(abstract_add_memory(code->warp, i >= waits, sequence));
    code->stretch++;
    code->instructions = 0;
    code->waits = code->pending = code->stores = 0;
    return WB_OK;
}

/* An instruction waits for the loads of the registers it reads or overwrites. */
static void wait_for(struct abstract_code *code, const uint32_t *registers, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const struct load_mark *mark = &code->marks[registers[i]];
        if (mark->stretch == code->stretch && mark->waits > code->waits) code->waits = mark->waits;
    }
}

static void add_instruction(struct abstract_code *code, const struct ptx_inst *inst) {
    const struct wait_role role = wait_role_of(code->flow->cfg.function, inst);
    struct ptx_regs *regs = code->regs;
    bool is_store;
    if (role.queue != QUEUE_COUNT) wait_for_all(code);
    ptx_inst_regs(code->flow->cfg.function, inst, regs);
    wait_for(code, regs->read, regs->read_count);
    wait_for(code, regs->written, regs->written_count);
    code->instructions++;
    if (!abstract_accesses_memory((enum ptx_class)inst->form->class_, &is_store)) return;
    code->stores += is_store;
    if (is_store) return;
    code->pending = code->waits + 1;
    for (uint32_t i = 0; i < regs->written_count; i++)
        code->marks[regs->written[i]] = (struct load_mark){code->stretch, code->pending};
    if (role.fence) wait_for_all(code);
}

static wb_status decline(const struct abstract_code *code, const struct ptx_inst *inst, const char *message) {
    ptx_diagnose(code->diagnostics, SEVERITY_ERROR, code->flow->kernel->module, inst, "%s", message);
    return WB_ERR_DECLINED;
}

static wb_status add_barrier(struct abstract_code *code, const struct ptx_inst *inst,
                             struct abstract_sequence *sequence) {
    const struct abstract_threads *threads = code->threads;
    enum barrier_scope scope =
        barrier_scope_of(code->flow->cfg.function, inst, threads->size, threads->warp_width);
    if (scope != BARRIER_WHOLE)
        return decline(code, inst,
                       "this barrier does not join all threads of the block: no abstract warp "
                       "has that");
    if (inst->guard != PTX_NO_INDEX)
        return decline(code, inst, "this barrier has a guard: no abstract warp has that");
    struct ptx_regs *regs = code->regs;
    ptx_inst_regs(code->flow->cfg.function, inst, regs);
    wait_for(code, regs->read, regs->read_count);
    WB_TRY(end_stretch(code, sequence));
    return abstract_add_barrier(code->warp, sequence);
}

/* Whether instructions with this wait are what abstract warps make of them: they wait for registers, for
 * loads together and at barriers. */
static bool abstract_waits_as(enum ptx_wait wait) {
    const enum ptx_answer answer = ptx_wait_answer(wait);
    return answer == PTX_WAITS_NOT || answer == PTX_ASSUMED || wait == PTX_WAIT_WARPS ||
           wait == PTX_WAIT_LANES || wait == PTX_WAIT_COPIES || wait == PTX_WAIT_FENCE ||
           wait == PTX_WAIT_ORDER;
}

wb_status abstract_code_add(struct abstract_code *code, const struct cfg_block *block,
                            struct abstract_sequence *sequence) {
    const struct ptx_function *function = code->flow->cfg.function;
    for (uint32_t i = block->first; i < block->first + block->count; i++) {
        const struct ptx_inst *inst = &function->insts[i];
        enum barrier_scope scope =
            barrier_scope_of(function, inst, code->threads->size, code->threads->warp_width);
        if (inst->form->op == PTX_OP_CALL) return decline(code, inst, "abstract warps do not follow calls");
        if (!abstract_waits_as((enum ptx_wait)inst->form->wait) && scope == BARRIER_NONE)
            return decline(code, inst, "no abstract warp waits as this instruction does");
        if (scope != BARRIER_NONE)
            WB_TRY(add_barrier(code, inst, sequence));
        else if (inst->form->class_ != PTX_CLASS_EXIT)
            add_instruction(code, inst);
    }
    return end_stretch(code, sequence);
}
