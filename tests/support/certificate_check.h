/* Certificates in tests: written of an analysis, and judged by warpbound-check, whose file is WB_CHECKER. */
#ifndef WB_TESTS_CERTIFICATE_CHECK_H
#define WB_TESTS_CERTIFICATE_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "warpbound.h"

/* What it said, as a text that is overwritten by the next run; its exit status in *status. `words` stand
 * before the file. */
static inline const char *check_with(const char *words, const char *text, size_t length, int *status) {
    static char said[8192];
    char path[] = "/tmp/warpbound_certificate_XXXXXX", command[1024];
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, length), (ssize_t)length);
    (void)close(fd);
    (void)snprintf(command, sizeof command, "'%s' %s %s 2>&1", WB_CHECKER, words, path);
    FILE *out = popen(command, "r");
    assert_non_null(out);
    said[fread(said, 1, sizeof said - 1, out)] = '\0';
    const int code = pclose(out);
    (void)unlink(path);
    assert_true(WIFEXITED(code));
    *status = WEXITSTATUS(code);
    return said;
}

static inline const char *check_text(const char *text, size_t length, int *status) {
    return check_with("", text, length, status);
}

/* The same of lines to which title and sum are added. */
static inline const char *check_sum(const char *lines, int *status) {
    struct text text = {0};
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    text_printf(&text, "warpbound timing certificate 3\n%s", lines);
    for (size_t i = 0; i < text.length; i++)
        sum = (sum ^ (unsigned char)text.data[i]) * UINT64_C(0x100000001b3);
    text_printf(&text, "end %016" PRIx64 "\n", sum);
    assert_false(text.failed);
    const char *said = check_text(text.data, text.length, status);
    text_free(&text);
    return said;
}

/* What each certificate says of its subject, as of one made by hand, unless the lines say it. */
static inline void put_subject(struct text *text, const char *lines) {
    const bool is_kernel = strstr(lines, "\ngrid ") != NULL, is_fixed = strstr(lines, "\nnext ") != NULL;
    const char *const said[][2] = {
        {"of kernel ", "none"},
        {"of grid ", "none"},
        {"of threads ", "none"},
        {"of inputs ", "none"},
        {"of policy ", "any"},
        {"of code ", "none"},
        {"of launch ", "none"},
        {"of machine ", "0000000000000000000000000000000000000000000000000000000000000000"},
        {"of facts ", "none"},
        {"of block ", is_kernel ? "all" : "one"},
        {"of dispatch ", is_fixed    ? "fixed"
                         : is_kernel ? "any"
                                     : "none"}};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        if (strstr(lines, said[i][0]) == NULL) text_printf(text, "%s%s\n", said[i][0], said[i][1]);
}

/* Likewise that nothing stands still. */
static inline void put_held(struct text *text, const char *lines) {
    static const char *const kinds[] = {"l2 ",           "dram ",       "write-backs ", "answers ",
                                        "l1-stalls ",    "requests ",   "atomics ",     "translations ",
                                        "dram-sectors ", "l2-sectors ", "fetch "};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        char key[32];
        (void)snprintf(key, sizeof key, "held %s", kinds[k]);
        if (strstr(lines, key) == NULL) text_printf(text, "%s0 0\n", key);
    }
}

/* Whether the block that begins with a line says how long it is stalled. */
static inline bool says_stalled(const char *line) {
    const char *next = strstr(line, "\nblock "), *said = strstr(line, "\nstalled ");
    return said != NULL && (next == NULL || said < next);
}

/* What the checker says of lines to which is added what nobody would leave out: what a forger would make of
 * them. */
static inline const char *check_lines(const char *lines, int *status) {
    struct text text = {0};
    bool met = false;
    put_subject(&text, lines);
    for (const char *line = lines, *next; *line != '\0'; line = next) {
        const bool is_block = strncmp(line, "block ", 6) == 0;
        next = strchr(line, '\n') + 1;
        if (is_block && !met) put_held(&text, lines);
        met = met || is_block;
        text_append(&text, line, (size_t)(next - line));
        if (is_block && !says_stalled(line)) text_string(&text, "stalled 0 0 1 -\n");
        if (strncmp(line, "grid ", 5) == 0 && strstr(lines, "\nfetching ") == NULL)
            text_string(&text, "fetching 0 0 0 1 0\n");
        if (strncmp(line, "class ", 6) == 0 && strncmp(next, "fetches ", 8) != 0)
            text_string(&text, "fetches 0\n");
    }
    text_char(&text, '\0');
    const char *said = check_sum(text.data, status);
    text_free(&text);
    return said;
}

static inline bool take(void *user, const char *bytes, size_t size) {
    text_append(user, bytes, size);
    return true;
}

static inline struct text certificate_of(wb_analysis *analysis, const char *methods, const char *policies) {
    struct text text = {0};
    const wb_writer writer = {take, &text};
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    assert_int_equal(wb_analysis_bound(analysis, methods, NULL, diagnostics), WB_OK);
    if (policies != NULL)
        assert_int_equal(wb_analysis_simulate(analysis, policies, NULL, diagnostics), WB_OK);
    assert_int_equal(wb_analysis_certificate(analysis, &writer, diagnostics), WB_OK);
    wb_diagnostics_free(diagnostics);
    return text;
}

/* What certificates call a form of the bound of a kernel. */
static inline const char *claim_of_form(const char *form) {
    static const char *const names[][2] = {{"area", "k-area"},
                                           {"balance", "k-bal"},
                                           {"sm", "k-sm"},
                                           {"chain-area", "k-chain-area"},
                                           {"chain-balance", "k-chain-bal"},
                                           {"chain-sm", "k-chain"},
                                           {"serial", "k-serial"},
                                           {"oldest", "k-oldest"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i][0], form) == 0) return names[i][1];
    fail_msg("no claim of form %s", form);
    return NULL;
}

/* Whether less is proven than is claimed. Of k-serial that may be, where a warp ends before others: the
 * library has it complete what it issued in its last section, too. */
static inline bool proves_less(const char *said) {
    for (const char *even; (even = strstr(said, ", even ")) != NULL; said = even + 1) {
        const char *line = even;
        while (line > said && line[-1] != '\n')
            line--;
        if (strncmp(line, "kernel: k-serial:", strlen("kernel: k-serial:")) != 0) return true;
    }
    return false;
}

/* The checker must prove each claim and, unless it may, nothing less. */
static inline void check_claims(const struct text *text, bool may_prove_less, const char *label) {
    int status;
    const char *said = check_text(text->data, text->length, &status);
    if (status != 0 || (!may_prove_less && proves_less(said))) fail_msg("%s\n%s%s", said, text->data, label);
}

struct forged {
    const char *lines;
    int status;
    const char *words;
};

static inline void check_forgeries(const struct forged *forged, size_t count) {
    for (size_t f = 0; f < count; f++) {
        int status;
        const char *said = check_lines(forged[f].lines, &status);
        if (status != forged[f].status || strstr(said, forged[f].words) == NULL)
            fail_msg("%s\nstatus %d: %s", forged[f].lines, status, said);
    }
}

#endif
