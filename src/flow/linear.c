#include "flow/linear.h"

#include "flow/value_range.h"

struct linear linear_constant(uint32_t bits, uint64_t word) {
    return (struct linear){.constant = word & word_mask(bits), .bits = (uint8_t)bits};
}

struct linear linear_symbol(uint32_t bits, uint32_t symbol) {
    return (struct linear){.symbols = {symbol}, .factors = {1}, .term_count = 1, .bits = (uint8_t)bits};
}

/* Appends a term whose symbol is behind all others; false when there is no room. */
static bool push(struct linear *form, uint32_t symbol, uint64_t factor) {
    factor &= word_mask(form->bits);
    if (factor == 0) return true;
    if (form->term_count == LINEAR_TERMS_MAX) return false;
    form->symbols[form->term_count] = symbol;
    form->factors[form->term_count++] = factor;
    return true;
}

bool linear_add(const struct linear *a, const struct linear *b, uint64_t factor, struct linear *sum) {
    struct linear result = linear_constant(a->bits, a->constant + factor * b->constant);
    uint32_t i = 0, j = 0;
    while (i < a->term_count || j < b->term_count) {
        bool from_a = j == b->term_count || (i < a->term_count && a->symbols[i] <= b->symbols[j]);
        bool from_b = i == a->term_count || (j < b->term_count && b->symbols[j] <= a->symbols[i]);
        uint32_t symbol = from_a ? a->symbols[i] : b->symbols[j];
        uint64_t total = 0;
        if (from_a) total += a->factors[i++];
        if (from_b) total += factor * b->factors[j++];
        if (!push(&result, symbol, total)) return false;
    }
    *sum = result;
    return true;
}

uint64_t linear_factor(const struct linear *form, uint32_t symbol) {
    for (uint32_t i = 0; i < form->term_count; i++)
        if (form->symbols[i] == symbol) return form->factors[i];
    return 0;
}

struct linear linear_without(const struct linear *form, uint32_t symbol) {
    struct linear rest = linear_constant(form->bits, form->constant);
    for (uint32_t i = 0; i < form->term_count; i++)
        if (form->symbols[i] != symbol) (void)push(&rest, form->symbols[i], form->factors[i]);
    return rest;
}
