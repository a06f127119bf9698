/* Numbers that do not overflow, lists that grow, and the end of the program. */
#include "check.h"

#include <stdarg.h>
#include <stdlib.h>

#define WORK_MAX ((uint64_t)5000000000) /* steps: half a minute */
#define TABLE_MAX ((uint64_t)1 << 30)   /* bytes of a table, */
#define LISTS_MAX ((uint64_t)1 << 32)   /* and of all lists together */

void print_printable(FILE *out, const char *text) {
    for (; *text != '\0'; text++)
        fputc(*text >= ' ' && *text <= '~' ? *text : '?', out);
}

_Noreturn void stop(const struct check *check, int status, const char *format, ...) {
    char message[400];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    (void)fflush(stdout);
    print_printable(stderr, check == NULL ? "warpbound-check" : check->name);
    if (check != NULL && check->line > 0) fprintf(stderr, ":%" PRIu64, check->line);
    fputs(": ", stderr);
    print_printable(stderr, message);
    fputc('\n', stderr);
    exit(status);
}

uint64_t add(uint64_t a, uint64_t b) {
    if (a > TIME_MAX || b > TIME_MAX - a) refuse(NULL, "a sum of times is larger than 2^62");
    return a + b;
}

uint64_t mul(uint64_t a, uint64_t b) {
    if (b != 0 && a > TIME_MAX / b) refuse(NULL, "a product of times is larger than 2^62");
    return a * b;
}

void count_work(struct check *check, uint64_t steps) {
    check->work += 1 + steps;
    if (check->work > WORK_MAX) refuse(check, "takes too long");
}

void *zeroed(const struct check *check, uint64_t count, size_t size) {
    void *made = count < TABLE_MAX / size ? calloc(count + 1, size) : NULL;
    if (made == NULL) refuse(check, "a table of %" PRIu64 " entries is too large", count);
    return made;
}

void *grown(struct check *check, void *items, uint64_t count, uint64_t *room, size_t size) {
    if (count < *room) return items;
    check->listed += (max(16, 2 * count) - *room) * size;
    *room = max(16, 2 * count);
    void *more = check->listed <= LISTS_MAX ? realloc(items, *room * size) : NULL;
    if (more == NULL) refuse(check, "more is said than fits into memory");
    return more;
}

void dropped(struct check *check, void *items, uint64_t bytes) {
    check->listed -= bytes;
    free(items);
}
