#include "wings/sweep/database.h"

#include <string.h>

#include "base/base.h"
#include "base/wing.h"

/* Longest message that is kept. */
#define MESSAGE_MAX 500u

/* Where numbers are read to. */
struct outcome_reader {
    struct outcome *outcome;
    struct arena *arena; /* protected: the report lies outside of the pass, and is freed behind it */
};

static const char *copy_text(struct arena *arena, const json_t *value) {
    const char *text = json_string_value(value);
    return text == NULL ? NULL : arena_string(arena, text, strlen(text));
}

/* The end of what stands in a document from `at` on: of a string, or of a word or number. */
static const char *end_of_token(const char *at, const char *end) {
    if (*at != '"') {
        const char *next = at;
        while (next < end && (ascii_digit(*next) || ascii_letter(*next) || strchr("+-.", *next) != NULL))
            next++;
        return next > at ? next : at + 1;
    }
    for (at++; at < end && *at != '"'; at++)
        if (*at == '\\' && at + 1 < end) at++;
    return at < end ? at + 1 : end;
}

json_t *outcome_parse(const char *report, size_t size) {
    struct text quoted = {0};
    const char *end = report + size;
    for (const char *at = report, *next; at < end; at = next) {
        uint64_t number;
        next = end_of_token(at, end);
        const bool is_large =
            ascii_digit(*at) && number_u64(at, (size_t)(next - at), &number) && number > INT64_MAX;
        if (is_large) text_char(&quoted, '"');
        text_append(&quoted, at, (size_t)(next - at));
        if (is_large) text_char(&quoted, '"');
    }
    json_t *parsed =
        quoted.failed || quoted.length == 0 ? NULL : json_loadb(quoted.data, quoted.length, 0, NULL);
    text_free(&quoted);
    return parsed;
}

static uint64_t count_of(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    const char *digits = json_string_value(value);
    uint64_t number = NO_CYCLES;
    if (json_is_integer(value) && json_integer_value(value) >= 0) return (uint64_t)json_integer_value(value);
    if (digits != NULL) (void)number_u64(digits, strlen(digits), &number);
    return number;
}

/* What all numbers of an object have in common. */
struct subject_words {
    const char *scope, *data;
};

static void add_number(const struct outcome_reader *reader, struct subject_words of, const char *what,
                       const json_t *entry, const char *name_key, const char *kind) {
    struct outcome_number number = {.scope = of.scope, .data = of.data, .what = what};
    const uint64_t cycles = count_of(entry, "cycles"), lower = count_of(entry, "lower");
    number.name = copy_text(reader->arena, json_object_get(entry, name_key));
    number.kind = kind != NULL ? kind : copy_text(reader->arena, json_object_get(entry, "kind"));
    number.note = copy_text(reader->arena, json_object_get(entry, "reason"));
    number.has_cycles = cycles != NO_CYCLES;
    number.cycles = number.has_cycles ? cycles : 0;
    number.lower = lower != NO_CYCLES ? lower : 0;
    if (number.name == NULL) number.name = "";
    if (number.kind == NULL) number.kind = copy_text(reader->arena, json_object_get(entry, "status"));
    if (number.kind == NULL) number.kind = "";
    arena_push(reader->arena, &reader->outcome->numbers, number);
}

/* The numbers of an analysis, of its grid, or of what is beside covering paths. */
static void add_numbers(const struct outcome_reader *reader, struct subject_words of, const json_t *object) {
    size_t i;
    json_t *entry;
    json_array_foreach(json_object_get(object, "bounds"), i, entry) {
        add_number(reader, of, "bound", entry, "method", NULL);
    }
    json_array_foreach(json_object_get(object, "simulations"), i, entry) {
        add_number(reader, of, "simulation", entry, "policy", "simulated");
    }
    json_array_foreach(json_object_get(object, "declined"), i, entry) {
        add_number(reader, of, "bound", entry, "method", NULL);
    }
    const json_t *given = json_object_get(object, "given");
    if (json_is_object(given)) add_numbers(reader, (struct subject_words){of.scope, "given"}, given);
}

