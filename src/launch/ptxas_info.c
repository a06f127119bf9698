#include "launch/launch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Kernels that a message lists. */
#define SHOWN_MAX 8

/* ---- Reading ---- */

/* A line of the text, without its end. */
struct line {
    const char *text;
    size_t length;
    uint32_t number;
};

/* What has been read so far. */
struct ptxas_reader {
    struct ptxas_info *info;
    bool is_open;             /* lines are about the last entry, until its registers are said */
    bool has_properties;      /* the line before began what is said of the last entry's stack */
    const char *architecture; /* which code cuobjdump is at */
};

/* What stands behind `part` in the line, or NULL. */
static const char *behind(const struct line *line, const char *part) {
    const size_t length = strlen(part);
    const char *found = memmem(line->text, line->length, part, length);
    return found != NULL ? found + length : NULL;
}

/* The number that stands before `part` in the line; 0 when there is none, or none that counts anything. */
static uint64_t number_before(const struct line *line, const char *part) {
    const char *end = memmem(line->text, line->length, part, strlen(part)), *start = end;
    uint64_t number = 0;
    if (end == NULL) return 0;
    while (start > line->text && ascii_digit(start[-1]))
        start--;
    for (const char *c = start; c < end; c++)
        if (__builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, (uint64_t)(*c - '0'), &number))
            return UINT64_MAX;
    return number;
}

/* The number at `at`, in the line. */
static uint64_t number_at(const struct line *line, const char *at) {
    uint64_t number = 0;
    for (; at != NULL && at < line->text + line->length && ascii_digit(*at); at++)
        if (__builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, (uint64_t)(*at - '0'), &number))
            return UINT64_MAX;
    return number;
}

/* The text from `at` up to one of the characters of `ends`, or up to the end of the line. */
static const char *word_at(struct ptxas_reader *reader, const struct line *line, const char *at,
                           const char *ends) {
    const char *end = at, *stop = line->text + line->length;
    while (end < stop && *end != '\0' && strchr(ends, *end) == NULL)
        end++;
    return arena_string(&reader->info->arena, at, (size_t)(end - at));
}

static wb_status add_entry(struct ptxas_reader *reader, const struct line *line, const char *name,
                           const char *target) {
    const struct ptxas_entry entry = {.name = name, .target = target, .line = line->number};
    if (name == NULL || target == NULL) return WB_ERR_LIMIT;
    reader->is_open = true;
    reader->has_properties = false;
    return vec_push(&reader->info->entries, entry);
}

/* "ptxas info : Compiling entry function 'NAME' for 'sm_86'". Names that are not mangled have blanks. */
static wb_status read_entry(struct ptxas_reader *reader, const struct line *line, const char *at) {
    const char *name = word_at(reader, line, at, "'");
    const char *target = behind(line, "' for '");
    return add_entry(reader, line, name,
                     target != NULL ? word_at(reader, line, target, "'")
                                    : arena_string(&reader->info->arena, "", 0));
}

/* "Function NAME:" of cuobjdump. */
static wb_status read_function(struct ptxas_reader *reader, const struct line *line, const char *at) {
    const char *target = reader->architecture;
    return add_entry(reader, line, word_at(reader, line, at, ":"),
                     target != NULL ? target : arena_string(&reader->info->arena, "", 0));
}

/* "Function properties for NAME": of the last entry, or of a function that it calls. */
static wb_status read_properties(struct ptxas_reader *reader, const struct line *line, const char *at) {
    const char *name = word_at(reader, line, at, "");
    if (name == NULL) return WB_ERR_LIMIT;
    const struct ptxas_entry *last = &reader->info->entries.items[reader->info->entries.count - 1];
    const size_t length = strlen(last->name);
    reader->has_properties =
        strncmp(name, last->name, length) == 0 && name[length + strspn(name + length, " ")] == '\0';
    return WB_OK;
}

/* A line about the last entry. */
static wb_status read_detail(struct ptxas_reader *reader, const struct line *line) {
    struct ptxas_entry *last = &reader->info->entries.items[reader->info->entries.count - 1];
    const char *at;
    if ((at = behind(line, "Function properties for ")) != NULL) return read_properties(reader, line, at);
    if (reader->has_properties && behind(line, "bytes spill stores") != NULL) {
        last->spill_stores = number_before(line, " bytes spill stores");
        last->spill_loads = number_before(line, " bytes spill loads");
        reader->has_properties = false;
    } else if ((at = behind(line, "Used ")) != NULL && behind(line, " registers") != NULL) {
        last->registers = number_at(line, at);
        last->shared = number_before(line, " bytes smem");
        last->complete = true;
    } else if ((at = behind(line, "REG:")) != NULL) {
        last->registers = number_at(line, at);
        last->shared = number_at(line, behind(line, "SHARED:"));
        last->complete = true;
    }
    reader->is_open = !last->complete;
    return WB_OK;
}

