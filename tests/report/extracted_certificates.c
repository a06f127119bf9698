/* Certificates of random blocks, grids and blocks of machine code, true and forged, with what warpbound-check
 * says of them, for the extracted checkers to judge, too (proofs/extract/certificates.ml,
 * docs/machine-checked.md).
 *
 * usage: extracted_certificates CHECKER blocks|grids|code FIRST_SEED COUNT
 *        extracted_certificates CHECKER files FILE...
 *
 * Of each seed two, of each certificate in a file some: `certificate SEED|FILE true|forged`, the lines of the
 * file behind `> `, `said STATUS`, what the checker wrote behind `< `, `end`. Forged: one number is another,
 * and the sum at the end is mended. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "bound/analysis/analysis.h"
#include "extracted_block.h"
#include "random_code.h"

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

/* What the checker says of a certificate, as a text that is overwritten by the next one, and its status. */
static const char *ask(const char *checker, const char *text, int *status) {
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
    *status = WEXITSTATUS(code);
    return said;
}

/* Prints a certificate, and what the checker says of it. */
static void judge(const char *checker, const char *name, const char *kind, const char *text) {
    int status;
    const char *said = ask(checker, text, &status);
    printf("certificate %s %s\n", name, kind);
    print_lines(">", text);
    printf("said %d\n", status);
    print_lines("<", said);
    printf("end\n");
}

/* ---- Sums ------------------------------------------------------------------------------------------------
 */

/* Ends a certificate with the sum of what stands there. */
static void put_sum(struct text *text) {
    uint64_t sum = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (size_t i = 0; i < text->length; i++)
        sum = (sum ^ (unsigned char)text->data[i]) * UINT64_C(0x100000001b3);
    text_printf(text, "end %016" PRIx64 "\n", sum);
    if (text->failed) give_up("out of memory");
}

/* The same certificate with one more claim. */
static struct text with_claim(const char *text, const char *method, uint64_t claim) {
    struct text made = {0};
    text_printf(&made, "%.*sclaim %s %" PRIu64 "\n", (int)(strstr(text, "\nend ") + 1 - text), text, method,
                claim);
    put_sum(&made);
    return made;
}

/* The same with a claim of the least that the checker shows by a method, of which nobody claims anything by
 * itself; frees the first. */
static struct text with_least_claim(const char *checker, struct text *text, const char *method) {
    static const char words[] = "what can be shown is ";
    struct text asking = with_claim(text->data, method, 0);
    int status;
    const char *said = ask(checker, asking.data, &status), *shown = strstr(said, words);
    const uint64_t least = shown == NULL ? 0 : strtoull(shown + strlen(words), NULL, 10);
    const struct text made = with_claim(text->data, method, least);
    text_free(&asking);
    text_free(text);
    return made;
}

/* ---- Forging ---------------------------------------------------------------------------------------------
 */

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* What only the checker reads, or no definition counts. */
static bool is_said_besides(const char *line) {
    return strncmp(line, "of ", 3) == 0 || strncmp(line, "held ", 5) == 0 ||
           strncmp(line, "stalled ", 8) == 0 || strncmp(line, "fetch", 5) == 0;
}

/* Numbers of the certificate, but of its title, its comments, its sum, and what is said besides, or those of
 * claims only: where they begin. */
static size_t find_numbers(const char *text, bool of_claims, const char **numbers, size_t most) {
    const char *line = strchr(text, '\n') + 1;
    size_t count = 0;
    for (const char *next; (next = strchr(line, '\n')) != NULL && strncmp(line, "end", 3) != 0;
         line = next + 1)
        for (const char *c = line + 1; c < next && *c != '#' && *line != '#'; c++)
            if (is_digit(*c) && c[-1] == ' ' && count < most && !is_said_besides(line) &&
                (!of_claims || strncmp(line, "claim ", 6) == 0))
                numbers[count++] = c;
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
    const bool of_claims = random_below(&random, 3) == 0;
    const size_t count = find_numbers(text, of_claims, numbers, sizeof numbers / sizeof *numbers);
    if (count == 0) give_up("nothing to forge");
    const char *at = numbers[random_below(&random, count)];
    char *behind;
    const uint64_t value = strtoull(at, &behind, 10);
    text_printf(&made, "%.*s%" PRIu64, (int)(at - text), text, another(&random, value));
    text_printf(&made, "%.*s", (int)(strstr(text, "\nend ") + 1 - behind), behind);
    put_sum(&made);
    return made;
}

/* ---- Certificates ----------------------------------------------------------------------------------------
 */

static bool take(void *user, const char *bytes, size_t size) {
    text_append(user, bytes, size);
    return true;
}

/* That of an analysis with these bounds, and with the executions of these policies, if any. */
static struct text certificate_of(wb_analysis *analysis, const char *methods, const char *policies,
                                  wb_diagnostics *diagnostics) {
    struct text text = {0};
    const wb_writer writer = {take, &text};
    if (wb_analysis_bound(analysis, methods, NULL, diagnostics) != WB_OK ||
        (policies != NULL && wb_analysis_simulate(analysis, policies, NULL, diagnostics) != WB_OK) ||
        wb_analysis_certificate(analysis, &writer, diagnostics) != WB_OK || text.failed)
        give_up(wb_diagnostics_text(diagnostics));
    return text;
}

