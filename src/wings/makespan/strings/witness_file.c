#include "wings/makespan/strings/witness_file.h"

#include <string.h>

#include "base/base.h"
#include "wings/makespan/strings/spec_file.h"
#include "wings/makespan/strings/transform.h"

#define SCHEDULE_WHAT "a list of the cycles of every warp, such as \"1-3 5\""

/* What the file says before its schedule is read, which needs the problem. */
struct witness_file {
    struct spec_target target; /* first, so that the readers of fields find it */
    uint32_t makespan;
    const struct ytree_node *schedule;
};

static wb_status keep_schedule(const struct ytree *document, const struct ytree_node *value, void *target) {
    WB_TRY(ytree_require(document, value, YTREE_LIST, SCHEDULE_WHAT));
    ((struct witness_file *)target)->schedule = value;
    return WB_OK;
}

static const struct field witness_fields[] = {
    {.key = "makespan",
     .kind = FIELD_U32,
     .required = true,
     .offset = offsetof(struct witness_file, makespan),
     .minimum = 1,
     .maximum = MAKESPAN_INSTRUCTIONS_MAX},
    PROBLEM_WARPS_FIELD,
    PROBLEM_UNITS_FIELD,
    PROBLEM_ISSUE_FIELD,
    {.key = "schedule", .kind = FIELD_NESTED, .required = true, .what = SCHEDULE_WHAT, .read = keep_schedule},
    {0},
};

/* The cycles of one warp being read from its entry. */
struct cycle_reader {
    const struct ytree *document;
    const struct ytree_node *entry;
    const char *at;   /* in the entry's text */
    uint32_t *cycles; /* of the warp: room for `room` */
    uint32_t room;
    uint32_t count;
};

static wb_status cycle_error(const struct cycle_reader *reader, const char *what) {
    struct subject subject = problem_value_subject(reader->document, reader->entry);
    subject.offset += (size_t)(reader->at - reader->entry->text);
    diagnose_about(reader->document->diagnostics, SEVERITY_ERROR, &subject, "schedule: %s", what);
    return WB_ERR_INPUT;
}

static wb_status count_error(const struct cycle_reader *reader, const char *comparison) {
    return ytree_error(reader->document, reader->entry,
                       "schedule: %s cycles than the warp has instructions, which are %u", comparison,
                       reader->room);
}

static wb_status read_cycle(struct cycle_reader *reader, uint32_t *cycle) {
    size_t length = strspn(reader->at, "0123456789");
    uint64_t value;
    if (!number_u64(reader->at, length, &value) || value == 0 || value > MAKESPAN_INSTRUCTIONS_MAX)
        return cycle_error(reader, "expected a cycle such as 7 or cycles such as 7-9");
    *cycle = (uint32_t)value;
    reader->at += length;
    return WB_OK;
}

/* "7" or "7-9". */
static wb_status read_range(struct cycle_reader *reader) {
    const char *start = reader->at;
    uint32_t first;
    WB_TRY(read_cycle(reader, &first));
    uint32_t last = first;
    if (*reader->at == '-') {
        reader->at++;
        WB_TRY(read_cycle(reader, &last));
    }
    if (*reader->at != ' ' && *reader->at != '\0') return cycle_error(reader, "expected a space");
    if (last < first) {
        reader->at = start;
        return cycle_error(reader, "cycles that run backwards");
    }
    if (last - first >= reader->room - reader->count) return count_error(reader, "more");
    for (uint32_t cycle = first; cycle <= last; cycle++)
        reader->cycles[reader->count++] = cycle;
    return WB_OK;
}

static wb_status read_cycles(struct cycle_reader *reader) {
    WB_TRY(ytree_require(reader->document, reader->entry, YTREE_SCALAR, "the cycles of a warp"));
    reader->at = reader->entry->text + strspn(reader->entry->text, " ");
    while (*reader->at != '\0') {
        WB_TRY(read_range(reader));
        reader->at += strspn(reader->at, " ");
    }
    return reader->count == reader->room ? WB_OK : count_error(reader, "fewer");
}

static wb_status read_schedule(const struct ytree *document, const struct witness_file *file,
                               struct witness *witness) {
    const struct makespan_problem *problem = &witness->problem;
    if (file->schedule->count != problem->warp_count)
        return ytree_error(document, file->schedule, "schedule: %u warps, but there are %u",
                           file->schedule->count, problem->warp_count);
    schedule_make(problem, &witness->arena, &witness->schedule);
    if (witness->schedule.cycle == NULL)
        return diagnose_out_of_memory(document->diagnostics, document->source.name);
    witness->schedule.makespan = file->makespan;
    const struct ytree_node *entry = file->schedule->first;
    uint32_t *cycles = witness->schedule.cycle;
    for (uint32_t g = 0; g < problem->group_count; g++) {
        uint32_t length = problem->groups[g].length;
        for (uint32_t w = 0; w < problem->groups[g].warps; w++, entry = entry->next, cycles += length) {
            struct cycle_reader reader = {
                .document = document, .entry = entry, .cycles = cycles, .room = length};
            WB_TRY(read_cycles(&reader));
        }
    }
    return WB_OK;
}

