#include "report/parts/conditions.h"

#include <string.h>

#include "method/assumption.h"

/* Where ids and sentences stand. */
#define ID_COLUMN 13u
#define TEXT_COLUMN 17u

#define NUMBER_LAST 63u

void conditions_add(struct conditions *conditions, const wb_assumption *assumptions, size_t count,
                    size_t number) {
    const uint64_t bit = UINT64_C(1) << (number < NUMBER_LAST ? number : NUMBER_LAST);
    for (size_t i = 0; i < count; i++) {
        const wb_assumption what = assumptions[i];
        if (conditions->of[what] == 0) conditions->items[conditions->count++] = what;
        conditions->of[what] |= bit;
    }
}

void conditions_add_bound(struct conditions *conditions, const wb_bound *bound, size_t number) {
    conditions_add(conditions, bound->assumptions, bound->assumption_count, number);
}

/* Which of `numbers` numbers an assumption is of, unless it is of all. */
static void put_numbers(struct text *words, uint64_t of, size_t numbers) {
    const size_t known = numbers < NUMBER_LAST ? numbers : NUMBER_LAST;
    if (numbers == 0 || (size_t)__builtin_popcountll(of) >= known) return;
    text_printf(words, " (launch%s", __builtin_popcountll(of) == 1 ? "" : "es");
    const char *separator = " ";
    for (size_t n = 0; n < known; n++) {
        if ((of >> n & 1) == 0) continue;
        text_printf(words, "%s%zu", separator, n + 1);
        separator = ", ";
    }
    text_char(words, ')');
}

/* One assumption, behind its group where that is the first of it. */
static void put_condition(struct text *out, const struct layout *layout, const char *group,
                          wb_assumption what, uint64_t of, size_t numbers) {
    struct text words = {0};
    const size_t start = out->length;
    text_printf(out, "  %s", group);
    text_pad(out, ID_COLUMN);
    text_string(out, wb_assumption_id(what));
    text_pad(out, TEXT_COLUMN);
    text_string(&words, wb_assumption_text(what));
    put_numbers(&words, of, numbers);
    if (words.data != NULL)
        layout_words(out, layout, (uint32_t)(out->length - start), TEXT_COLUMN, words.data);
    out->failed |= words.failed;
    text_free(&words);
}

void conditions_put(struct text *out, const struct layout *layout, struct conditions *conditions,
                    size_t numbers) {
    assumptions_sort(conditions->items, conditions->count);
    for (size_t i = 0; i < conditions->count; i++) {
        const wb_assumption what = conditions->items[i];
        const char *group = wb_assumption_group(what);
        const bool first = i == 0 || strcmp(group, wb_assumption_group(conditions->items[i - 1])) != 0;
        put_condition(out, layout, first ? group : "", what, conditions->of[what], numbers);
    }
}

void conditions_list_ids(struct text *words, struct conditions *conditions) {
    const char *group = "";
    assumptions_sort(conditions->items, conditions->count);
    for (size_t i = 0; i < conditions->count; i++) {
        const char *next = wb_assumption_group(conditions->items[i]);
        if (strcmp(group, next) != 0) text_printf(words, "%s%s", i == 0 ? "" : ", ", next);
        group = next;
        text_printf(words, " %s", wb_assumption_id(conditions->items[i]));
    }
    text_string(words, " (--all says them in words)");
}

/* A line with the ids of some assumptions, which the conditions get. */
static void put_ids(struct text *out, const struct layout *layout, const char *who, const char *verb,
                    struct conditions *conditions, const wb_assumption *assumptions, size_t count) {
    wb_assumption sorted[WB_ASSUMPTION_COUNT];
    struct text words = {0};
    if (count == 0) return;
    memcpy(sorted, assumptions, count * sizeof *sorted);
    assumptions_sort(sorted, count);
    text_printf(&words, "%s %s", who, verb);
    for (size_t i = 0; i < count; i++)
        text_printf(&words, " %s", wb_assumption_id(sorted[i]));
    conditions_add(conditions, sorted, count, 0);
    if (words.data != NULL) layout_words(out, layout, 0, 2, words.data);
    out->failed |= words.failed;
    text_free(&words);
}

void report_put_conditions(struct text *out, const struct layout *layout, report_bound_at at,
                           const void *owner, const struct report_executed *executed) {
    struct conditions conditions = {0};
    const wb_bound *bound;
    for (size_t i = 0; at != NULL && (bound = at(owner, i)) != NULL; i++)
        put_ids(out, layout, bound->method, "assumes", &conditions, bound->assumptions,
                bound->assumption_count);
    for (; executed != NULL && executed->who != NULL; executed++) {
        wb_assumption assumptions[WB_ASSUMPTION_COUNT];
        const size_t count = assumptions_of_execution(executed->assumed, assumptions);
        put_ids(out, layout, executed->who, "assume", &conditions, assumptions, count);
    }
    conditions_put(out, layout, &conditions, 0);
}

void report_put_reason(struct text *out, const struct layout *layout, const wb_bound *bound) {
    if (bound->reason == NULL) return;
    layout_printf(out, layout, 2, "%s%s: %s", bound->method,
                  bound->kind == WB_ESTIMATE ? " is not proven" : "", bound->reason);
}
