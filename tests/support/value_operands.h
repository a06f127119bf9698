/* Operands of every kind (NaN, infinities, subnormal numbers, zeros, the bounds of integers) for one
 * instruction, which threads of one block run on a tuple each. */
#ifndef WB_TESTS_VALUE_OPERANDS_H
#define WB_TESTS_VALUE_OPERANDS_H

#include "run_ptx.h"

#include "base/containers.h"
#include "float_reference.h"

#define OPERANDS_MAX 1024u
#define SEED UINT64_C(20261122)

/* Operands of up to three sources, thread by thread. */
struct operands {
    unsigned sources, count;
    uint64_t values[3][OPERANDS_MAX];
};

static const uint64_t special_f64[] = {
    0x0000000000000000, 0x0000000000000001, 0x000fffffffffffff, 0x0010000000000000, 0x36a0000000000000,
    0x3690000000000000, 0x380fffffffffffff, 0x3810000000000000, 0x37f0000000000000, 0x3fdfffffffffffff,
    0x3fe0000000000000, 0x3ff0000000000000, 0x3ff0000000000001, 0x3ff0000010000000, 0x3ff8000000000000,
    0x4004000000000000, 0x4008000000000000, 0x405fe00000000000, 0x4060100000000000, 0x406ff00000000000,
    0x40dfffe000000000, 0x40effff000000000, 0x40effc0000000000, 0x40effe0000000000, 0x41dfffffffc00000,
    0x41dfffffffe00000, 0x41e0000000000000, 0x41efffffffe00000, 0x41f0000000000000, 0x43dfffffffffffff,
    0x43e0000000000000, 0x43efffffffffffff, 0x43f0000000000000, 0x47efffffe0000000, 0x47effffff0000000,
    0x47f0000000000000, 0x7fe0000000000000, 0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff0000000000001,
    0x7ff8000000000000, 0x7fffffffffffffff,
};
static const uint64_t special_f32[] = {
    0x00000000, 0x00000001, 0x00000003, 0x00400000, 0x007fffff, 0x00800000, 0x00800001, 0x33000000,
    0x33000001, 0x33800000, 0x38800000, 0x387fffff, 0x3e800000, 0x3effffff, 0x3f000000, 0x3f7fffff,
    0x3f800000, 0x3f800001, 0x3fc00000, 0x40200000, 0x40400000, 0x42ff0000, 0x43008000, 0x437f8000,
    0x46ffff00, 0x477fe000, 0x477fefff, 0x477ff000, 0x477fff80, 0x4effffff, 0x4f000000, 0x4f7fffff,
    0x4f800000, 0x5effffff, 0x5f000000, 0x5f7fffff, 0x5f800000, 0x7e800000, 0x7e800001, 0x7f000000,
    0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc00000, 0x7fffffff,
};
static const uint64_t special_f16[] = {
    0x0000, 0x0001, 0x0003, 0x03ff, 0x0400, 0x0401, 0x1000, 0x3400, 0x37ff, 0x3800, 0x3bff, 0x3c00, 0x3c01,
    0x3e00, 0x4100, 0x4200, 0x57f8, 0x5804, 0x5bfc, 0x7800, 0x7bff, 0x7c00, 0x7c01, 0x7e00, 0x7fff,
};
static const uint64_t special_bf16[] = {
    0x0000, 0x0001, 0x0003, 0x0040, 0x007f, 0x0080, 0x0081, 0x3e80, 0x3f00, 0x3f7f, 0x3f80, 0x3f81, 0x3fc0,
    0x4020, 0x4040, 0x42ff, 0x437f, 0x477f, 0x4780, 0x4f00, 0x5f00, 0x7e80, 0x7f7f, 0x7f80, 0x7f81, 0x7fff,
};
static const uint64_t special_integers[] = {
    0,
    1,
    2,
    0x7f,
    0x80,
    0xff,
    0x100,
    0x7ff,
    0x801,
    0x7fff,
    0x8000,
    0xffff,
    0x10000,
    0xffffff,
    0x1000001,
    0x1000003,
    0x7fffffff,
    0x80000000,
    0xffffffff,
    0xffffff80,
    0x100000000,
    0x1fffffffffffff,
    0x20000000000001,
    0x20000000000003,
    INT64_MAX,
    UINT64_C(1) << 63,
    UINT64_MAX,
    0x7fffffbfffffffff,
    0x8000008000000000,
    0x8000008000000001,
};

