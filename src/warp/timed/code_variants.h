/* Code in which an instruction whose executions take different times has an entry for each of them. */
#ifndef WB_WARP_TIMED_CODE_VARIANTS_H
#define WB_WARP_TIMED_CODE_VARIANTS_H

#include "warp/timed/timed_block.h"

/* What one execution of an instruction takes; see struct timed_inst. */
struct execution_cost {
    uint32_t init, latency;
    struct access_counts
        counts; /* on a machine that times machine code, which init and latency are not for */
};

#define NO_VARIANT UINT32_MAX

/* One cost of an instruction. The first of them takes the instruction's own entry of the code. */
struct code_variant {
    struct execution_cost cost;
    uint32_t instruction;
    uint32_t entry; /* of the code */
    uint32_t next;  /* variant of the same instruction, or NO_VARIANT */
};

/* The variants of a code that has its times by classes, while they are looked for. */
struct code_variants {
    const struct wb_machine *machine;
    struct timed_code *code;
    struct arena *scratch;
    uint32_t *newest;     /* per instruction its newest variant, or NO_VARIANT */
    uint32_t entry_count; /* of the code with variants */
    VEC(struct code_variant) items;
};

/* No variants yet; all memory is of `scratch`, which is protected. */
struct code_variants code_variants_begin(const struct wb_machine *machine, struct timed_code *code,
                                         struct arena *scratch);

/* What an execution takes whose cost nobody states. */
struct execution_cost code_variant_cost(const struct timed_code *code, uint32_t instruction);

/* The variant of an instruction with this cost, or NO_VARIANT. */
uint32_t code_variant_find(const struct code_variants *variants, uint32_t instruction,
                           const struct execution_cost *cost);

/* The same; it is added when there is none. */
uint32_t code_variant_of(struct code_variants *variants, uint32_t instruction,
                         const struct execution_cost *cost);

/* Gives the code an entry for each variant, in memory of `arena`, which is protected. */
void code_variants_apply(const struct code_variants *variants, struct arena *arena);

#endif
