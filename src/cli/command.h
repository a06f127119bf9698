/* What every sub-command needs: inputs loaded from the options, progress, output. */
#ifndef WB_CLI_COMMAND_H
#define WB_CLI_COMMAND_H

#include "options.h"
#include "warpbound.h"

/* The machine of commands for which any will do, unless one is named. */
#define DEFAULT_MACHINE "orin-sm86"

/* Exit status beside the values of wb_status. */
#define EXIT_DEADLINE_MISSED 1

/* A sub-command: its row in the table of main.c. `run` returns the exit status. */
struct command {
    const char *name;
    enum command_bit bit;
    const char *operands; /* for the usage line */
    const char *summary;
    int (*run)(const struct options *options, wb_diagnostics *diagnostics);
};

int command_analyze(const struct options *options, wb_diagnostics *diagnostics);
int command_simulate(const struct options *options, wb_diagnostics *diagnostics);
int command_path(const struct options *options, wb_diagnostics *diagnostics);
int command_cfg(const struct options *options, wb_diagnostics *diagnostics);
int command_facts(const struct options *options, wb_diagnostics *diagnostics);
int command_print(const struct options *options, wb_diagnostics *diagnostics);
int command_machine(const struct options *options, wb_diagnostics *diagnostics);
int command_cache(const struct options *options, wb_diagnostics *diagnostics);
int command_occupancy(const struct options *options, wb_diagnostics *diagnostics);
int command_makespan(const struct options *options, wb_diagnostics *diagnostics);

/* Notes how flow facts that are lacking are given, as a command for the launch of the options. */
void facts_suggest(const struct options *options, wb_diagnostics *diagnostics);

/* Notes that there is a file for a launch beside the PTX file, where there is: NAME.yaml beside NAME.ptx. */
void launch_suggest(const struct options *options, wb_diagnostics *diagnostics);

/* What analyze, simulate and path work on. Zero-initialised it is empty. */
struct inputs {
    wb_module *module;
    const wb_kernel *kernel;
    wb_launches
        *launches; /* of a launch file that was looked into, as those that may be lists are; or NULL */
    wb_launch *launch;
    wb_facts *facts;     /* of the kernel, or NULL */
    wb_machine *machine; /* NULL for path and for a block file */
    wb_block *block;     /* NULL for a block file */
    wb_block
        *given_block; /* beside a block that covers all executions: with the data that was given, or NULL */
    wb_grid *grid;    /* all blocks, or NULL */
    wb_grid *given_grid;   /* beside a grid that covers all executions, likewise */
    wb_gpu *gpu;           /* the grid on the machine, or NULL */
    wb_analysis *analysis; /* NULL for path */
    wb_analysis *given;    /* of given_block or given_grid, or NULL */
    uint64_t memory_limit; /* of what is executed; 0: as the library has it */
};

/* Loads the module, and the kernel of it that the options name (or the launch file, when loaded already). */
wb_status inputs_load_kernel(const struct options *options, wb_diagnostics *diagnostics,
                             struct inputs *inputs);

/* Loads the launch file, if there is one. A list is left to the caller; any other launch is then taken. */
wb_status inputs_load_launches(const struct options *options, wb_diagnostics *diagnostics,
                               struct inputs *inputs);

/* Loads launch and kernel. */
wb_status inputs_load_launch(const struct options *options, wb_diagnostics *diagnostics,
                             struct inputs *inputs);

/* What inputs_load makes of the block that it executes. */
enum inputs_use {
    INPUTS_EXECUTION,  /* the paths of one execution: nothing that steers it may be unknown */
    INPUTS_SIMULATION, /* the same with machine and analysis */
    INPUTS_PATHS,      /* paths, covering ones where values are not known */
    INPUTS_ANALYSIS    /* the same with machine and analysis */
};

/* Loads launch and kernel and executes the block. A file whose name ends in .yaml or .yml is a block written
 * by hand, which has no kernel, launch and machine of its own. */
wb_status inputs_load(const struct options *options, enum inputs_use use, wb_diagnostics *diagnostics,
                      struct inputs *inputs);

/* Executes all blocks of the launch that is loaded, and makes the analysis of the kernel on the machine: of
 * covering paths where the given data leaves something open, or is not to be used. */
