#include "wings/makespan/forms/ilp_cbc.h"

#include <Cbc_C_Interface.h>
#include <dlfcn.h>
#include <float.h>
#include <math.h>
#include <unistd.h>

#include "base/base.h"
#include "wings/makespan/forms/ilp_program.h"
#include "wings/makespan/forms/solver_process.h"

/* The part that CBC is given of the time after which the child is killed, and with it what it found: CBC sees
 * its end only between two steps. The whole is the time limit; of processor time, the part is. */
#define CBC_TIME_SHARE 0.9

/* Programs of so many columns are solved with cuts and heuristics: for smaller ones these take more time than
 * they save. Seconds without and with them, ilp-cumulative of LLCLL, both sigma 1: 5 warps (575 columns) 11
 * and 22, 6 warps (840) 88 and 89, 7 warps (1155) more than 240 and 143. */
#define CBC_CUTS_COLUMNS 1000u

/* What CBC says for "nothing yet". */
#define CBC_NONE 1e49

/* What the child reports; behind the last report come the bytes of ilp_solution.one, if there is a solution.
 */
struct report {
    double best;  /* objective of the best solution so far */
    double bound; /* no solution's objective is larger */
    uint64_t nodes;
    bool last;
    bool optimal;
    bool stopped;
    bool has_solution;
};

/* The functions of CBC that are used. Its library is loaded in the child: with it come others (libgfortran)
 * that end the process where they are loaded and memory is exhausted. */
#define CBC_FUNCTIONS(X)                                                                                     \
    X(newModel)                                                                                              \
    X(loadProblem)                                                                                           \
    X(setInteger)                                                                                            \
    X(setObjSense)                                                                                           \
    X(registerCallBack)                                                                                      \
    X(setLogLevel)                                                                                           \
    X(setParameter)                                                                                          \
    X(solve)                                                                                                 \
    X(status)                                                                                                \
    X(isProvenOptimal)                                                                                       \
    X(bestSolution)                                                                                          \
    X(getObjValue)                                                                                           \
    X(getBestPossibleObjValue)

struct cbc_library {
#define X(name) __typeof__(Cbc_##name) *name;
    CBC_FUNCTIONS(X)
#undef X
};

/* What the child is to do. */
struct cbc_task {
    struct cbc_library library;
    const struct ilp_model *model;
    struct arena arena; /* the child's own */
    double seconds;     /* 0: no limit */
    bool processor;     /* of processor time, not elapsed */
};

/* The program as CBC takes it: by columns, and to be minimised. */
struct cbc_program {
    struct ilp_matrix matrix;
    double *column_upper, *objective;
    double *row_lower, *row_upper;
};

static struct cbc_program program_make(const struct ilp_model *model, struct arena *arena) {
    const size_t columns = model->columns.count, rows = model->rows.count;
    struct cbc_program program = {.matrix = ilp_matrix_make(model, arena),
                                  .column_upper = arena_array(arena, columns, sizeof(double)),
                                  .objective = arena_array(arena, columns, sizeof(double)),
                                  .row_lower = arena_array(arena, rows, sizeof(double)),
                                  .row_upper = arena_array(arena, rows, sizeof(double))};
    for (size_t c = 0; c < columns; c++) {
        program.column_upper[c] = model->columns.items[c].upper;
        program.objective[c] = -(double)model->columns.items[c].objective;
    }
    for (size_t row = 0; row < rows; row++) {
        const struct ilp_row *r = &model->rows.items[row];
        program.row_lower[row] = r->sense == ILP_AT_MOST ? -DBL_MAX : (double)r->bound;
        program.row_upper[row] = r->sense == ILP_AT_LEAST ? DBL_MAX : (double)r->bound;
    }
    return program;
}

