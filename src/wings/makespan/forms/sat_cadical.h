/* The SAT solver CaDiCaL behind what the method needs of one. CaDiCaL ends its process when memory is
 * exhausted, so it runs in one of its own (solver_process.h), which takes questions until it is
 * freed. */
#ifndef WB_PAPERS_MAKESPAN_FORMS_SAT_CADICAL_H
#define WB_PAPERS_MAKESPAN_FORMS_SAT_CADICAL_H

#include "wings/makespan/forms/cnf.h"

enum sat_answer {
    SAT_SATISFIABLE,
    SAT_UNSATISFIABLE,
    SAT_STOPPED, /* by goes_on */
    SAT_FAILED,  /* CaDiCaL ended without an answer: it has no memory left */
};

struct sat_solver;

/* What the library was built without: "CaDiCaL", or NULL where it is there. */
const char *sat_cadical_missing(void);

/* A solver for the clauses so far, of which it makes its own copy, and so many bytes of memory; NULL when no
 * memory is left for the solver's process, and without CaDiCaL. `goes_on` is asked before each answer and
 * regularly until it is there; false stops the solver. */
struct sat_solver *sat_solver_new(const struct cnf *cnf, uint64_t memory, bool (*goes_on)(void *user),
                                  void *user);
/* Processor seconds that the solver has taken so far. */
double sat_solver_seconds(const struct sat_solver *solver);

void sat_solver_free(struct sat_solver *solver);

/* Is there a model with this literal? Neither SAT_STOPPED nor SAT_FAILED may be followed by more questions.
 */
enum sat_answer sat_solver_solve(struct sat_solver *solver, literal assumed);

/* Makes the literal true in all models from now on. */
void sat_solver_fix(struct sat_solver *solver, literal fixed);

/* Whether the literal is true in the model found last. */
bool sat_solver_true(const struct sat_solver *solver, literal of);

#endif
