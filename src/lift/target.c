#include "lift/lift.h"

#include <assert.h>

/* A register before an instruction of a copy, or 4 bytes of the function's stack. */
struct point {
    uint32_t copy, inst;
    uint16_t reg; /* of bytes on the stack: R1 */
    bool uniform;
    bool spilled;
    int32_t offset; /* of bytes on the stack: from R1 */
};

#define STACK_POINTER 1u
#define STACK_MAX 65536 /* places farther away are not followed */

/* What a register contains: a number, or half of the address of a function outside of the file. Places in
 * the code are counted from the kernel's first instruction. */
struct reg_content {
    enum { CONTENT_NONE, CONTENT_NUMBER, CONTENT_LOWER_HALF, CONTENT_UPPER_HALF } kind;
    uint32_t number;  /* or */
    const char *name; /* of the function */
    bool by_stack;    /* it was there on some way */
};

/* The search for what a register can contain: backwards over the ways that lead to an instruction. */
struct search {
    const struct plan *plan;
    struct reg_content content; /* on the ways that were followed so far */
    bool differs;               /* it can be another value, or one that is not known */
    bool by_stack;              /* the stack is on some of them */
    uint32_t depth;             /* of searches for what the value is computed from */
    VEC(struct point) open;     /* to be followed */
    VEC(struct point) joins;    /* instructions with a label that were followed */
};

/* How many registers an instruction writes from its destination on. */
static uint32_t width_of(const struct sass_inst *inst) {
    static const uint8_t of_width[] = {1, 1, 1, 1, 1, 2, 4, 4};
    switch ((enum sass_op)inst->op) {
    case SASS_OP_MOV:
    case SASS_OP_UMOV:
    case SASS_OP_IADD3:
    case SASS_OP_UIADD3:
    case SASS_OP_IMAD:
    case SASS_OP_UIMAD:
    case SASS_OP_IMAD_HI:
    case SASS_OP_VIADD:
    case SASS_OP_LEA:
    case SASS_OP_ULEA:
    case SASS_OP_LOP3:
    case SASS_OP_ULOP3:
    case SASS_OP_SHF:
    case SASS_OP_USHF:
    case SASS_OP_SEL:
    case SASS_OP_USEL:
    case SASS_OP_PRMT:
    case SASS_OP_IABS:
    case SASS_OP_IMNMX:
    case SASS_OP_VIMNMX:
    case SASS_OP_FADD:
    case SASS_OP_FMUL:
    case SASS_OP_FFMA:
    case SASS_OP_FSEL:
    case SASS_OP_FMNMX:
    case SASS_OP_MUFU:
    case SASS_OP_HFMA2:
    case SASS_OP_HADD2:
    case SASS_OP_S2R:
    case SASS_OP_S2UR:
    case SASS_OP_P2R:
    case SASS_OP_VOTE:
    case SASS_OP_VOTEU:
    case SASS_OP_SHFL:
    case SASS_OP_REDUX:
    case SASS_OP_POPC:
    case SASS_OP_FLO:
    case SASS_OP_BREV:
    case SASS_OP_SGXT:
    case SASS_OP_BMSK:
    case SASS_OP_FSET:
    case SASS_OP_HSET2:
    case SASS_OP_HMNMX2:
    case SASS_OP_HMUL2:
    case SASS_OP_VIMNMX3:
    case SASS_OP_VIADDMNMX:
    case SASS_OP_VABSDIFF:
    case SASS_OP_IDP:
    case SASS_OP_B2R:
    case SASS_OP_R2UR:
    case SASS_OP_UPOPC:
    case SASS_OP_UFLO:
    case SASS_OP_UBREV:
    case SASS_OP_USGXT:
    case SASS_OP_UBMSK:
    case SASS_OP_UPRMT:
    case SASS_OP_I2FP: return 1;
    case SASS_OP_LDG:
    case SASS_OP_LD:
    case SASS_OP_LDS:
    case SASS_OP_LDL:
    case SASS_OP_SULD:
    case SASS_OP_LDC:
    case SASS_OP_ULDC: return of_width[sass_field(inst, SASS_FIELD_WIDTH) % 8];
    case SASS_OP_HMMA:
    case SASS_OP_IMMA:
    case SASS_OP_DMMA:
    case SASS_OP_LDSM: return 4;              /* at most */
    default: return inst->d % 2 == 0 ? 2 : 1; /* at most: wide values stand in pairs */
    }
}