wb_status inputs_load_kernel_analysis(const struct options *options, wb_diagnostics *diagnostics,
                                      struct inputs *inputs);

/* Loads launch and kernel and executes all blocks, or the one that the options name. */
wb_status inputs_load_grid(const struct options *options, bool allow_unmapped, wb_diagnostics *diagnostics,
                           struct inputs *inputs);

/* The same with a machine that has caches, on which the grid is made ready to be simulated. */
wb_status inputs_load_gpu(const struct options *options, wb_diagnostics *diagnostics, struct inputs *inputs);

/* The same for what is known of its caches: where the given data leaves open what is executed, or is not to
 * be used, the grid is one of covering paths, which cannot be simulated. */
wb_status inputs_load_caches(const struct options *options, bool allow_unmapped, wb_diagnostics *diagnostics,
                             struct inputs *inputs);

/* The same with a machine that has caches, and the analysis of the grid under the scheme that the options
 * name. */
wb_status inputs_load_grid_analysis(const struct options *options, wb_diagnostics *diagnostics,
                                    struct inputs *inputs);
void inputs_free(struct inputs *inputs);

/* The module of the one operand. */
wb_status load_module(const struct options *options, wb_diagnostics *diagnostics, wb_module **module);

/* The machine that the options name, with every --set applied: of analyze and simulate; or `name`. */
wb_status load_analysis_machine(const struct options *options, wb_diagnostics *diagnostics,
                                wb_machine **machine);
wb_status load_machine(const struct options *options, const char *name, wb_diagnostics *diagnostics,
                       wb_machine **machine);

/* Whether every --set can show in the results of one of the inputs (wb_analysis_reads_setting). */
wb_status analyze_check_settings(const struct options *options, const struct inputs *inputs, size_t count,
                                 wb_diagnostics *diagnostics);

/* Every bound and simulation that is asked for, of an analysis that is loaded. A limit that a bound hits does
 * not keep the simulations from running. */
wb_status analyze_compute(const struct options *options, wb_diagnostics *diagnostics,
                          const struct inputs *inputs);

/* Whether the analysis, or that of its longest block, has a bound or a simulation; NULL has none. */
bool analyze_has_results(const wb_analysis *analysis);

/* --states of an analysis. */
wb_status analyze_set_limits(const struct options *options, wb_diagnostics *diagnostics,
                             wb_analysis *analysis);

/* --deadline, in cycles of the machine, and --scope. */
wb_status analyze_read_deadline(const struct options *options, const wb_machine *machine,
                                wb_diagnostics *diagnostics, wb_report_options *report);

/* Whether there is a deadline, and it is of the kernel. */
bool analyze_judges_kernel(const struct options *options);

/* The exit status for the verdict on a deadline, with a message unless that is met or not. */
int analyze_judge(const struct options *options, wb_verdict verdict, wb_diagnostics *diagnostics);

/* Analyses the kernels of a list of launches. Returns the exit status. */
int analyze_stream(const struct options *options, wb_launches *launches, wb_diagnostics *diagnostics);

/* A whole number in digits alone, at most `most`; false when the text is something else. */
bool read_count(const char *text, size_t length, uint64_t most, uint64_t *count);

/* Fails with a message unless the output format is one of the two (pass the same twice for one). */
wb_status require_format(const struct options *options, enum output_format first, enum output_format second,
                         wb_diagnostics *diagnostics);

/* A message about the command line itself, to the same place as all others; returns WB_ERR_INPUT. */
wb_status usage_error(wb_diagnostics *diagnostics, const char *message);

/* Writes `text` to the file of -o or to standard output. */
wb_status write_output(const struct options *options, const char *text, wb_diagnostics *diagnostics);

/* The same of a report that is written as it is made: `make` is given where to, and `user`. */
wb_status write_as_made(const struct options *options,
                        wb_status (*make)(void *user, const wb_writer *writer, wb_diagnostics *diagnostics),
                        void *user, wb_diagnostics *diagnostics);

/* Progress on a terminal's standard error, and an end when the command is asked to stop (stop.h). */
wb_watch watch_terminal(void);

/* Removes the progress line, if one was drawn. */
void watch_clear(void);

#endif
