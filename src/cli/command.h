/* The sub-commands, and what each of them needs: inputs loaded from the options, progress, output. */
#ifndef WB_CLI_COMMAND_H
#define WB_CLI_COMMAND_H

#include "options.h"
#include "warpbound.h"

/* Exit status beside the values of wb_status. */
#define EXIT_DEADLINE_MISSED 1

enum { EXAMPLES_MAX = 6 };

/* A sub-command: its row in the table of command.c, or of a wing. `run` returns the exit status. */
struct command {
    const char *name;
    unsigned bit;         /* of enum command_bit */
    const char *operands; /* for the usage line, and for what shells complete (completion.h) */
    const char *summary;
    const char *does; /* behind its name, why options of others are of no use to it */
    int (*run)(const struct options *options, wb_diagnostics *diagnostics);
    const char *manual; /* what its manual page says beside its options: a paragraph a line */
    const char
        *examples[EXAMPLES_MAX + 1]; /* for its help: arguments behind `warpbound`; NULL behind the last */
    const char *before;  /* of a wing: the command that help lists behind it; NULL: it comes last */
    size_t options_size; /* of a struct that begins with struct options, and has what its own options store
                            (INTO_OWN) behind it; 0: there is none */
};

/* The commands in the order in which a user comes to need them; those of wings that do not say their place
 * come last. NULL past the end. */
const struct command *command_at(size_t index);

/* The command's `operands`, and those that wings add to it. */
void command_operands(const struct command *command, char *line, size_t size);

/* The command of a bit, and that of a name or NULL. */
const struct command *command_of(unsigned bit);
const struct command *command_named(const char *name);

int command_analyze(const struct options *options, wb_diagnostics *diagnostics);
int command_simulate(const struct options *options, wb_diagnostics *diagnostics);
int command_path(const struct options *options, wb_diagnostics *diagnostics);
int command_cfg(const struct options *options, wb_diagnostics *diagnostics);
int command_facts(const struct options *options, wb_diagnostics *diagnostics);
int command_print(const struct options *options, wb_diagnostics *diagnostics);
int command_machine(const struct options *options, wb_diagnostics *diagnostics);
int command_cache(const struct options *options, wb_diagnostics *diagnostics);
int command_occupancy(const struct options *options, wb_diagnostics *diagnostics);
int command_init(const struct options *options, wb_diagnostics *diagnostics);

/* Notes how flow facts that are lacking are given, as a command for the launch of the options. */
void facts_suggest(const struct options *options, wb_diagnostics *diagnostics);

/* Notes that there is a file for a launch beside the PTX file, where there is: NAME.yaml beside NAME.ptx. */
void launch_suggest(const struct options *options, wb_diagnostics *diagnostics);

/* Reads the launch file that -l or an operand names, if there is one, and fills in what it says in place of
 * options that are left out: code, which becomes the operand, flow facts, machine and deadline. */
wb_status launch_file_load(struct options *options, wb_diagnostics *diagnostics);

/* Refuses -o, --report and --annotate onto an input, an existing source file, or each other. Nothing is
 * written to the output then. */
wb_status refuse_overwriting(struct options *options, wb_diagnostics *diagnostics);

/* Whether the name of a file ends as those of YAML files do. */
bool is_yaml_name(const char *name);

/* Notes where the launch file says `used`, which an error is about, if it does. */
void note_setting(const struct options *options, wb_launch_setting setting, const char *used,
                  wb_diagnostics *diagnostics);

/* What most commands work on. Zero-initialised it is empty. */
struct inputs {
    wb_module *module;
    wb_module *code; /* of the same program as PTX: machine code; or NULL */
    const wb_kernel *kernel;
    wb_launch *launch;
    wb_facts *facts;     /* of the kernel, or NULL */
    wb_machine *machine; /* NULL: of no use */
};

/* Loads the module, and the kernel of it that the options name (or the launch file, when loaded already). */
wb_status inputs_load_kernel(const struct options *options, wb_diagnostics *diagnostics,
                             struct inputs *inputs);

/* Loads launch and kernel, and the machine that the options name or else `machine`; without one when that is
 * NULL. */
wb_status inputs_load_launch(const struct options *options, const char *machine, wb_diagnostics *diagnostics,
                             struct inputs *inputs);

/* The same with flow facts. */
wb_status inputs_load(const struct options *options, const char *machine, wb_diagnostics *diagnostics,
                      struct inputs *inputs);
void inputs_free(struct inputs *inputs);

/* The options of analyze, path and cache as the library has them. */
wb_analyze_options analyze_options(const struct options *options, const struct inputs *inputs);

/* Whether the operand is a block, a grid or abstract warps written by hand: its name ends in .yaml or .yml.
 * It has no kernel, launch and machine of its own: options that describe these do not go with it. */
bool is_block_file(const struct options *options);
wb_status load_block_file(const struct options *options, wb_diagnostics *diagnostics, wb_analysis **analysis);

/* "X[,Y[,Z]]" of a grid or a block, the numbers left out being 1, set by wb_launch_set_grid or _block. */
wb_status set_dimensions(wb_launch *launch,
                         wb_status (*set)(wb_launch *, const uint32_t dimensions[3], wb_diagnostics *),
                         const char *text, wb_diagnostics *diagnostics);

/* Holds the machine code that is analysed, that of --cubin, or that beside PTX in a program against the
 * bounds (wb_analysis_compare_code). What is read to `code` has to outlive the analysis. */
wb_status compare_machine_code(const struct options *options, const struct inputs *inputs,
                               wb_diagnostics *diagnostics, wb_module **code, wb_analysis *analysis);

