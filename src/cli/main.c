/* The warpbound command: finds the sub-command, parses its options, runs it, prints its messages. */
#include <assert.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command_line.h"
#include "completion.h"
#include "help.h"
#include "manual.h"
#include "stop.h"
#include "terminal.h"
#include "wing.h"

static bool has_status; /* of the process, by its main function */

/* What was printed is out: else the run has failed, whatever it came to. */
static int printed(int status) {
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    fprintf(stderr, "warpbound: cannot write to standard output\n");
    return WB_ERR_INPUT;
}

/* What is not done because the command was asked to stop is not done for want of time, whatever went wrong.
 */
static int run_until_stopped(const struct command *command, const struct options *options,
                             wb_diagnostics **diagnostics) {
    stop_listen(options->time_limit);
    const int status = options->instead != NULL ? options->instead->run(options, *diagnostics)
                                                : command->run(options, *diagnostics);
    if (!stop_requested() || status == WB_OK || status == EXIT_DEADLINE_MISSED) return status;
    wb_diagnostics *explained = wb_diagnostics_new();
    if (explained == NULL) return WB_ERR_LIMIT;
    stop_explain(*diagnostics, explained);
    wb_diagnostics_free(*diagnostics);
    *diagnostics = explained;
    return WB_ERR_LIMIT;
}

static int run_command(const struct command *command, int argc, char **argv) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct options *options = calloc(1, command->options_size > 0 ? command->options_size : sizeof *options);
    if (diagnostics == NULL || options == NULL) {
        wb_diagnostics_free(diagnostics);
        free(options);
        fprintf(stderr, "warpbound: out of memory\n");
        return WB_ERR_LIMIT;
    }
    bool has_written = false;
    int status = (int)options_parse(command->bit, argc, argv, diagnostics, options);
    options->has_written = &has_written;
    if (status == WB_OK && options->help) {
        help_print_command(command);
        status = printed(WB_OK);
    } else if (status == WB_OK) {
        status = (int)launch_file_load(options, diagnostics);
        if (status == WB_OK) status = (int)refuse_overwriting(options, diagnostics);
        if (status == WB_OK) status = run_until_stopped(command, options, &diagnostics);
    }
    watch_clear();
    if (status == WB_ERR_LIMIT && wb_diagnostics_text(diagnostics)[0] == '\0')
        wb_diagnostics_error(diagnostics, "warpbound", "out of memory"); /* every other limit has a message */
    if (status == WB_ERR_DECLINED && wb_diagnostics_needs_facts(diagnostics))
        facts_suggest(options, diagnostics);
    if (wb_diagnostics_needs_launch(diagnostics)) launch_suggest(options, diagnostics);
    if (status > EXIT_DEADLINE_MISSED) write_failure(options, (wb_status)status, diagnostics);
    terminal_print_messages(wb_diagnostics_text(diagnostics), options->color);
    wb_diagnostics_free(diagnostics);
    options_free(options);
    free(options);
    return status;
}

/* Says what is wrong with a command line that is of no command. */
static int refuse_words(const char *message) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    if (diagnostics == NULL) return WB_ERR_LIMIT;
    wb_diagnostics_error(diagnostics, "warpbound", message);
    fputs(wb_diagnostics_text(diagnostics), stderr);
    wb_diagnostics_free(diagnostics);
    return WB_ERR_INPUT;
}

/* The status of a command line whose command is none. */
static int unknown_command(const char *name) {
    const char *names[16];
    size_t count = 0;
    for (const struct command *command; (command = command_at(count)) != NULL; count++) {
        assert(count < sizeof names / sizeof *names);
        names[count] = command->name;
    }
    const char *nearest = wb_nearest_name(name, names, count);
    char message[200];
    (void)snprintf(
        message, sizeof message, "unknown command '%.60s'%s%s%s (warpbound help lists the commands)", name,
        nearest != NULL ? "; did you mean " : "", nearest != NULL ? nearest : "", nearest != NULL ? "?" : "");
    return refuse_words(message);
}

/* warpbound help [COMMAND], warpbound manual [COMMAND] */
static int run_help(int argc, char **argv) {
    if (argc > 3) {
        return refuse_words(strcmp(argv[1], "help") == 0 ? "help: expected one command"
                                                         : "manual: expected one command");
    }
    const struct command *command = argc == 3 ? command_named(argv[2]) : NULL;
    if (argc == 3 && command == NULL) return unknown_command(argv[2]);
    if (strcmp(argv[1], "manual") == 0)
        manual_print(stdout, command);
    else if (command != NULL)
        help_print_command(command);
    else
        help_print(stdout);
    return printed(WB_OK);
}

/* warpbound completion SHELL */
static int run_completion(int argc, char **argv) {
    if (argc == 3 && completion_print(stdout, argv[2])) return printed(WB_OK);
    return refuse_words("completion: expected a shell: bash, zsh or fish");
}

/* In place of `analyze` the command of a wing whose file one of the arguments names. */
static const struct command *command_for(const struct command *command, int argc, char **argv) {
    if (command->bit != COMMAND_ANALYZE) return command;
    for (int i = 2; i < argc; i++) {
        const struct cli_wing *wing;
        for (size_t w = 0; is_yaml_name(argv[i]) && (wing = cli_wing_at(w)) != NULL; w++)
            if (wing->takes != NULL && wing->takes(argv[i])) return wing->command;
    }
    return command;
}

static bool is_one_of(const char *text, const char *name, const char *other) {
    return strcmp(text, name) == 0 || strcmp(text, other) == 0;
}

static int run(int argc, char **argv) {
    if (argc < 2) {
        help_print(stderr);
        return WB_ERR_INPUT;
    }
    if (is_one_of(argv[1], "--help", "-h")) {
        help_print(stdout);
        return printed(WB_OK);
    }
    if (is_one_of(argv[1], "--version", "-V")) {
        printf("warpbound %s\n", wb_version());
        return printed(WB_OK);
    }
    if (is_one_of(argv[1], "help", "manual")) return run_help(argc, argv);
    if (strcmp(argv[1], "completion") == 0) return run_completion(argc, argv);
    if (strcmp(argv[1], "__complete") == 0) { /* the scripts of shells ask so */
        completion_offer(stdout, argv + 2, (size_t)argc - 2);
        return printed(WB_OK);
    }
    const struct command *command = command_named(argv[1]);
    if (command == NULL) return unknown_command(argv[1]);
    return run_command(command_for(command, argc, argv), argc - 1, argv + 1);
}

#ifndef main /* tests compile it as a function of theirs */
/* Libraries end the process where memory is exhausted, with the status of a missed deadline: OpenMP's, also
 * before the main function begins. That is a limit as any other. */
static void end_without_status(void) {
    if (!has_status) _exit(WB_ERR_LIMIT);
}

static void guard_status(void) {
    (void)atexit(end_without_status);
}

__attribute__((section(".preinit_array"), used)) static void (*const before_libraries)(void) = guard_status;
#endif

/* Searches simulate thousands of times, and each time free what they took: without this the allocator gives
 * it back to the system at once, which takes longer than the simulation. */
static void keep_freed_memory(void) {
    enum { MIB = 1 << 20 };
    (void)mallopt(M_MMAP_THRESHOLD, 32 * MIB);
    (void)mallopt(M_TRIM_THRESHOLD, 256 * MIB);
}

int main(int argc, char **argv) {
    keep_freed_memory();
    const int status = run(argc, argv);
    has_status = true;
    return status;
}
