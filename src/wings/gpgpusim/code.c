#include "wings/gpgpusim/code.h"

#include <string.h>

#include "base/base.h"

/* Sources beyond this many scalar registers escape the simulator's scoreboard. */
#define CHECKED_SOURCES 3u

/* Registers of one instruction, collected before they go to the pool. */
struct gs_operands {
    uint32_t checked[2 * GS_OPERANDS_MAX + 4];
    uint32_t results[GS_OPERANDS_MAX];
    uint32_t reads[GS_OPERANDS_MAX];
    uint32_t writes[GS_OPERANDS_MAX];
    uint32_t checked_count, result_count, read_count, write_count;
    uint32_t sources; /* source registers so far, elements of vectors included */
};

/* What decoding one block needs. */
struct gs_decoder {
    const struct wb_block *block;
    const struct timed_block *timed;
    const struct wb_machine *machine;
    const struct ptx_function *function; /* the one at hand */
    wb_diagnostics *diagnostics;
    struct gs_code *code;
    uint8_t unit[MACHINE_UNITS_MAX]; /* per unit of the machine its enum gpgpusim_unit */
    VEC(uint32_t) pool;
};

static wb_status no_memory(const struct gs_decoder *decoder) {
    return diagnose_out_of_memory(decoder->diagnostics, wb_kernel_name(decoder->block->kernel));
}

/* The number of a register as the simulator makes it from the name: the first digits in it, or, without any,
 * the position of its declaration. It chooses the bank. */
static uint32_t register_number(const struct ptx_function *function, uint32_t reg) {
    const struct ptx_reg_group *group = &function->groups[function->reg_group[reg]];
    const char *digits = group->name;
    while (*digits != '\0' && !ascii_digit(*digits))
        digits++;
    uint64_t number = 0;
    for (; ascii_digit(*digits) && number < UINT32_MAX; digits++)
        number = number * 10 + (uint64_t)(*digits - '0');
    if (*digits != '\0' || !group->numbered) {
        bool named = digits > group->name && ascii_digit(digits[-1]);
        return named ? (uint32_t)number : reg + 1;
    }
    /* The name's last digits and the register's own are one number. */
    uint64_t scale = 10;
    while (scale <= reg - group->first)
        scale *= 10;
    return (uint32_t)(number * scale + (reg - group->first));
}

/* Adds a register's number, once. */
static void add_number(const struct gs_decoder *decoder, uint32_t reg, uint32_t *numbers, uint32_t *count) {
    uint32_t number = register_number(decoder->function, reg);
    for (uint32_t i = 0; i < *count; i++)
        if (numbers[i] == number) return;
    if (*count < GS_OPERANDS_MAX) numbers[(*count)++] = number;
}

static void add_destination(const struct gs_decoder *decoder, uint32_t reg, struct gs_operands *operands) {
    if (operands->result_count == GS_OPERANDS_MAX) return;
    operands->results[operands->result_count++] = reg;
    operands->checked[operands->checked_count++] = reg;
    add_number(decoder, reg, operands->writes, &operands->write_count);
}

static void add_source(const struct gs_decoder *decoder, uint32_t reg, bool in_vector,
                       struct gs_operands *operands) {
    if (operands->sources == GS_OPERANDS_MAX) return;
    if (in_vector || operands->sources < CHECKED_SOURCES) operands->checked[operands->checked_count++] = reg;
    add_number(decoder, reg, operands->reads, &operands->read_count);
    operands->sources++;
}

/* One operand: destinations and sources are registers or vectors of them; of an address the base. An atomic's
 * address is unknown to both scoreboard and banks. */
static void add_operand(const struct gs_decoder *decoder, const struct ptx_inst *inst,
                        const struct ptx_operand *operand, bool written, struct gs_operands *operands) {
    const struct ptx_operand *parts = &decoder->function->operands[operand->index];
    switch (operand->kind) {
    case PTX_OPERAND_REG:
        if (written)
            add_destination(decoder, operand->index, operands);
        else
            add_source(decoder, operand->index, false, operands);
        break;
    case PTX_OPERAND_ADDRESS:
        if (parts->kind != PTX_OPERAND_REG || inst->form->op == PTX_OP_ATOM || inst->form->op == PTX_OP_RED)
            break;
        operands->checked[operands->checked_count++] = parts->index;
        add_number(decoder, parts->index, operands->reads, &operands->read_count);
        break;
    case PTX_OPERAND_VECTOR:
    case PTX_OPERAND_TEXTURE:
        for (uint32_t i = 0; i < operand->count; i++) {
            if (parts[i].kind != PTX_OPERAND_REG) continue;
            if (written)
                add_destination(decoder, parts[i].index, operands);
            else
                add_source(decoder, parts[i].index, true, operands);
        }
        break;
    default: break;
    }
}

