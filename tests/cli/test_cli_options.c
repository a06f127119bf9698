/* The command line itself: what is misspelt, misplaced, abbreviated or absurd gets one error that names the
 * option and says what was probably meant; help of every command. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run_cli.h"

#define VECADD "kernels/vecadd.ptx -l kernels/vecadd.yaml "

static const struct failure_case misspelt[] = {
    {"analyse", 2, "unknown command 'analyse'; did you mean analyze?"},
    {"help simulat", 2, "unknown command 'simulat'; did you mean simulate?"},
    {"help analyze path", 2, "expected one command"},
    {"''", 2, "unknown command '' (warpbound help lists the commands)"},
    {"analyze --kernal x", 2, "--kernal: error: unknown option; did you mean --kernel?"},
    {"analyze " VECADD "--method k-balance", 2,
     "--method k-balance: error: unknown name 'k-balance'; did you mean 'k-bal'?"},
    {"analyze " VECADD "--method sib,k-aera", 2, "unknown name 'k-aera'; did you mean 'k-area'?"},
    {"simulate " VECADD "--policy lrrr", 2, "--policy lrrr: error: unknown name 'lrrr'; did you mean 'lrr'?"},
    {"simulate " VECADD "--scheme purerr", 2, "did you mean 'pure-rr'?"},
    {"analyze " VECADD "--set mem_latncy=3", 2,
     "--set mem_latncy=3: error: unknown key; did you mean mem_latency=3?"},
    {"analyze " VECADD "--set l2_sise=3", 2, "did you mean l2_size=3?"},
    {"analyze " VECADD "--set class.fp32.latncy=3", 2, "did you mean class.fp32.latency=3?"},
    {"analyze " VECADD "--set fetch.sise=3", 2, "did you mean fetch.size=3?"},
    {"analyze " VECADD "--set fetsh.size=3", 2, "did you mean fetch.size=3?"},
    {"machine show ecrts2025-orin --set mem_latncy=3", 2, "did you mean mem_latency=3?"},
    {"analyze " VECADD "-m orin-sm87", 2, "--machine orin-sm87: error: no such file and no preset"},
    {"analyze " VECADD "-m ecrts2025-orn", 2, "did you mean 'ecrts2025-orin'?"},
    {"analyze " VECADD "--format jason", 2, "; did you mean json?"},
    {"analyze " VECADD "--memory idael", 2, "did you mean ideal?"},
    {"analyze " VECADD "-k vecad_", 2, "there is no kernel 'vecad_'; did you mean 'vecadd'? There are:"},
};

static const struct failure_case abbreviated[] = {
    {"analyze " VECADD "--dead 1ms", 2, "--dead: error: unknown option; did you mean --deadline?"},
    {"analyze " VECADD "--deadlin=1ms", 2, "--deadlin: error: unknown option; did you mean --deadline?"},
    {"analyze " VECADD "--s 4", 2, "did you mean --shared or --set or "},
    {"analyze --hel", 2, "did you mean --help?"},
};

/* Options that others have, with a word why not here. */
static const struct failure_case refused[] = {
    {"cfg kernels/vecadd.ptx -i 0", 2,
     "-i: error: not an option of cfg, which reads the code and executes nothing, but of analyze"},
    {"path " VECADD "--policy lrr", 2, "--policy: error: not an option of path, which executes but times"},
    {"print kernels/vecadd.ptx --deadline 1ms", 2, "not an option of print, which only reads the code"},
    {"machine list --grid=4", 2, "--grid: error: not an option of machine"},
    {"analyze " VECADD "--json=yes", 2, "--json: error: takes no value"},
    {"analyze " VECADD "-z", 2, "-z: error: unknown option"},
};