static wb_status read_line(struct ptxas_reader *reader, const struct line *line) {
    const char *at;
    if ((at = behind(line, "Compiling entry function '")) != NULL) return read_entry(reader, line, at);
    if ((at = behind(line, "arch = ")) != NULL) {
        reader->architecture = word_at(reader, line, at, " \t\r");
        return reader->architecture == NULL ? WB_ERR_LIMIT : WB_OK;
    }
    if ((at = behind(line, " Function ")) != NULL && line->text[line->length - 1] == ':')
        return read_function(reader, line, at);
    return reader->is_open ? read_detail(reader, line) : WB_OK;
}

wb_status ptxas_info_parse(const char *text, size_t size, struct ptxas_info *info) {
    struct ptxas_reader reader = {.info = info};
    *info = (struct ptxas_info){0};
    uint32_t number = 1;
    for (size_t at = 0; at < size; number++) {
        const char *end = memchr(text + at, '\n', size - at);
        const size_t length = end == NULL ? size - at : (size_t)(end - text) - at;
        const size_t shown = length > 0 && text[at + length - 1] == '\r' ? length - 1 : length;
        WB_TRY(read_line(&reader, &(struct line){text + at, shown, number}));
        at += length + 1;
    }
    return WB_OK;
}

void ptxas_info_free(struct ptxas_info *info) {
    vec_free(&info->entries);
    arena_free(&info->arena);
}

/* ---- Finding ---- */

/* What is looked for. */
struct wanted_entry {
    const struct ptxas_info *info;
    const char *file, *mangled;
    char *readable; /* or NULL */
    wb_diagnostics *diagnostics;
};

static bool is_wanted(const struct wanted_entry *wanted, const struct ptxas_entry *entry) {
    return strcmp(entry->name, wanted->mangled) == 0 ||
           (wanted->readable != NULL && strcmp(entry->name, wanted->readable) == 0);
}

static wb_status fail(const struct wanted_entry *wanted, struct text *message) {
    diagnose(wanted->diagnostics, SEVERITY_ERROR, wanted->file, "%s",
             message->failed ? OUT_OF_MEMORY : message->data);
    text_free(message);
    return WB_ERR_INPUT;
}

/* There is no entry of the kernel: says of which there are. */
static wb_status fail_without_entry(const struct wanted_entry *wanted) {
    const struct ptxas_info *info = wanted->info;
    struct text message = {0};
    if (info->entries.count == 0) {
        text_string(&message, "describes no kernel: expected the output of ptxas -v or nvcc "
                              "--resource-usage, \"ptxas info : Compiling entry function ...\"");
        return fail(wanted, &message);
    }
    text_printf(&message, "does not describe kernel %s, but", wanted->mangled);
    for (size_t i = 0; i < info->entries.count && i < SHOWN_MAX; i++)
        text_printf(&message, "%s %s", i == 0 ? "" : ",", info->entries.items[i].name);
    if (info->entries.count > SHOWN_MAX)
        text_printf(&message, " and %zu more", info->entries.count - SHOWN_MAX);
    return fail(wanted, &message);
}

static wb_status fail_incomplete(const struct wanted_entry *wanted, const struct ptxas_entry *entry) {
    struct text message = {0};
    text_printf(&message, "line %u begins with kernel %s, but no line \"Used N registers\" follows",
                entry->line, wanted->mangled);
    return fail(wanted, &message);
}

/* The same kernel for several targets, which use different numbers of registers. */
static wb_status fail_ambiguous(const struct wanted_entry *wanted) {
    struct text message = {0};
    text_printf(&message, "kernel %s was compiled more than once:", wanted->mangled);
    size_t shown = 0;
    for (size_t i = 0; i < wanted->info->entries.count && shown < SHOWN_MAX; i++) {
        const struct ptxas_entry *entry = &wanted->info->entries.items[i];
        if (!is_wanted(wanted, entry)) continue;
        text_printf(&message, "%s%s%s %" PRIu64 " registers", shown == 0 ? "" : ",",
                    entry->target[0] == '\0' ? "" : " for ", entry->target, entry->registers);
        shown++;
    }
    text_string(&message, "; choose one with --registers N");
    return fail(wanted, &message);
}

static wb_status find_wanted(const struct wanted_entry *wanted, const struct ptxas_entry **entry) {
    const struct ptxas_entry *found = NULL;
    for (size_t i = 0; i < wanted->info->entries.count; i++) {
        const struct ptxas_entry *candidate = &wanted->info->entries.items[i];
        if (!is_wanted(wanted, candidate)) continue;
        if (!candidate->complete) return fail_incomplete(wanted, candidate);
        if (found != NULL && found->registers != candidate->registers) return fail_ambiguous(wanted);
        found = candidate;
    }
    *entry = found;
    return found == NULL ? fail_without_entry(wanted) : WB_OK;
}

wb_status ptxas_info_find(const struct ptxas_info *info, const char *name, const struct wb_kernel *kernel,
                          wb_diagnostics *diagnostics, const struct ptxas_entry **entry) {
    const struct wanted_entry wanted = {info, name, wb_kernel_name(kernel), demangle(wb_kernel_name(kernel)),
                                        diagnostics};
    wb_status status = find_wanted(&wanted, entry);
    free(wanted.readable);
    return status;
}