/* Whether a register is one behind the first destination of a texture. */
static bool is_second(const struct sass_inst *inst, const struct point *point) {
    const uint32_t second =
        sass_class_of(inst) == SASS_CLASS_TEXTURE ? sass_field(inst, SASS_FIELD_SECOND) : SASS_RZ;
    return second != SASS_RZ && !point->uniform && point->reg >= second && point->reg - second < 2;
}

static bool writes(const struct sass_inst *inst, const struct point *point) {
    if (is_second(inst, point)) return true;
    return inst->has_d && inst->d_uniform == point->uniform && inst->d != SASS_RZ && point->reg >= inst->d &&
           point->reg - inst->d < (int)width_of(inst);
}

static void push(struct search *search, struct point point) {
    arena_push(search->plan->arena, &search->open, point);
}

/* On a way that was followed to its end the register has this value. */
static void found(struct search *search, struct reg_content content) {
    const struct reg_content *before = &search->content;
    const bool same =
        before->kind == content.kind && before->number == content.number && before->name == content.name;
    search->differs |= content.kind == CONTENT_NONE || (before->kind != CONTENT_NONE && !same);
    search->content = content;
}

static void found_number(struct search *search, uint32_t number) {
    found(search, (struct reg_content){.kind = CONTENT_NUMBER, .number = number});
}

/* Half of an address in bank 4. */
static void found_address(struct search *search, uint32_t offset) {
    const struct cubin *cubin = search->plan->cubin;
    for (uint32_t a = 0; a < cubin->address_count; a++) {
        const struct cubin_address *address = &cubin->addresses[a];
        const bool outside = address->bank == 4 && address->symbol == CUBIN_NONE && address->addend == 0;
        if (!outside || address->name == NULL || address->offset != (offset & ~UINT32_C(7))) continue;
        found(search, (struct reg_content){
                          .kind = offset % 8 == 0 ? CONTENT_LOWER_HALF : CONTENT_UPPER_HALF,
                          .name = address->name,
                      });
        return;
    }
    search->differs = true;
}

static bool is_register(const struct sass_source *source) {
    return source->kind == SASS_SOURCE_REG || source->kind == SASS_SOURCE_UREG;
}

/* The source is what the register contains. */
static void take_source(struct search *search, struct point point, const struct sass_source *source) {
    const bool plain = !source->negated;
    if (plain && source->kind == SASS_SOURCE_IMM) {
        found_number(search, source->value);
    } else if (plain && is_register(source) && source->number == SASS_RZ) {
        found_number(search, 0);
    } else if (plain && is_register(source)) {
        point.reg = source->number;
        point.uniform = source->kind == SASS_SOURCE_UREG;
        push(search, point);
    } else if (plain && source->kind == SASS_SOURCE_CONST && source->number == 4 && source->value % 4 == 0) {
        found_address(search, source->value);
    } else {
        search->differs = true;
    }
}

static bool is_zero(const struct sass_source *source) {
    return source->kind == SASS_SOURCE_REG && source->number == SASS_RZ;
}

static struct reg_content reg_content_of(const struct plan *plan, struct point point, uint32_t depth);

/* What a source of an instruction contains, negated or not. */
static bool number_of(struct search *search, struct point point, const struct sass_source *source,
                      uint32_t *number) {
    *number = source->value;
    if (is_register(source) && source->number == SASS_RZ) {
        *number = 0;
    } else if (is_register(source)) {
        point.reg = source->number;
        point.uniform = source->kind == SASS_SOURCE_UREG;
        const struct reg_content content = reg_content_of(search->plan, point, search->depth + 1);
        if (content.kind != CONTENT_NUMBER) return false;
        search->by_stack |= content.by_stack;
        *number = content.number;
    } else if (source->kind != SASS_SOURCE_IMM) {
        return false;
    }
    if (source->negated) *number = 0 - *number;
    return true;
}

