#include "warp/abstract_file.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/yaml.h"

#define ABOUT_MAX 4096u
#define UNITS_TEXT_MAX 4096u

/* What the file says, before the notation of units and warps is read. */
struct block_file {
    char name[MACHINE_NAME_MAX];
    char about[ABOUT_MAX];
    uint32_t dispatch_depth, issue_width, sub_cores, barrier_release;
    char units[UNITS_TEXT_MAX];
    struct text warps; /* programs, separated by ';' */
};

static wb_status read_warps(const struct ytree *document, const struct ytree_node *value, void *target);

static const char *const unlimited[] = {"unlimited", NULL};

static const struct field block_fields[] = {
    {.key = "block",
     .kind = FIELD_TEXT,
     .required = true,
     .offset = offsetof(struct block_file, name),
     .maximum = MACHINE_NAME_MAX},
    {.key = "about", .kind = FIELD_TEXT, .offset = offsetof(struct block_file, about), .maximum = ABOUT_MAX},
    {.key = "dispatch_depth",
     .kind = FIELD_U32,
     .offset = offsetof(struct block_file, dispatch_depth),
     .maximum = MACHINE_TIME_MAX,
     .words = unlimited},
    {.key = "issue_width",
     .kind = FIELD_U32,
     .offset = offsetof(struct block_file, issue_width),
     .minimum = 1,
     .maximum = 8},
    {.key = "sub_cores",
     .kind = FIELD_U32,
     .offset = offsetof(struct block_file, sub_cores),
     .minimum = 1,
     .maximum = 16},
    {.key = "barrier_release",
     .kind = FIELD_U32,
     .offset = offsetof(struct block_file, barrier_release),
     .maximum = MACHINE_TIME_MAX},
    {.key = "units",
     .kind = FIELD_TEXT,
     .required = true,
     .offset = offsetof(struct block_file, units),
     .maximum = UNITS_TEXT_MAX},
    {.key = "warps",
     .kind = FIELD_NESTED,
     .required = true,
     .what = "a list of warp programs such as \"2x A B.0 | A\"",
     .read = read_warps},
    {0},
};

/* A list of programs, joined to one text. */
static wb_status read_warps(const struct ytree *document, const struct ytree_node *value, void *target) {
    struct block_file *file = target;
    WB_TRY(ytree_require(document, value, YTREE_LIST, field_find(block_fields, "warps")->what));
    if (value->count == 0) return ytree_error(document, value, "warps: expected at least one program");
    for (const struct ytree_node *program = value->first; program != NULL; program = program->next) {
        WB_TRY(ytree_require(document, program, YTREE_SCALAR, "a warp program such as \"2x A B.0 | A\""));
        if (file->warps.length > 0) text_string(&file->warps, "; ");
        text_string(&file->warps, program->text);
    }
    return file->warps.failed ? WB_ERR_LIMIT : WB_OK;
}

static wb_status make_block(const struct block_file *file, wb_diagnostics *diagnostics,
                            struct abstract_block *block) {
    WB_TRY(abstract_block_parse(file->units, file->warps.data, diagnostics, block));
    struct wb_machine *machine = &block->machine;
    (void)snprintf(machine->name, sizeof machine->name, "%s", file->name);
    machine->dispatch_depth = file->dispatch_depth;
    machine->issue_width = file->issue_width;
    machine->sub_cores = file->sub_cores;
    machine->barrier_release = file->barrier_release;
    return WB_OK;
}

/* Reads the fields of a block file and then what they say. */
static wb_status read_block(const char *path, const char *text, size_t size, struct block_file *file,
                            wb_diagnostics *diagnostics, struct abstract_block *block) {
    struct ytree document = {0};
    file->dispatch_depth = DEPTH_UNLIMITED;
    file->issue_width = file->sub_cores = 1;
    wb_status status = ytree_parse(path, text, size, diagnostics, &document);
    if (status == WB_OK) status = ytree_read_fields(&document, document.root, block_fields, file);
    if (status == WB_OK) status = make_block(file, diagnostics, block);
    ytree_free(&document);
    text_free(&file->warps);
    return status;
}

wb_status abstract_file_parse(const char *name, const char *text, size_t size, wb_diagnostics *diagnostics,
                              struct abstract_block *block) {
    struct block_file *file = calloc(1, sizeof *file);
    if (file == NULL) return diagnose_out_of_memory(diagnostics, name);
    wb_status status = read_block(name, text, size, file, diagnostics, block);
    free(file);
    return status;
}

wb_status abstract_file_read(const char *path, wb_diagnostics *diagnostics, struct abstract_block *block) {
    char *text;
    size_t size;
    WB_TRY(file_read(path, diagnostics, &text, &size));
    wb_status status = abstract_file_parse(path, text, size, diagnostics, block);
    free(text);
    return status;
}
