#include "papers/abstract_cta/abstract_warp_file.h"

#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "base/yaml.h"
#include "papers/abstract_cta/abstract_notation.h"

#define KEY "abstract_warp"
#define ABOUT_MAX 4096u
#define PROGRAM_MAX 65536u

/* Most warps, and most iterations of a loop. */
#define WARPS_MAX 1024u
#define ITERATIONS_MAX 1000000u

#define LOOPS_EXPECTED "a mapping from loops to their iterations: one number, or one for each warp"
#define SET_EXPECTED "a list of settings of the machine such as \"mem_latency=9\""

/* The file's fields, before the program is read. */
struct file_fields {
    char name[MACHINE_NAME_MAX], machine[MACHINE_NAME_MAX];
    char about[ABOUT_MAX];
    char program[PROGRAM_MAX];
    uint32_t warps;
    const struct ytree_node *set, *loops; /* or NULL */
};

static wb_status keep_set(const struct ytree *document, const struct ytree_node *value, void *target) {
    ((struct file_fields *)target)->set = value;
    return ytree_require(document, value, YTREE_LIST, SET_EXPECTED);
}

static wb_status keep_loops(const struct ytree *document, const struct ytree_node *value, void *target) {
    ((struct file_fields *)target)->loops = value;
    return ytree_require(document, value, YTREE_MAPPING, LOOPS_EXPECTED);
}

static const struct field file_fields[] = {
    {.key = KEY,
     .kind = FIELD_TEXT,
     .required = true,
     .offset = offsetof(struct file_fields, name),
     .maximum = MACHINE_NAME_MAX},
    {.key = "about", .kind = FIELD_TEXT, .offset = offsetof(struct file_fields, about), .maximum = ABOUT_MAX},
    {.key = "machine",
     .kind = FIELD_TEXT,
     .offset = offsetof(struct file_fields, machine),
     .maximum = MACHINE_NAME_MAX},
    {.key = "set", .kind = FIELD_NESTED, .what = SET_EXPECTED, .read = keep_set},
    {.key = "warps",
     .kind = FIELD_U32,
     .required = true,
     .offset = offsetof(struct file_fields, warps),
     .minimum = 1,
     .maximum = WARPS_MAX},
    {.key = "program",
     .kind = FIELD_TEXT,
     .required = true,
     .offset = offsetof(struct file_fields, program),
     .maximum = PROGRAM_MAX},
    {.key = "loops", .kind = FIELD_NESTED, .what = LOOPS_EXPECTED, .read = keep_loops},
    {0},
};

bool abstract_warp_file_is(const char *text, size_t size) {
    const size_t length = strlen(KEY ":");
    for (const char *line = text, *end = text + size; (size_t)(end - line) >= length;) {
        if (memcmp(line, KEY ":", length) == 0) return true;
        line = memchr(line, '\n', (size_t)(end - line));
        if (line == NULL) return false;
        line++;
    }
    return false;
}

static wb_status make_machine(const struct ytree *document, const struct file_fields *fields,
                              wb_diagnostics *diagnostics, struct wb_machine **machine) {
    WB_TRY(wb_machine_load(fields->machine, diagnostics, machine));
    const struct ytree_node *setting = fields->set == NULL ? NULL : fields->set->first;
    for (; setting != NULL; setting = setting->next) {
        WB_TRY(ytree_require(document, setting, YTREE_SCALAR, "a setting such as \"mem_latency=9\""));
        WB_TRY(wb_machine_set(*machine, setting->text, diagnostics));
    }
    return wb_machine_check(*machine, diagnostics);
}

/* Iterations as a file gives them. */
static wb_status read_iterations(const struct ytree *document, const struct ytree_node *value,
                                 uint64_t *iterations) {
    if (value->kind != YTREE_SCALAR || !number_u64(value->text, strlen(value->text), iterations) ||
        *iterations > ITERATIONS_MAX)
        return ytree_expected(document, value, "a number of iterations, at most 1000000");
    return WB_OK;
}

