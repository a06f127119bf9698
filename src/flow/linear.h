/* Words as linear forms c + f1 * s1 + f2 * s2 ... modulo 2^bits of symbols: values and special registers.
 * What two words have in common cancels in their difference, however they were computed. */
#ifndef WB_FLOW_LINEAR_H
#define WB_FLOW_LINEAR_H

#include <stdbool.h>
#include <stdint.h>

#define LINEAR_TERMS_MAX 4u

/* Terms are sorted by symbol, without factors of zero. What symbols are is up to the user. */
struct linear {
    uint64_t constant;
    uint64_t factors[LINEAR_TERMS_MAX];
    uint32_t symbols[LINEAR_TERMS_MAX];
    uint8_t term_count;
    uint8_t bits;
};

struct linear linear_constant(uint32_t bits, uint64_t word);
struct linear linear_symbol(uint32_t bits, uint32_t symbol);

/* a + factor * b, of forms of one width; false when that has too many terms. */
bool linear_add(const struct linear *a, const struct linear *b, uint64_t factor, struct linear *sum);

/* The factor of a symbol; 0 when it is not there. */
uint64_t linear_factor(const struct linear *form, uint32_t symbol);

/* The form without the symbol's term. */
struct linear linear_without(const struct linear *form, uint32_t symbol);

#endif
