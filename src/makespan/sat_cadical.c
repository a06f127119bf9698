#include "makespan/sat_cadical.h"

#include <ccadical.h>
#include <stdlib.h>

/* The solver asks whether to go on much more often than the answer can change. */
#define ASKED_EACH 8

/* Literals given to the solver between two such questions. */
#define ADDED_EACH ((size_t)1 << 20)

struct sat_solver {
    CCaDiCaL *cadical;
    bool (*goes_on)(void *user);
    void *user;
    uint32_t asked;
    bool incomplete; /* stopped before it had all clauses: it has no answers */
};

/* What CaDiCaL calls while it works: not 0 ends it. */
static int terminate(void *state) {
    struct sat_solver *solver = state;
    if (++solver->asked % ASKED_EACH != 0) return 0;
    return !solver->goes_on(solver->user);
}

struct sat_solver *sat_solver_new(const struct cnf *cnf, bool (*goes_on)(void *user), void *user) {
    struct sat_solver *solver = calloc(1, sizeof *solver);
    if (solver == NULL) return NULL;
    *solver = (struct sat_solver){.cadical = ccadical_init(), .goes_on = goes_on, .user = user};
    if (solver->cadical == NULL) {
        free(solver);
        return NULL;
    }
    /* The environment of the process can make it talk. */
    ccadical_set_option(solver->cadical, "quiet", 1);
    ccadical_set_terminate(solver->cadical, solver, terminate);
    for (size_t i = 0; i < cnf->literals.count && !solver->incomplete; i++) {
        ccadical_add(solver->cadical, cnf->literals.items[i]);
        solver->incomplete = i % ADDED_EACH == ADDED_EACH - 1 && !goes_on(user);
    }
    return solver;
}

void sat_solver_free(struct sat_solver *solver) {
    if (solver == NULL) return;
    ccadical_release(solver->cadical);
    free(solver);
}

enum sat_answer sat_solver_solve(struct sat_solver *solver, literal assumed) {
    if (solver->incomplete) return SAT_STOPPED;
    if (assumed == LITERAL_FALSE) return SAT_UNSATISFIABLE;
    if (assumed != LITERAL_TRUE) ccadical_assume(solver->cadical, assumed);
    switch (ccadical_solve(solver->cadical)) {
    case 10: return SAT_SATISFIABLE;
    case 20: return SAT_UNSATISFIABLE;
    default: return SAT_STOPPED;
    }
}

void sat_solver_fix(struct sat_solver *solver, literal fixed) {
    if (fixed == LITERAL_TRUE) return;
    if (fixed != LITERAL_FALSE) ccadical_add(solver->cadical, fixed);
    ccadical_add(solver->cadical, 0);
}

bool sat_solver_true(const struct sat_solver *solver, literal of) {
    if (of == LITERAL_TRUE || of == LITERAL_FALSE) return of == LITERAL_TRUE;
    /* Releases differ in the sign that they return for a negative literal. */
    return (ccadical_val(solver->cadical, abs(of)) > 0) == (of > 0);
}