#define SPECIAL(table) *count = sizeof table / sizeof *table, table

static inline const uint64_t *special_values(enum value_type type, size_t *count) {
    switch (type) {
    case VALUE_F64: return SPECIAL(special_f64);
    case VALUE_F32:
    case VALUE_TF32: return SPECIAL(special_f32);
    case VALUE_F16: return SPECIAL(special_f16);
    case VALUE_BF16: return SPECIAL(special_bf16);
    default: return SPECIAL(special_integers);
    }
}

/* The i-th special value, those of floating-point types and their negatives in turn. */
static inline uint64_t special_value(enum value_type type, uint64_t i) {
    size_t count;
    const uint64_t *table = special_values(type, &count);
    unsigned bits = value_types[type].bits;
    if (!value_types[type].is_float) return table[i % count];
    return table[i / 2 % count] | (i & 1) << (bits - 1);
}

static inline size_t special_count(enum value_type type) {
    size_t count;
    (void)special_values(type, &count);
    return value_types[type].is_float ? 2 * count : count;
}

/* Of one source all special values; of more as many combinations as there is room for. The rest is random. */
static inline void choose_operands(enum value_type type, unsigned sources, unsigned count,
                                   struct operands *made) {
    struct random_state random = random_seeded(SEED + type);
    size_t specials = special_count(type);
    made->sources = sources;
    made->count = count;
    for (unsigned i = 0; i < count; i++) {
        for (unsigned s = 0; s < sources; s++) {
            bool is_special = sources == 1 ? i < specials : random_below(&random, 8) != 0;
            made->values[s][i] = !is_special    ? random_next(&random)
                                 : sources == 1 ? special_value(type, i)
                                                : special_value(type, random_below(&random, specials));
        }
    }
}

/* One thread for every tuple of operands runs the instruction. */
static inline char *module_for(const char *instruction, char result, const struct operands *operands) {
    struct text declarations = {0}, body = {0};
    for (unsigned s = 0; s < operands->sources; s++) {
        text_printf(&declarations, ".global .u64 in%u[%u] = {", s, operands->count);
        for (unsigned i = 0; i < operands->count; i++)
            text_printf(&declarations, "%s0x%llx", i == 0 ? "" : ",",
                        (unsigned long long)operands->values[s][i]);
        text_string(&declarations, "};\n");
        text_printf(&body, "mov.u64 %%rd10, in%u;\nmul.wide.u32 %%rd11, %%r0, 8;\n", s);
        text_printf(&body, "add.s64 %%rd10, %%rd10, %%rd11;\nld.global.u64 %%rd%u, [%%rd10];\n", s + 1);
        spread_operand(&body, s + 1);
    }
    text_printf(&body, "%s\n", instruction);
    store_result(&body, result);
    char *before = text_take(&declarations), *inside = text_take(&body);
    char *ptx = module_of(before, inside);
    free(before);
    free(inside);
    return ptx;
}

static inline struct outcome run_operands(const char *instruction, char result,
                                          const struct operands *operands) {
    char *ptx = module_for(instruction, result, operands), threads[16];
    (void)snprintf(threads, sizeof threads, "%u", operands->count);
    struct outcome outcome = run_module(ptx, threads);
    if (outcome.status != WB_OK) print_error("%s\n%s\n", instruction, outcome.messages);
    assert_int_equal(outcome.status, WB_OK);
    free(ptx);
    return outcome;
}

static inline void differs(const char *instruction, const struct operands *operands, unsigned i,
                           const struct outcome *outcome, uint64_t expected) {
    print_error("%s on %llx, %llx, %llx: %s %llx, expected %llx (seed %llu)\n", instruction,
                (unsigned long long)operands->values[0][i], (unsigned long long)operands->values[1][i],
                (unsigned long long)operands->values[2][i], outcome->known[i] ? "got" : "unknown",
                (unsigned long long)outcome->values[i], (unsigned long long)expected,
                (unsigned long long)SEED);
    fail();
}

#endif
