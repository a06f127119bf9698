/* Words of real machine code and their texts; and that no bit of any of them is without a meaning. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sass/sass.h"

#define WORDS "tests/data/sass/words.txt"

struct known {
    uint32_t sm, at;
    uint64_t word[2];
    char text[160];
};

static struct known *words;
static size_t word_count;

static int read_words(void **state) {
    (void)state;
    char line[256];
    FILE *file = fopen(WORDS, "r");
    if (file == NULL) return -1;
    while (fgets(line, sizeof line, file) != NULL) {
        unsigned long long low, high;
        int text = 0;
        words = realloc(words, (word_count + 1) * sizeof *words);
        struct known *word = &words[word_count];
        if (line[0] == '#') continue;
        if (sscanf(line, "%u %x %llx %llx %n", &word->sm, &word->at, &low, &high, &text) != 4) return -1;
        word->word[0] = low;
        word->word[1] = high;
        line[strcspn(line, "\n")] = '\0';
        (void)snprintf(word->text, sizeof word->text, "%.150s", line + text);
        word_count++;
    }
    (void)fclose(file);
    return word_count > 400 ? 0 : -1;
}

static int free_words(void **state) {
    (void)state;
    free(words);
    return 0;
}

static bool decode(const struct known *known, uint32_t flipped, struct sass_inst *inst, const char **reason) {
    uint8_t bytes[SASS_BYTES];
    for (uint32_t i = 0; i < SASS_BYTES; i++)
        bytes[i] = (uint8_t)(known->word[i / 8] >> i % 8 * 8);
    if (flipped < 128) bytes[flipped / 8] ^= (uint8_t)(1u << flipped % 8);
    *reason = NULL;
    return sass_decode(known->sm, bytes, known->at, inst, reason);
}

/* Everything that there is to say of an instruction. */
static char *described(const struct sass_inst *inst) {
    struct text text = {0};
    sass_put(inst, &text);
    text_char(&text, ' ');
    sass_put_control(&inst->control, &text);
    text_printf(&text, " %d %d %d %d", inst->address.wide, inst->address.ureg, inst->address.ureg_is_policy,
                inst->address.scale);
    for (int field = 0; field < SASS_FIELDS; field++)
        text_printf(&text, " %u", sass_field(inst, (enum sass_field)field));
    return text_take(&text);
}

static void known_words_have_their_texts(void **state) {
    (void)state;
    for (size_t i = 0; i < word_count; i++) {
        struct sass_inst inst;
        const char *reason;
        struct text text = {0};
        if (!decode(&words[i], 128, &inst, &reason)) fail_msg("%s: %s", words[i].text, reason);
        sass_put(&inst, &text);
        assert_string_equal(text.data, words[i].text);
        assert_null(reason);
        text_free(&text);
    }
}

/* Bit 101 of memory instructions says where a policy comes from, bit 124 of textures is a hint; nothing else
 * may be left out of what an instruction says. */
static bool may_be_ignored(const struct sass_inst *inst, uint32_t bit) {
    const bool texture = sass_class_of(inst) == SASS_CLASS_TEXTURE || inst->op == SASS_OP_TXD;
    return (bit == 101 && inst->address.ureg_is_policy) || (bit == 124 && texture);
}

static void every_bit_means_something_or_is_refused(void **state) {
    (void)state;
    size_t refused = 0;
    for (size_t i = 0; i < word_count; i++) {
        struct sass_inst inst, other;
        const char *reason;
        assert_true(decode(&words[i], 128, &inst, &reason));
        char *description = described(&inst);
        for (uint32_t bit = 0; bit < 128; bit++) {
            if (!decode(&words[i], bit, &other, &reason)) {
                assert_non_null(reason);
                assert_int_equal(other.op, SASS_OP_UNKNOWN);
                refused++;
                continue;
            }
            char *changed = described(&other);
            if (strcmp(changed, description) == 0 && !may_be_ignored(&inst, bit))
                fail_msg("sm_%u %s: bit %u changes nothing", words[i].sm, words[i].text, bit);
            free(changed);
        }
        free(description);
    }
    assert_true(refused > word_count * 30);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_words_have_their_texts),
        cmocka_unit_test(every_bit_means_something_or_is_refused),
    };
    return cmocka_run_group_tests(tests, read_words, free_words);
}
