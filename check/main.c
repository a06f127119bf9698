/* warpbound-check [--of FILE ...] CERTIFICATE: reads a certificate line by line, and checks each claim where
 * it stands; the files are those that it must be of.
 *
 * Exit status: 0 when every claim is proven, 1 when one is not, 2 when the file is no certificate, was
 * changed or is of other files, 4 when an execution takes longer than a bound that is shown. */
#define _GNU_SOURCE
#include "check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void read_claim(const uint64_t *n);

static const struct key claim_keys[] = {
    {"claim", "mt", CLAIM, read_claim}, /* method, cycles */
    {.name = NULL},
};
static const struct key *const tables[] = {certificate_keys, claim_keys,       execution_keys, kernel_keys,
                                           static_keys,      segment_sum_keys, code_keys};
#define LINE_MAX_BYTES (1 << 20)
#define FILE_MAX_BYTES ((uint64_t)1 << 30)
#define TABLES (sizeof tables / sizeof tables[0])

number_list numbers;
static uint64_t claims, failed, contradicted, longest, least = UINT64_MAX;
static const char *least_by; /* the method that shows least */
static number_list on_paper; /* methods that are claimed, */
static number_list checked;  /* and what theorems that Coq checked show instead, or UNLIMITED */
static char *const *files;   /* that it must be of */
static int file_count;

static const struct key *key_of(const char *name) {
    for (size_t t = 0; t < TABLES; t++)
        for (const struct key *key = tables[t]; key->name != NULL; key++)
            if (strcmp(key->name, name) == 0) return key;
    if (strcmp(name, "end") == 0) refuse("it was changed: this is not the sum of what stands above");
    refuse("unknown: %s", name);
}

static uint64_t held_of(const char *name) {
    for (uint64_t kind = 0; kind < HELD_KINDS; kind++)
        if (strcmp(held_names[kind], name) == 0) return kind;
    refuse("nothing is held by %s", name);
}

static uint64_t method_of(const char *name) {
    const struct method *method;
    for (uint64_t number = 0; (method = method_at(number)) != NULL; number++)
        if (strcmp(method->name, name) == 0) return number;
    refuse("no method: %s", name);
}

/* Numbers of a kind are below this. */
static uint64_t limit_of(char kind) {
    switch (kind) {
    case 'b': return blocks.count;
    case 'c': return machine.sub_cores;
    case 'f': return 2;
    case 'i': return block->insts.count;
    case 'p': return block->paths;
    case 'q': return (uint64_t)1 << block->queues;
    case 'r': return block->registers;
    case 's': return block->sections.count;
    case 'u': return machine.units;
    default: return TIME_MAX;
    }
}

static uint64_t number_of(const char *word, char kind) {
    uint64_t value = 0;
    if (kind == 'u' && strcmp(word, "-") == 0) return NO_UNIT;
    if (kind == 'm') return method_of(word);
    if (kind == 'h') return held_of(word);
    if (kind == 'd' && strcmp(word, "unlimited") == 0) return UNLIMITED;
    for (const char *c = word; *c != '\0'; c++) {
        if (*c < '0' || *c > '9') refuse("not a number: %s", word);
        value = add(mul(10, value), (uint64_t)(*c - '0'));
    }
    if (value >= limit_of(kind)) refuse("%s is not below %" PRIu64, word, limit_of(kind));
    if (value == 0 && kind == 'n') refuse("1 is the least");
    return value;
}

uint64_t time_of_block(const struct method *method, struct block *of) {
    if (method->of_code != machine.is_code) refuse("no claim on this machine: %s", method->name);
    if (method->of_block == NULL) refuse("no claim of this block: %s", method->name);
    if (of->sends && machine.ports > 1 && !method->several) refuse("several ports: %s", method->name);
    if (method->of_whole && of->parts) refuse("no claim of parts of paths: %s", method->name);
    finish(of);
    return method->of_block(of);
}

/* No execution of a block takes longer than any bound of it. */
static void compare_shown(const struct method *method, uint64_t shown) {
    if (method->is_lower) longest = max(longest, shown);
    if (!method->is_lower && shown < least) least = shown, least_by = method->name;
    if (longest <= least) return;
    printf("block: CONTRADICTION: an execution takes %" PRIu64 " cycles, %s shows at most %" PRIu64 "\n",
           longest, least_by, least);
    contradicted++;
}

static void begin_claims(void) {
    require_whole_subject();
    if (block != NULL && blocks.count > 1) refuse("several blocks, and no grid of them");
    if (block != NULL && strcmp(subject_of("block"), "all") == 0) refuse("one block is not all");
    if (block != NULL) require_subject("dispatch", "none");
    compare_files(files, file_count);
    print_subject();
}

/* Whether Coq has checked what shows the claim. */
static void note_theorem(uint64_t number, uint64_t claim, uint64_t held) {
    const struct method *method = method_at(number);
    if (method->theorem != NULL) return;
    const uint64_t time = method->by_sums == NULL ? UNLIMITED : time_by_sums(method);
    const uint64_t shown = time == UNLIMITED ? time : add(time, held);
    if (shown <= claim) return;
    PUSH(&on_paper, number);
    PUSH(&checked, shown);
}