/* The child ends without the library, and its parent sees that. */
static void load_library(void *user) {
    struct cbc_task *task = user;
    void *opened = dlopen(WB_CBC_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (opened == NULL) _exit(1);
#define X(name)                                                                                              \
    *(void **)&task->library.name = dlsym(opened, "Cbc_" #name);                                             \
    if (task->library.name == NULL) _exit(1);
    CBC_FUNCTIONS(X)
#undef X
}

/* Passes CBC's messages of progress on, numbered as CbcMessage.cpp has them. They can be about a part of the
 * problem that a heuristic looks at, so nothing of them becomes a result. */
static void on_message(Cbc_Model *cbc, int number, int real_count, const double *reals, int int_count,
                       const int *ints, int text_count, char **texts) {
    (void)cbc;
    (void)text_count;
    (void)texts;
    struct report report = {.best = -CBC_NONE, .bound = CBC_NONE};
    if ((number == 4 || number == 12 || number == 16) && real_count >= 1) {
        report.best = -reals[0];
    } else if (number == 10 && real_count >= 2 && int_count >= 1) {
        report.bound = -reals[1];
        report.nodes = (uint64_t)ints[0];
    } else {
        return;
    }
    solver_child_send(&report, sizeof report);
}

/* Cuts and heuristics pay for large programs only: see CBC_CUTS_COLUMNS. One of the heuristics, the
 * feasibility pump, switches CBC's messages off for good. One thread, which is the default, so that the same
 * program has the same solution every time. */
static void set_parameters(Cbc_Model *cbc, const struct cbc_task *task) {
    const struct cbc_library *library = &task->library;
    char text[32];
    library->registerCallBack(cbc, on_message);
    library->setLogLevel(cbc, 1);
    library->setParameter(cbc, "feasibilityPump", "off");
    if (task->model->columns.count < CBC_CUTS_COLUMNS) {
        library->setParameter(cbc, "heuristicsOnOff", "off");
        library->setParameter(cbc, "cutsOnOff", "off");
    }
    if (task->seconds <= 0) return;
    (void)text_format(text, sizeof text, "%.3f", task->seconds);
    library->setParameter(cbc, "timeMode", task->processor ? "cpu" : "elapsed");
    library->setParameter(cbc, "seconds", text);
}

static void load(Cbc_Model *cbc, const struct cbc_task *task, const struct cbc_program *program) {
    const struct cbc_library *library = &task->library;
    const struct ilp_model *model = task->model;
    const struct ilp_matrix *matrix = &program->matrix;
    library->loadProblem(cbc, (int)model->columns.count, (int)model->rows.count, matrix->start, matrix->row,
                         matrix->coefficient, NULL, program->column_upper, program->objective,
                         program->row_lower, program->row_upper);
    for (size_t c = 0; c < model->columns.count; c++)
        library->setInteger(cbc, (int)c);
    library->setObjSense(cbc, 1);
}

static void report_end(Cbc_Model *cbc, struct cbc_task *task) {
    const struct cbc_library *library = &task->library;
    const struct ilp_model *model = task->model;
    const double *value = library->bestSolution(cbc);
    struct report report = {.best = -library->getObjValue(cbc), .last = true};
    report.bound = -library->getBestPossibleObjValue(cbc);
    report.optimal = library->isProvenOptimal(cbc) != 0;
    report.stopped = library->status(cbc) == 1;
    report.has_solution = value != NULL;
    if (report.optimal) report.bound = report.best;
    bool *one = arena_array(&task->arena, model->columns.count, sizeof *one);
    for (size_t c = 0; value != NULL && c < model->columns.count; c++)
        one[c] = value[c] > 0.5;
    solver_child_send(&report, sizeof report);
    if (value != NULL) solver_child_send(one, model->columns.count * sizeof *one);
}

static void work_in_arena(void *user) {
    struct cbc_task *task = user;
    (void)c_locale_enter(); /* CBC reads its parameters as the locale says */
    const struct cbc_program program = program_make(task->model, &task->arena);
    Cbc_Model *cbc = task->library.newModel();
    load(cbc, task, &program);
    arena_free(&task->arena); /* CBC has its own */
    set_parameters(cbc, task);
    (void)task->library.solve(cbc);
    report_end(cbc, task);
}

/* The child's work. Without memory it ends, and its parent sees that. */
static void run_cbc(void *user) {
    struct cbc_task *task = user;
    (void)arena_protect(&task->arena, work_in_arena, task);
}

/* What the watch is told. */
static void describe(const char *stage, const struct report *so_far, char *text, size_t size) {
    char best[32] = "none";
    char bound[32] = "any";
    if (so_far->best > -CBC_NONE) (void)text_format(best, sizeof best, "%.0f", so_far->best);
    if (so_far->bound < CBC_NONE) (void)text_format(bound, sizeof bound, "%.1f", so_far->bound);
    (void)text_format(text, size, "%s: best %s, bound %s, nodes", stage, best, bound);
}

/* Follows the child's reports to the last one, which is left in *so_far. Returns ILP_OPTIMAL when it came,
 * whatever it says. */
static enum ilp_end follow(const struct solver_process *process, const struct makespan_run *run,
                           const char *stage, struct report *so_far) {
    char text[128];
    *so_far = (struct report){.best = -CBC_NONE, .bound = CBC_NONE};
    while (!so_far->last) {
        if (solver_process_ready(process)) {
            struct report report;
            if (!solver_process_receive(process, &report, sizeof report)) return ILP_FAILED;
            if (report.best < so_far->best) report.best = so_far->best;
            if (report.bound > so_far->bound && !report.last) report.bound = so_far->bound;
            if (report.nodes < so_far->nodes) report.nodes = so_far->nodes;
            *so_far = report;
        }
        describe(stage, so_far, text, sizeof text);
        if (so_far->last) break;
        if (makespan_solver_spent(run, solver_process_seconds(process) * CBC_TIME_SHARE)) return ILP_STOPPED;
        if (!makespan_goes_on(run, text, so_far->nodes, 0)) return ILP_STOPPED;
    }
    return ILP_OPTIMAL;
}

/* Takes what the last report says. When its time ends before it has solved the first relaxation, CBC can say
 * that there is no solution instead of that it was stopped. */
static void take(const struct solver_process *process, const struct report *last, bool limited, bool *one,
                 size_t column_count, struct ilp_solution *solution) {
    solution->end = last->optimal ? ILP_OPTIMAL : last->stopped || limited ? ILP_STOPPED : ILP_FAILED;
    if ((last->optimal || last->stopped) && last->bound < CBC_NONE) solution->bound = last->bound;
    if (!last->has_solution) return;
    if (solver_process_receive(process, one, column_count * sizeof *one))
        solution->one = one;
    else
        *solution = (struct ilp_solution){.end = ILP_FAILED, .bound = INFINITY};
}

/* CBC has one limit only: that of processor time where there are both, as the child is killed at the other.
 */
static void set_limit(const struct makespan_run *run, struct cbc_task *task) {
    task->processor = run->settings->processor_limit > 0;
    if (task->processor)
        task->seconds = run->settings->processor_limit;
    else if (run->end != 0)
        task->seconds = fmax(run->end - clock_elapsed(), 0.01) * CBC_TIME_SHARE;
}

const char *ilp_cbc_missing(void) {
    return NULL;
}

wb_status ilp_cbc_solve(const struct ilp_model *model, const struct makespan_run *run, const char *stage,
                        struct ilp_solution *solution) {
    struct cbc_task task = {.model = model};
    struct solver_process process;
    struct report last;
    set_limit(run, &task);
    *solution = (struct ilp_solution){.end = ILP_FAILED, .bound = INFINITY};
    bool *one =
        arena_array(run->arena, model->columns.count, sizeof *one); /* before there is a process to end */
    WB_TRY(solver_process_start(load_library, run_cbc, &task, makespan_memory(run->settings), &process));
    solution->end = follow(&process, run, stage, &last);
    if (solution->end == ILP_OPTIMAL)
        take(&process, &last, task.seconds > 0, one, model->columns.count, solution);
    solver_process_end(&process);
    return WB_OK;
}
