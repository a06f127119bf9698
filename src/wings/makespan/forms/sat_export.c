#include "wings/makespan/forms/sat_export.h"

#include <inttypes.h>

#include "wings/makespan/forms/sat_encoding.h"
#include "wings/makespan/method/closed.h"
#include "wings/makespan/strings/notation.h"

/* The rows of an OPB problem as they are written: sums of literals that are at least a number. */
struct opb {
    struct text text;
    uint64_t row_count;
    uint64_t term_count; /* of the row being written */
    int64_t constant;    /* of that row: what constants and negations add to its sum */
};

/* The problem in the notation of the command line. */
static void write_problem(struct text *out, const char *comment, const struct makespan_problem *problem) {
    text_printf(out, "%s warps", comment);
    for (uint32_t g = 0; g < problem->group_count; g++) {
        const struct string_group *group = &problem->groups[g];
        text_printf(out, " %u:", group->warps);
        notation_print(out, problem->unit + group->first, group->length);
    }
    text_printf(out, "\n%s units", comment);
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++)
        if (problem_uses(problem, unit))
            text_printf(out, " %c=%u", UNIT_LETTERS[unit], problem->capacity[unit]);
    if (problem->issue_limit != ISSUE_UNLIMITED)
        text_printf(out, "\n%s issue %u", comment, problem->issue_limit);
    text_char(out, '\n');
}

static void write_done_table(struct text *out, const char *comment, const struct done_variables *done) {
    text_printf(out,
                "%s done(p, r, t): at least r warps of the group have executed position p by the end of\n"
                "%s cycle t. Positions count from 1 through all strings. It is false for t < a, true for\n"
                "%s t >= b, and in between variable v + t - a:\n"
                "%s      p      r      a      b      v\n",
                comment, comment, comment, comment);
    for (uint32_t p = 0; p < done->problem->position_count; p++) {
        const struct done_window *window = &done->windows[done->start[p]];
        for (uint32_t rank = 1; rank <= done_ranks(done, p); rank++, window++) {
            text_printf(out, "%s %6u %6u %6u %6u", comment, p + 1, rank, window->earliest, window->latest);
            if (window->latest > window->earliest) text_printf(out, " %6d", window->first);
            text_char(out, '\n');
        }
    }
}

static void write_cell(struct text *out, literal of) {
    if (of == LITERAL_TRUE || of == LITERAL_FALSE)
        text_string(out, of == LITERAL_TRUE ? "   true" : "  false");
    else
        text_printf(out, " %6d", of);
}

static void write_cycle_table(struct text *out, const char *comment, const struct sat_encoding *encoding) {
    text_printf(out,
                "%s Literals of cycle t. u: a warp is unfinished when it starts; L, C, S, D: the unit type\n"
                "%s is full; i: no more can issue:\n"
                "%s      t      u      L      C      S      D      i\n",
                comment, comment, comment);
    for (uint32_t t = 1; t <= encoding->done.horizon; t++) {
        text_printf(out, "%s %6u", comment, t);
        write_cell(out, encoding->unfinished[t - 1]);
        for (uint32_t kind = 0; kind <= FULL_ISSUE; kind++)
            write_cell(out, encoding->full[t][kind]);
        text_char(out, '\n');
    }
}

static void write_comments(struct text *out, const char *comment, const struct makespan_problem *problem,
                           const struct sat_encoding *encoding) {
    write_problem(out, comment, problem);
    write_done_table(out, comment, &encoding->done);
    write_cycle_table(out, comment, encoding);
}

/* The formula for all schedules there are: the closed form is their horizon. */
static wb_status encode(const struct makespan_run *run, enum sat_counting counting,
                        struct sat_encoding *encoding) {
    *encoding = (struct sat_encoding){0};
    wb_status status = sat_encode(run, (uint32_t)closed_bound(run->problem), counting, encoding);
    if (status != WB_OK)
        diagnose(run->diagnostics, SEVERITY_ERROR, "sat", "%s",
                 encoding->cnf.failed ? "the clauses do not fit the memory limit"
                                      : "stopped while the clauses were made");
    return status;
}

static void write_clauses(struct text *out, const struct cnf *cnf) {
    for (size_t i = 0; i < cnf->literals.count; i++)
        text_printf(out, "%d%c", cnf->literals.items[i], cnf->literals.items[i] == 0 ? '\n' : ' ');
}

