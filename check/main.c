/* warpbound-check [--of FILE ...] CERTIFICATE: reads a certificate line by line, and checks each claim where
 * it stands; the files are those that it must be of.
 *
 * Exit status: 0 when every claim is proven, 1 when one is not, 2 when the file is no certificate, was
 * changed or is of other files, 4 when an execution takes longer than a bound that is shown. */
#define _GNU_SOURCE
#include "cubin.h"
#include "kernel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void read_claim(struct check *check, const uint64_t *n);

static const struct key claim_keys[] = {
    {"claim", "mt", CLAIM, read_claim}, /* method, cycles */
    {.name = NULL},
};
static const struct key *const tables[] = {certificate_keys, claim_keys,       execution_keys,
                                           kernel_keys,      segment_sum_keys, code_keys};
#define LINE_MAX_BYTES (1 << 20)
#define FILE_MAX_BYTES ((uint64_t)1 << 30)
#define TABLES (sizeof tables / sizeof tables[0])

static const struct key *key_of(const struct check *check, const char *name) {
    for (size_t t = 0; t < TABLES; t++)
        for (const struct key *key = tables[t]; key->name != NULL; key++)
            if (strcmp(key->name, name) == 0) return key;
    if (strcmp(name, "end") == 0) refuse(check, "it was changed: this is not the sum of what stands above");
    refuse(check, "unknown: %s", name);
}

static uint64_t held_of(const struct check *check, const char *name) {
    for (uint64_t kind = 0; kind < HELD_KINDS; kind++)
        if (strcmp(held_names[kind], name) == 0) return kind;
    refuse(check, "nothing is held by %s", name);
}

static uint64_t method_of(const struct check *check, const char *name) {
    const struct method *method;
    for (uint64_t number = 0; (method = method_at(number)) != NULL; number++)
        if (strcmp(method->name, name) == 0) return number;
    refuse(check, "no method: %s", name);
}

/* Numbers of a kind are below this. */
static uint64_t limit_of(const struct check *check, char kind) {
    switch (kind) {
    case 'b': return check->blocks.count;
    case 'c': return check->machine.sub_cores;
    case 'f': return 2;
    case 'i': return check->block->insts.count;
    case 'p': return check->block->paths;
    case 'q': return (uint64_t)1 << check->block->queues;
    case 'r': return check->block->registers;
    case 's': return check->block->sections.count;
    case 'u': return check->machine.units;
    default: return TIME_MAX;
    }
}

static uint64_t number_of(const struct check *check, const char *word, char kind) {
    uint64_t value = 0;
    if (kind == 'u' && strcmp(word, "-") == 0) return NO_UNIT;
    if (kind == 'm') return method_of(check, word);
    if (kind == 'h') return held_of(check, word);
    if (kind == 'd' && strcmp(word, "unlimited") == 0) return UNLIMITED;
    for (const char *c = word; *c != '\0'; c++) {
        if (*c < '0' || *c > '9') refuse(check, "not a number: %s", word);
        value = add(mul(10, value), (uint64_t)(*c - '0'));
    }
    if (value >= limit_of(check, kind))
        refuse(check, "%s is not below %" PRIu64, word, limit_of(check, kind));
    if (value == 0 && kind == 'n') refuse(check, "1 is the least");
    return value;
}

/* No execution of a block takes longer than any bound of it. */
static void compare_shown(struct check *check, const struct method *method, uint64_t shown) {
    if (method->is_lower) check->longest = max(check->longest, shown);
    if (!method->is_lower && shown < check->least) check->least = shown, check->least_by = method->name;
    if (check->longest <= check->least) return;
    printf("block: CONTRADICTION: an execution takes %" PRIu64 " cycles, %s shows at most %" PRIu64 "\n",
           check->longest, check->least_by, check->least);
    check->contradicted++;
}

static void begin_claims(struct check *check) {
    const bool is_block = check->block != NULL;
    require_whole_subject(check);
    if (is_block && check->blocks.count > 1) refuse(check, "several blocks, and no grid of them");
    if (!is_block) require_classes(check);
    if (is_block && strcmp(subject_of(check, "block"), "all") == 0) refuse(check, "one block is not all");
    if (is_block) require_subject(check, "dispatch", "none");
    compare_files(check, check->files, check->file_count);
    print_subject(check);
    if (check->machine.is_code) follow_code(check);
}

static void read_claim(struct check *check, const uint64_t *n) {
    const struct method *method = method_at(n[0]);
    struct block *block = check->block;
    const uint64_t claim = n[1];
    if (check->claims++ == 0) begin_claims(check);
    require_policy(check, method);
    const uint64_t held = add(held_in_all(&check->machine), block == NULL ? 0 : block->stalls);
    if (method->is_lower && held > 0) refuse(check, "no execution of a machine that stands still at times");
    const uint64_t time = block == NULL ? time_of_grid(method, check->grid) : time_of_block(method, block);
    const uint64_t shown = add(time, held);
    const bool proven = method->is_lower ? shown >= claim : shown <= claim;
    printf("%s: %s: at %s %" PRIu64 " cycles: ", block == NULL ? "kernel" : "block", method->name,
           method->is_lower ? "least" : "most", claim);
    if (!proven) printf("NOT PROVEN: what can be shown is %" PRIu64 "\n", shown);
    if (proven) printf(shown == claim ? "proven\n" : "proven, even %" PRIu64 "\n", shown);
    check->failed += !proven;
    note_theorem(check, n[0], claim, held);
    if (block != NULL) compare_shown(check, method, shown);
}

