#ifndef WARPBOUND_MAKESPAN_H
#define WARPBOUND_MAKESPAN_H

#include "warpbound.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Makespan of kernel instruction strings (ECRTS'12, ETFA'13) ------------------------------------------
 */

typedef struct wb_makespan wb_makespan;

/* A problem without warps yet, or NULL when memory is exhausted. */
wb_makespan *wb_makespan_new(void);
void wb_makespan_free(wb_makespan *makespan);

/* Reads a problem from the configuration file of ECRTS 2012, Fig. 4, or from a YAML file (docs/makespan.md).
 */
wb_status wb_makespan_read(const char *path, wb_diagnostics *diagnostics, wb_makespan **makespan);

/* Adds the warps of a traced block: each with the string of the one that executes most instructions. With
 * `branchless_prefix` only what is executed before an instruction is executed a second time, as in ETFA
 * 2013's case study. */
wb_status wb_makespan_add_block(wb_makespan *makespan, const wb_block *block, bool branchless_prefix,
                                wb_diagnostics *diagnostics);

/* Which instruction of the kernel became which letter of that string, as a table; with `other`, how the
 * string differs from that one. */
wb_status wb_makespan_mapping(const wb_block *block, bool branchless_prefix, const char *other,
                              wb_diagnostics *diagnostics, char **text);

/* Adds warps that execute a kernel instruction string over L, C, S, D: "LLC" or "L5(LC)2" for as many as the
 * key "warps" says, "12:LLC" for twelve. */
wb_status wb_makespan_add_warps(wb_makespan *makespan, const char *warps, wb_diagnostics *diagnostics);

/* Sets a key of the problem or of the methods, such as "units" to "L=1,C=4" (docs/makespan.md lists them). */
wb_status wb_makespan_set(wb_makespan *makespan, const char *key, const char *value,
                          wb_diagnostics *diagnostics);

/* Runs the methods of a comma-separated list of names, or for "all" those that are meant for problems of this
 * size. Results are kept in the registry's order, once each; methods without one are listed by
 * wb_makespan_declined, and only where there is no result at all the status and the messages are theirs.
 * WB_ERR_LIMIT, too, when a method was stopped; the others have run, and what the one found so far is kept.
 * From the first call on the problem cannot be changed. The methods "ilp-..." run CBC in a child
 * process that ends with the call: where it fails, as for want of memory, it takes nothing of the caller with
 * it, and its method is one that was stopped. */
wb_status wb_makespan_solve(wb_makespan *makespan, const char *methods, const wb_watch *watch,
                            wb_diagnostics *diagnostics);

/* The smallest problem, by instructions of all warps, on which a published formula ("pessimistic" or
 * "extrapolate") lies below the worst case, not solved yet. */
wb_status wb_makespan_refute(const char *method, const wb_watch *watch, wb_diagnostics *diagnostics,
                             wb_makespan **counterexample);

/* Reads what another solver found of the problem's integer program (WB_MODEL_LP, WB_MODEL_MPS), in a file of
 * CBC, GLPK, SCIP or Gurobi. The values are checked against the program, and the schedule that they say
 * against the definition of one: it becomes a result of the name "solution" and of kind lower behind those of
 * the methods. What the solver says of an optimum is not believed. From here on the problem cannot be
 * changed. */
wb_status wb_makespan_read_solution(wb_makespan *makespan, const char *path, wb_diagnostics *diagnostics);

/* WB_ERR_LIMIT, with a message that has both numbers, where a schedule that was found is longer than what a
 * method proves: one of the two is wrong. */
wb_status wb_makespan_hold(const wb_makespan *makespan, wb_diagnostics *diagnostics);

/* Methods that were asked for and have no result. */
const wb_declined *wb_makespan_declined(const wb_makespan *makespan, size_t *count);

/* The results; NULL past the end. `seconds` is elapsed time, since methods use several threads. */
const wb_bound *wb_makespan_bound(const wb_makespan *makespan, size_t index);

/* The registry of makespan methods, for help texts. NULL past the end. */
const char *wb_makespan_method_name(size_t index);
const char *wb_makespan_method_summary(size_t index);

/* What the method needs and this library was built without, such as "CBC": it is declined then. Else NULL. */
const char *wb_makespan_method_missing(size_t index);

/* A makespan problem, what its transformation did, and its results. */
wb_status wb_makespan_report(wb_makespan *makespan, wb_report_format format, const wb_report_options *options,
                             wb_diagnostics *diagnostics, char **text);

typedef enum {
    WB_WITNESS_TEXT, /* a row per warp, a column per cycle, as in Fig. 2 of ECRTS 2012 */
    WB_WITNESS_SVG,  /* the same as a picture */
    WB_WITNESS_FILE, /* what wb_makespan_check reads (docs/makespan.md) */
} wb_witness_format;

/* The schedule that a method found; of the method whose schedule is longest when `method` is NULL.
 * WB_ERR_DECLINED when there is none. */
wb_status wb_makespan_witness(const wb_makespan *makespan, const char *method, wb_witness_format format,
                              wb_diagnostics *diagnostics, char **text);

typedef enum { WB_CONVERGENCE_CSV, WB_CONVERGENCE_SVG } wb_convergence_format;

/* How the instances of the method "anneal" came to their results: every improvement as a line of a table with
 * commas, or a chart over time like Fig. 12 of ETFA 2013. WB_ERR_DECLINED when the method has not been run.
 */
wb_status wb_makespan_convergence(const wb_makespan *makespan, wb_convergence_format format,
                                  wb_diagnostics *diagnostics, char **text);

typedef enum {
    WB_MODEL_LP,  /* the integer program of an ilp method, in the LP format of CPLEX */
    WB_MODEL_MPS, /* the same as free MPS, which minimises minus the makespan */
} wb_makespan_model;

/* The problem as a text for another solver. `method` chooses the integer program. */
wb_status wb_makespan_export(wb_makespan *makespan, wb_makespan_model model, const char *method,
                             wb_diagnostics *diagnostics, char **text);

/* Writes a certificate to `path`: the longest schedule found with tables which prove that none is longer. A
 * warning says so when they prove an interval only. WB_ERR_DECLINED when no schedule was found, WB_ERR_LIMIT
 * when the tables do not fit the memory that the settings allow. */
wb_status wb_makespan_write_certificate(wb_makespan *makespan, const char *path, const wb_watch *watch,
                                        wb_diagnostics *diagnostics);

/* Checks a witness file from the definition of a schedule, or a certificate from that and the inequalities of
 * its tables: nothing that found them is used. WB_ERR_INPUT with a message when it proves nothing; else *text
 * says what it proves. */
wb_status wb_makespan_check(const char *path, wb_diagnostics *diagnostics, char **text);

#ifdef __cplusplus
}
#endif

#endif
