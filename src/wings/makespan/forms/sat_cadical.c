#include "wings/makespan/forms/sat_cadical.h"

#include <ccadical.h>
#include <stdlib.h>

#include "wings/makespan/forms/solver_process.h"

/* What the child is told: to solve with the literal assumed, or to make it true for good. The child answers
 * the first with an enum sat_answer, and behind SAT_SATISFIABLE come the bytes of sat_solver.model. */
struct request {
    bool solve;
    literal literal;
};

struct sat_solver {
    struct solver_process process;
    const struct cnf *cnf; /* in the child only */
    bool (*goes_on)(void *user);
    void *user;
    size_t model_size;
    bool *model; /* [variable]: whether it is true in the model found last */
};

static CCaDiCaL *load(const struct cnf *cnf) {
    CCaDiCaL *cadical = ccadical_init();
    if (cadical == NULL) return NULL;
    /* The environment of the process can make it talk. */
    ccadical_set_option(cadical, "quiet", 1);
    for (size_t i = 0; i < cnf->literals.count; i++)
        ccadical_add(cadical, cnf->literals.items[i]);
    return cadical;
}

static void answer(const struct sat_solver *solver, CCaDiCaL *cadical, literal assumed) {
    if (assumed != LITERAL_TRUE) ccadical_assume(cadical, assumed);
    const int found = ccadical_solve(cadical);
    const enum sat_answer answer = found == 10   ? SAT_SATISFIABLE
                                   : found == 20 ? SAT_UNSATISFIABLE
                                                 : SAT_FAILED;
    for (size_t v = 1; answer == SAT_SATISFIABLE && v < solver->model_size; v++)
        solver->model[v] = ccadical_val(cadical, (int)v) > 0;
    solver_child_send(&answer, sizeof answer);
    if (answer == SAT_SATISFIABLE)
        solver_child_send(solver->model, solver->model_size * sizeof *solver->model);
}

/* The child's work, which ends when the parent ends it. */
static void serve(void *user) {
    const struct sat_solver *solver = user;
    CCaDiCaL *cadical = load(solver->cnf);
    while (cadical != NULL) {
        struct request request;
        solver_child_receive(&request, sizeof request);
        if (request.solve) {
            answer(solver, cadical, request.literal);
        } else {
            if (request.literal != LITERAL_FALSE) ccadical_add(cadical, request.literal);
            ccadical_add(cadical, 0);
        }
    }
}

const char *sat_cadical_missing(void) {
    return NULL;
}

struct sat_solver *sat_solver_new(const struct cnf *cnf, uint64_t memory, bool (*goes_on)(void *user),
                                  void *user) {
    struct sat_solver *solver = calloc(1, sizeof *solver);
    if (solver == NULL) return NULL;
    solver->cnf = cnf;
    solver->goes_on = goes_on;
    solver->user = user;
    solver->model_size = (size_t)cnf->variable_count + 1;
    solver->model = calloc(solver->model_size, sizeof *solver->model);
    if (solver->model == NULL ||
        solver_process_start(NULL, serve, solver, memory, &solver->process) != WB_OK) {
        free(solver->model);
        free(solver);
        return NULL;
    }
    solver->cnf = NULL;
    return solver;
}

double sat_solver_seconds(const struct sat_solver *solver) {
    return solver_process_seconds(&solver->process);
}

void sat_solver_free(struct sat_solver *solver) {
    if (solver == NULL) return;
    solver_process_end(&solver->process);
    free(solver->model);
    free(solver);
}

enum sat_answer sat_solver_solve(struct sat_solver *solver, literal assumed) {
    if (assumed == LITERAL_FALSE) return SAT_UNSATISFIABLE;
    const struct request request = {.solve = true, .literal = assumed};
    if (!solver_process_send(&solver->process, &request, sizeof request)) return SAT_FAILED;
    do {
        if (!solver->goes_on(solver->user)) return SAT_STOPPED;
    } while (!solver_process_ready(&solver->process));
    enum sat_answer answer;
    if (!solver_process_receive(&solver->process, &answer, sizeof answer)) return SAT_FAILED;
    if (answer != SAT_SATISFIABLE) return answer;
    const size_t bytes = solver->model_size * sizeof *solver->model;
    return solver_process_receive(&solver->process, solver->model, bytes) ? SAT_SATISFIABLE : SAT_FAILED;
}

void sat_solver_fix(struct sat_solver *solver, literal fixed) {
    if (fixed == LITERAL_TRUE) return;
    const struct request request = {.solve = false, .literal = fixed};
    /* Where the child has ended, the next question says so. */
    (void)solver_process_send(&solver->process, &request, sizeof request);
}

bool sat_solver_true(const struct sat_solver *solver, literal of) {
    if (of == LITERAL_TRUE || of == LITERAL_FALSE) return of == LITERAL_TRUE;
    return solver->model[abs(of)] == (of > 0);
}