/* Collects the registers of an instruction; the guard is checked but takes no read of a bank. */
static void collect_operands(const struct gs_decoder *decoder, const struct ptx_inst *inst,
                             struct gs_operands *operands) {
    *operands = (struct gs_operands){0};
    const struct ptx_operand *list = ptx_operands(decoder->function, inst);
    if (inst->guard != PTX_NO_INDEX) operands->checked[operands->checked_count++] = inst->guard;
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        char role = inst->form->roles[i];
        bool written = role == 'd' || role == 'D' || role == 'O' || role == 'x';
        add_operand(decoder, inst, &list[i], written && list[i].kind != PTX_OPERAND_ADDRESS, operands);
        if (role == 'x') add_operand(decoder, inst, &list[i], false, operands);
    }
}

/* Appends `count` values, each modulo `modulus`. */
static wb_status append(struct gs_decoder *decoder, const uint32_t *values, uint32_t count,
                        uint32_t modulus) {
    for (uint32_t i = 0; i < count; i++) {
        if (vec_push(&decoder->pool, values[i] % modulus) != WB_OK) return no_memory(decoder);
    }
    return WB_OK;
}

static wb_status decode_operands(struct gs_decoder *decoder, const struct ptx_inst *inst,
                                 struct gs_inst *decoded) {
    struct gs_operands operands;
    collect_operands(decoder, inst, &operands);
    decoded->first = (uint32_t)decoder->pool.count;
    decoded->checked_count = (uint16_t)operands.checked_count;
    decoded->result_count = (uint16_t)operands.result_count;
    decoded->read_count = (uint16_t)operands.read_count;
    decoded->written_count = (uint16_t)operands.write_count;
    uint32_t banks = decoder->machine->gpgpusim.register_banks;
    WB_TRY(append(decoder, operands.checked, operands.checked_count, UINT32_MAX));
    WB_TRY(append(decoder, operands.results, operands.result_count, UINT32_MAX));
    WB_TRY(append(decoder, operands.reads, operands.read_count, banks));
    return append(decoder, operands.writes, operands.write_count, banks);
}

/* The class whose times the simulator uses: what it has no entry for counts as a move. */
static enum ptx_class timing_class(const struct ptx_form *form) {
    switch ((enum ptx_op)form->op) {
    case PTX_OP_SAD:
    case PTX_OP_DP4A:
    case PTX_OP_DP2A: return PTX_CLASS_MOVE;
    case PTX_OP_DIV:
        /* All types but f32 and f64 are timed as integers. */
        return form->class_ == PTX_CLASS_FP32_DIV && form->type != PTX_F32 ? PTX_CLASS_INT_DIV
                                                                           : (enum ptx_class)form->class_;
    default: return (enum ptx_class)form->class_;
    }
}

static enum gs_kind lsu_kind(const struct ptx_form *form) {
    switch ((enum ptx_class)form->class_) {
    case PTX_CLASS_LOAD_SHARED: return GS_LOAD_SHARED;
    case PTX_CLASS_ATOMIC_GLOBAL:
    case PTX_CLASS_ATOMIC_SHARED: return GS_ATOMIC;
    case PTX_CLASS_FENCE: return GS_FENCE;
    default: return GS_STORE;
    }
}

/* Whether a path executes an instruction that waits in a way that GPGPU-Sim does not. */
static bool is_unmodelled(const struct ptx_inst *inst, const struct timed_inst *timed) {
    const bool executed = timed->init > 0 || timed->unit == UNIT_NONE;
    const enum ptx_wait wait = (enum ptx_wait)inst->form->wait;
    return executed && (wait == PTX_WAIT_ORDER || wait == PTX_WAIT_SLEEP || wait == PTX_WAIT_RUNTIME);
}

static wb_status decode_inst(struct gs_decoder *decoder, uint32_t index, const struct ptx_inst *inst) {
    struct gs_inst *decoded = &decoder->code->insts[index];
    const struct timed_inst *timed = &decoder->timed->code.insts[index];
    if (is_unmodelled(inst, timed)) {
        ptx_diagnose(decoder->diagnostics, SEVERITY_ERROR, decoder->block->kernel->module, inst,
                     "the model gpgpusim does not support the wait of '%s'", inst->form->name);
        return WB_ERR_DECLINED;
    }
    const struct machine_class *class = &decoder->machine->classes[timing_class(inst->form)];
    if (!class->given) return WB_OK; /* then no path has it */
    decoded->unit = decoder->unit[class->unit];
    decoded->init = class->init;
    uint32_t result_after = class->init + machine_latency(decoder->machine, class);
    decoded->latency = result_after - GPGPUSIM_STAGES;
    decoded->kind = decoded->unit == GPGPUSIM_LSU ? (uint8_t)lsu_kind(inst->form) : (uint8_t)GS_NOT_LSU;
    decoded->space = inst->form->space;
    decoded->data_bytes = (uint8_t)ptx_type_bytes((enum ptx_type)inst->form->type);
    decoded->barrier = timed->barrier;
    decoded->uncounted = timed->uncounted;
    if (decoded->unit != GPGPUSIM_LSU && decoded->latency > decoder->code->longest)
        decoder->code->longest = decoded->latency;
    return decode_operands(decoder, inst, decoded);
}

