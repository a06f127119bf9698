#include "wings/makespan/forms/cnf.h"

literal cnf_variable(struct cnf *cnf) {
    if (cnf->variable_count >= CNF_VARIABLES_MAX) cnf->failed = true;
    return cnf->failed ? LITERAL_TRUE : ++cnf->variable_count;
}

/* Makes room for `count` literals, within the limit. */
static bool has_room(struct cnf *cnf, size_t count) {
    if (cnf->failed) return false;
    uint64_t bytes = ((uint64_t)cnf->literals.count + count) * sizeof *cnf->literals.items;
    if ((cnf->limit != 0 && bytes > cnf->limit) || vec_reserve(&cnf->literals, count) != WB_OK)
        cnf->failed = true;
    return !cnf->failed;
}

void cnf_clause(struct cnf *cnf, const literal *literals, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (literals[i] == LITERAL_TRUE) return;
    if (!has_room(cnf, count + 1)) return;
    for (size_t i = 0; i < count; i++)
        if (literals[i] != LITERAL_FALSE) cnf->literals.items[cnf->literals.count++] = literals[i];
    cnf->literals.items[cnf->literals.count++] = 0;
    cnf->clause_count++;
}

void cnf_free(struct cnf *cnf) {
    vec_free(&cnf->literals);
    *cnf = (struct cnf){0};
}

struct unary unary_make(struct cnf *cnf, struct arena *arena, uint32_t count) {
    struct unary number = {arena_array(arena, count, sizeof(literal)), count};
    if (number.at_least == NULL) cnf->failed = true;
    if (cnf->failed) number.count = 0;
    for (uint32_t k = 0; k < number.count; k++) {
        number.at_least[k] = cnf_variable(cnf);
        if (k > 0) CNF_CLAUSE(cnf, -number.at_least[k], number.at_least[k - 1]);
    }
    return number;
}

literal unary_at_least(const struct unary *number, uint32_t k) {
    if (k == 0) return LITERAL_TRUE;
    return k <= number->count ? number->at_least[k - 1] : LITERAL_FALSE;
}

/* Ties the sum to what the two numbers are together, for a being at least i and b at least j. */
static void tie(struct cnf *cnf, const struct unary *a, const struct unary *b, const struct unary *sum,
                uint32_t i, uint32_t j) {
    if (i + j <= sum->count + 1)
        CNF_CLAUSE(cnf, -unary_at_least(a, i), -unary_at_least(b, j), unary_at_least(sum, i + j));
    if (i + j < sum->count)
        CNF_CLAUSE(cnf, unary_at_least(a, i + 1), unary_at_least(b, j + 1), -unary_at_least(sum, i + j + 1));
}

/* a + b, at most `limit`. */
static struct unary add(struct cnf *cnf, struct arena *arena, const struct unary *a, const struct unary *b,
                        uint32_t limit) {
    if (a->count == 0) return *b;
    if (b->count == 0) return *a;
    uint32_t most = a->count + b->count;
    struct unary sum = unary_make(cnf, arena, most < limit ? most : limit);
    for (uint32_t i = 0; i <= a->count && !cnf->failed; i++)
        for (uint32_t j = 0; j <= b->count && i + j <= limit + 1; j++)
            tie(cnf, a, b, &sum, i, j);
    return sum;
}

struct unary unary_sum(struct cnf *cnf, struct arena *arena, struct unary *numbers, size_t count,
                       uint32_t limit) {
    if (count == 0) return (struct unary){0};
    /* By pairs, as a balanced tree. */
    for (; count > 1; count = (count + 1) / 2)
        for (size_t i = 0; i < (count + 1) / 2; i++)
            numbers[i] = 2 * i + 1 < count ? add(cnf, arena, &numbers[2 * i], &numbers[2 * i + 1], limit)
                                           : numbers[2 * i];
    struct unary sum = numbers[0];
    if (sum.count > limit) { /* it is one of the numbers, the others being 0 */
        CNF_CLAUSE(cnf, -unary_at_least(&sum, limit + 1));
        sum.count = limit;
    }
    return sum;
}
