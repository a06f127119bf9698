/* Numbers that do not overflow, lists that grow, and the end of the program. */
#include "check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define WORK_MAX ((uint64_t)20000000000) /* steps: minutes */
#define TABLE_MAX ((uint64_t)1 << 26)    /* entries of a list */

const char *file_name = "warpbound-check";
uint64_t line_number;

_Noreturn void stop(int status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, line_number == 0 ? "%s: " : "%s:%" PRIu64 ": ", file_name, line_number);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(status);
}

uint64_t add(uint64_t a, uint64_t b) {
    if (a > TIME_MAX || b > TIME_MAX - a) refuse("a sum of times is larger than 2^62");
    return a + b;
}

uint64_t mul(uint64_t a, uint64_t b) {
    if (b != 0 && a > TIME_MAX / b) refuse("a product of times is larger than 2^62");
    return a * b;
}

void count_work(uint64_t steps) {
    static uint64_t work;
    work += 1 + steps;
    if (work > WORK_MAX) refuse("takes too long");
}

void *zeroed(uint64_t count, size_t size) {
    void *made = count <= TABLE_MAX ? calloc(count + 1, size) : NULL;
    if (made == NULL) refuse("out of memory");
    return made;
}

void *grown(void *items, uint64_t count, uint64_t *room, size_t size) {
    if (count < *room) return items;
    *room = max(16, 2 * count);
    void *more = *room <= TABLE_MAX ? realloc(items, *room * size) : NULL;
    if (more == NULL) refuse("a list is too long");
    return more;
}