/* Whether some path goes through instructions first..end-1. */
static bool reached(const struct wb_block *block, uint32_t first, uint32_t end) {
    for (size_t p = 0; p < block->paths.count; p++) {
        const struct path *path = &block->paths.items[p];
        for (size_t e = 0; e < path->entries.count; e++) {
            const struct path_entry *entry = &path->entries.items[e];
            if (entry->count != PATH_REPEAT && entry->first < end && entry->first + entry->count > first)
                return true;
        }
    }
    return false;
}

static wb_status decode_functions(struct gs_decoder *decoder) {
    const struct wb_block *block = decoder->block;
    const struct wb_module *module = block->kernel->module;
    for (uint32_t f = 0; f < module->function_count; f++) {
        const uint32_t first = block->code_first[f];
        if (!reached(block, first, block->code_first[f + 1])) continue;
        decoder->function = &module->functions[f];
        if (decoder->function->reg_count > decoder->code->register_count)
            decoder->code->register_count = decoder->function->reg_count;
        for (uint32_t i = 0; i < decoder->function->inst_count; i++)
            WB_TRY(decode_inst(decoder, first + i, &decoder->function->insts[i]));
    }
    return WB_OK;
}

/* Matches the machine's units with the model's, by name. */
static wb_status match_units(struct gs_decoder *decoder) {
    static const char *const names[] = {
#define X(enumerator, name, suffix) name,
        GPGPUSIM_UNIT_TABLE(X)
#undef X
    };
    const struct wb_machine *machine = decoder->machine;
    for (uint32_t i = 0; i < machine->unit_count; i++) {
        uint32_t unit = 0;
        while (unit < GPGPUSIM_UNITS && strcmp(names[unit], machine->units[i].name) != 0)
            unit++;
        decoder->unit[i] = (uint8_t)unit;
        if (unit < GPGPUSIM_UNITS && machine->units[i].count == 1) continue;
        diagnose(
            decoder->diagnostics, SEVERITY_ERROR, machine->name,
            "the model gpgpusim has one each of the units SP, DP, INT, SFU, TENSOR, MEM and LSU, not %u %s",
            machine->units[i].count, machine->units[i].name);
        return WB_ERR_INPUT;
    }
    return WB_OK;
}

/* Whether the machine's classes can be executed: everything takes a slot, and the result comes out of a unit
 * no earlier than the unit is free again. */
static wb_status check_classes(const struct gs_decoder *decoder) {
    const struct wb_machine *machine = decoder->machine;
    for (uint32_t i = 0; i < PTX_CLASS_COUNT; i++) {
        const struct machine_class *class = &machine->classes[i];
        if (!class->given) continue;
        bool lsu = class->unit != UNIT_NONE && decoder->unit[class->unit] == GPGPUSIM_LSU;
        if (lsu || (class->unit != UNIT_NONE && machine_latency(machine, class) >= GPGPUSIM_STAGES)) continue;
        diagnose(decoder->diagnostics, SEVERITY_ERROR, machine->name,
                 "class %s: the model gpgpusim needs a unit, and a latency of at least the %u cycles of its "
                 "stages",
                 ptx_class_name((enum ptx_class)i), GPGPUSIM_STAGES);
        return WB_ERR_INPUT;
    }
    return WB_OK;
}

wb_status gs_code_make(const struct wb_block *block, const struct timed_block *timed, struct arena *arena,
                       wb_diagnostics *diagnostics, struct gs_code *code) {
    struct gs_decoder decoder = {
        .block = block, .timed = timed, .machine = timed->machine, .diagnostics = diagnostics, .code = code};
    WB_TRY(match_units(&decoder));
    WB_TRY(check_classes(&decoder));
    *code = (struct gs_code){0};
    code->insts = arena_array(arena, (size_t)timed->code.inst_count + 1, sizeof *code->insts);
    if (code->insts == NULL) return no_memory(&decoder);
    wb_status status = decode_functions(&decoder);
    if (status == WB_OK) {
        code->pool = arena_array(arena, decoder.pool.count + 1, sizeof *code->pool);
        if (code->pool == NULL)
            status = no_memory(&decoder);
        else if (decoder.pool.count > 0)
            memcpy(code->pool, decoder.pool.items, decoder.pool.count * sizeof *code->pool);
    }
    vec_free(&decoder.pool);
    return status;
}
