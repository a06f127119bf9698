#include "warp/synthetic/synthetic.h"

#include <stdlib.h>

#include "base/base.h"
#include "base/files.h"
#include "machine/files.h"

#define ABOUT_MAX 4096u
#define UNITS_TEXT_MAX 4096u

/* Most blocks that an SM holds at a time. */
#define SYNTHETIC_RESIDENT_MAX 1024u

/* What the file says, before the notation of units and warps is read. */
struct block_file {
    char name[MACHINE_NAME_MAX];
    char about[ABOUT_MAX];
    uint32_t dispatch_depth, issue_width, issue_per_warp, sub_cores, barrier_release;
    uint32_t policy; /* enum machine_policy */
    char units[UNITS_TEXT_MAX];
    struct text warps;            /* programs, separated by ';' */
    struct text blocks;           /* in place of them block classes, separated by '/' */
    bool is_grid;                 /* whether there are blocks */
    uint32_t resident;            /* blocks that an SM holds at a time */
    struct machine_memory memory; /* of a grid: its SMs and dispatcher, and how its memory serves */
    struct machine_fetch fetch;
    char memory_unit[MACHINE_NAME_MAX];
};

static wb_status read_warps(const struct ytree *document, const struct ytree_node *value, void *target);
static wb_status read_blocks(const struct ytree *document, const struct ytree_node *value, void *target);
static wb_status read_memory(const struct ytree *document, const struct ytree_node *value, void *target);
static wb_status read_fetch(const struct ytree *document, const struct ytree_node *value, void *target);

static const struct field block_fields[] = {
    TEXT_ROW(block_file, "block", name, FIELD_TEXT, MACHINE_NAME_MAX, .required = true),
    TEXT_ROW(block_file, "about", about, FIELD_LINES, ABOUT_MAX),
    DISPATCH_DEPTH_ROW(block_file),
    ISSUE_WIDTH_ROW(block_file),
    ISSUE_PER_WARP_ROW(block_file),
    POLICY_ROW(block_file),
    SUB_CORES_ROW(block_file),
    BARRIER_RELEASE_ROW(block_file),
    TEXT_ROW(block_file, "units", units, FIELD_LINES, UNITS_TEXT_MAX, .required = true),
    NESTED_ROW("warps", "a list of warp programs such as \"2x A B.0 | A\"", read_warps),
    NESTED_ROW("blocks", "a list of block classes such as \"4* 2x A B.0; A\"", read_blocks),
    NUMBER_ROW(block_file, "resident", resident, 1, SYNTHETIC_RESIDENT_MAX),
    TEXT_ROW(block_file, "memory_unit", memory_unit, FIELD_NAME, MACHINE_NAME_MAX),
    NESTED_ROW("memory", "a mapping of SMs and dispatcher", read_memory),
    NESTED_ROW("fetch", "a mapping of instruction fetch", read_fetch),
    {0},
};

/* A list of texts under a key, joined to one. */
static wb_status join(const struct ytree *document, const struct ytree_node *value, const char *key,
                      const char *separator, struct text *joined) {
    const char *what = field_find(block_fields, key)->what;
    WB_TRY(ytree_require(document, value, YTREE_LIST, what));
    if (value->count == 0) return ytree_error(document, value, "%s: expected at least one", key);
    for (const struct ytree_node *item = value->first; item != NULL; item = item->next) {
        WB_TRY(ytree_require(document, item, YTREE_SCALAR, what));
        if (item != value->first) text_string(joined, separator); /* the first one may be empty */
        text_string(joined, item->text);
    }
    return joined->failed ? WB_ERR_LIMIT : WB_OK;
}

static wb_status read_warps(const struct ytree *document, const struct ytree_node *value, void *target) {
    struct block_file *file = target;
    return join(document, value, "warps", "; ", &file->warps);
}

static wb_status read_blocks(const struct ytree *document, const struct ytree_node *value, void *target) {
    struct block_file *file = target;
    file->is_grid = true;
    return join(document, value, "blocks", " / ", &file->blocks);
}

static wb_status read_memory(const struct ytree *document, const struct ytree_node *value, void *target) {
    struct block_file *file = target;
    wb_status status = ytree_read_fields(document, value, machine_memory_fields, &file->memory);
    if (status == WB_OK && memory_has_hierarchy(&file->memory))
        status = ytree_error(document, value, "a handwritten grid has no addresses, and so no caches");
    return status;
}

static wb_status read_fetch(const struct ytree *document, const struct ytree_node *value, void *target) {
    struct block_file *file = target;
    return machine_fetch_read(document, value, &file->fetch);
}

/* The keys of a grid go with blocks, and warps without them. */
static wb_status check_keys(const struct ytree *document) {
    const struct ytree_node *root = document->root;
    const bool is_grid = ytree_find(root, "blocks") != NULL;
    if (is_grid == (ytree_find(root, "warps") != NULL))
        return ytree_error(document, root, "expected either warps, of a block, or blocks, of a grid");
    static const char *const of_grids[] = {"resident", "memory_unit", "memory"};
    for (size_t k = 0; k < sizeof of_grids / sizeof *of_grids; k++) {
        const struct ytree_node *value = ytree_find(root, of_grids[k]);
        if (!is_grid && value != NULL)
            return ytree_key_error(document, value, "%s is for a grid", of_grids[k]);
    }
    return WB_OK;
}

