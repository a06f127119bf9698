/* The warpbound command: finds the sub-command, parses its options, runs it, prints its messages. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "stop.h"

static const struct command commands[] = {
    {"analyze", COMMAND_ANALYZE, "FILE.ptx | BLOCK.yaml", "bound and simulate one thread block, or a grid",
     command_analyze},
    {"simulate", COMMAND_SIMULATE, "FILE.ptx | BLOCK.yaml",
     "simulate one thread block, or a grid on a whole GPU", command_simulate},
    {"occupancy", COMMAND_OCCUPANCY, "FILE.ptx", "how many blocks an SM holds at a time, and why no more",
     command_occupancy},
    {"cache", COMMAND_CACHE, "FILE.ptx", "hits and misses of the first-level caches", command_cache},
    {"makespan", COMMAND_MAKESPAN, "STRING | FILE", "bound the makespan of kernel instruction strings",
     command_makespan},
    {"path", COMMAND_PATH, "FILE.ptx", "print what each warp executes", command_path},
    {"cfg", COMMAND_CFG, "FILE.ptx", "print control flow: blocks, dominators, loops", command_cfg},
    {"facts", COMMAND_FACTS, "FILE.ptx", "print a template of flow facts: the loops and their bounds",
     command_facts},
    {"print", COMMAND_PRINT, "FILE.ptx", "print the PTX in canonical form", command_print},
    {"machine", COMMAND_MACHINE, "list | show NAME | import FILE", "list, print or import machines",
     command_machine},
};

enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static void print_usage(FILE *stream) {
    fprintf(stream, "usage: warpbound COMMAND [OPTIONS]\n\ncommands:\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(stream, "  %-10s %s\n", commands[i].name, commands[i].summary);
    fprintf(stream,
            "\nwarpbound COMMAND --help prints the options of a command. A FILE may be -, for standard\n"
            "input where it is read and standard output where it is written.\n"
            "exit status: 0 done, 1 deadline not met, 2 usage or input error, 3 something needed is\n"
            "unknown, 4 a resource limit was hit\n");
}

/* The methods or policies of a registry, one a line. */
static void print_registry(const char *title, const char *(*name)(size_t), const char *(*summary)(size_t)) {
    int width = 12;
    for (size_t i = 0; name(i) != NULL; i++)
        if ((int)strlen(name(i)) > width) width = (int)strlen(name(i));
    printf("\n%s:\n", title);
    for (size_t i = 0; name(i) != NULL; i++)
        printf("  %-*s %s\n", width, name(i), summary(i));
}

static void print_command_help(const struct command *command) {
    printf("usage: warpbound %s %s [OPTIONS]\n%s\n\noptions:\n", command->name, command->operands,
           command->summary);
    options_print_help(command->bit);
    if (command->bit == COMMAND_ANALYZE) print_registry("methods", wb_method_name, wb_method_summary);
    if (command->bit == COMMAND_MAKESPAN)
        print_registry("methods", wb_makespan_method_name, wb_makespan_method_summary);
    if (command->bit == COMMAND_ANALYZE || command->bit == COMMAND_SIMULATE)
        print_registry("policies", wb_policy_name, wb_policy_summary);
    if (command->bit == COMMAND_ANALYZE || command->bit == COMMAND_SIMULATE)
        print_registry("schemes", wb_scheme_name, wb_scheme_summary);
}

/* What was printed is out: else the run has failed, whatever it came to. */
static int printed(int status) {
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    fprintf(stderr, "warpbound: cannot write to standard output\n");
    return WB_ERR_INPUT;
}

/* What is not done because the command was asked to stop is not done for want of time, whatever went wrong.
 */
static int run_until_stopped(const struct command *command, const struct options *options,
                             wb_diagnostics *diagnostics) {
    stop_listen(options->time_limit);
    const int status = command->run(options, diagnostics);
    if (!stop_requested() || status == WB_OK || status == EXIT_DEADLINE_MISSED) return status;
    stop_explain(diagnostics);
    return WB_ERR_LIMIT;
}

static int run_command(const struct command *command, int argc, char **argv) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    if (diagnostics == NULL) {
        fprintf(stderr, "warpbound: out of memory\n");
        return WB_ERR_LIMIT;
    }
    struct options options;
    int status = (int)options_parse(command->bit, argc, argv, diagnostics, &options);
    if (status == WB_OK && options.help) {
        print_command_help(command);
        status = printed(WB_OK);
    } else if (status == WB_OK) {
        status = run_until_stopped(command, &options, diagnostics);
    }
    watch_clear();
    if (status == WB_ERR_LIMIT && wb_diagnostics_text(diagnostics)[0] == '\0')
        wb_diagnostics_error(diagnostics, "warpbound", "out of memory"); /* every other limit has a message */
    if (status == WB_ERR_DECLINED && wb_diagnostics_needs_facts(diagnostics))
        facts_suggest(&options, diagnostics);
    if (wb_diagnostics_needs_launch(diagnostics)) launch_suggest(&options, diagnostics);
    fputs(wb_diagnostics_text(diagnostics), stderr);
    wb_diagnostics_free(diagnostics);
    options_free(&options);
    return status;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        print_usage(stderr);
        return WB_ERR_INPUT;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_usage(stdout);
        return printed(WB_OK);
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("warpbound %s\n", wb_version());
        return printed(WB_OK);
    }
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(argv[1], commands[i].name) == 0) return run_command(&commands[i], argc - 1, argv + 1);
    fprintf(stderr, "warpbound: unknown command '%s' (see warpbound --help)\n", argv[1]);
    return WB_ERR_INPUT;
}
