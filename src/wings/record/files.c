#include "wings/record/files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/containers.h"
#include "base/files.h"
#include "launch/launch.h"
#include "ptx/ptx.h"
#include "wings/record/describe.h"

#define SUBJECT "record" /* what messages are about */

/* Most launch files. */
#define FILES_MAX 4096u

/* A launch that differs from all others. */
struct distinct {
    uint32_t launch;  /* the first of them in the recording */
    const char *text; /* of its file, */
    size_t head;      /* of which so many bytes say what the code is */
    uint64_t times;   /* launched */
};

struct writing {
    const struct recording *recording;
    const char *folder;
    wb_diagnostics *diagnostics;
    struct arena arena;                   /* protected */
    struct code_file *codes;              /* per code */
    struct described_function *functions; /* per function */
    VEC(struct distinct) distinct;
    struct intern texts; /* of these */
    uint32_t *kinds;     /* per launch: its number among them, or RECORDED_NONE */
    uint64_t counts[DESCRIPTIONS];
    struct text summary;
};

/* ---- Files --------------------------------------------------------------------------------------------- */

static const char *path_of(struct writing *writing, const char *name) {
    struct text path = {.arena = &writing->arena};
    text_printf(&path, "%s/%s", writing->folder, name);
    return path.data;
}

wb_status files_write_bytes(const char *path, const void *bytes, size_t size, wb_diagnostics *diagnostics) {
    wb_file *file = NULL;
    WB_TRY(wb_file_new(path, diagnostics, &file));
    (void)wb_file_append(file, bytes, size);
    const wb_status status = wb_file_complete(file, diagnostics);
    wb_file_free(file);
    return status;
}

static void write_bytes(struct writing *writing, const char *name, const void *bytes, size_t size) {
    const wb_status status = files_write_bytes(path_of(writing, name), bytes, size, writing->diagnostics);
    if (status != WB_OK) arena_fail(&writing->arena, status);
}

/* ---- Code ---------------------------------------------------------------------------------------------- */

static const char *ending_of(const struct recorded_code *code) {
    switch (content_of((const char *)code->image, code->bytes)) {
    case CONTENT_CUBIN: return "cubin";
    case CONTENT_FATBIN: return "fatbin";
    case CONTENT_ELF: return "elf";
    default: return "ptx";
    }
}

/* The image of a container that a GPU takes: the newest machine code that it runs, else the newest PTX. NULL:
 * it has neither. */
static const wb_image *image_for(const wb_program *program, uint32_t architecture) {
    const wb_image *image, *best = NULL;
    for (size_t i = 0; (image = wb_program_image(program, i)) != NULL; i++) {
        const bool is_code = image->kind == WB_IMAGE_CODE;
        const bool runs = image->architecture <= architecture &&
                          (!is_code || image->architecture / 10 == architecture / 10);
        if (image->kind == WB_IMAGE_OTHER || image->relocatable || !runs) continue;
        const bool better = best == NULL || (is_code && best->kind != WB_IMAGE_CODE) ||
                            (image->kind == best->kind && image->architecture > best->architecture);
        if (better) best = image;
    }
    return best;
}

static wb_status read_code(struct writing *writing, uint32_t architecture, struct code_file *file) {
    wb_program *program = NULL;
    wb_status status = wb_program_read(path_of(writing, file->name), writing->diagnostics, &program);
    const wb_image *image =
        status == WB_OK && wb_program_is_container(program) ? image_for(program, architecture) : NULL;
    if (image != NULL) file->image = arena_string(&writing->arena, image->name, strlen(image->name));
    if (status == WB_OK)
        status = wb_program_module(program, NULL, file->image, writing->diagnostics, &file->module);
    wb_program_free(program);
    return status;
}

/* The one preset for machine code of that architecture. */
static const char *preset_for(struct writing *writing, uint32_t architecture) {
    size_t count = 0;
    char *names = architecture != 0 ? wb_machine_presets_for(architecture, &count) : NULL;
    const char *name = count == 1 ? arena_string(&writing->arena, names, strlen(names)) : NULL;
    free(names);
    return name;
}