static void take_sum(struct search *search, const struct sass_inst *inst, struct point point) {
    uint32_t a, b, c;
    const bool known = sass_field(inst, SASS_FIELD_X) == 0 && number_of(search, point, &inst->a, &a) &&
                       number_of(search, point, &inst->b, &b) && number_of(search, point, &inst->c, &c);
    if (known)
        found_number(search, a + b + c);
    else
        search->differs = true;
}

/* LDC and ULDC of bank 4; `half` of the registers that are loaded. */
static void take_constant(struct search *search, const struct sass_inst *inst, struct point point,
                          uint32_t half) {
    const struct sass_source none = {.kind = SASS_SOURCE_IMM};
    uint32_t index;
    const bool known = inst->b.kind == SASS_SOURCE_CONST && inst->b.number == 4 &&
                       number_of(search, point, inst->a.kind == SASS_SOURCE_NONE ? &none : &inst->a, &index);
    if (known && (index + inst->b.value) % 4 == 0)
        found_address(search, index + inst->b.value + 4 * half);
    else
        search->differs = true;
}

static bool is_on_stack(const struct sass_address *address) {
    return address->reg == STACK_POINTER && address->ureg == SASS_URZ;
}

/* The width of an access in registers; 0: it is narrower. */
static uint32_t registers_of(const struct sass_inst *inst) {
    static const uint8_t of_width[] = {0, 0, 0, 0, 1, 2, 4, 0};
    return of_width[sass_field(inst, SASS_FIELD_WIDTH) % 8];
}

/* LDL: what the register contains is what the stack does. */
static void take_load(struct search *search, const struct sass_inst *inst, struct point point) {
    const uint32_t index = (uint32_t)point.reg - inst->d;
    if (!is_on_stack(&inst->address) || index >= registers_of(inst)) {
        search->differs = true;
        return;
    }
    search->by_stack = true;
    point.reg = STACK_POINTER;
    point.spilled = true;
    point.offset = inst->address.offset + 4 * (int32_t)index;
    push(search, point);
}

/* An instruction writes the register: what does it write? */
static void take_write(struct search *search, const struct sass_inst *inst, struct point point) {
    switch ((enum sass_op)inst->op) {
    case SASS_OP_MOV:
    case SASS_OP_UMOV: take_source(search, point, &inst->b); break;
    case SASS_OP_IMAD:
        if ((is_zero(&inst->a) || is_zero(&inst->b)) && sass_field(inst, SASS_FIELD_X) == 0) {
            take_source(search, point, &inst->c);
        } else {
            search->differs = true;
        }
        break;
    case SASS_OP_HFMA2: /* -0 * 0 + a literal */
        if (is_zero(&inst->a) && is_zero(&inst->b)) {
            take_source(search, point, &inst->c);
        } else {
            search->differs = true;
        }
        break;
    case SASS_OP_CS2R:
        if (sass_field(inst, SASS_FIELD_SPECIAL) == SASS_RZ) {
            found_number(search, 0);
        } else {
            search->differs = true;
        }
        break;
    case SASS_OP_IADD3: take_sum(search, inst, point); break;
    case SASS_OP_LDC:
    case SASS_OP_ULDC: take_constant(search, inst, point, point.reg - inst->d); break;
    case SASS_OP_LDL: take_load(search, inst, point); break;
    case SASS_OP_LEPC:
        if (point.reg == inst->d) {
            found_number(search, plan_address_in_register(search->plan, point.inst));
        } else {
            search->differs = true;
        }
        break;
    default: search->differs = true; break;
    }
}

/* R1 is another one behind the instruction. */
static void move_stack(struct search *search, const struct sass_inst *inst, struct point point, bool always) {
    const bool sum = inst->op == SASS_OP_IADD3 && always && sass_field(inst, SASS_FIELD_X) == 0 &&
                     inst->a.kind == SASS_SOURCE_REG && inst->a.number == STACK_POINTER && !inst->a.negated &&
                     inst->b.kind == SASS_SOURCE_IMM && is_zero(&inst->c);
    const int64_t offset = point.offset + (int64_t)(int32_t)inst->b.value;
    if (!sum || inst->b.negated || offset < -STACK_MAX || offset > STACK_MAX) {
        search->differs = true;
        return;
    }
    point.offset = (int32_t)offset;
    push(search, point);
}

