#include "makespan/cnf.h"

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