static void write_code(struct writing *writing, uint32_t number) {
    const struct recorded_code *code = &writing->recording->codes.items[number];
    struct code_file *file = &writing->codes[number];
    (void)text_format(file->name, sizeof file->name, "code-%u.%s", number + 1, ending_of(code));
    write_bytes(writing, file->name, code->image, code->bytes);
}

/* The module of a code, read when it is first asked for; NULL: it cannot be. */
static const wb_module *module_of(struct writing *writing, uint32_t number) {
    struct code_file *file = &writing->codes[number];
    if (file->is_read) return file->module;
    file->is_read = true;
    const wb_status status = read_code(writing, writing->recording->codes.items[number].architecture, file);
    if (status == WB_ERR_LIMIT) arena_fail(&writing->arena, status);
    if (status == WB_OK) file->machine = preset_for(writing, wb_module_architecture(file->module));
    return file->module;
}

/* ---- Launches ------------------------------------------------------------------------------------------ */

/* The kernel of that name, exactly, and what its launches say of variables. */
static const struct described_function *look_up(struct writing *writing, uint32_t number) {
    const struct recorded_function *function = &writing->recording->functions.items[number];
    struct described_function *described = &writing->functions[number];
    const wb_module *module = module_of(writing, function->code);
    if (described->looked_up) return described;
    described->looked_up = true;
    for (size_t i = 0; i < wb_module_kernel_count(module) && described->kernel == NULL; i++)
        if (strcmp(wb_kernel_name(wb_module_kernel(module, i)), function->name) == 0)
            described->kernel = wb_module_kernel(module, i);
    if (described->kernel == NULL) return described;
    described->variables = describe_variables(described->kernel, &writing->arena, writing->diagnostics);
    if (described->variables == NULL) described->kernel = NULL;
    return described;
}

static void put_code(const struct code_file *file, struct text *out) {
    text_printf(out, "code: %s\n", file->name);
    if (file->image != NULL) text_printf(out, "image: %s\n", file->image);
    if (file->machine != NULL) text_printf(out, "machine: %s\n", file->machine);
}

/* Notes the launch as one of those that are alike; false: there are too many. */
static bool add_launch(struct writing *writing, uint32_t number, const struct text *text, size_t head) {
    uint32_t *kind = &writing->kinds[number];
    if (intern_add(&writing->texts, text->data, text->length, kind) != WB_OK)
        arena_fail(&writing->arena, WB_ERR_LIMIT);
    if (*kind >= FILES_MAX) {
        *kind = RECORDED_NONE;
        return false;
    }
    const struct distinct made = {.launch = number, .text = text->data, .head = head};
    if (*kind == writing->distinct.count) arena_push(&writing->arena, &writing->distinct, made);
    writing->distinct.items[*kind].times++;
    return true;
}

static enum description take_launch(struct writing *writing, uint32_t number) {
    const struct recorded_launch *launch = &writing->recording->launches.items[number];
    struct text text = {.arena = &writing->arena};
    if (launch->function == RECORDED_NONE) return NO_FUNCTION;
    const uint32_t code = writing->recording->functions.items[launch->function].code;
    if (code == RECORDED_NONE) return NO_FUNCTION;
    if (module_of(writing, code) == NULL) return NO_CODE;
    const struct described_function *function = look_up(writing, launch->function);
    if (function->kernel == NULL) return NO_KERNEL;
    put_code(&writing->codes[code], &text);
    const size_t head = text.length;
    const enum description description =
        describe_launch(launch, function->kernel, function->variables, &text);
    const bool has_text = description == DESCRIBED || description == NO_PARAMS;
    return has_text && !add_launch(writing, number, &text, head) ? TOO_MANY : description;
}

