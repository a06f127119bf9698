#include "naive_simt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/containers.h"

/* The nodes on every way from each node to the exit, by iterating over sets of at most 64 nodes. */
static void find_post_dominators(const struct cfg *cfg, uint64_t *sets) {
    const struct adjacency *out = &cfg->graph.out;
    for (uint32_t n = 0; n < cfg->block_count; n++)
        sets[n] = UINT64_MAX;
    sets[cfg->exit] = UINT64_C(1) << cfg->exit;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t n = 0; n < cfg->block_count; n++) {
            uint64_t common = UINT64_MAX;
            for (uint32_t i = out->first[n]; i < out->first[n + 1]; i++)
                common &= sets[out->nodes[i]];
            common |= UINT64_C(1) << n;
            changed |= common != sets[n];
            sets[n] = common;
        }
    }
}

bool simt_open(const struct analysed_function *analysed, struct simt *simt) {
    const struct cfg *cfg = &analysed->cfg;
    uint64_t sets[SIMT_BLOCKS_MAX + 1];
    *simt = (struct simt){.analysed = analysed};
    if (cfg->block_count > SIMT_BLOCKS_MAX || cfg->function->reg_count > SIMT_REGS) return false;
    find_post_dominators(cfg, sets);
    for (uint32_t n = 0; n < cfg->block_count; n++) {
        if (sets[n] == UINT64_MAX) return false; /* no way leads to the exit */
        /* The nearest of those behind n is the one with all others behind it. */
        uint64_t behind = sets[n] & ~(UINT64_C(1) << n);
        simt->meeting[n] = cfg->exit;
        for (uint32_t m = 0; m < cfg->block_count; m++)
            if ((behind >> m & 1) != 0 && sets[m] == behind) simt->meeting[n] = m;
    }
    return true;
}

/* A small number that depends on everything given. */
static uint32_t noise(const struct simt *simt, uint64_t a, uint64_t b) {
    struct random_state random = random_seeded(simt->seed ^ a * 0x9e3779b97f4a7c15u ^ b << 40);
    (void)random_next(&random);
    return (uint32_t)random_below(&random, 6);
}

static void see_fault(struct simt *simt, enum simt_fault fault, uint32_t inst) {
    if (simt->fault != SIMT_FINE) return;
    simt->fault = fault;
    simt->fault_inst = inst;
}

/* Sees a fault when a uniform value is not the same in the lanes of the mask. */
static void watch_value(struct simt *simt, uint32_t value, uint32_t mask, enum simt_fault fault,
                        uint32_t inst) {
    if (simt->analysed->divergence.values[value].cause != DIVERGENCE_NONE) return;
    const uint32_t *lanes = simt->registers[simt->analysed->ssa.values[value].reg];
    for (uint32_t l = 0; l < SIMT_LANES; l++)
        if ((mask >> l & 1) != 0 && lanes[l] != lanes[__builtin_ctz(mask)]) see_fault(simt, fault, inst);
}

/* %tid.x of some lanes of a warp, from its first to its last, in a block of the shape that the function asks
 * for. */
static uint32_t thread_of_lane(const struct simt *simt, uint32_t lane) {
    const uint32_t width = simt->analysed->cfg.function->tuning.reqntid[0];
    const uint32_t thread = (uint32_t)(simt->seed % 8) * 32 + lane * 31 / (SIMT_LANES - 1);
    return width == 0 ? thread : thread % width;
}

/* As PTX has it, with a shift that counts up to the width. */
static uint32_t shift_right(uint32_t a, uint32_t by, bool is_signed) {
    const uint32_t sign = is_signed && (a >> 31) != 0 ? UINT32_MAX : 0;
    if (by >= 32) return sign;
    return by == 0 ? a : a >> by | sign << (32 - by);
}

/* By what is small and, as it is written in the functions, above 0. */
static uint32_t divide(uint32_t a, uint32_t by, bool is_signed) {
    if (by == 0) return 0;
    return is_signed ? (uint32_t)((int32_t)a / (int32_t)by) : a / by;
}

static uint32_t read_operand(const struct simt *simt, const struct ptx_operand *operand, uint32_t lane) {
    switch (operand->kind) {
    case PTX_OPERAND_REG: return simt->registers[operand->index][lane] ^ operand->negated;
    case PTX_OPERAND_INT: return (uint32_t)operand->value;
    case PTX_OPERAND_SREG: return operand->index == PTX_SREG_TID_X ? thread_of_lane(simt, lane) : 32;
    case PTX_OPERAND_ADDRESS:
        return read_operand(simt, &simt->analysed->cfg.function->operands[operand->index], lane);
    default: fail_msg("operand kind %u", operand->kind); return 0;
    }
}

