/* The statements of random_compiled.c. `#` stands for what differs from one use to the next:
 *     #R #r, #L #l, #F #f, #D #d, #H #h, #S #s, #P #p
 *                registers of 32 and 64 bits, f32, f64, two halves, 16 bits, and predicates: one that is
 *                written, one that is read
 *     #I         a register of 32 bits that is read, or a literal
 *     #k #K #b   numbers below 32, 64 and 256; #n below 4
 *     #i #j      literals of 32 and 64 bits; #e #g of f32 and f64
 *     #@         a guard, or by chance none
 *     #(a|b|c)   one of several texts
 * Registers of their own: %t %u (32 bits), %x %y (64), %e %g (16), %v (f32), %z (f64), %q %w (predicates). */
#ifndef WB_TESTS_RANDOM_COMPILED_STATEMENTS_H
#define WB_TESTS_RANDOM_COMPILED_STATEMENTS_H

#include <stdint.h>

struct compiled_statement {
    uint32_t sm; /* from which architecture on */
    const char *text;
};

struct compiled_group {
    const struct compiled_statement *statements;
    uint32_t count;
};

extern const struct compiled_group compiled_integers, compiled_floats, compiled_halves, compiled_conversions,
    compiled_predicates, compiled_memory;

/* By all threads of a block together. */
extern const struct compiled_group compiled_exchanges, compiled_meetings;

#endif
