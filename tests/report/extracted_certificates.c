/* Certificates of random blocks, true and forged, with what warpbound-check says of them, for the extracted
 * checkers to judge, too (proofs/extract/certificates.ml, docs/machine-checked.md).
 *
 * usage: extracted_certificates CHECKER FIRST_SEED COUNT
 *
 * Of each seed two: `certificate SEED true|forged`, the lines of the file behind `> `, `said STATUS`, what
 * the checker wrote behind `< `, `end`. Forged: one number is another, and the sum at the end is mended. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bound/analysis/analysis.h"
#include "extracted_block.h"

#define POLICIES "lrr,gto,oldest"

static _Noreturn void give_up(const char *why) {
    fprintf(stderr, "extracted_certificates: %s\n", why);
    exit(2);
}

/* ---- The checker -----------------------------------------------------------------------------------------
 */

static void print_lines(const char *mark, const char *text) {
    while (*text != '\0') {
        const size_t length = strcspn(text, "\n");
        printf("%s %.*s\n", mark, (int)length, text);
        text += length + (text[length] == '\n');
    }
}

/* Prints a certificate, and what the checker says of it. */
static void judge(const char *checker, uint64_t seed, const char *kind, const char *text) {
    static char said[8192];
    char path[] = "/tmp/warpbound_extracted_XXXXXX", command[4096];
    const int fd = mkstemp(path);
    if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text)) give_up("no file");
    (void)close(fd);
    (void)snprintf(command, sizeof command, "'%s' %s 2>&1", checker, path);
    FILE *out = popen(command, "r");
    if (out == NULL) give_up("no checker");
    said[fread(said, 1, sizeof said - 1, out)] = '\0';
    const int code = pclose(out);
    (void)unlink(path);
    if (!WIFEXITED(code) || WEXITSTATUS(code) > 2) give_up("the checker fails");
    printf("certificate %" PRIu64 " %s\n", seed, kind);
    print_lines(">", text);
    printf("said %d\n", WEXITSTATUS(code));
    print_lines("<", said);
    printf("end\n");
}

/* ---- Forging ---------------------------------------------------------------------------------------------
 */

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Numbers of the certificate, but of its title, its comments and its sum: where they begin. */
static size_t find_numbers(const char *text, const char **numbers, size_t most) {
    const char *line = strchr(text, '\n') + 1;
    size_t count = 0;
    for (const char *next; (next = strchr(line, '\n')) != NULL && strncmp(line, "end", 3) != 0;
         line = next + 1)
        for (const char *c = line + 1; c < next && *c != '#' && *line != '#'; c++)
            if (is_digit(*c) && c[-1] == ' ' && count < most) numbers[count++] = c;
    return count;
}

static uint64_t another(struct random_state *random, uint64_t value) {
    const uint64_t to[] = {value + 1, value - 1, value + 1, value - 1, 2 * value, random_below(random, 10)};
    const uint64_t chosen = to[random_below(random, sizeof to / sizeof *to)];
    return chosen == value || chosen == UINT64_MAX ? value + 1 : chosen;
}

/* The same certificate with another number, and the sum that belongs to it. */
static struct text forged(uint64_t seed, const char *text) {
    const char *numbers[4096];
    struct random_state random = random_seeded(seed);
    struct text made = {0};
    const size_t count = find_numbers(text, numbers, sizeof numbers / sizeof *numbers);
    if (count == 0) give_up("nothing to forge");
    const char *at = numbers[random_below(&random, count)];
    char *behind;
    const uint64_t value = strtoull(at, &behind, 10);
    text_printf(&made, "%.*s%" PRIu64, (int)(at - text), text, another(&random, value));
    text_printf(&made, "%.*s", (int)(strstr(text, "\nend ") + 1 - behind), behind);
    uint64_t sum = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (size_t i = 0; i < made.length; i++)
        sum = (sum ^ (unsigned char)made.data[i]) * UINT64_C(0x100000001b3);
    text_printf(&made, "end %016" PRIx64 "\n", sum);
    if (made.failed) give_up("out of memory");
    return made;
}

/* ---- Certificates ----------------------------------------------------------------------------------------
 */

static bool take(void *user, const char *bytes, size_t size) {
    text_append(user, bytes, size);
    return true;
}

static struct text certificate_of(wb_analysis *analysis, wb_diagnostics *diagnostics) {
    struct text text = {0};
    const wb_writer writer = {take, &text};
    if (wb_analysis_bound(analysis, "sib,fib,aln,elb", NULL, diagnostics) != WB_OK ||
        wb_analysis_simulate(analysis, POLICIES, NULL, diagnostics) != WB_OK ||
        wb_analysis_certificate(analysis, &writer, diagnostics) != WB_OK || text.failed)
        give_up(wb_diagnostics_text(diagnostics));
    return text;
}

static void print_certificates(const char *checker, uint64_t seed) {
    struct random_block random;
    wb_analysis *analysis = NULL;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    extracted_block_make(seed, &random);
    if (analysis_of_timed(&random.block.timed, diagnostics, &analysis) != WB_OK) give_up("no analysis");
    struct text text = certificate_of(analysis, diagnostics), other = forged(seed, text.data);
    judge(checker, seed, "true", text.data);
    judge(checker, seed, "forged", other.data);
    text_free(&text);
    text_free(&other);
    wb_analysis_free(analysis);
    synthetic_block_free(&random.block);
    wb_diagnostics_free(diagnostics);
}

int main(int count, char **words) {
    if (count != 4) give_up("expected CHECKER FIRST_SEED COUNT");
    const uint64_t first = strtoull(words[2], NULL, 10), cases = strtoull(words[3], NULL, 10);
    for (uint64_t i = 0; i < cases; i++)
        print_certificates(words[1], first + i);
    return 0;
}
