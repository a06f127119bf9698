/* Which launch flow facts were found for: what of a launch loop bounds rest on, in words, and how two of them
 * differ. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "launch/facts.h"

/* A word of a description. */
struct word {
    const char *text;
    int length;
};

static void put_dimensions(const char *name, const uint32_t dimensions[3], struct text *out) {
    text_printf(out, "%s %u %u %u ", name, dimensions[0], dimensions[1], dimensions[2]);
}

/* A scalar's bits, a checksum of a struct's bytes; addresses of buffers are known to no bound. */
static void put_argument(const struct launch_argument *argument, struct text *out) {
    const struct launch_contents *contents = &argument->contents;
    bool is_struct = !argument->is_buffer && argument->type == PTX_TYPE_NONE;
    if (argument->is_buffer)
        text_string(out, " buffer");
    else if (is_struct && contents->fill == LAUNCH_FILL_FILE)
        text_printf(out, " struct_%016" PRIx64,
                    facts_text_checksum((const char *)contents->file_bytes, contents->file_size));
    else if (!is_struct && argument->known)
        text_printf(out, " %" PRIu64, argument->bits);
    else
        text_string(out, " unknown");
}

void facts_put_launch(const struct wb_launch *launch, struct text *out) {
    put_dimensions("grid", launch->grid, out);
    put_dimensions("block", launch->block, out);
    text_printf(out, "shared %" PRIu64 " arguments", launch->shared_bytes);
    for (size_t i = 0; i < launch->arguments.count; i++)
        put_argument(&launch->arguments.items[i], out);
}

static struct word next_word(const char **at) {
    struct word word = {*at + strspn(*at, " "), 0};
    word.length = (int)strcspn(word.text, " ");
    *at = word.text + word.length;
    return word;
}

static bool same_word(struct word a, struct word b) {
    return a.length == b.length && memcmp(a.text, b.text, (size_t)a.length) == 0;
}

/* Compares the next `count` words, of which a part of the description consists. */
static void compare_part(const char *part, uint32_t count, const char **was, const char **is,
                         struct text *out) {
    const char *old = *was, *new = *is;
    bool differs = false;
    for (uint32_t i = 0; i < count; i++)
        differs |= !same_word(next_word(was), next_word(is));
    if (!differs) return;
    old += strspn(old, " ");
    new += strspn(new, " ");
    text_printf(out, "%s%s was %.*s and is %.*s", out->length > 0 ? ", " : "", part, (int)(*was - old), old,
                (int)(*is - new), new);
}

void facts_put_difference(const char *was, const char *is, struct text *out) {
    static const struct {
        const char *part;
        uint32_t count;
    } parts[] = {{"the grid", 3}, {"the block", 3}, {"the dynamic shared memory", 1}};
    struct text differences = {0};
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        (void)next_word(&was); /* its name, the same in both */
        (void)next_word(&is);
        compare_part(parts[p].part, parts[p].count, &was, &is, &differences);
    }
    (void)next_word(&was);
    (void)next_word(&is);
    for (uint32_t number = 1; *was != '\0' && *is != '\0'; number++) {
        char part[32];
        (void)text_format(part, sizeof part, "argument %u", number);
        compare_part(part, 1, &was, &is, &differences);
    }
    if (*was != *is)
        text_printf(&differences, "%sthe number of arguments", differences.length > 0 ? ", " : "");
    if (differences.failed) out->failed = true;
    if (differences.data != NULL) text_string(out, differences.data);
    text_free(&differences);
}

wb_status facts_require_launch(const struct wb_facts *facts, const struct wb_launch *launch,
                               wb_diagnostics *diagnostics) {
    struct text words = {0}, differences = {0};
    if (facts_count(facts, FACT_FOUND_FOR_LAUNCH, FACT_FOUND_FOR_LAUNCH) == 0) return WB_OK;
    facts_put_launch(launch, &words);
    wb_status status = words.failed ? diagnose_out_of_memory(diagnostics, facts->source.name) : WB_OK;
    if (status == WB_OK && strcmp(words.data, facts->launch) != 0) {
        facts_put_difference(facts->launch, words.data, &differences);
        diagnose_at(diagnostics, SEVERITY_ERROR, &facts->source, facts->launch_place,
                    "limits in this file were found for another launch: %s. Write the file anew with "
                    "'warpbound facts', or delete what was 'found for this launch'",
                    differences.failed || differences.data == NULL ? "it differs" : differences.data);
        status = WB_ERR_INPUT;
    }
    text_free(&words);
    text_free(&differences);
    return status;
}