/* What the claims rest on, but is only said; of blocks and theorems in kernel.c. */
static void print_unchecked(const struct check *check) {
    print_not_followed(check);
    printf("; that all stands still for no longer than is said: by");
    for (uint64_t k = 0; k < HELD_KINDS; k++)
        printf(" %s %" PRIu64 ",", held_names[k], check->machine.held[k]);
    print_on_paper(check);
    putchar('\n');
}

static void check_place(struct check *check, const struct key *key) {
    const bool begins_grid = key->place == BEGINS_GRID, begins = begins_grid || key->place == BEGINS_BLOCK;
    if (check->claims > 0 && key->place != CLAIM) refuse(check, "%s behind a claim", key->name);
    if (key->place <= OF_MACHINE && check->blocks.count > 0) refuse(check, "%s behind a block", key->name);
    if ((key->place == BEGINS_ALL) == (check->machine.width > 0))
        refuse(check, "%s: the machine comes first, and once", key->name);
    if (begins && check->in_grid) refuse(check, "%s behind the grid", key->name);
    if (key->place == OF_BLOCK && check->block == NULL) refuse(check, "%s of no block", key->name);
    if (key->place == OF_GRID && !check->in_grid) refuse(check, "%s of no grid", key->name);
    check->in_grid = check->in_grid || begins_grid;
    if (begins_grid) check->block = NULL;
}

static void read_line(struct check *check, char *text) {
    char *rest;
    if (strncmp(text, "of ", 3) == 0) {
        read_of(check, text + 3);
        return;
    }
    const char *name = strtok_r(text, " ", &rest), *word;
    if (name == NULL) return;
    const struct key *key = key_of(check, name);
    const char *kind = key->kinds;
    check_place(check, key);
    for (check->numbers.count = 0; (word = strtok_r(NULL, " ", &rest)) != NULL;) {
        if (*kind == '\0') refuse(check, "more than was expected: %s", word);
        PUSH(check, &check->numbers, number_of(check, word, *kind));
        kind += kind[1] != '*';
    }
    if (*kind != '\0' && kind[1] != '*') refuse(check, "%s: less than was expected", name);
    key->read(check, check->numbers.items);
}

/* Reads all lines, the last of which is the sum of those above it. */
static void read_file(struct check *check, FILE *file) {
    char *line = zeroed(check, LINE_MAX_BYTES, 1), end[32] = "";
    uint64_t sum = UINT64_C(0xcbf29ce484222325), bytes = 0; /* FNV-1a */
    bool ended = false;
    while (fgets(line, LINE_MAX_BYTES, file) != NULL) {
        const size_t length = strlen(line);
        const bool is_title = check->line++ == 0;
        bytes += length;
        if (ended || length == 0 || line[length - 1] != '\n')
            refuse(check, "more behind the end, a zero byte, or a line that is too long");
        if (bytes > FILE_MAX_BYTES) refuse(check, "more than %" PRIu64 " bytes", FILE_MAX_BYTES);
        if (is_title && strcmp(line, "warpbound timing certificate 2\n") == 0)
            refuse(check, "version 2 does not say of what it is; write it again with --certificate");
        if (is_title && strcmp(line, "warpbound timing certificate 3\n") != 0)
            refuse(check, "not a certificate of times, version 3");
        (void)snprintf(end, sizeof end, "end %016" PRIx64 "\n", sum);
        ended = strcmp(line, end) == 0;
        for (size_t i = 0; i < length; i++)
            sum = (sum ^ (unsigned char)line[i]) * UINT64_C(0x100000001b3);
        size_t said = strcspn(line, "#\n");
        while (said > 0 && line[said - 1] == ' ')
            said--;
        line[said] = '\0';
        if (!is_title && !ended) read_line(check, line);
    }
    if (ferror(file)) refuse(check, "%s", strerror(errno));
    if (!ended) refuse(check, "it is not complete: its last line is not the sum of all others");
    free(line);
}

int main(int count, char **words) {
    const bool compares = count > 3 && strcmp(words[1], "--of") == 0;
    if (count != 2 && !compares)
        refuse(NULL, "expected one certificate: warpbound-check [--of FILE ...] CERTIFICATE");
    struct check check = {.name = words[count - 1],
                          .machine = {.depth = UNLIMITED, .queue = UNLIMITED, .sub_cores = 1},
                          .files = words + 2,
                          .file_count = compares ? count - 3 : 0,
                          .least = UINT64_MAX};
    struct grid grid = {.check = &check, .machine = &check.machine};
    check.grid = &grid;
    FILE *file = fopen(check.name, "r");
    if (file == NULL) refuse(&check, "%s", strerror(errno));
    read_file(&check, file);
    if (check.claims == 0) refuse(&check, "nothing is claimed");
    print_unchecked(&check);
    exit(check.contradicted > 0 ? 4 : check.failed > 0); /* all that was read is in reach to the end */
}
