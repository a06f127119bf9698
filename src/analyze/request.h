/* What an analysis is asked for, and what follows from that for executing blocks and grids. */
#ifndef WB_ANALYZE_REQUEST_H
#define WB_ANALYZE_REQUEST_H

#include "base/base.h"

/* Most numbers of SMs of one analysis. */
#define SHARES_MAX 256u

struct request {
    const wb_kernel *kernel;
    const wb_launch *launch;
    const wb_machine *machine; /* NULL: of paths alone */
    wb_analyze_options asked;
    bool any;                    /* it has to hold whatever buffers and variables contain */
    bool every_pass;             /* nothing is skipped, as all is simulated */
    uint32_t shares[SHARES_MAX]; /* numbers of SMs, rising */
    size_t share_count;
    uint64_t beside_max; /* most warp instructions that are executed only to show them beside all inputs */
};

/* What a launch file names, and its launch. */
struct launched {
    wb_module *module;
    const wb_kernel *kernel; /* of the module */
    wb_facts *facts;         /* or NULL */
    wb_launch *launch;
};

/* Loads that of the first launch, whose file says which code, for a machine; launched_free in any case. */
wb_status launched_load(wb_launches *launches, const wb_machine *machine, wb_diagnostics *diagnostics,
                        struct launched *loaded);
void launched_free(struct launched *loaded);

/* What is asked of a launch; `machine` and `options` may be NULL. Errors as options_take; WB_ERR_DECLINED,
 * too, when flow facts are not complete. */
wb_status request_make(const wb_kernel *kernel, const wb_launch *launch, const wb_machine *machine,
                       const wb_analyze_options *options, wb_diagnostics *diagnostics,
                       struct request *request);

/* How all blocks are executed: with the given data, and on covering paths. */
wb_grid_options request_given_grid(const struct request *request);
wb_grid_options request_covering_grid(const struct request *request);

/* Passes on the messages of a step that need not succeed, or drops them. */
void request_settle(struct wb_diagnostics *messages, bool keep, wb_diagnostics *diagnostics);

/* Warns that something else is analysed, by the first of the messages that say why; that covering paths are,
 * as executing what the data determines takes too long. */
void request_warn_instead(const char *what, const struct wb_diagnostics *messages,
                          wb_diagnostics *diagnostics);
void request_warn_too_long(const struct wb_diagnostics *messages, wb_diagnostics *diagnostics);

/* What a block executes, for all inputs or for the given ones as far as they are known; and, of covering
 * paths, beside it *given, with the data that was given, or NULL. Where `given` is NULL that is freed. */
wb_status request_block(const struct request *request, wb_diagnostics *diagnostics, wb_block **block,
                        wb_block **given);

/* All blocks with the given data, only to be shown beside all inputs. WB_ERR_DECLINED without a message when
 * that takes too long. Whether the data determines what is executed shows when the grid is analysed. */
wb_status request_grid_beside(const struct request *request, wb_diagnostics *diagnostics, wb_grid **grid);

/* The analysis of all blocks, before any method is run; of covering paths where the given data leaves
 * something open, or is not to be used. */
wb_status request_kernel(const struct request *request, wb_diagnostics *diagnostics, wb_analysis **analysis);

/* What is executed beside covering paths. */
typedef wb_status beside_use(const struct request *request, wb_diagnostics *diagnostics, void *made);

/* The same with zeros in buffers whose contents the launch leaves open: one of its inputs, which proves
 * nothing. What cannot be executed, or takes more than a moment, or contradicts flow facts, is left out
 * without a message. */
wb_status request_use_zeros(const struct request *request, beside_use *use, wb_diagnostics *diagnostics,
                            void *made);

/* The bound by `method` of what is analysed, on a machine that only makes other promises, or counts something
 * else once. WB_ERR_DECLINED where there is none. */
wb_status request_bound_on(const wb_analysis *analysis, const wb_machine *machine, const char *method,
                           const wb_watch *watch, wb_diagnostics *messages, uint64_t *bound);

/* Takes the analysis of a kernel or block, which counts translations once for each page, and what the first
 * level keeps once for each block, without either where its bound is then less. WB_ERR_LIMIT with a message
 * when memory is exhausted. */
wb_status request_take_lesser(const struct request *request, wb_diagnostics *diagnostics,
                              wb_analysis **analysis);

/* The analysis of the same blocks on another machine, before any method is run. Errors as wb_analysis_new. */
wb_status request_again_on(const wb_analysis *analysis, const wb_machine *machine, const wb_watch *watch,
                           wb_diagnostics *messages, wb_analysis **made);

/* Every bound and simulation that is asked for. A limit that a bound hits does not keep the simulations from
 * running. */
wb_status request_run(wb_analysis *analysis, const wb_analyze_options *asked, wb_diagnostics *diagnostics);

/* Reads the numbers of SMs that are asked for: "1..8,16". WB_ERR_INPUT with a message for what is no list. */
wb_status request_read_shares(struct request *request, wb_diagnostics *diagnostics);

/* Analyses a kernel on each of them (wb_analysis_share); when stopped, on those so far. WB_ERR_DECLINED where
 * no whole kernel is analysed. */
wb_status request_find_shares(const struct request *request, wb_analysis *analysis,
                              wb_diagnostics *diagnostics);

/* Of machine code that was simulated, finds what it takes with every latency as short as it is stated, under
 * one of the policies: wb_analysis.shortest, of its longest block, too. WB_ERR_LIMIT when memory is
 * exhausted. */
wb_status request_find_shortest(wb_analysis *analysis, const wb_watch *watch, wb_diagnostics *diagnostics);

/* Of a kernel that is too large to be simulated unasked, finds what its first blocks take alone:
 * wb_analysis.first_blocks. WB_ERR_LIMIT when memory is exhausted. */
wb_status request_find_first_blocks(const struct request *request, wb_analysis *analysis,
                                    wb_diagnostics *diagnostics);

/* Finds what each promise would save that the launch does not make and could keep, of an analysis of machine
 * code with a bound (wb_analysis_savings); when stopped, those found so far. WB_ERR_LIMIT when memory is
 * exhausted. */
wb_status request_find_savings(const struct request *request, wb_analysis *analysis,
                               wb_diagnostics *diagnostics);

#endif