/* The same of the launches of a list. */
wb_status compare_machine_code_of_list(const struct options *options, const struct inputs *inputs,
                                       wb_diagnostics *diagnostics, wb_module **code, wb_stream *stream);

/* The file of the one operand. */
wb_status load_program(const struct options *options, wb_diagnostics *diagnostics, wb_program **program);

/* Whether PTX is to be compiled for the machine, which may be NULL. */
bool compile_is_asked(const struct options *options, const wb_machine *machine);

/* The module of machine code that ptxas makes of the PTX of the one operand, which `program` is, for the
 * machine; of the machine code for it that the program has. Errors as ptxas_assemble (ptxas.h). */
wb_status compile_program(const struct options *options, const wb_program *program, const wb_machine *machine,
                          wb_diagnostics *diagnostics, wb_module **module);

/* The module of the one operand, and the machine that the options name or else `usual`, which say which code
 * is taken, with a note where the machine is not one that the code is for; without a machine where `usual` is
 * NULL. */
wb_status load_module(const struct options *options, const char *usual, wb_diagnostics *diagnostics,
                      struct inputs *inputs);

/* As inputs_load_kernel; of a program without a machine the machine code, the first of several. */
wb_status inputs_load_described(const struct options *options, wb_diagnostics *diagnostics,
                                struct inputs *inputs);

/* The machine `name` with every --set applied. */
wb_status load_machine(const struct options *options, const char *name, wb_diagnostics *diagnostics,
                       wb_machine **machine);

/* Applies every --set. */
wb_status set_keys(const struct options *options, wb_machine *machine, wb_diagnostics *diagnostics);

/* --threads of a simulation, or the number of processors. */
void set_threads(const struct options *options, wb_gpu *gpu);

/* Width and colours of a report that write_output writes. */
void report_look(const struct options *options, wb_report_options *report);

/* Fails with a message unless the output format is one of the two (pass the same twice for one). */
wb_status require_format(const struct options *options, enum output_format first, enum output_format second,
                         wb_diagnostics *diagnostics);

/* A message about the command line itself, to the same place as all others; returns WB_ERR_INPUT. */
wb_status usage_error(wb_diagnostics *diagnostics, const char *message);

/* wb_deadline_cycles of --deadline, which its messages name. */
wb_status deadline_cycles(const char *deadline, const wb_machine *machine, wb_diagnostics *diagnostics,
                          uint64_t *cycles);

/* The format that is asked for, of what the library reports in several. */
wb_report_format report_format(const struct options *options);

/* The name of the test case of JUnit, by what the command line and the launch file say alone, so that runs
 * that fail have the same; malloc'd, NULL when memory is exhausted. */
char *case_label(const struct options *options);

/* Writes what a run that failed has to say in the format that its report would have had, unless that was
 * written, or would have been a text: to where the report would have gone. */
void write_failure(const struct options *options, wb_status status, const wb_diagnostics *messages);

/* Writes `text` to the file of -o or to standard output. */
wb_status write_output(const struct options *options, const char *text, wb_diagnostics *diagnostics);

/* Writes what `make` makes, which is given where to, and `user`, to a file: whole or not at all. */
wb_status write_file(const char *path, wb_status (*make)(void *, const wb_writer *, wb_diagnostics *),
                     void *user, wb_diagnostics *diagnostics);

/* The same to the file of -o or to standard output. */
wb_status write_as_made(const struct options *options,
                        wb_status (*make)(void *user, const wb_writer *writer, wb_diagnostics *diagnostics),
                        void *user, wb_diagnostics *diagnostics);

/* cfg.c: what an option of a wing prints of a kernel in place of its control flow, as text or in the other
 * format. */
int print_code(const struct options *options, enum output_format other, wb_diagnostics *diagnostics,
               wb_status (*print)(const wb_kernel *, const wb_launch *, wb_diagnostics *, char **));

/* cache.c: the grid with what is known of its data on a machine with caches. Pointers may be given as plain
 * numbers where `allow_unmapped`. */
wb_status load_gpu(const struct options *options, bool allow_unmapped, struct inputs *inputs,
                   wb_diagnostics *diagnostics, wb_gpu **gpu);

/* calibrate.c: machine calibrate. */
wb_status calibrate_machine(const struct options *options, wb_diagnostics *diagnostics, char **text);

/* report.c: writes the report in HTML, of an analysis or, where that is NULL, of a stream, to the file of
 * --report; nothing without that. With a picture, or NULL. */
wb_status write_html_report(const struct options *options, const wb_analysis *analysis,
                            const wb_stream *stream, const wb_report_options *report, const char *picture,
                            wb_diagnostics *diagnostics);

/* Fails with a message unless --format is one of a schedule: text, trace or svg; or --window is there without
 * a schedule. */
wb_status require_schedule_format(const struct options *options, wb_diagnostics *diagnostics);
wb_status refuse_window(const struct options *options, wb_diagnostics *diagnostics);

/* --window, and the usual watch. */
wb_status read_schedule_options(const struct options *options, wb_diagnostics *diagnostics,
                                wb_schedule_options *asked);

/* Writes schedules as --format says; several go with trace only. */
wb_status write_schedules(const struct options *options, const wb_schedule *const *schedules, size_t count,
                          wb_diagnostics *diagnostics);

/* Progress on a terminal's standard error, and an end when the command is asked to stop (stop.h). */
wb_watch watch_terminal(void);

/* What the progress line ends with, such as how many units failed; kept by the caller. NULL: nothing. */
void watch_note(const char *note);

/* Removes the progress line, if one was drawn. */
void watch_clear(void);

#endif