static void add_analysis(const struct outcome_reader *reader, const json_t *analysis, const char *kernel) {
    const json_t *grid = json_object_get(analysis, "grid"), *launch = json_object_get(analysis, "launch");
    const char *data = json_is_true(json_object_get(launch, "covering")) ? "any" : "given";
    const char *scope = copy_text(reader->arena, json_object_get(analysis, "scope"));
    if (json_is_object(grid)) add_numbers(reader, (struct subject_words){kernel, data}, grid);
    if (json_is_object(grid) || scope == NULL) scope = "block";
    if (strcmp(scope, "kernel") == 0) scope = kernel;
    add_numbers(reader, (struct subject_words){scope, data}, analysis);
}

/* What is proven of the unit is no bound any more, for this reason. */
static void demote(struct outcome *outcome, const char *reason) {
    for (size_t i = 0; i < outcome->numbers.count; i++) {
        struct outcome_number *number = &outcome->numbers.items[i];
        const bool is_proven = strcmp(number->kind, wb_kind_name(WB_UPPER)) == 0 ||
                               strcmp(number->kind, wb_kind_name(WB_EXACT)) == 0;
        if (!is_proven) continue;
        number->kind = wb_kind_name(WB_ESTIMATE);
        number->note = reason;
    }
}

/* The scope of a report whose bounds are all of one problem, of a wing; or NULL. */
static const char *problem_scope(const json_t *report) {
    const char *format = json_string_value(json_object_get(json_object_get(report, "format"), "name"));
    const struct wing *wing;
    for (size_t i = 0; format != NULL && (wing = wing_at(i)) != NULL; i++)
        if (wing->problem_format != NULL && strcmp(wing->problem_format, format) == 0)
            return wing->problem_scope;
    return NULL;
}

/* One problem: what its methods prove, together. */
static void read_problem(const struct outcome_reader *reader, const char *scope, const json_t *report) {
    struct outcome *outcome = reader->outcome;
    add_numbers(reader, (struct subject_words){scope, "given"}, report);
    outcome->scope = scope;
    for (size_t i = 0; i < outcome->numbers.count; i++) {
        const struct outcome_number *number = &outcome->numbers.items[i];
        const bool is_exact = strcmp(number->kind, wb_kind_name(WB_EXACT)) == 0;
        const bool is_upper = is_exact || strcmp(number->kind, wb_kind_name(WB_UPPER)) == 0;
        const bool is_lower = is_exact || strcmp(number->kind, wb_kind_name(WB_LOWER)) == 0;
        const uint64_t found = is_lower ? number->cycles : number->lower; /* of a schedule */
        if (!number->has_cycles || strcmp(number->kind, wb_kind_name(WB_ESTIMATE)) == 0) continue;
        if (is_upper && number->cycles < outcome->bound) {
            outcome->bound = number->cycles;
            outcome->method = number->name;
        }
        if (found > 0 && (outcome->slowest == NO_CYCLES || found > outcome->slowest))
            outcome->slowest = found;
    }
    outcome->state = outcome->bound != NO_CYCLES ? "bounded" : "unproven";
    if (outcome->bound == NO_CYCLES || outcome->slowest == NO_CYCLES || outcome->slowest <= outcome->bound)
        return;
    outcome->state = "contradiction";
    outcome->bound = NO_CYCLES;
    outcome->method = NULL;
    demote(outcome, "an execution that was found contradicts a proven bound");
}

/* What `simulate` says: the slowest of its executions; the scheme of each, where caches have one, is a note.
 */
static void read_simulations(const struct outcome_reader *reader, const json_t *report) {
    struct outcome *outcome = reader->outcome;
    const bool is_kernel =
        json_object_get(json_array_get(json_object_get(report, "simulations"), 0), "scheme") != NULL;
    outcome->scope = is_kernel ? "kernel" : "block";
    add_numbers(reader, (struct subject_words){outcome->scope, "given"}, report);
    for (size_t i = 0; i < outcome->numbers.count; i++) {
        struct outcome_number *number = &outcome->numbers.items[i];
        const json_t *entry = json_array_get(json_object_get(report, "simulations"), i);
        if (number->note == NULL) number->note = copy_text(reader->arena, json_object_get(entry, "scheme"));
        if (outcome->slowest == NO_CYCLES || number->cycles > outcome->slowest)
            outcome->slowest = number->cycles;
    }
    outcome->state = "unproven";
}