static void write_launches(struct writing *writing) {
    for (uint32_t i = 0; i < writing->distinct.count; i++) {
        const struct distinct *distinct = &writing->distinct.items[i];
        const struct recorded_launch *launch = &writing->recording->launches.items[distinct->launch];
        struct text file = {.arena = &writing->arena};
        char name[40];
        (void)text_format(name, sizeof name, "launch-%u.yaml", i + 1);
        text_printf(&file, "# Recorded: launched %" PRIu64 " times.\n%s", distinct->times, distinct->text);
        write_bytes(writing, name, file.data, file.length);
        text_printf(&writing->summary, "%-16s %" PRIu64 " x ", name, distinct->times);
        const char *kernel = writing->recording->functions.items[launch->function].name;
        text_printable(&writing->summary, kernel, strlen(kernel));
        text_printf(&writing->summary, ", grid %u,%u,%u, block %u,%u,%u\n", launch->grid[0], launch->grid[1],
                    launch->grid[2], launch->block[0], launch->block[1], launch->block[2]);
    }
}

/* ---- Lists --------------------------------------------------------------------------------------------- */

/* A launch of a stream, of a code. */
struct listed {
    uint32_t stream, code, launch;
};

static int compare_listed(const void *a, const void *b) {
    const struct listed *first = a, *second = b;
    if (first->stream != second->stream) return first->stream < second->stream ? -1 : 1;
    if (first->code != second->code) return first->code < second->code ? -1 : 1;
    return first->launch < second->launch ? -1 : first->launch > second->launch;
}

/* Appends a launch as an item of a list, the first with its code. */
static void put_item(const struct distinct *distinct, bool is_first, struct text *list) {
    const char *line = distinct->text + (is_first ? 0 : distinct->head), *end;
    for (const char *indent = "- "; *line != '\0'; line = end, indent = "  ") {
        end = strchr(line, '\n') + 1;
        text_string(list, indent);
        text_append(list, line, (size_t)(end - line));
    }
}

/* The list of so many launches of one stream and code, in their order. */
static void write_list(struct writing *writing, const struct listed *listed, size_t count, unsigned part) {
    struct text list = {.arena = &writing->arena};
    char name[80], number[24] = "";
    if (part > 1) (void)text_format(number, sizeof number, "-part-%u", part);
    (void)text_format(name, sizeof name, "stream-%u-code-%u%s.yaml", listed->stream + 1, listed->code + 1,
                      number);
    text_string(&list,
                "# Recorded: launches of one stream, in their order; copies, and kernels of other code "
                "between\n# them, are not here.\n");
    for (size_t i = 0; i < count; i++)
        put_item(&writing->distinct.items[writing->kinds[listed[i].launch]], i == 0, &list);
    write_bytes(writing, name, list.data, list.length);
    text_printf(&writing->summary, "%s: %zu launches in their order\n", name, count);
}

/* A list without some of the kernels, or without their order, would bound less than the stream: there is none
 * of it. */
static void write_lists(struct writing *writing) {
    const struct recording *recording = writing->recording;
    struct listed *listed = arena_array(&writing->arena, recording->launches.count + 1, sizeof *listed);
    bool *broken = arena_array(&writing->arena, recording->streams.count + 1, sizeof *broken);
    size_t count = 0;
    for (uint32_t i = 0; i < recording->streams.count; i++)
        broken[i] = recording->streams.items[i];
    for (uint32_t i = 0; i < recording->launches.count; i++) {
        const struct recorded_launch *launch = &recording->launches.items[i];
        if (writing->kinds[i] == RECORDED_NONE)
            broken[launch->stream] = true;
        else
            listed[count++] =
                (struct listed){launch->stream, recording->functions.items[launch->function].code, i};
    }
    qsort(listed, count, sizeof *listed, compare_listed);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first; end < count && listed[end].stream == listed[first].stream &&
                          listed[end].code == listed[first].code;)
            end++;
        if (end - first < 2 || broken[listed[first].stream]) continue;
        for (size_t at = first; at < end; at += LAUNCHES_MAX)
            write_list(writing, &listed[at], end - at < LAUNCHES_MAX ? end - at : LAUNCHES_MAX,
                       (unsigned)((at - first) / LAUNCHES_MAX) + 1);
    }
}

