#include "sass/sass.h"

/* Of accesses of up to 32 bits, of 64, of 128 bits. */
struct by_width {
    uint8_t bits[3];
};

/* Measured on sm_86 by Huerta et al., MICRO 2025, table 2: hits in the first level, addresses in uniform
 * registers, the fastest that there are. Of loads there are figures of other architectures, none of which is
 * less: 33 (A100), 32 (H800, RTX 2070) of global ones, 23 (RTX 2070), 29 (H800) of shared ones. The rest is
 * taken for sm_86, sm_87 and sm_89 only. */
static const struct by_width global_load = {{29, 31, 35}}, shared_load = {{23, 23, 25}},
                             store_read = {{10, 12, 16}};
#define LOAD_READ 9u
#define CONSTANT_LOAD 26u
#define CONSTANT_READ 10u
#define COPY_TO_SHARED 39u
#define COPY_READ 13u

/* Jia et al. have 19 for shared memory of the T4 (second-hand). */
#define SHARED_LOAD_75 19u

/* Second-hand figures: of chains of single operations on sm_80 and sm_86, whose least is taken; of S2R, "low
 * 20s" since Volta. */
#define SPECIAL_FUNCTION 16u /* and counts of bits */
#define CONVERSION 15u
#define SHUFFLE 22u
#define SPECIAL_REGISTER 20u

/* Distances to another FP64 operation that Mesa's NAK gives, which has them from NVIDIA. */
#define DOUBLE_75 8u
#define DOUBLE 6u

/* Which architectures a figure is known of. */
static bool is_ampere(uint32_t sm) {
    return sm >= 80 && sm < 90;
}

static bool is_like_86(uint32_t sm) {
    return sm >= 86 && sm < 90;
}

static uint8_t known_if(bool known, uint8_t latency) {
    return known ? latency : SASS_COUNTER_SEEN;
}

static uint8_t of_width(const struct by_width *latency, const struct sass_inst *inst) {
    const uint32_t width = sass_field(inst, SASS_FIELD_WIDTH);
    return latency->bits[width < 5 ? 0 : width == 5 ? 1 : 2];
}

/* Between 32-bit numbers. */
static uint8_t conversion(uint32_t sm, const struct sass_inst *inst) {
    const bool wide =
        sass_field(inst, SASS_FIELD_TO_SIZE) == 3 || sass_field(inst, SASS_FIELD_FROM_SIZE) == 3;
    return known_if(is_ampere(sm) && !wide, CONVERSION);
}

/* Loads, stores, copies, atomic operations. */
static struct sass_latency of_access(uint32_t sm, const struct sass_inst *inst) {
    const bool known = is_like_86(sm);
    const uint8_t shared = sm < 80 ? SHARED_LOAD_75 : of_width(&shared_load, inst);
    const uint8_t load_read = known_if(known, LOAD_READ);
    switch ((enum sass_op)inst->op) {
    case SASS_OP_LDG:
    case SASS_OP_LDL: return (struct sass_latency){of_width(&global_load, inst), load_read};
    case SASS_OP_LD:
    case SASS_OP_LDS: return (struct sass_latency){shared, load_read};
    case SASS_OP_LDC:
        return (struct sass_latency){known_if(known, CONSTANT_LOAD), known_if(known, CONSTANT_READ)};
    case SASS_OP_LDGSTS:
        return (struct sass_latency){known_if(known, COPY_TO_SHARED), known_if(known, COPY_READ)};
    case SASS_OP_ATOMG: return (struct sass_latency){global_load.bits[0], SASS_COUNTER_SEEN};
    default: return (struct sass_latency){SASS_COUNTER_SEEN, known_if(known, of_width(&store_read, inst))};
    }
}

/* For the result alone. */
static uint8_t of_operation(uint32_t sm, const struct sass_inst *inst) {
    switch ((enum sass_op)inst->op) {
    case SASS_OP_MUFU:
    case SASS_OP_POPC:
    case SASS_OP_FLO:
    case SASS_OP_BREV: return known_if(is_ampere(sm), SPECIAL_FUNCTION);
    case SASS_OP_F2F:
    case SASS_OP_F2I:
    case SASS_OP_I2F:
    case SASS_OP_FRND: return conversion(sm, inst);
    case SASS_OP_SHFL: return SHUFFLE;
    case SASS_OP_S2R: return SPECIAL_REGISTER;
    case SASS_OP_DADD:
    case SASS_OP_DMUL:
    case SASS_OP_DFMA:
    case SASS_OP_DSETP: return sm < 80 ? DOUBLE_75 : DOUBLE;
    default: return SASS_COUNTER_SEEN;
    }
}

static struct sass_latency latency_of(uint32_t sm, const struct sass_inst *inst) {
    switch ((enum sass_op)inst->op) {
    case SASS_OP_LDG:
    case SASS_OP_LDL:
    case SASS_OP_LD:
    case SASS_OP_LDS:
    case SASS_OP_LDC:
    case SASS_OP_LDGSTS:
    case SASS_OP_ATOMG:
    case SASS_OP_STG:
    case SASS_OP_ST:
    case SASS_OP_STL:
    case SASS_OP_STS: return of_access(sm, inst);
    default: return (struct sass_latency){of_operation(sm, inst), SASS_COUNTER_SEEN};
    }
}

static bool always(const struct sass_predicate *predicate) {
    return predicate->number == SASS_PT && !predicate->negated;
}

/* Copies alone leave out lanes by a predicate that is no guard; others compute with it. */
static bool may_do_nothing(const struct sass_inst *inst) {
    return !always(&inst->guard) ||
           (inst->op == SASS_OP_LDGSTS && inst->from[0].present && !always(&inst->from[0]));
}

struct sass_latency sass_least_latency(uint32_t sm, const struct sass_inst *inst) {
    struct sass_latency latency = {SASS_COUNTER_SEEN, SASS_COUNTER_SEEN};
    if (may_do_nothing(inst)) return latency;
    latency = latency_of(sm, inst);
    if (inst->has_d && inst->d == SASS_RZ) latency.written = SASS_COUNTER_SEEN;
    return latency;
}
