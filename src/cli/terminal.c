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
