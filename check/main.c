/* Reads a certificate line by line, and checks each claim where it stands.
 *
 * Exit status: 0 when every claim is proven, 1 when one is not, 2 when the file is no certificate or was
 * changed, 4 when an execution takes longer than a bound that is shown. */
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
static const struct part claim_part = {claim_keys, NULL};
static const struct part *const parts[] = {
    &certificate_part, &held_part,        &claim_part,       &sib_part,        &elb_part,
    &aln_part,         &fifo_part,        &busiest_part,     &execution_part,  &kernel_part,
    &chain_part,       &serial_part,      &oldest_part,      &static_part,     &wave_part,
    &wave_aln_part,    &wave_fifo_part,   &segment_sum_part, &code_part,       &code_elb_part,
    &code_sib_part,    &code_kernel_part, &code_chain_part,  &code_static_part};
#define LINE_MAX_BYTES (1 << 20)
#define PARTS (sizeof parts / sizeof parts[0])

number_list numbers;
static uint64_t claims, claims_of_grid, failed, contradicted;

static const struct key *key_of(const char *name) {
    for (size_t p = 0; p < PARTS; p++)
        for (const struct key *key = parts[p]->keys; key != NULL && key->name != NULL; key++)
            if (strcmp(key->name, name) == 0) return key;
    if (strcmp(name, "end") == 0) refuse("it was changed: this is not the sum of what stands above");
    refuse("unknown: %s", name);
}

/* Methods are numbered in the order of the parts. */
const struct method *method_at(uint64_t number) {
    for (size_t p = 0; p < PARTS; p++)
        for (const struct method *method = parts[p]->methods; method != NULL && method->name != NULL;
             method++)
            if (number-- == 0) return method;
    return NULL;
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

/* What was shown of a block so far: no execution of it takes longer than any bound of it. */
static void compare_shown(const struct method *method, uint64_t shown) {
    static uint64_t of_block, longest, least;
    static const char *by;
    if (block == NULL) return;
    if (of_block != blocks.count) of_block = blocks.count, longest = 0, least = UINT64_MAX;
    if (method->is_lower) longest = max(longest, shown);
    if (!method->is_lower && shown < least) least = shown, by = method->name;
    if (longest <= least) return;
    printf("block: CONTRADICTION: an execution takes %" PRIu64 " cycles, %s shows at most %" PRIu64 "\n",
           longest, by, least);
    contradicted++;
}

static void read_claim(const uint64_t *n) {
    const struct method *method = method_at(n[0]);
    const uint64_t claim = n[1];
    const uint64_t held = add(machine.held, block == NULL ? 0 : block->stalls);
    if (method->is_lower && held > 0) refuse("no execution of a machine that stands still at times");
    const uint64_t shown = add(held, block == NULL ? time_of_grid(method) : time_of_block(method, block));
    const bool proven = method->is_lower ? shown >= claim : shown <= claim;
    printf("%s: %s: at %s %" PRIu64 " cycles: ", block == NULL ? "kernel" : "block", method->name,
           method->is_lower ? "least" : "most", claim);
    if (!proven) printf("NOT PROVEN: what can be shown is %" PRIu64 "\n", shown);
    if (proven) printf(shown == claim ? "proven\n" : "proven, even %" PRIu64 "\n", shown);
    claims++;
    claims_of_grid += block == NULL;
    failed += !proven;
    compare_shown(method, shown);
}

static void check_place(const struct key *key) {
    static bool in_grid;
    const bool begins_grid = key->place == BEGINS_GRID, begins = begins_grid || key->place == BEGINS_BLOCK;
    if (key->place <= OF_MACHINE && blocks.count > 0) refuse("%s behind a block", key->name);
    if ((key->place == BEGINS_ALL) == (machine.width > 0))
        refuse("%s: the machine comes first, and once", key->name);
    if (begins && in_grid) refuse("%s behind the grid", key->name);
    if (key->place == OF_BLOCK && (block == NULL || block->finished))
        refuse("%s of no block, or too late", key->name);
    if (key->place == OF_GRID && (!in_grid || claims_of_grid > 0))
        refuse("%s of no grid, or too late", key->name);
    in_grid = in_grid || begins_grid;
    if (begins_grid) block = NULL;
}

static void read_line(char *text) {
    char *rest;
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

int main(int count, char **words) {
    static char line[LINE_MAX_BYTES];
    char end[32] = "";
    uint64_t sum = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    bool ended = false;
    if (count != 2) refuse("expected one certificate: warpbound-check FILE");
    file_name = words[1];
    FILE *file = fopen(file_name, "r");
    if (file == NULL) refuse("%s", strerror(errno));
    while (fgets(line, sizeof line, file) != NULL) {
        const size_t length = strlen(line);
        const bool is_title = strcmp(line, "warpbound timing certificate 2\n") == 0;
        if (ended || length == 0 || line[length - 1] != '\n')
            refuse("more behind the end, a zero byte, or a line that is too long");
        if (line_number++ == 0 && !is_title) refuse("not a certificate of times, version 2");
        (void)snprintf(end, sizeof end, "end %016" PRIx64 "\n", sum);
        ended = strcmp(line, end) == 0;
        for (size_t i = 0; i < length; i++)
            sum = (sum ^ (unsigned char)line[i]) * UINT64_C(0x100000001b3);
        line[strcspn(line, "#\n")] = '\0';
        if (!is_title && !ended) read_line(line);
    }
    if (!ended) refuse("it is not complete: its last line is not the sum of all others");
    if (claims == 0) refuse("nothing is claimed");
    return contradicted > 0 ? 4 : failed > 0;
}
