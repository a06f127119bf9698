#include "stand_in.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What stands behind "WORD" in the list, from '=' on, or "" of a flag; NULL: the word does not stand there.
 */
static const char *find(const char *word, size_t length) {
    const char *at = getenv("STAND_IN");
    for (; at != NULL && *at != '\0'; at += strcspn(at, ","), at += *at == ',')
        if (strncmp(at, word, length) == 0 && strchr("=,:", at[length]) != NULL) return at + length;
    return NULL;
}

/* Asked for again and again: what stands there is kept for each literal. */
uint64_t stand_in_number(const char *word, uint64_t usual) {
    static struct {
        const char *word;
        uint64_t value;
        bool given;
    } read[256];
    const size_t place = (uintptr_t)word / 2 % 256;
    if (read[place].word != word) {
        const char *value = find(word, strlen(word));
        read[place].word = word;
        read[place].given = value != NULL && *value == '=';
        read[place].value = read[place].given ? strtoull(value + 1, NULL, 0) : 0;
    }
    return read[place].given ? read[place].value : usual;
}

const char *stand_in_text(const char *word, char *text, size_t size) {
    const char *value = find(word, strlen(word));
    if (value == NULL || *value != '=') return NULL;
    (void)snprintf(text, size, "%.*s", (int)strcspn(value + 1, ","), value + 1);
    return text;
}

bool stand_in_flag(const char *word) {
    return find(word, strlen(word)) != NULL;
}

/* Whether the list says "WHAT=FUNCTION", and the number behind that, if there is one. */
static bool is_said(const char *what, const char *function, int *number) {
    char word[128] = "";
    strncat(word, what, sizeof word - 1);
    strncat(word, function, sizeof word - strlen(word) - 1);
    const char *value = find(word, strlen(word));
    if (value != NULL && *value == ':') *number = atoi(value + 1);
    return value != NULL;
}

int stand_in_lie(const char *function) {
    int number = 0;
    if (is_said("crash=", function, &number)) {
        (void)signal(SIGSEGV, SIG_DFL); /* a sanitizer's handler would exit */
        (void)raise(SIGSEGV);
    }
    if (is_said("exit=", function, &number)) _exit(number);
    while (is_said("hang=", function, &number))
        (void)pause();
    return is_said("error=", function, &number) ? number : 0;
}