wb_status sat_export_dimacs(const struct makespan_run *run, uint64_t makespan, struct text *out) {
    struct sat_encoding encoding;
    wb_status status = encode(run, SAT_COUNTING_CLAUSES, &encoding);
    if (status == WB_OK) {
        literal at_least = sat_makespan_at_least(&encoding, makespan);
        cnf_clause(&encoding.cnf, &at_least, 1);
        text_printf(out, "c Models are the work-conserving schedules of at least %" PRIu64 " cycles.\n",
                    makespan);
        write_comments(out, "c", run->problem, &encoding);
        text_printf(out, "c Further variables count warps.\np cnf %d %" PRIu64 "\n",
                    encoding.cnf.variable_count, encoding.cnf.clause_count);
        write_clauses(out, &encoding.cnf);
        if (encoding.cnf.failed || out->failed) status = makespan_no_memory(run);
    }
    cnf_free(&encoding.cnf);
    return status;
}

/* Adds coefficient * literal to the row. */
static void add_term(struct opb *opb, int64_t coefficient, literal of) {
    if (of == LITERAL_FALSE) return;
    if (of < 0 || of == LITERAL_TRUE) opb->constant += coefficient;
    if (of == LITERAL_TRUE) return;
    text_printf(&opb->text, "%+" PRId64 " x%d ", of < 0 ? -coefficient : coefficient, of < 0 ? -of : of);
    opb->term_count++;
}

/* Ends the row: its sum is at least `least`. A row of constants is none. */
static void end_row(struct opb *opb, int64_t least) {
    if (opb->term_count > 0) {
        text_printf(&opb->text, ">= %" PRId64 " ;\n", least - opb->constant);
        opb->row_count++;
    }
    opb->term_count = 0;
    opb->constant = 0;
}

/* Minus the makespan, without the constant that is left in opb->constant: the makespan is the number of
 * cycles that start with an unfinished warp. */
static void write_objective(struct opb *opb, const struct sat_encoding *encoding) {
    text_string(&opb->text, "min: ");
    for (uint32_t t = 0; t < encoding->done.horizon; t++)
        add_term(opb, -1, encoding->unfinished[t]);
    text_string(&opb->text, ";\n");
}

static void write_clause_rows(struct opb *opb, const struct cnf *cnf) {
    for (size_t i = 0; i < cnf->literals.count; i++) {
        if (cnf->literals.items[i] != 0)
            add_term(opb, 1, cnf->literals.items[i]);
        else
            end_row(opb, 1);
    }
}

/* Adds `sign` times the number of warps that execute in cycle t, on one unit type or (FULL_ISSUE) all. */
static void add_executing(struct opb *opb, const struct done_variables *done, uint32_t kind, uint32_t t,
                          int64_t sign) {
    for (uint32_t p = 0; p < done->problem->position_count; p++) {
        if (kind != FULL_ISSUE && done->problem->unit[p] != kind) continue;
        for (uint32_t rank = 1; rank <= done_ranks(done, p); rank++) {
            add_term(opb, sign, done_literal(done, p, rank, t));
            add_term(opb, -sign, done_literal(done, p, rank, t - 1));
        }
    }
}

/* ECRTS'12 eq. (14), (15) and (41): no more than there is room for, and "full" only where that many. */
static void write_capacity_rows(struct opb *opb, const struct sat_encoding *encoding) {
    const struct makespan_problem *problem = encoding->done.problem;
    for (uint32_t t = 1; t <= encoding->done.horizon; t++)
        for (uint32_t kind = 0; kind <= FULL_ISSUE; kind++) {
            literal full = encoding->full[t][kind];
            if (full == LITERAL_FALSE) continue; /* never as many as may */
            int64_t room = kind == FULL_ISSUE ? problem->issue_limit : problem->capacity[kind];
            add_executing(opb, &encoding->done, kind, t, -1);
            end_row(opb, -room);
            add_executing(opb, &encoding->done, kind, t, 1);
            add_term(opb, -room, full);
            end_row(opb, 0);
        }
}

wb_status sat_export_opb(const struct makespan_run *run, struct text *out) {
    struct sat_encoding encoding;
    wb_status status = encode(run, SAT_COUNTING_LINEAR, &encoding);
    if (status == WB_OK) {
        struct opb objective = {0};
        struct opb rows = {0};
        write_objective(&objective, &encoding);
        write_clause_rows(&rows, &encoding.cnf);
        write_capacity_rows(&rows, &encoding);
        text_printf(out, "* #variable= %d #constraint= %" PRIu64 "\n", encoding.cnf.variable_count,
                    rows.row_count);
        text_printf(out,
                    "* Solutions are the work-conserving schedules; the longest makespan is %" PRId64
                    " minus the least\n* objective.\n",
                    -objective.constant);
        write_comments(out, "*", run->problem, &encoding);
        text_append(out, objective.text.data, objective.text.length);
        if (rows.row_count > 0) text_append(out, rows.text.data, rows.text.length);
        if (objective.text.failed || rows.text.failed || out->failed) status = makespan_no_memory(run);
        text_free(&objective.text);
        text_free(&rows.text);
    }
    cnf_free(&encoding.cnf);
    return status;
}
