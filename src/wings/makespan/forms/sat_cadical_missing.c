/* In place of sat_cadical.c where CaDiCaL is not installed: there are no solvers, and none is asked. */
#include "wings/makespan/forms/sat_cadical.h"

const char *sat_cadical_missing(void) {
    return "CaDiCaL";
}

struct sat_solver *sat_solver_new(const struct cnf *cnf, uint64_t memory, bool (*goes_on)(void *user),
                                  void *user) {
    (void)cnf;
    (void)memory;
    (void)goes_on;
    (void)user;
    return NULL;
}

double sat_solver_seconds(const struct sat_solver *solver) {
    (void)solver;
    return 0;
}

void sat_solver_free(struct sat_solver *solver) {
    (void)solver;
}

enum sat_answer sat_solver_solve(struct sat_solver *solver, literal assumed) {
    (void)solver;
    (void)assumed;
    return SAT_FAILED;
}

void sat_solver_fix(struct sat_solver *solver, literal fixed) {
    (void)solver;
    (void)fixed;
}

bool sat_solver_true(const struct sat_solver *solver, literal of) {
    (void)solver;
    (void)of;
    return false;
}