/* Where machine code takes longer than a PTX model says, or an execution longer than what is proven, nothing
 * that is proven is a bound: whoever takes the proven numbers of a sweep is not given these. */
static void read_refutation(const struct outcome_reader *reader, const json_t *verdict) {
    const bool contradicted = json_is_object(json_object_get(verdict, "contradiction"));
    struct outcome *outcome = reader->outcome;
    if (!contradicted && !json_is_string(json_object_get(verdict, "refuted"))) return;
    demote(outcome, contradicted ? "an execution that was found contradicts a proven bound"
                                 : "proven for the machine file, which the machine code refutes");
}

static void read_report(const struct outcome_reader *reader, const json_t *report) {
    const json_t *verdict = json_object_get(report, "verdict");
    struct outcome *outcome = reader->outcome;
    size_t i;
    json_t *launch;
    const char *scope = problem_scope(report);
    if (scope != NULL)
        read_problem(reader, scope, report);
    else if (json_is_array(json_object_get(report, "simulations")) && verdict == NULL)
        read_simulations(reader, report);
    if (!json_is_object(verdict)) return;
    outcome->state = copy_text(reader->arena, json_object_get(verdict, "state"));
    outcome->scope = copy_text(reader->arena, json_object_get(verdict, "scope"));
    outcome->method = copy_text(reader->arena, json_object_get(verdict, "method"));
    outcome->bound = count_of(verdict, "bound");
    outcome->deadline = count_of(verdict, "deadline");
    outcome->slowest = count_of(json_object_get(verdict, "slowest"), "cycles");
    if (json_object_get(report, "launches") == NULL) {
        add_analysis(reader, report, "kernel");
    } else {
        json_array_foreach(json_object_get(report, "launches"), i, launch) {
            struct text kernel = {.arena = reader->arena};
            text_printf(&kernel, "kernel %zu", i + 1);
            add_analysis(reader, launch, text_take(&kernel));
        }
    }
    read_refutation(reader, verdict);
}

/* The first line of what went to standard error that says an error. */
static const char *first_error(const char *messages, struct arena *arena) {
    const char *mark = strstr(messages, "error: ");
    const char *start = mark;
    if (mark == NULL) return NULL;
    while (start > messages && start[-1] != '\n')
        start--;
    size_t length = strcspn(start, "\n");
    return arena_string(arena, start, length < MESSAGE_MAX ? length : MESSAGE_MAX);
}

/* How the run ended, by its exit status. */
static const char *status_of(const wb_run *run, bool has_report, bool is_contradiction) {
    if (run->signal != 0) return "crashed";
    switch (run->exit_status) {
    case 0:
    case 1: return has_report ? "done" : "crashed";
    case WB_ERR_INPUT: return "refused";
    case WB_ERR_DECLINED: return "declined";
    case WB_ERR_LIMIT: return is_contradiction ? "contradiction" : "limit";
    default: return "crashed";
    }
}

/* Why a run without an error says nothing. */
static const char *crash_message(const wb_run *run, struct arena *arena) {
    struct text text = {.arena = arena};
    if (run->signal != 0)
        text_printf(&text, "ended by signal %d (%s)", run->signal, strsignal(run->signal));
    else
        text_printf(&text, "ended with status %d, without a report", run->exit_status);
    return text_take(&text);
}

struct outcome outcome_read(const wb_run *run, const json_t *report, struct arena *arena) {
    struct outcome outcome = {.bound = NO_CYCLES, .slowest = NO_CYCLES, .deadline = NO_CYCLES};
    const struct outcome_reader reader = {&outcome, arena};
    read_report(&reader, report);
    const bool is_contradiction = outcome.state != NULL && strcmp(outcome.state, "contradiction") == 0;
    outcome.status = status_of(run, outcome.state != NULL, is_contradiction);
    outcome.message = first_error(run->messages, arena);
    if (outcome.message == NULL && strcmp(outcome.status, "crashed") == 0)
        outcome.message = crash_message(run, arena);
    return outcome;
}