/* The problem as it stands: what a transformation makes is written, so none may be left to do. */
static wb_status make_problem(const struct ytree *document, const struct makespan_spec *spec,
                              struct makespan_problem *problem) {
    struct transform transform;
    const struct ytree_node *units = ytree_find(document->root, "units");
    const struct ytree_node *warps = ytree_find(document->root, "warps");
    WB_TRY(transform_spec(spec, document->diagnostics, &transform, problem));
    if (transform_changes(&transform))
        return ytree_error(document, units, "units: expected whole numbers, as they are transformed");
    if (problem->group_count != spec->groups.count)
        return ytree_error(document, warps, "warps: two entries have the same string");
    return WB_OK;
}

static wb_status read_document(const struct ytree *document, struct makespan_spec *spec,
                               struct witness *witness) {
    struct witness_file file = {.target = {spec}};
    WB_TRY(ytree_read_fields(document, document->root, witness_fields, &file));
    WB_TRY(make_problem(document, spec, &witness->problem));
    return read_schedule(document, &file, witness);
}

wb_status witness_file_parse(const char *name, const char *text, size_t size, wb_diagnostics *diagnostics,
                             struct witness *witness) {
    *witness = (struct witness){0};
    struct makespan_spec spec;
    struct ytree document;
    spec_init(&spec);
    wb_status status = ytree_parse(name, text, size, diagnostics, &document);
    if (status == WB_OK) status = read_document(&document, &spec, witness);
    ytree_free(&document);
    spec_free(&spec);
    return status;
}

void witness_free(struct witness *witness) {
    problem_free(&witness->problem);
    arena_free(&witness->arena);
    witness->schedule = (struct schedule){0};
}

/* Cycles that follow one another are written as a range. */
static void print_cycles(const uint32_t *cycle, uint32_t count, struct text *out) {
    for (uint32_t i = 0; i < count;) {
        uint32_t end = i + 1;
        while (end < count && cycle[end] == cycle[end - 1] + 1)
            end++;
        text_printf(out, "%s%u", i == 0 ? "" : " ", cycle[i]);
        if (end - i > 1) text_printf(out, "-%u", cycle[end - 1]);
        i = end;
    }
}

void witness_file_print_problem(const struct makespan_problem *problem, struct text *out) {
    text_string(out, "warps:\n");
    for (uint32_t g = 0; g < problem->group_count; g++) {
        const struct string_group *group = &problem->groups[g];
        text_printf(out, "  - \"%u:", group->warps);
        notation_print(out, problem->unit + group->first, group->length);
        text_string(out, "\"\n");
    }
    const char *before = "units: ";
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++) {
        if (!problem_uses(problem, unit)) continue;
        text_printf(out, "%s%c=%u", before, UNIT_LETTERS[unit], problem->capacity[unit]);
        before = ", ";
    }
    if (problem->issue_limit == ISSUE_UNLIMITED)
        text_string(out, "\nissue: unlimited\n");
    else
        text_printf(out, "\nissue: %u\n", problem->issue_limit);
}

wb_status witness_file_print(const struct makespan_problem *problem, const struct schedule *schedule,
                             wb_diagnostics *diagnostics, struct text *out) {
    static const char where[] = "witness";
    size_t start = out->length;
    text_printf(out, "makespan: %u\n", schedule->makespan);
    witness_file_print_problem(problem, out);
    text_string(out, "schedule:\n");
    const uint32_t *cycle = schedule->cycle;
    for (uint32_t g = 0; g < problem->group_count; g++) {
        const struct string_group *group = &problem->groups[g];
        for (uint32_t w = 0; w < group->warps; w++, cycle += group->length) {
            text_string(out, "  - ");
            print_cycles(cycle, group->length, out);
            text_char(out, '\n');
        }
        if (out->length - start > YTREE_SIZE_MAX) break;
    }
    if (out->failed) return diagnose_out_of_memory(diagnostics, where);
    if (out->length - start <= YTREE_SIZE_MAX) return WB_OK;
    diagnose(diagnostics, SEVERITY_ERROR, where, "the file would be larger than %zu bytes", YTREE_SIZE_MAX);
    return WB_ERR_LIMIT;
}