/* The option is named, with what is expected. */
static const struct failure_case wrong[] = {
    {"analyze kernels/vecadd.ptx -g 0 -b 32", 2, "--grid 0: error: grid: expected one to three numbers"},
    {"analyze kernels/vecadd.ptx --block ''", 2, "--block '': error: block: expected one to three numbers"},
    {"analyze kernels/vecadd.ptx -g 99999999999999999999 -b 1", 2, "--grid 99999999999999999999: error: "},
    {"analyze " VECADD "--shared -1", 2, "--shared -1: error: shared: expected a number of bytes"},
    {"analyze " VECADD "--shared 2M", 2, "from 0 to 1048576, such as 4096 or 48K"},
    {"analyze " VECADD "--shared 4KBB", 2, "--shared 4KBB: error: shared: expected a number of bytes"},
    {"analyze " VECADD "-m ecrts2025-orin --set clock_mhz=1.3", 2, "from 10 to 100000"},
    {"simulate " VECADD "--format trace", 2, "or add --schedule"},
    {"analyze " VECADD "--registers 256", 2, "--registers 256: error: registers: expected a number"},
    {"analyze " VECADD "-a i33:1", 2, "--argument: error: 'i33:1': unknown type"},
    {"analyze " VECADD "-m ecrts2025-orin --deadline 0", 2,
     "--deadline 0: error: expected a deadline above 0"},
    {"analyze " VECADD "-m ecrts2025-orin --deadline -5us", 2,
     "--deadline -5us: error: a deadline cannot be before the start"},
    {"analyze " VECADD "-m ecrts2025-orin --deadline ''", 2,
     "--deadline '': error: expected a deadline such as"},
    {"analyze kernels/vecadd.ptx kernels/vecadd.yaml", 2,
     "expected one PTX file, cubin or program, but there are 2"},
    {"path kernels/vecadd.ptx kernels/vecadd.yaml", 2, "note: give a launch file with --launch"},
    {"print", 2, "expected one PTX file, cubin or program (warpbound help print)"},
    {"analyze " VECADD "--time-limit 0", 2, "--time-limit 0: error: expected a number of seconds above 0"},
    {"analyze " VECADD "--memory-limit 5x", 2, "--memory-limit 5x: error: expected a number of bytes"},
};

static void check_failures(const struct failure_case *cases, size_t count) {
    for (size_t i = 0; i < count; i++)
        check_failure(&cases[i]);
}

#define CHECK_FAILURES(cases) check_failures(cases, sizeof(cases) / sizeof *(cases))

static void test_misspelt_names_get_a_suggestion(void **state) {
    (void)state;
    CHECK_FAILURES(misspelt);
}

static void test_abbreviations_are_refused(void **state) {
    (void)state;
    CHECK_FAILURES(abbreviated);
}

static void test_options_of_others_are_refused_with_a_reason(void **state) {
    (void)state;
    CHECK_FAILURES(refused);
}

static void test_wrong_values_name_their_option(void **state) {
    (void)state;
    CHECK_FAILURES(wrong);
}

/* The end of what a message lists when it lists all keys of machines. */
#ifdef WB_WING_ABSTRACT_CTA
#    define LAST_KEY "abstract_cta.KEY\n"
#else
#    define LAST_KEY ", fetch.KEY"
#endif

/* A list of all that is known is never cut. */
static void test_lists_of_names_are_whole(void **state) {
    (void)state;
    const struct failure_case whole = {"analyze " VECADD "--set zzzzzzzz=1", 2, LAST_KEY};
    check_failure(&whole);
}

