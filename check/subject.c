/* What a certificate is of (docs/certificates.md): files by their SHA-256, and which kernel, launch and
 * blocks. Nothing is computed of it, but for what the blocks must agree with. */
#define _GNU_SOURCE
#include "check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ONCE, FILES, OFTEN };

/* What must be said once; files that must be said, or `none`; and what may be said besides. */
static const struct {
    const char *name;
    int kind;
} keys[] = {{"kernel", ONCE},    {"grid", ONCE},      {"threads", ONCE},  {"block", ONCE},
            {"inputs", ONCE},    {"policy", ONCE},    {"dispatch", ONCE}, {"code", FILES},
            {"launch", FILES},   {"machine", FILES},  {"facts", FILES},   {"other", OFTEN},
            {"argument", OFTEN}, {"variable", OFTEN}, {"shared", OFTEN},  {"assume", OFTEN}};
#define KEYS (sizeof keys / sizeof *keys)

static bool is_file(const struct fact *fact) {
    return strlen(fact->text) == SHA256_DIGITS && strspn(fact->text, "0123456789abcdef") == SHA256_DIGITS &&
           (keys[fact->key].kind == FILES || strcmp(keys[fact->key].name, "other") == 0);
}

const struct fact *fact_of(const struct check *check, const char *name, uint64_t *at) {
    while (*at < check->facts.count) {
        const struct fact *fact = &check->facts.items[(*at)++];
        if (strcmp(keys[fact->key].name, name) == 0) return fact;
    }
    return NULL;
}

const char *subject_of(const struct check *check, const char *name) {
    const struct fact *fact = fact_of(check, name, &(uint64_t){0});
    return fact == NULL ? NULL : fact->text;
}

void read_of(struct check *check, char *text) {
    const char *name = strsep(&text, " ");
    struct fact fact = {0};
    if (check->blocks.count > 0) refuse(check, "of behind a block");
    while (fact.key < KEYS && strcmp(keys[fact.key].name, name) != 0)
        fact.key++;
    if (fact.key == KEYS) refuse(check, "of what: %s", name);
    if (keys[fact.key].kind == ONCE && subject_of(check, name) != NULL) refuse(check, "of two: %s", name);
    if (text == NULL || *text == '\0') refuse(check, "of nothing: %s", name);
    fact.text = strdup(text);
    if (fact.text == NULL) refuse(check, "more is said than fits into memory");
    const bool is_optional = strcmp(name, "machine") != 0;
    if (keys[fact.key].kind == FILES && !is_file(&fact) && (!is_optional || strcmp(text, "none") != 0))
        refuse(check, "no SHA-256: %s", text);
    PUSH(check, &check->facts, fact);
}

void require_whole_subject(const struct check *check) {
    for (size_t k = 0; k < KEYS; k++)
        if (keys[k].kind != OFTEN && subject_of(check, keys[k].name) == NULL)
            refuse(check, "it is not said of what %s it is", keys[k].name);
}

void require_subject(const struct check *check, const char *name, const char *is) {
    if (strcmp(subject_of(check, name), is) != 0)
        refuse(check, "it is said to be of %s %s, and what follows of %s", name, subject_of(check, name), is);
}

uint64_t count_of_subject(const struct check *check, const char *name, uint64_t *last) {
    const char *text = subject_of(check, name);
    uint64_t product = 1;
    if (strcmp(text, "none") == 0) return 0;
    for (int i = 0; i < 3 + (last != NULL); i++) {
        char *rest;
        errno = 0;
        const uint64_t number = *text >= '1' && *text <= '9' ? strtoull(text, &rest, 10) : 0;
        if (number == 0 || errno != 0)
            refuse(check, "numbers from 1 on: %s %s", name, subject_of(check, name));
        if (i < 3) product = mul(product, number);
        if (i == 3) *last = number;
        text = rest + (*rest == ' ');
    }
    if (*text != '\0') refuse(check, "more than was expected: %s", text);
    return product;
}

/* ---- What is said of it ---- */

void print_subject(const struct check *check) {
    const char *comma = "of: ";
    for (uint64_t f = 0; f < check->facts.count; f++) {
        if (is_file(&check->facts.items[f])) continue;
        printf("%s%s ", comma, keys[check->facts.items[f].key].name);
        print_printable(stdout, check->facts.items[f].text);
        comma = ", ";
    }
    putchar('\n');
    for (uint64_t f = 0; f < check->facts.count; f++) {
        const struct fact *fact = &check->facts.items[f];
        if (!is_file(fact)) continue;
        printf("of: %s, SHA-256 %s%s", keys[fact->key].name, fact->text, fact->path == NULL ? "" : ", ");
        print_printable(stdout, fact->path == NULL ? "" : fact->path);
        putchar('\n');
    }
}

/* Notes which of the files that the certificate is of this one is. */
static void compare_file(struct check *check, const char *path) {
    char hex[SHA256_DIGITS + 1];
    bool found = false;
    FILE *file = fopen(path, "r");
    if (file != NULL) sha256_of(file, hex);
    if (file == NULL || ferror(file)) refuse(check, "%s: %s", path, strerror(errno));
    fclose(file);
    for (uint64_t f = 0; f < check->facts.count; f++)
        if (strcmp(check->facts.items[f].text, hex) == 0) {
            check->facts.items[f].path = path;
            found = true;
        }
    if (!found) refuse(check, "it is not of %s, whose SHA-256 is %s", path, hex);
}

void compare_files(struct check *check, char *const *paths, int count) {
    for (int i = 0; i < count; i++)
        compare_file(check, paths[i]);
    for (uint64_t f = 0; f < check->facts.count && count > 0; f++)
        if (is_file(&check->facts.items[f]) && check->facts.items[f].path == NULL)
            refuse(check, "it is of another file, too: %s, SHA-256 %s", keys[check->facts.items[f].key].name,
                   check->facts.items[f].text);
}