/* ---- All of it ----------------------------------------------------------------------------------------- */

static void write_all(void *context) {
    struct writing *writing = context;
    const struct recording *recording = writing->recording;
    static const char sweep[] = "about: launches of a recorded program\ncode: launch-*.yaml\n";
    writing->functions =
        arena_array(&writing->arena, recording->functions.count + 1, sizeof *writing->functions);
    writing->kinds = arena_array(&writing->arena, recording->launches.count + 1, sizeof *writing->kinds);
    writing->summary.arena = &writing->arena;
    for (uint32_t i = 0; i < recording->codes.count; i++)
        write_code(writing, i);
    for (uint32_t i = 0; i < recording->launches.count; i++) {
        writing->kinds[i] = RECORDED_NONE;
        writing->counts[take_launch(writing, i)]++;
    }
    text_printf(&writing->summary, "recorded: %zu different launches of %zu, streams: %zu\n",
                writing->distinct.count, recording->launches.count, recording->streams.count);
    write_launches(writing);
    write_lists(writing);
    if (writing->distinct.count == 0) return;
    write_bytes(writing, "sweep.yaml", sweep, sizeof sweep - 1);
    text_printf(&writing->summary, "next: warpbound analyze %s/launch-1.yaml\n", writing->folder);
}

/* Says what is not in the files. */
static wb_status judge(const struct writing *writing) {
    static const char *const reasons[DESCRIPTIONS] = {
        [NO_FUNCTION] = "the program has their kernels in a way that is not recorded",
        [NO_CODE] = "their code cannot be read",
        [NO_KERNEL] = "their code has no such kernel, or one with instructions that are not known",
        [OTHER_PARAMS] = "they have other parameters than their kernels",
        [TOO_LARGE] = "they use memory of more than 4 GiB, which no buffer of a launch file has",
        [TOO_MANY] = "4096 others differ from each other, and are enough files",
        [IN_CLUSTERS] = "their blocks are in clusters, which no launch file has",
    };
    wb_status status = WB_OK;
    for (int i = 0; i < DESCRIPTIONS; i++) {
        if (writing->counts[i] == 0 || i == DESCRIBED) continue;
        status = WB_ERR_DECLINED;
        if (i == NO_PARAMS)
            diagnose(writing->diagnostics, SEVERITY_ERROR, SUBJECT,
                     "%" PRIu64
                     " of %zu launches have ___ for their arguments: only drivers since CUDA 12.4 tell "
                     "where these stand",
                     writing->counts[i], writing->recording->launches.count);
        else
            diagnose(writing->diagnostics, SEVERITY_ERROR, SUBJECT,
                     "%" PRIu64 " of %zu launches have no file: %s", writing->counts[i],
                     writing->recording->launches.count, reasons[i]);
    }
    return status;
}

wb_status files_write(const struct recording *recording, const char *folder, wb_diagnostics *diagnostics,
                      char **text) {
    struct writing writing = {.recording = recording, .folder = folder, .diagnostics = diagnostics};
    const size_t errors = wb_diagnostics_errors(diagnostics);
    writing.codes = calloc(recording->codes.count + 1, sizeof *writing.codes);
    wb_status status =
        writing.codes != NULL ? arena_protect(&writing.arena, write_all, &writing) : WB_ERR_LIMIT;
    if (status == WB_OK && (*text = strdup(writing.summary.data)) == NULL) status = WB_ERR_LIMIT;
    if (status == WB_OK) status = judge(&writing);
    for (size_t i = 0; writing.codes != NULL && i < recording->codes.count; i++)
        wb_module_free(writing.codes[i].module);
    free(writing.codes);
    intern_free(&writing.texts);
    arena_free(&writing.arena);
    if (status == WB_ERR_LIMIT && wb_diagnostics_errors(diagnostics) == errors)
        (void)diagnose_out_of_memory(diagnostics, SUBJECT);
    return status;
}
