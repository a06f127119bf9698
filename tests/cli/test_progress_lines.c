/* Progress where standard error is no terminal: a line once in a while, and none before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#define PROGRESS_LINE_SECONDS 0.2
#include "progress.c"

/* Of the command, which this is not. */
bool stop_requested(void) {
    return false;
}
void stop_note_line(bool drawn) {
    assert_false(drawn);
}
size_t terminal_width(FILE *stream) {
    (void)stream;
    return 80;
}

static void test_lines(void **state) {
    (void)state;
    char said[400] = {0};
    FILE *file = tmpfile();
    const int before = dup(STDERR_FILENO);
    assert_non_null(file);
    assert_true(dup2(fileno(file), STDERR_FILENO) >= 0);
    wb_watch watch = watch_terminal();
    for (uint64_t done = 0; done < 3; done++) /* at once */
        assert_true(watch.poll(watch.user, "executing blocks", done, 400));
    (void)usleep(220000);
    assert_true(watch.poll(watch.user, "executing blocks", 100, 400));
    watch = watch_terminal(); /* of what comes next: begins no new while */
    assert_true(watch.poll(watch.user, "sections", 7, 0));
    (void)usleep(220000);
    assert_true(watch.poll(watch.user, "sections", 8, 0));
    watch_clear();
    (void)fflush(stderr);
    assert_true(dup2(before, STDERR_FILENO) >= 0);
    (void)close(before);
    rewind(file);
    assert_true(fread(said, 1, sizeof said - 1, file) > 0);
    (void)fclose(file);
    assert_string_equal(said, "warpbound: executing blocks: 100 of 400 (25 %)\nwarpbound: sections: 8\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