/* Requests that wait for each other are made by instructions of the memory unit, one a cycle. */
static wb_status check_memory(const struct ytree *document, const struct block_file *file) {
    const struct ytree_node *memory = ytree_find(document->root, "memory");
    struct text problem = {0};
    bool fits = machine_memory_check(&file->memory, &problem);
    if (fits && file->memory.service > 0 && file->memory_unit[0] == '\0')
        text_string(&problem, "service is for requests: also expected memory_unit");
    else if (fits && file->memory.request_cycles != 1 && file->memory_unit[0] != '\0')
        text_string(&problem, "request_cycles: the instructions of memory_unit make a request a cycle");
    wb_status status = WB_OK;
    if (problem.length > 0) status = ytree_error(document, memory, "memory: %s", problem.data);
    text_free(&problem);
    return status;
}

/* Names the unit whose instructions make requests. */
static wb_status set_memory_unit(const struct ytree *document, const struct block_file *file,
                                 struct synthetic_block *block) {
    const char *problem;
    if (file->memory_unit[0] == '\0' ||
        synthetic_block_set_memory(block, file->memory_unit, &problem) == WB_OK)
        return WB_OK;
    return ytree_error(document, ytree_find(document->root, "memory_unit"), "%s", problem);
}

static wb_status make_block(const struct block_file *file, wb_diagnostics *diagnostics,
                            struct synthetic_block *block) {
    if (file->is_grid)
        WB_TRY(synthetic_grid_parse(file->units, file->blocks.data, diagnostics, block));
    else
        WB_TRY(synthetic_block_parse(file->units, file->warps.data, diagnostics, block));
    struct wb_machine *machine = &block->machine;
    machine->memory = file->memory;
    machine->fetch = file->fetch;
    machine->limits.blocks = file->resident;
    (void)text_format(machine->name, sizeof machine->name, "%s", file->name);
    machine->dispatch_depth = file->dispatch_depth;
    machine->issue_width = file->issue_width;
    machine->issue_per_warp = file->issue_per_warp;
    machine->policy = file->policy;
    machine->sub_cores = file->sub_cores;
    machine->barrier_release = file->barrier_release;
    return WB_OK;
}

/* One error for a file of another kind: no two keys of it are those of a block. */
static wb_status check_kind(const struct ytree *document) {
    static const char *const keys[] = {"block", "units", "warps", "blocks"};
    size_t found = 0;
    WB_TRY(ytree_require(document, document->root, YTREE_MAPPING, "a block file"));
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        found += ytree_find(document->root, keys[k]) != NULL;
    if (found >= 2) return WB_OK;
    return ytree_error(
        document, document->root,
        "neither a launch file (code, kernel, grid, block, arguments) nor a block file (block, "
        "units, and warps or blocks)");
}

/* Reads the fields of a block file and then what they say. */
static wb_status read_block(const char *path, const char *text, size_t size, struct block_file *file,
                            wb_diagnostics *diagnostics, struct synthetic_block *block) {
    struct ytree document = {0};
    file->dispatch_depth = DEPTH_UNLIMITED;
    file->issue_width = file->issue_per_warp = file->sub_cores = file->resident = 1;
    machine_memory_defaults(&file->memory);
    machine_fetch_defaults(&file->fetch);
    file->memory.dispatch = DISPATCH_ANY;
    wb_status status = ytree_parse(path, text, size, diagnostics, &document);
    if (status == WB_OK) status = check_kind(&document);
    if (status == WB_OK) status = ytree_read_fields(&document, document.root, block_fields, file);
    if (status == WB_OK) status = check_keys(&document);
    if (status == WB_OK) status = check_memory(&document, file);
    if (status == WB_OK) status = make_block(file, diagnostics, block);
    if (status == WB_OK && set_memory_unit(&document, file, block) != WB_OK) {
        synthetic_block_free(block);
        status = WB_ERR_INPUT;
    }
    ytree_free(&document);
    text_free(&file->warps);
    text_free(&file->blocks);
    return status;
}

wb_status synthetic_file_parse(const char *name, const char *text, size_t size, wb_diagnostics *diagnostics,
                               struct synthetic_block *block) {
    struct block_file *file = calloc(1, sizeof *file);
    if (file == NULL) return diagnose_out_of_memory(diagnostics, name);
    wb_status status = read_block(name, text, size, file, diagnostics, block);
    free(file);
    return status;
}

wb_status synthetic_file_read(const char *path, wb_diagnostics *diagnostics, struct synthetic_block *block) {
    char *text;
    size_t size;
    WB_TRY(file_read(path, YTREE_SIZE_MAX, diagnostics, &text, &size));
    wb_status status = synthetic_file_parse(path, text, size, diagnostics, block);
    free(text);
    return status;
}
