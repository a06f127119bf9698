/* The SAT solver CaDiCaL behind what the method needs of one. */
#ifndef WB_MAKESPAN_SAT_CADICAL_H
#define WB_MAKESPAN_SAT_CADICAL_H

#include "makespan/cnf.h"

enum sat_answer { SAT_SATISFIABLE, SAT_UNSATISFIABLE, SAT_STOPPED };

struct sat_solver;

/* A solver for the clauses so far, of which it makes its own copy; NULL when memory is exhausted. `goes_on`
 * is asked regularly while it works; false stops it. */
struct sat_solver *sat_solver_new(const struct cnf *cnf, bool (*goes_on)(void *user), void *user);
void sat_solver_free(struct sat_solver *solver);

/* Is there a model with this literal? */
enum sat_answer sat_solver_solve(struct sat_solver *solver, literal assumed);

/* Makes the literal true in all models from now on. */
void sat_solver_fix(struct sat_solver *solver, literal fixed);

/* Whether the literal is true in the model found last. */
bool sat_solver_true(const struct sat_solver *solver, literal of);

#endif