/* Bytes of the stack after an instruction. Where a function saves the address that it returns to, nothing but
 * its STL at R1 writes: programs that go there by a pointer are out of bounds. */
static void follow_stack(struct search *search, const struct sass_inst *inst, struct point before,
                         bool always) {
    const struct point stack_pointer = {.reg = STACK_POINTER};
    if (writes(inst, &stack_pointer)) {
        move_stack(search, inst, before, always);
        return;
    }
    const int64_t first = (int64_t)before.offset - inst->address.offset,
                  bytes = 4 * (int64_t)registers_of(inst);
    const bool stores = inst->op == SASS_OP_STL;
    const bool on_stack = is_on_stack(&inst->address);
    const bool apart = first >= (bytes == 0 ? 2 : bytes) || first <= -4;
    const bool whole = on_stack && bytes > 0 && first >= 0 && first % 4 == 0 && first < bytes;
    if (stores && whole) {
        struct point data = before;
        data.spilled = false;
        data.reg = inst->b.number == SASS_RZ ? SASS_RZ : (uint16_t)(inst->b.number + first / 4);
        data.offset = 0;
        if (data.reg == SASS_RZ)
            found_number(search, 0);
        else
            push(search, data);
    } else if (stores && on_stack && !apart) {
        search->differs = true;
    }
    if (!(stores && whole) || !always) push(search, before);
}

/* The register after an instruction, which was executed just before. */
static void follow(struct search *search, uint32_t copy, uint32_t inst, struct point after) {
    const struct sass_inst *sass = &search->plan->insts[inst].sass;
    struct point before = after;
    before.copy = copy;
    before.inst = inst;
    const bool always = sass->guard.number == SASS_PT && !sass->guard.negated;
    if (after.spilled) {
        follow_stack(search, sass, before, always);
        return;
    }
    const bool written = writes(sass, &after);
    if (written) take_write(search, sass, before);
    if (!written || !always) push(search, before);
}

static bool goes_to(const struct plan *plan, uint32_t from, uint32_t to) {
    const struct sass_inst *inst = &plan->insts[from].sass;
    if (inst->op == SASS_OP_BRA || plan_calls(inst)) return inst->target == to * SASS_BYTES;
    const struct cubin_branch_table *table = inst->op == SASS_OP_BRX ? plan_table(plan, from) : NULL;
    for (uint32_t t = 0; table != NULL && t < table->target_count; t++)
        if (table->targets[t] == to * SASS_BYTES) return true;
    return false;
}

static bool is_reached(const struct plan *plan, uint32_t copy, uint32_t inst) {
    const struct plan_copy *in = &plan->copies.items[copy];
    return inst >= in->first && inst - in->first < in->count && in->reached[inst - in->first];
}

/* Follows the returns of a copy. */
static void follow_returns(struct search *search, uint32_t copy, struct point after) {
    const struct plan_copy *in = &search->plan->copies.items[copy];
    for (uint32_t i = in->first; i < in->first + in->count; i++)
        if (is_reached(search->plan, copy, i) && search->plan->insts[i].sass.op == SASS_OP_RET)
            follow(search, copy, i, after);
}

/* Follows the branches to an instruction with a label, once for each register. */
static void follow_branches(struct search *search, struct point point) {
    const struct plan *plan = search->plan;
    const struct plan_copy *in = &plan->copies.items[point.copy];
    for (uint32_t i = in->first; i < in->first + in->count; i++)
        if (is_reached(plan, point.copy, i) && goes_to(plan, i, point.inst) &&
            plan_callee(plan, point.copy, i) == PLAN_NONE)
            follow(search, point.copy, i, point);
    if (point.inst == in->first && in->caller != PLAN_NONE) follow(search, in->caller, in->call, point);
}

static bool was_joined(struct search *search, struct point point) {
    for (size_t i = 0; i < search->joins.count; i++) {
        const struct point *join = &search->joins.items[i];
        if (join->copy == point.copy && join->inst == point.inst && join->reg == point.reg &&
            join->uniform == point.uniform && join->spilled == point.spilled && join->offset == point.offset)
            return true;
    }
    arena_push(search->plan->arena, &search->joins, point);
    return false;
}

