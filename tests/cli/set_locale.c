/* Gives a command the locale of its environment before it starts, and makes sure that it is one with a
 * decimal comma. */
#include <locale.h>
#include <unistd.h>

__attribute__((constructor)) static void set_locale(void) {
    if (setlocale(LC_ALL, "") == NULL || *localeconv()->decimal_point != ',') _exit(99);
}
