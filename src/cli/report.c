/* analyze --report: the report in HTML, beside what the command prints. */
#include <stdlib.h>
#include <string.h>

#include "command.h"

/* Characters that a shell takes as they are. */
static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%+,-./:=@_";

/* Appends a word as a shell reads it back; there is room. */
static char *append_word(char *at, const char *word) {
    const bool is_plain = word[0] != '\0' && word[strspn(word, plain)] == '\0';
    if (!is_plain) *at++ = '\'';
    for (; *word != '\0'; word++) {
        if (*word == '\'')
            at = stpcpy(at, "'\\''");
        else
            *at++ = *word;
    }
    if (!is_plain) *at++ = '\'';
    return at;
}

/* The command line, as a shell reads it; malloc'd, NULL when memory is exhausted. */
static char *command_line(const struct options *options) {
    static const char start[] = "warpbound analyze";
    size_t room = sizeof start;
    for (int i = 0; i < options->word_count; i++)
        room += 4 * strlen(options->words[i]) + 3;
    char *line = malloc(room);
    if (line == NULL) return NULL;
    char *at = stpcpy(line, start);
    for (int i = 0; i < options->word_count; i++) {
        *at++ = ' ';
        at = append_word(at, options->words[i]);
    }
    *at = '\0';
    return line;
}

/* What is written: of one of the two. */
struct html_subject {
    const wb_analysis *analysis;
    const wb_stream *stream;
    const wb_report_options *report;
    wb_html_options html;
};

static wb_status make(void *user, const wb_writer *writer, wb_diagnostics *diagnostics) {
    const struct html_subject *subject = user;
    if (subject->analysis == NULL)
        return wb_stream_html_report(subject->stream, subject->report, &subject->html, writer, diagnostics);
    return wb_html_report(subject->analysis, subject->report, &subject->html, writer, diagnostics);
}

wb_status write_html_report(const struct options *options, const wb_analysis *analysis,
                            const wb_stream *stream, const wb_report_options *report, const char *picture,
                            wb_diagnostics *diagnostics) {
    if (options->report == NULL) return WB_OK;
    char *command = command_line(options);
    struct html_subject subject = {
        analysis,
        stream,
        report,
        {.size = sizeof subject.html, .command = command, .watch = watch_terminal(), .picture = picture}};
    const wb_status status = write_file(options->report, make, &subject, diagnostics);
    watch_clear();
    free(command);
    return status;
}
