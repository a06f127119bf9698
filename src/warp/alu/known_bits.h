/* Which bits of a result are known when of some source only single bits are: halves and bytes that programs
 * put into registers which were never written as a whole. */
#ifndef WB_WARP_ALU_KNOWN_BITS_H
#define WB_WARP_ALU_KNOWN_BITS_H

#include "warp/alu/alu.h"

/* A source in one lane: where a bit of `known` is set, that bit of the value is known. */
struct bit_source {
    uint64_t value, known;
};

/* How the known bits of a result follow from those of its sources: they are those that are the same whatever
 * the others of the sources are, so that the value computed from what these hold is right in them. Bits that
 * the register does not have count for nothing. NULL: all bits of all sources are needed. */
known_bits_fn known_bits_find(const struct ptx_form *form);

/* The known bits of the sum of three words and two carries. */
uint64_t known_bits_of_add3(const struct bit_source *sources, bool first, bool second);

#endif
