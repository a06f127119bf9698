#include "strings/problem_file.h"

#include <string.h>

#include "base/file.h"
#include "base/yaml.h"

#define NAME_MAX_BYTES 64u
#define ABOUT_MAX 4096u

/* What the file says: the spec, and texts for its readers. */
struct problem_file {
    struct spec_target target; /* first, so that the readers of fields find it */
    char name[NAME_MAX_BYTES];
    char about[ABOUT_MAX];
};

static const struct field problem_fields[] = {
    {.key = "problem",
     .kind = FIELD_TEXT,
     .required = true,
     .offset = offsetof(struct problem_file, name),
     .maximum = NAME_MAX_BYTES},
    {.key = "about",
     .kind = FIELD_TEXT,
     .offset = offsetof(struct problem_file, about),
     .maximum = ABOUT_MAX},
    PROBLEM_WARPS_FIELD,
    PROBLEM_UNITS_FIELD,
    {.key = "warp_size", .kind = FIELD_NESTED, .read = problem_read_option},
    {.key = "cycles", .kind = FIELD_NESTED, .read = problem_read_option},
    PROBLEM_ISSUE_FIELD,
    {0},
};

struct subject problem_value_subject(const struct ytree *document, const struct ytree_node *value) {
    return (struct subject){.source = &document->source, .offset = value->at + (value->quoted ? 1u : 0u)};
}

wb_status problem_read_warps(const struct ytree *document, const struct ytree_node *value, void *target) {
    struct makespan_spec *spec = ((struct spec_target *)target)->spec;
    WB_TRY(ytree_require(document, value, YTREE_LIST, PROBLEM_WARPS_WHAT));
    if (value->count == 0) return ytree_error(document, value, "warps: expected at least one string");
    for (const struct ytree_node *entry = value->first; entry != NULL; entry = entry->next) {
        WB_TRY(ytree_require(document, entry, YTREE_SCALAR, "warps such as \"12:LLC\""));
        if (strchr(entry->text, ':') == NULL)
            return ytree_error(document, entry, "expected how many warps there are before '%.40s' and a ':'",
                               entry->text);
        const struct subject subject = problem_value_subject(document, entry);
        WB_TRY(spec_add_warps(spec, entry->text, &subject, document->diagnostics));
    }
    return WB_OK;
}

wb_status problem_read_option(const struct ytree *document, const struct ytree_node *value, void *target) {
    struct makespan_spec *spec = ((struct spec_target *)target)->spec;
    WB_TRY(ytree_require(document, value, YTREE_SCALAR, "one value, as the option of that name takes it"));
    const struct subject subject = problem_value_subject(document, value);
    return spec_set(spec, value->key, value->text, &subject, document->diagnostics);
}

wb_status problem_file_parse(const char *name, const char *text, size_t size, wb_diagnostics *diagnostics,
                             struct makespan_spec *spec) {
    struct problem_file file = {.target = {spec}};
    struct ytree document;
    wb_status status = ytree_parse(name, text, size, diagnostics, &document);
    if (status == WB_OK) status = ytree_read_fields(&document, document.root, problem_fields, &file);
    ytree_free(&document);
    return status;
}

wb_status problem_file_read(const char *path, wb_diagnostics *diagnostics, struct makespan_spec *spec) {
    char *text;
    size_t size;
    WB_TRY(file_read(path, YTREE_SIZE_MAX, diagnostics, &text, &size));
    wb_status status = problem_file_parse(path, text, size, diagnostics, spec);
    free(text);
    return status;
}