static void read_claim(const uint64_t *n) {
    const struct method *method = method_at(n[0]);
    const uint64_t claim = n[1];
    if (claims++ == 0) begin_claims();
    const uint64_t held = add(held_in_all(), block == NULL ? 0 : block->stalls);
    if (method->is_lower && held > 0) refuse("no execution of a machine that stands still at times");
    const uint64_t time = block == NULL ? time_of_grid(method) : time_of_block(method, block);
    const uint64_t shown = add(time, held);
    const bool proven = method->is_lower ? shown >= claim : shown <= claim;
    printf("%s: %s: at %s %" PRIu64 " cycles: ", block == NULL ? "kernel" : "block", method->name,
           method->is_lower ? "least" : "most", claim);
    if (!proven) printf("NOT PROVEN: what can be shown is %" PRIu64 "\n", shown);
    if (proven) printf(shown == claim ? "proven\n" : "proven, even %" PRIu64 "\n", shown);
    failed += !proven;
    note_theorem(n[0], claim, held);
    if (block != NULL) compare_shown(method, shown);
}

static void print_on_paper(uint64_t p) {
    printf("%s %s", p == 0 ? ", on paper those of" : ",", method_at(on_paper.items[p])->name);
    if (checked.items[p] != UNLIMITED) printf(" (else at most %" PRIu64 ")", checked.items[p]);
}

/* What the claims rest on, but is only said. */
static void print_unchecked(void) {
    uint64_t stalls = 0;
    for (uint64_t b = 0; b < blocks.count; b++)
        stalls = max(stalls, blocks.items[b].stalls);
    printf("not checked: that instructions, times and units are those of code, launch and machine; that all "
           "stands still for no longer than is said: by");
    for (uint64_t k = 0; k < HELD_KINDS; k++)
        printf(" %s %" PRIu64 ",", held_names[k], machine.held[k]);
    printf(" in a block %" PRIu64 "; that the theorems are right", stalls);
    for (uint64_t p = 0; p < on_paper.count; p++)
        print_on_paper(p);
    putchar('\n');
}

static void check_place(const struct key *key) {
    static bool in_grid;
    const bool begins_grid = key->place == BEGINS_GRID, begins = begins_grid || key->place == BEGINS_BLOCK;
    if (claims > 0 && key->place != CLAIM) refuse("%s behind a claim", key->name);
    if (key->place <= OF_MACHINE && blocks.count > 0) refuse("%s behind a block", key->name);
    if ((key->place == BEGINS_ALL) == (machine.width > 0))
        refuse("%s: the machine comes first, and once", key->name);
    if (begins && in_grid) refuse("%s behind the grid", key->name);
    if (key->place == OF_BLOCK && block == NULL) refuse("%s of no block", key->name);
    if (key->place == OF_GRID && !in_grid) refuse("%s of no grid", key->name);
    in_grid = in_grid || begins_grid;
    if (begins_grid) block = NULL;
}

static void read_line(char *text) {
    char *rest;
    if (strncmp(text, "of ", 3) == 0) {
        read_of(text + 3);
        return;
    }
    const char *name = strtok_r(text, " ", &rest), *word;
    if (name == NULL) return;
    const struct key *key = key_of(name);
    const char *kind = key->kinds;
    check_place(key);
    for (numbers.count = 0; (word = strtok_r(NULL, " ", &rest)) != NULL;) {
        if (*kind == '\0') refuse("more than was expected: %s", word);
        PUSH(&numbers, number_of(word, *kind));
        kind += kind[1] != '*';
    }
    if (*kind != '\0' && kind[1] != '*') refuse("%s: less than was expected", name);
    key->read(numbers.items);
}

/* Reads all lines, the last of which is the sum of those above it. */
static void read_file(FILE *file) {
    static char line[LINE_MAX_BYTES];
    char end[32] = "";
    uint64_t sum = UINT64_C(0xcbf29ce484222325), bytes = 0; /* FNV-1a */
    bool ended = false;
    while (fgets(line, sizeof line, file) != NULL) {
        const size_t length = strlen(line);
        const bool is_title = line_number++ == 0;
        bytes += length;
        if (ended || length == 0 || line[length - 1] != '\n')
            refuse("more behind the end, a zero byte, or a line that is too long");
        if (bytes > FILE_MAX_BYTES) refuse("more than %" PRIu64 " bytes", FILE_MAX_BYTES);
        if (is_title && strcmp(line, "warpbound timing certificate 2\n") == 0)
            refuse("version 2 does not say of what it is; write it again with --certificate");
        if (is_title && strcmp(line, "warpbound timing certificate 3\n") != 0)
            refuse("not a certificate of times, version 3");
        (void)snprintf(end, sizeof end, "end %016" PRIx64 "\n", sum);
        ended = strcmp(line, end) == 0;
        for (size_t i = 0; i < length; i++)
            sum = (sum ^ (unsigned char)line[i]) * UINT64_C(0x100000001b3);
        size_t said = strcspn(line, "#\n");
        while (said > 0 && line[said - 1] == ' ')
            said--;
        line[said] = '\0';
        if (!is_title && !ended) read_line(line);
    }
    if (ferror(file)) refuse("%s", strerror(errno));
    if (!ended) refuse("it is not complete: its last line is not the sum of all others");
}

int main(int count, char **words) {
    const bool compares = count > 3 && strcmp(words[1], "--of") == 0;
    if (count != 2 && !compares)
        refuse("expected one certificate: warpbound-check [--of FILE ...] CERTIFICATE");
    files = words + 2;
    file_count = compares ? count - 3 : 0;
    file_name = words[count - 1];
    FILE *file = fopen(file_name, "r");
    if (file == NULL) refuse("%s", strerror(errno));
    read_file(file);
    if (claims == 0) refuse("nothing is claimed");
    print_unchecked();
    return contradicted > 0 ? 4 : failed > 0;
}
