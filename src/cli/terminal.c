#include "terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define TERMINAL_WIDTH_LEAST 40

size_t terminal_width(FILE *stream) {
    struct winsize size = {0};
    if (isatty(fileno(stream)) == 0 || ioctl(fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return TERMINAL_WIDTH_USUAL;
    return size.ws_col < TERMINAL_WIDTH_LEAST ? TERMINAL_WIDTH_LEAST : size.ws_col;
}

bool terminal_has_colors(FILE *stream) {
    const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");
    if (isatty(fileno(stream)) == 0 || (none != NULL && *none != '\0')) return false;
    return terminal != NULL && *terminal != '\0' && strcmp(terminal, "dumb") != 0;
}

bool terminal_colors(FILE *stream, unsigned when) {
    return when == COLOR_ALWAYS || (when != COLOR_NEVER && terminal_has_colors(stream));
}

/* How a line says what it is, behind the place that it is about, and in which colour. */
static const struct {
    const char *mark, *color;
} severities[] = {{": error: ", "\033[1;31m"}, {": warning: ", "\033[1;33m"}, {": note: ", "\033[1;36m"}};

/* Prints a line, and of the first mark that it has the word in colour. */
static void print_message(const char *line, int length) {
    const char *first = NULL;
    size_t severity = 0;
    for (size_t s = 0; s < sizeof severities / sizeof *severities; s++) {
        const char *found = memmem(line, (size_t)length, severities[s].mark, strlen(severities[s].mark));
        if (found == NULL || (first != NULL && found > first)) continue;
        first = found;
        severity = s;
    }
    if (first == NULL) {
        fprintf(stderr, "%.*s", length, line);
        return;
    }
    const char *word = first + 2, *rest = first + strlen(severities[severity].mark) - 1;
    fprintf(stderr, "%.*s%s%.*s\033[0m%.*s", (int)(word - line), line, severities[severity].color,
            (int)(rest - word), word, (int)(line + length - rest), rest);
}

void terminal_print_messages(const char *messages, unsigned color) {
    if (!terminal_colors(stderr, color)) {
        fputs(messages, stderr);
        return;
    }
    while (*messages != '\0') {
        const int length = (int)strcspn(messages, "\n") + 1;
        print_message(messages, messages[length - 1] == '\n' ? length : length - 1);
        messages += messages[length - 1] == '\n' ? length : length - 1;
    }
}
