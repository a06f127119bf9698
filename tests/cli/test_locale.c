/* Nothing that is read or written depends on the locale that a program has set: reports and messages are the
 * same, byte for byte, in a locale with a decimal comma. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "run_cli.h"

/* Where localedef puts the locale. */
static char folder[] = "/tmp/warpbound_locale_XXXXXX";

/* Makes the locale and sets it for the commands that are run; false where localedef cannot. */
static bool make_locale(void) {
    char command[256];
    if (mkdtemp(folder) == NULL) return false;
    (void)snprintf(command, sizeof command,
                   "localedef -c -i tests/data/decimal_comma.locale %s/comma >%s/messages 2>&1", folder,
                   folder);
    (void)system(command); /* it warns; whether it worked shows when the locale is asked for */
    if (setenv("LOCPATH", folder, 1) != 0 || setenv("LC_ALL", "comma", 1) != 0) return false;
    bool made = setlocale(LC_ALL, "") != NULL && *localeconv()->decimal_point == ',';
    (void)setlocale(LC_ALL, "C");
    return made;
}

static void remove_locale(void) {
    char command[64];
    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    (void)system(command);
}

/* What the command writes, with and without the locale. */
static void check_command(const char *arguments) {
    char text[1024];
    struct run plain = run_command(arguments);
    (void)snprintf(text, sizeof text, "'%s' %s", WB_COMMAND_IN_LOCALE, arguments);
    struct run locale = run_shell(text);
    if (locale.status != plain.status || strcmp(locale.out, plain.out) != 0 ||
        strcmp(locale.err, plain.err) != 0)
        fail_msg("%s: status %d and %d\n%s%s\nnot\n%s%s", arguments, locale.status, plain.status, locale.out,
                 locale.err, plain.out, plain.err);
    run_free(&plain);
    run_free(&locale);
}

#define MANDELBROT "kernels/mandelbrot.ptx -l kernels/mandelbrot.yaml "
#define SHARES "makespan '(LC)5' -w 6 -u L=1/2,C=4 "

static void locale_does_not_matter(void **state) {
    (void)state;
    static const char *const commands[] = {
        "analyze kernels/saxpy.ptx -l kernels/saxpy.yaml --deadline 1.5us --method sib,elb,k-sm",
        "analyze kernels/saxpy.ptx -l kernels/saxpy.yaml --deadline 1,5us --method sib",
        "analyze kernels/saxpy.ptx -l kernels/saxpy.yaml --method sib,k-sm --json",
        "analyze kernels/horner.ptx -l kernels/horner_stream.yaml --method sib,k-sm",
        "analyze kernels/horner.ptx -l kernels/horner_stream.yaml --method sib,k-sm --json",
        "simulate kernels/saxpy.ptx -g 2 -b 32 -a f32:0.5 -a 'buf:f32[64]=1.5' -a 'buf:f32[64]=0.25' -a "
        "i32:64",
        "simulate kernels/saxpy.ptx -g 2 -b 32 -a f32:0,5 -a 'buf:f32[64]' -a 'buf:f32[64]' -a i32:64",
        "simulate " MANDELBROT "--scheme default -m jcse2017 --threads 1",
        "simulate " MANDELBROT "--scheme default -m jcse2017 --threads 1 --json",
        "cache kernels/saxpy.ptx -l kernels/saxpy.yaml",
        "cache kernels/saxpy.ptx -l kernels/saxpy.yaml --json",
        "occupancy kernels/saxpy.ptx -l kernels/saxpy.yaml --registers 40",
        "occupancy kernels/saxpy.ptx -l kernels/saxpy.yaml --registers 40 --json",
        "path " MANDELBROT "--format jcse-json",
        "print tests/data/ptx/unusual.ptx",
        "machine show ecrts2025-orin",
        "machine show ecrts2025-orin --set clock_mhz=930.5",
#ifdef WB_WING_MAKESPAN
        SHARES "--method pessimistic,closed,extrapolate -x 3",
        "makespan LCLC -w 2 -u L=1,C=1 --method ilp-cumulative --time-limit 9.5 --json",
        "makespan LCLC -w 3 -u L=1,C=1 --method exact --schedule --format svg",
#endif
        "print no_such_file.ptx",
    };
    bool made = make_locale();
    for (size_t i = 0; made && i < sizeof commands / sizeof *commands; i++)
        check_command(commands[i]);
    remove_locale();
    if (made) return;
    print_message("localedef cannot make a locale here: not tested\n");
    skip();
}

/* Whatever the C library does as the locale says is asked for in one place, as src/base/base.h has it. */
static void library_does_not_ask(void **state) {
    (void)state;
    struct run run =
        run_shell("nm -u " WB_LIBRARY " | grep -E ' (__|__isoc[0-9]+_)?(strto(d|f|ld|l|ul|ll|ull|imax|umax)"
                  "|ato[fil]l?|[a-z]*scanf|sn?printf|vsprintf|strerror|strcoll|to(lower|upper)"
                  "|__ctype_[a-z_]*|strn?casecmp|strftime)(_chk)?$' | sort | uniq -c");
    assert_string_equal(run.err, "");
    assert_string_equal(run.out, "");
    run_free(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(locale_does_not_matter),
        cmocka_unit_test(library_does_not_ask),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