/* Whatever bytes an option has: one error, of some lines at most, in printable characters. */
static void test_hostile_options(void **state) {
    (void)state;
    static const char *const hostile[] = {
        "--$(head -c 100000 /dev/zero | tr '\\0' a)",
        "--method $(head -c 100000 /dev/zero | tr '\\0' a)",
        "--set $(head -c 100000 /dev/zero | tr '\\0' a)=1",
        "--deadline $(head -c 100000 /dev/zero | tr '\\0' 9)",
        "--grid $(head -c 100000 /dev/zero | tr '\\0' ,)",
        "-k $(head -c 100000 /dev/zero | tr '\\0' a)",
        "-a $(head -c 100000 /dev/zero | tr '\\0' a)",
        "-m $(head -c 100000 /dev/zero | tr '\\0' a)",
        "--method \"$(printf '\\377\\376')\"",
        "\"$(printf -- '--\\377\\376')\"",
        "--machine \"$(printf '\\377\\001')\"",
        "--=",
        "---",
        "--deadline ''",
        "--method ''",
        "--method ,",
        "--kernel ''",
        "''",
    };
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        char arguments[256];
        (void)snprintf(arguments, sizeof arguments, "\"$WB\" analyze " VECADD "%s", hostile[i]);
        struct run run = run_shell(arguments);
        const bool kernel = strcmp(hostile[i], "--kernel ''") == 0; /* part of every name */
        if (run.status != (kernel ? 0 : 2)) fail_msg("%s: status %d, %s", hostile[i], run.status, run.err);
        if (strlen(run.err) > 8000) fail_msg("%s: a message of %zu bytes", hostile[i], strlen(run.err));
        if (!kernel) assert_int_equal(count_of(run.err, "error: "), 1);
        run_free(&run);
    }
}

/* What comes later counts, so that a script can be given other options behind its own. */
static void test_an_option_given_twice_is_the_last(void **state) {
    (void)state;
    struct run run = run_command("path kernels/vecadd.ptx -l kernels/vecadd.yaml -g 3 -b 64 --grid=2 -b32");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "of grid 2,1,1, threads 32,1,1"));
    run_free(&run);
}

static void test_dashes_end_the_options(void **state) {
    (void)state;
    struct run run = run_command("print -o - -- kernels/vecadd.ptx");
    assert_int_equal(run.status, 0);
    run_free(&run);
    const struct failure_case file = {"print -- --help", 2, "--help: error: cannot read"};
    check_failure(&file);
}

/* The exact name of a kernel is meant before a part of others, mangled or not. */
static void test_exact_names_of_kernels_win(void **state) {
    (void)state;
    static const char *const names[][2] = {
        {"f", "_Z1fPf"},
        {"i", "_Z1iPf"},
        {"f(float*)", "_Z1fPf"},
        {"_Z1iPf", "_Z1iPf"},
        {"k", "_ZN2ns1kEPf"},
        {"ns::k", "_ZN2ns1kEPf"},
        {"scan", "_Z4scanIiEvPT_"},
        {"scan<int>", "_Z4scanIiEvPT_"},
        {"plain", "plain"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char arguments[128], first[64];
        (void)snprintf(arguments, sizeof arguments, "cfg tests/data/cli/names.ptx -k '%s'", names[i][0]);
        (void)snprintf(first, sizeof first, "%s", names[i][1]);
        struct run run = run_command(arguments);
        if (run.status != 0 || strstr(run.out, first) == NULL)
            fail_msg("%s: status %d, %s%s", names[i][0], run.status, run.out, run.err);
        run_free(&run);
    }
    const struct failure_case parts = {"cfg tests/data/cli/names.ptx -k a", 2,
                                       "'a' could be any of these kernels:"};
    check_failure(&parts);
}

static const char *const commands[] = {
    "init",     "analyze", "facts", "simulate", "path", "cfg", "occupancy", "cache", "machine", "print",
#ifdef WB_WING_MAKESPAN
    "makespan",
#endif
};

/* `help COMMAND`, `COMMAND -h` and `COMMAND --help` are one text that fits 80 columns, has examples, and has
 * nothing that is not for it. */
static void test_help_of_every_command(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char arguments[64];
        (void)snprintf(arguments, sizeof arguments, "help %s", commands[i]);
        struct run help = run_command(arguments);
        assert_int_equal(help.status, 0);
        assert_string_equal(help.err, "");
        assert_non_null(strstr(help.out, "\nexamples:\n  warpbound "));
        assert_null(strstr(help.out, "\033"));
        for (const char *line = help.out; *line != '\0'; line += strcspn(line, "\n") + 1)
            if (strcspn(line, "\n") > 80) fail_msg("%s: %.*s", arguments, (int)strcspn(line, "\n"), line);
        for (int form = 0; form < 2; form++) {
            (void)snprintf(arguments, sizeof arguments, "%s %s", commands[i], form == 0 ? "-h" : "--help");
            struct run same = run_command(arguments);
            assert_string_equal(same.out, help.out);
            run_free(&same);
        }
        run_free(&help);
    }
}