/* Follows all instructions that can be executed just before one. */
static void follow_all(struct search *search, struct point point) {
    const struct plan *plan = search->plan;
    if (plan_label(plan, point.copy, point.inst) != PLAN_NONE) {
        if (was_joined(search, point)) return;
        follow_branches(search, point);
    }
    if (point.copy == 0 && point.inst == 0) search->differs = true; /* what the kernel starts with */
    if (point.inst == 0 || !is_reached(plan, point.copy, point.inst - 1)) return;
    const uint32_t callee = plan_calls(&plan->insts[point.inst - 1].sass)
                                ? plan_callee(plan, point.copy, point.inst - 1)
                                : PLAN_NONE;
    if (callee != PLAN_NONE) follow_returns(search, callee, point);
    if (plan_goes_on(&plan->insts[point.inst - 1])) follow(search, point.copy, point.inst - 1, point);
}

#define DEPTH_MAX 4u

/* What a register contains before an instruction on every way to it. */
static struct reg_content reg_content_of(const struct plan *plan, struct point point, uint32_t depth) {
    struct search search = {.plan = plan, .depth = depth, .differs = depth > DEPTH_MAX};
    push(&search, point);
    while (!search.differs && search.open.count > 0)
        follow_all(&search, search.open.items[--search.open.count]);
    search.content.by_stack = search.by_stack;
    return search.differs ? (struct reg_content){.kind = CONTENT_NONE} : search.content;
}

static bool is_number(const struct plan *plan, struct point point, uint32_t number) {
    const struct reg_content content = reg_content_of(plan, point, 0);
    return content.kind == CONTENT_NUMBER && content.number == number;
}

bool target_is_caller(const struct plan *plan, uint32_t copy, uint32_t inst, bool *by_stack) {
    const struct plan_copy *in = &plan->copies.items[copy];
    const struct sass_inst *ret = &plan->insts[inst].sass;
    assert(in->caller != PLAN_NONE);
    *by_stack = false;
    if (ret->a.kind != SASS_SOURCE_REG || ret->a.number >= SASS_RZ - 1) return false;
    const struct point at = {.copy = copy, .inst = inst, .reg = ret->a.number};
    const struct point above = {.copy = copy, .inst = inst, .reg = (uint16_t)(ret->a.number + 1)};
    const struct reg_content low = reg_content_of(plan, at, 0), high = reg_content_of(plan, above, 0);
    *by_stack = low.by_stack || high.by_stack;
    return low.kind == CONTENT_NUMBER && low.number == (in->call + 1) * SASS_BYTES - ret->target &&
           high.kind == CONTENT_NUMBER && high.number == 0;
}

bool target_number(const struct plan *plan, uint32_t copy, uint32_t inst, uint16_t reg, bool uniform,
                   uint32_t *number) {
    const struct point point = {.copy = copy, .inst = inst, .reg = reg, .uniform = uniform};
    const struct reg_content content = reg_content_of(plan, point, 0);
    *number = content.number;
    return content.kind == CONTENT_NUMBER;
}

const char *target_name(const struct plan *plan, uint32_t copy, uint32_t inst) {
    const struct sass_inst *call = &plan->insts[inst].sass;
    if (call->a.kind != SASS_SOURCE_REG || call->a.number >= SASS_RZ - 1) return NULL;
    const struct point at = {.copy = copy, .inst = inst, .reg = call->a.number};
    const struct point above = {.copy = copy, .inst = inst, .reg = (uint16_t)(call->a.number + 1)};
    const struct reg_content low = reg_content_of(plan, at, 0), high = reg_content_of(plan, above, 0);
    const bool whole = low.kind == CONTENT_LOWER_HALF && high.kind == CONTENT_UPPER_HALF;
    return whole && low.name == high.name ? low.name : NULL;
}

bool target_comes_back(const struct plan *plan, uint32_t copy, uint32_t inst) {
    enum { RETURN_REGISTER = 20 };
    const struct point at = {.copy = copy, .inst = inst, .reg = RETURN_REGISTER};
    return is_number(plan, at, (inst + 1) * SASS_BYTES);
}