/* The lanes of the mask in which the guard is true. */
static uint32_t guarded_lanes(const struct simt *simt, const struct ptx_inst *inst, uint32_t mask) {
    if (inst->guard == PTX_NO_INDEX) return mask;
    uint32_t lanes = 0;
    for (uint32_t l = 0; l < SIMT_LANES; l++)
        lanes |= (simt->registers[inst->guard][l] ^ inst->guard_negated) << l;
    return lanes & mask;
}

static uint32_t ballot(const struct simt *simt, const struct ptx_operand *operand, uint32_t mask) {
    uint32_t lanes = 0;
    for (uint32_t l = 0; l < SIMT_LANES; l++)
        if ((mask >> l & 1) != 0) lanes |= read_operand(simt, operand, l) << l;
    return lanes;
}

/* What one lane of those of the mask, which execute the instruction, gets. */
static uint32_t result_of(const struct simt *simt, const struct ptx_inst *inst,
                          const struct ptx_operand *operands, uint32_t lane, uint32_t mask) {
    /* Operand 1 of setp and shfl is the second destination, which is left out. */
    uint32_t a = read_operand(simt, &operands[inst->form->dual ? 2 : 1], lane);
    switch (inst->form->op) {
    case PTX_OP_MOV: return a;
    case PTX_OP_ADD: return (a + read_operand(simt, &operands[2], lane)) & 7;
    case PTX_OP_AND: return a & read_operand(simt, &operands[2], lane);
    case PTX_OP_XOR: return a ^ read_operand(simt, &operands[2], lane);
    case PTX_OP_SHL: return a << (read_operand(simt, &operands[2], lane) & 31);
    case PTX_OP_SHR:
        return shift_right(a, read_operand(simt, &operands[2], lane), inst->form->type == PTX_S32);
    case PTX_OP_DIV: return divide(a, read_operand(simt, &operands[2], lane), inst->form->type == PTX_S32);
    case PTX_OP_CVT: return inst->form->type == PTX_S8 ? (uint32_t)(int8_t)a : a & 0xffff;
    case PTX_OP_SETP: {
        uint32_t b = read_operand(simt, &operands[3], lane);
        if (inst->form->compare == PTX_CMP_GT) return a > b;
        return inst->form->compare == PTX_CMP_LT ? a < b : a == b;
    }
    case PTX_OP_LD: return noise(simt, simt->time, a);
    case PTX_OP_ATOM: return noise(simt, simt->time, lane + 100);
    case PTX_OP_VOTE: {
        uint32_t lanes = ballot(simt, &operands[1], mask);
        return inst->form->mode == PTX_MODE_BALLOT ? lanes : lanes != 0;
    }
    case PTX_OP_SHFL: {
        uint32_t from = read_operand(simt, &operands[3], lane) & 31;
        bool given = from < SIMT_LANES && (mask >> from & 1) != 0;
        return given ? read_operand(simt, &operands[2], from) : noise(simt, simt->time, 200);
    }
    default: fail_msg("opcode %s", inst->form->text); return 0;
    }
}

static void execute(struct simt *simt, uint32_t index, uint32_t mask) {
    const struct ptx_function *function = simt->analysed->cfg.function;
    const struct ssa *ssa = &simt->analysed->ssa;
    const struct ptx_inst *inst = &function->insts[index];
    const struct ptx_operand *operands = ptx_operands(function, inst);
    uint32_t results[SIMT_LANES], lanes = guarded_lanes(simt, inst, mask);
    simt->time++;
    for (uint32_t l = 0; l < SIMT_LANES; l++)
        if ((lanes >> l & 1) != 0) results[l] = result_of(simt, inst, operands, l, lanes);
    for (uint32_t l = 0; l < SIMT_LANES; l++)
        if ((lanes >> l & 1) != 0) simt->registers[operands[0].index][l] = results[l];
    for (uint32_t d = ssa->first_def[index]; d < ssa->first_def[index + 1]; d++)
        watch_value(simt, ssa->defs[d], mask, SIMT_UNIFORM_RESULT_DIFFERS, index);
}

