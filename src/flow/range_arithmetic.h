/* What integer instructions do to sets of words. Each result contains the words that the instruction gives
 * for any words of the operands, which have one width; results have it, too, unless said otherwise. */
#ifndef WB_FLOW_RANGE_ARITHMETIC_H
#define WB_FLOW_RANGE_ARITHMETIC_H

#include "flow/value_range.h"

struct value_range range_add(const struct value_range *a, const struct value_range *b);
struct value_range range_sub(const struct value_range *a, const struct value_range *b);
struct value_range range_neg(const struct value_range *a);
struct value_range range_not(const struct value_range *a);
struct value_range range_abs(const struct value_range *a);

/* The low half of the product, the high half, and all of it (twice as wide; of operands of 32 bits or less).
 */
struct value_range range_mul(const struct value_range *a, const struct value_range *b);
struct value_range range_mul_high(const struct value_range *a, const struct value_range *b, bool is_signed);
struct value_range range_mul_wide(const struct value_range *a, const struct value_range *b, bool is_signed);

/* Division by zero may give anything. */
struct value_range range_div(const struct value_range *a, const struct value_range *b, bool is_signed);
struct value_range range_rem(const struct value_range *a, const struct value_range *b, bool is_signed);

/* Shifts by an amount of 32 bits; by the width or more they are shifts by the width. */
struct value_range range_shl(const struct value_range *a, const struct value_range *amount);
struct value_range range_shr(const struct value_range *a, const struct value_range *amount, bool is_signed);

struct value_range range_and(const struct value_range *a, const struct value_range *b);
struct value_range range_or(const struct value_range *a, const struct value_range *b);
struct value_range range_xor(const struct value_range *a, const struct value_range *b);

struct value_range range_min(const struct value_range *a, const struct value_range *b, bool is_signed);
struct value_range range_max(const struct value_range *a, const struct value_range *b, bool is_signed);

/* The low `bits` bits; or, when there are fewer, the word with its sign or zeros in front. */
struct value_range range_extend(const struct value_range *a, uint32_t bits, bool is_signed);

#endif