/* Examples that use files of the project work as they stand. */
static void test_examples_of_help_work(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char arguments[64];
        (void)snprintf(arguments, sizeof arguments, "help %s", commands[i]);
        struct run help = run_command(arguments);
        for (char *line = strstr(help.out, "\nexamples:\n"); line != NULL; line = strstr(line + 1, "\n")) {
            char *end = strstr(line + 1, "\n"), command[256];
            if (end == NULL || strncmp(line, "\n  warpbound ", 13) != 0) continue;
            (void)snprintf(command, sizeof command, "\"$WB\" %.*s > /dev/null", (int)(end - line - 13),
                           line + 13);
            if (strstr(command, "kernels/") == NULL || strpbrk(command, "|") != NULL) continue;
            struct run run = run_shell(command);
            if (run.status != 0) fail_msg("%s: status %d, %s", command, run.status, run.err);
            run_free(&run);
        }
        run_free(&help);
    }
}

static void test_version_and_top_help(void **state) {
    (void)state;
    struct run version = run_command("--version"), letter = run_command("-V");
    assert_string_equal(version.out, letter.out);
    struct run help = run_command("help"), option = run_command("--help"), short_help = run_command("-h");
    assert_string_equal(help.out, option.out);
    assert_string_equal(help.out, short_help.out);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        assert_non_null(strstr(help.out, commands[i]));
    assert_true(strstr(help.out, "\n  analyze") < strstr(help.out, "\n  simulate"));
    struct run *all[] = {&version, &letter, &help, &option, &short_help};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        assert_int_equal(all[i]->status, 0);
        run_free(all[i]);
    }
}

/* A report says the name that people know beside that of the PTX. */
static void test_reports_say_readable_names(void **state) {
    (void)state;
    static const char *const runs[] = {"analyze tests/data/cli/names.ptx -k f -g 1 -b 32 -a buf:f32[1]",
                                       "occupancy tests/data/cli/names.ptx -k f -b 32"};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        struct run run = run_command(runs[i]);
        assert_int_equal(run.status, 0);
        assert_non_null(strstr(run.out, "f(float*), in PTX _Z1fPf (tests/data/cli/names.ptx)"));
        run_free(&run);
    }
}

/* Every setting that JSON says is a key of --set with a value that it takes, but for names and texts. */
static void test_machines_as_json(void **state) {
    (void)state;
    json_t *list = run_json("machine list --json", 0);
    json_t *preset = entry(list, "presets", "name", "ecrts2025-orin");
    assert_true(json_string_length(json_object_get(preset, "description")) > 0);
    json_decref(list);
    json_t *machine = run_json("machine show ecrts2025-orin --json --set mem_latency=77", 0);
    assert_string_is(machine, "name", "ecrts2025-orin");
    assert_int_equal(number(entry(machine, "settings", "key", "mem_latency"), "value"), 77);
    assert_int_equal(number(entry(machine, "settings", "key", "class.fp32.init"), "value"), 1);
    json_t *interval = run_json("machine show ecrts2025-orin --json --set mem_latency=7..77", 0);
    assert_int_equal(number(entry(interval, "settings", "key", "mem_latency"), "value"), 77);
    assert_int_equal(number(entry(interval, "settings", "key", "mem_latency"), "least"), 7);
    json_decref(interval);
    size_t index;
    json_t *setting;
    json_array_foreach(json_object_get(machine, "settings"), index, setting) {
        const char *key = json_string_value(json_object_get(setting, "key"));
        json_t *value = json_object_get(setting, "value");
        const char *last = strrchr(key, '.') != NULL ? strrchr(key, '.') + 1 : key;
        if (strcmp(last, "name") == 0 || index % 7 != 0) continue;
        char text[64], arguments[256];
        if (json_is_string(value))
            (void)snprintf(text, sizeof text, "%s", json_string_value(value));
        else if (json_is_boolean(value))
            (void)snprintf(text, sizeof text, "%s", json_is_true(value) ? "true" : "false");
        else
            (void)snprintf(text, sizeof text, "%.6g", json_number_value(value));
        (void)snprintf(arguments, sizeof arguments, "machine show ecrts2025-orin --set '%s=%s'", key, text);
        struct run run = run_command(arguments);
        if (run.status != 0) fail_msg("%s: %s", arguments, run.err);
        run_free(&run);
    }
    json_decref(machine);
}