/* Where a lane goes behind a block whose last instruction decides in the lanes of `deciding`. */
static uint32_t next_block(const struct simt *simt, uint32_t block, uint32_t lane, uint32_t deciding) {
    const struct cfg *cfg = &simt->analysed->cfg;
    const struct ptx_inst *last = cfg_last(cfg, block);
    uint32_t targets[8];
    if ((deciding >> lane & 1) == 0) return block + 1;
    if (last->form->op == PTX_OP_RET) return cfg->exit;
    uint32_t count = ptx_branch_targets(cfg->function, last, targets, 8), which = 0;
    if (last->form->op == PTX_OP_BRX_IDX) which = read_operand(simt, ptx_operands(cfg->function, last), lane);
    assert_true(which < count && count <= 8);
    return targets[which] == cfg->function->inst_count ? cfg->exit : cfg->block_of[targets[which]];
}

static uint32_t run_from(struct simt *simt, uint32_t block, uint32_t stop, uint32_t mask);

/* Sends the lanes of the mask to their blocks, one block after the other, until they are at the block where
 * all meet; returns those that get there. */
static uint32_t part(struct simt *simt, uint32_t block, const uint32_t *next, uint32_t mask) {
    uint32_t met = 0;
    while (mask != 0) {
        uint32_t target = next[__builtin_ctz(mask)], group = 0;
        for (uint32_t l = 0; l < SIMT_LANES; l++)
            if ((mask >> l & 1) != 0 && next[l] == target) group |= 1u << l;
        met |= run_from(simt, target, simt->meeting[block], group);
        mask &= ~group;
    }
    return met;
}

/* Executes the block behind which the lanes of the mask go to next[lane]. */
static void run_block(struct simt *simt, uint32_t block, uint32_t mask, uint32_t *next) {
    const struct cfg *cfg = &simt->analysed->cfg;
    const struct ssa *ssa = &simt->analysed->ssa;
    const struct ptx_inst *last = cfg_last(cfg, block);
    bool decides = cfg_is_branch(last) || last->form->op == PTX_OP_RET;
    uint32_t first = cfg->blocks[block].first, end = first + cfg->blocks[block].count;
    for (uint32_t p = 0; p < ssa->phi_count[block]; p++)
        watch_value(simt, ssa->first_phi[block] + p, mask, SIMT_UNIFORM_PHI_DIFFERS, first);
    for (uint32_t i = first; i < end - decides; i++)
        execute(simt, i, mask);
    simt->time++;
    simt->executed[block] = true;
    uint32_t deciding = decides ? guarded_lanes(simt, last, mask) : 0;
    for (uint32_t l = 0; l < SIMT_LANES; l++)
        next[l] = (mask >> l & 1) != 0 ? next_block(simt, block, l, deciding) : cfg->exit;
}

/* Runs the lanes of the mask from a block to `stop`; returns those that get there. */
static uint32_t run_from(struct simt *simt, uint32_t block, uint32_t stop, uint32_t mask) {
    const struct cfg *cfg = &simt->analysed->cfg;
    while (mask != 0 && block != stop && block != cfg->exit) {
        uint32_t next[SIMT_LANES], common;
        if (simt->time >= simt->fuel || simt->fault != SIMT_FINE) return 0;
        run_block(simt, block, mask, next);
        common = next[__builtin_ctz(mask)];
        bool parts = false;
        for (uint32_t l = 0; l < SIMT_LANES; l++)
            parts |= (mask >> l & 1) != 0 && next[l] != common;
        simt->parted[block] |= parts;
        if (parts) {
            if (!simt->analysed->divergence.branches[block])
                see_fault(simt, SIMT_UNIFORM_BRANCH_PARTED,
                          cfg->blocks[block].first + cfg->blocks[block].count - 1);
            mask = part(simt, block, next, mask);
            common = simt->meeting[block];
        }
        block = common;
    }
    return block == stop ? mask : 0;
}

void simt_run(struct simt *simt, uint64_t seed, uint64_t fuel) {
    simt->seed = seed;
    simt->time = 0;
    simt->fuel = fuel;
    for (uint32_t r = 0; r < SIMT_REGS; r++)
        for (uint32_t l = 0; l < SIMT_LANES; l++)
            simt->registers[r][l] = noise(simt, r, l + 300) & 1;
    (void)run_from(simt, CFG_ENTRY, simt->analysed->cfg.exit, (1u << SIMT_LANES) - 1);
}