/* The iterations of one loop: the same for all warps, or of each warp its own. */
static wb_status read_loop(const struct ytree *document, const struct ytree_node *value, size_t loop,
                           struct abstract_cta *cta) {
    const size_t loops = cta->warp.loops.count;
    const struct ytree_node *one = value->kind == YTREE_LIST ? value->first : value;
    if (value->kind == YTREE_LIST && value->count != cta->warp_count)
        return ytree_expected(document, value, "as many numbers of iterations as there are warps");
    for (uint32_t w = 0; w < cta->warp_count; w++) {
        WB_TRY(read_iterations(document, one, &cta->iterations[w * loops + loop]));
        if (value->kind == YTREE_LIST) one = one->next;
    }
    return WB_OK;
}

/* The iterations of all loops of the program. */
static wb_status read_loops(const struct ytree *document, const struct ytree_node *loops,
                            const struct abstract_notation *notation, struct abstract_cta *cta) {
    for (size_t l = 0; l < notation->names.count; l++) {
        const char *name = notation->names.items[l].text;
        const struct ytree_node *value = loops == NULL ? NULL : ytree_find(loops, name);
        if (value == NULL)
            return ytree_error(document, document->root, "loops: the iterations of loop '%s' are missing",
                               name);
        WB_TRY(read_loop(document, value, l, cta));
    }
    if (loops == NULL || loops->count == notation->names.count) return WB_OK;
    return ytree_error(document, loops, "loops: a name is given that no loop of the program has");
}

static wb_status make_cta(const struct ytree *document, const struct file_fields *fields,
                          wb_diagnostics *diagnostics, struct abstract_cta *cta) {
    struct abstract_notation notation;
    wb_status status = abstract_notation_parse(fields->program, diagnostics, &notation);
    if (status == WB_OK) {
        cta->warp = notation.warp;
        notation.warp = (struct abstract_warp){0};
        status = abstract_cta_allocate(cta, fields->warps);
        if (status != WB_OK) (void)diagnose_out_of_memory(diagnostics, fields->name);
    }
    if (status == WB_OK) status = read_loops(document, fields->loops, &notation, cta);
    abstract_notation_free(&notation);
    return status;
}

/* A convention that the program leaves without effect would be taken for one that it has. */
static wb_status check_branches(const struct ytree *document, const struct abstract_warp_file *file) {
    if (file->machine->abstract_cta.uniform_branch != BRANCH_EXECUTED_SIDE || !file->cta.warp.has_open_branch)
        return WB_OK;
    return ytree_error(document, ytree_find(document->root, "program"),
                       "abstract_cta.uniform_branch is executed, but nothing says which side of a branch "
                       "{...} is executed: give each a pattern, such as {4 m}@01");
}

static wb_status read_file(const struct ytree *document, struct file_fields *fields,
                           wb_diagnostics *diagnostics, struct abstract_warp_file *file) {
    WB_TRY(ytree_read_fields(document, document->root, file_fields, fields));
    (void)text_format(file->name, sizeof file->name, "%s", fields->name);
    WB_TRY(make_machine(document, fields, diagnostics, &file->machine));
    WB_TRY(make_cta(document, fields, diagnostics, &file->cta));
    return check_branches(document, file);
}

wb_status abstract_warp_file_parse(const char *name, const char *text, size_t size,
                                   wb_diagnostics *diagnostics, struct abstract_warp_file *file) {
    struct file_fields *fields = calloc(1, sizeof *fields);
    if (fields == NULL) return diagnose_out_of_memory(diagnostics, name);
    struct ytree document = {0};
    (void)text_format(fields->machine, sizeof fields->machine, "hirvisalo");
    wb_status status = ytree_parse(name, text, size, diagnostics, &document);
    if (status == WB_OK) status = read_file(&document, fields, diagnostics, file);
    ytree_free(&document);
    free(fields);
    return status;
}

void abstract_warp_file_free(struct abstract_warp_file *file) {
    wb_machine_free(file->machine);
    abstract_cta_free(&file->cta);
    *file = (struct abstract_warp_file){0};
}