static struct text of_block(uint64_t seed, wb_diagnostics *diagnostics) {
    struct random_block random;
    wb_analysis *analysis = NULL;
    extracted_block_make(seed, &random);
    if (analysis_of_timed(&random.block.timed, diagnostics, &analysis) != WB_OK) give_up("no analysis");
    const struct text text = certificate_of(analysis, "sib,fib,aln,fifo,elb", POLICIES, diagnostics);
    wb_analysis_free(analysis);
    synthetic_block_free(&random.block);
    return text;
}

/* The same certificate without claims of k-wave, of which no checker is extracted; frees the first. */
static struct text without_waves(struct text *text) {
    static const char wave[] = "claim k-wave";
    struct text made = {0};
    const char *end = strstr(text->data, "\nend ") + 1;
    for (const char *line = text->data, *next; line < end; line = next) {
        next = strchr(line, '\n') + 1;
        if (strncmp(line, wave, strlen(wave)) != 0) text_append(&made, line, (size_t)(next - line));
    }
    put_sum(&made);
    text_free(text);
    return made;
}

static struct text of_grid(uint64_t seed, wb_diagnostics *diagnostics) {
    struct random_grid random;
    wb_analysis *analysis = NULL;
    extracted_grid_make(seed, 14, &random);
    if (analysis_parse("grid", random.label, strlen(random.label), diagnostics, &analysis) != WB_OK)
        give_up(wb_diagnostics_text(diagnostics));
    const bool goes_anywhere = grid_work_is_dynamic(&analysis->work);
    struct text text =
        certificate_of(analysis, goes_anywhere ? "k-sm,k-area,k-bal" : "k-sm", NULL, diagnostics);
    wb_analysis_free(analysis);
    random_grid_free(&random);
    return without_waves(&text);
}

static struct text of_code(uint64_t seed, wb_diagnostics *diagnostics) {
    struct random_code random;
    wb_analysis *analysis = NULL;
    random_code_make(seed, 1, &random);
    if (analysis_of_timed(&random.block, diagnostics, &analysis) != WB_OK) give_up("no analysis");
    const struct text text = certificate_of(analysis, "code-elb,code-sib,code-fib", NULL, diagnostics);
    wb_analysis_free(analysis);
    timed_block_free(&random.block);
    return text;
}

static const struct {
    const char *name;
    struct text (*make)(uint64_t seed, wb_diagnostics *diagnostics);
    const char *besides; /* a method that is claimed, too */
} subjects[] = {{"blocks", of_block, "chain"}, {"grids", of_grid, NULL}, {"code", of_code, NULL}};

static void print_certificates(const char *checker, size_t subject, uint64_t seed) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct text text = subjects[subject].make(seed, diagnostics);
    if (subjects[subject].besides != NULL) text = with_least_claim(checker, &text, subjects[subject].besides);
    struct text other = forged(seed, text.data);
    char name[32];
    (void)snprintf(name, sizeof name, "%" PRIu64, seed);
    judge(checker, name, "true", text.data);
    judge(checker, name, "forged", other.data);
    text_free(&text);
    text_free(&other);
    wb_diagnostics_free(diagnostics);
}

/* Forged ones of each certificate in a file: there are few files, and of each method a claim should be
 * refused. */
#define FORGERIES 6u

/* A certificate in a file, and those that are forged of it by seeds from this one on. */
static void print_file(const char *checker, uint64_t seed, const char *path) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    char *text;
    size_t size;
    if (file_read(path, SIZE_MAX - 1, diagnostics, &text, &size) != WB_OK)
        give_up(wb_diagnostics_text(diagnostics));
    judge(checker, path, "true", text);
    for (uint64_t i = 0; i < FORGERIES; i++) {
        struct text other = forged(seed + i, text);
        judge(checker, path, "forged", other.data);
        text_free(&other);
    }
    free(text);
    wb_diagnostics_free(diagnostics);
}

int main(int count, char **words) {
    if (count > 2 && strcmp(words[2], "files") == 0) {
        for (int i = 3; i < count; i++)
            print_file(words[1], (uint64_t)i * FORGERIES, words[i]);
        return 0;
    }
    if (count != 5) give_up("expected CHECKER blocks|grids|code FIRST_SEED COUNT, or CHECKER files FILE...");
    const uint64_t first = strtoull(words[3], NULL, 10), cases = strtoull(words[4], NULL, 10);
    for (size_t s = 0; s < sizeof subjects / sizeof *subjects; s++) {
        if (strcmp(words[2], subjects[s].name) != 0) continue;
        for (uint64_t i = 0; i < cases; i++)
            print_certificates(words[1], s, first + i);
        return 0;
    }
    give_up("expected blocks, grids or code");
}