/* ---- The table of docs/options.md ---------------------------------------------------------------------- */

enum { TABLE_COMMANDS_MAX = 16, CELL_MAX = 64 };

/* Copies the next cell of a row of a table to `cell`, without spaces around it; false at the end of the row.
 */
static bool next_cell(const char **row, char cell[CELL_MAX]) {
    const char *start = *row + strspn(*row, "| ");
    if (**row != '|' || start[0] == '\n') return false;
    size_t length = strcspn(*row + 1, "|\n");
    const char *end = *row + 1 + length;
    if (*end != '|') return false;
    for (start = *row + 1; start < end && *start == ' '; start++) {
    }
    length = (size_t)(end - start);
    while (length > 0 && start[length - 1] == ' ')
        length--;
    assert_true(length < CELL_MAX);
    (void)snprintf(cell, CELL_MAX, "%.*s", (int)length, start);
    *row = end;
    return true;
}

/* Whether the help text explains the option, which begins its line behind a letter or spaces. */
static bool explains(const char *help, const char *option) {
    const size_t length = strlen(option);
    for (const char *at = help; (at = strstr(at, option)) != NULL; at++)
        if (at - help > 7 && at[-7] == '\n' && (at[length] == ' ' || at[length] == '\n')) return true;
    return false;
}

/* Commands and options of the table, or options of a command, that belong to wings that this build lacks. */
static bool is_absent(const char *name) {
    static const char *const absent[] = {
#ifndef WB_WING_MAKESPAN
        "makespan",
#endif
#ifndef WB_WING_DEVICE
        "measure",
        "machine --gpu",
        "machine --driver",
        "machine --samples",
        "machine --margin",
        "machine --patience",
        "machine --report",
#endif
#ifndef WB_WING_GATED_SSA
        "--ssa",
#endif
#ifndef WB_WING_SWEEP
        "sweep",
#endif
        NULL};
    size_t i = 0;
    while (absent[i] != NULL && strcmp(absent[i], name) != 0)
        i++;
    return absent[i] != NULL;
}

/* Every option that the table gives a command works there, and every one of its help stands in the table. */
static void test_options_are_those_of_the_table(void **state) {
    (void)state;
    char *page = read_file("docs/options.md"), cell[CELL_MAX];
    char names[TABLE_COMMANDS_MAX][CELL_MAX];
    struct run help[TABLE_COMMANDS_MAX];
    size_t counted[TABLE_COMMANDS_MAX] = {0}, count = 0;
    const char *row = strstr(page, "| option |");
    assert_non_null(row);
    const char *at = row;
    assert_true(next_cell(&at, cell));
    for (; next_cell(&at, cell); count++) {
        assert_true(count < TABLE_COMMANDS_MAX);
        (void)snprintf(names[count], CELL_MAX, "%s", cell);
        char arguments[CELL_MAX + 8];
        (void)snprintf(arguments, sizeof arguments, "help %s", cell);
        help[count] = run_command(arguments);
        assert_int_equal(help[count].status, is_absent(cell) ? 2 : 0);
    }
    row = strchr(strchr(row, '\n') + 1, '\n') + 1;
    for (; *row == '|'; row = strchr(row, '\n') + 1) {
        at = row;
        assert_true(next_cell(&at, cell));
        char *option = strstr(cell, "--");
        assert_non_null(option);
        option[strcspn(option, "`")] = '\0';
        char mark[CELL_MAX], both[CELL_MAX + 1024];
        for (size_t c = 0; next_cell(&at, mark); c++) {
            const bool given = strcmp(mark, "x") == 0;
            (void)snprintf(both, sizeof both, "%s %s", names[c], option);
            if (is_absent(names[c]) || is_absent(option) || is_absent(both)) continue;
            if (given != explains(help[c].out, option))
                fail_msg("docs/options.md: %s of %s is %s", option, names[c], given ? "none" : "missing");
            counted[c] += given;
        }
    }
    for (size_t c = 0; c < count; c++) {
        const size_t explained = count_of(help[c].out, "\n  -") + count_of(help[c].out, "\n      --");
        if (explained != counted[c] && !is_absent(names[c]))
            fail_msg("docs/options.md: %zu options of %s, whose help has %zu", counted[c], names[c],
                     explained);
        run_free(&help[c]);
    }
    free(page);
}

/* ---- A terminal ---------------------------------------------------------------------------------------- */

/* Help uses the width that there is, and bold type unless NO_COLOR says otherwise. */
static void test_help_on_a_terminal(void **state) {
    (void)state;
    struct run run = run_shell("export TERM=xterm; script -qc \"stty cols 50; '$WB' help cfg\" /dev/null");
    assert_non_null(strstr(run.out, "\033[1mexamples:"));
    size_t widest = 0;
    for (const char *line = run.out; *line != '\0';
         line += strcspn(line, "\n") + (strchr(line, '\n') != NULL)) {
        const size_t length = strcspn(line, "\r\n");
        if (strncmp(line, "  warpbound", 11) != 0 && length > widest) widest = length;
    }
    if (widest > 62 || widest < 40) fail_msg("%zu columns: %s", widest, run.out);
    run_free(&run);
    run = run_shell("export TERM=xterm NO_COLOR=1; script -qc \"'$WB' help cfg\" /dev/null");
    assert_null(strstr(run.out, "\033"));
    run_free(&run);
}

#define LONG_RUN "analyze tests/data/limits/long.ptx -k blocks -g 8000000 -b 256 --time-limit 4"

/* One line, with what there is in all and how long it takes, erased at the end; only on a terminal. */
static void test_progress(void **state) {
    (void)state;
    struct run run =
        run_shell("export TERM=xterm; script -qc \"stty cols 200; '$WB' " LONG_RUN " >/dev/null\" /dev/null");
    assert_non_null(strstr(run.out, "\r\033[Kexecuting blocks: "));
    assert_non_null(strstr(run.out, " of 8000000 ("));
    const char *last = NULL;
    for (const char *at = run.out; (at = strstr(at, "\r\033[K")) != NULL; at++)
        last = at;
    assert_non_null(last);
    assert_null(strstr(last, "executing"));
    run_free(&run);
    run = run_command(LONG_RUN);
    assert_int_equal(run.status, 4);
    assert_null(strstr(run.err, "executing"));
    assert_null(strstr(run.err, "\r"));
    run_free(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_misspelt_names_get_a_suggestion),
        cmocka_unit_test(test_abbreviations_are_refused),
        cmocka_unit_test(test_options_of_others_are_refused_with_a_reason),
        cmocka_unit_test(test_wrong_values_name_their_option),
        cmocka_unit_test(test_lists_of_names_are_whole),
        cmocka_unit_test(test_hostile_options),
        cmocka_unit_test(test_an_option_given_twice_is_the_last),
        cmocka_unit_test(test_dashes_end_the_options),
        cmocka_unit_test(test_exact_names_of_kernels_win),
        cmocka_unit_test(test_help_of_every_command),
        cmocka_unit_test(test_examples_of_help_work),
        cmocka_unit_test(test_version_and_top_help),
        cmocka_unit_test(test_reports_say_readable_names),
        cmocka_unit_test(test_machines_as_json),
        cmocka_unit_test(test_options_are_those_of_the_table),
        cmocka_unit_test(test_help_on_a_terminal),
        cmocka_unit_test(test_progress),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
