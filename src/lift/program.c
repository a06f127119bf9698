/* Files with code as programs: PTX and machine code by themselves, or in a file of the host. */
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "fatbin/fatbin.h"
#include "lift/lift.h"

/* Largest file that is PTX or a cubin, and that holds such. */
#define CODE_SIZE_MAX ((size_t)256 << 20)
#define PROGRAM_SIZE_MAX ((size_t)1 << 30)

struct wb_program {
    struct arena arena;
    char *bytes; /* malloc'd, with a zero byte behind them */
    size_t size;
    const char *path; /* as it was given */
    const char *name; /* printable */
    wb_input input;   /* of a container */
    bool is_container;
    struct fatbin fatbin; /* of a container */
    wb_image code;        /* of other files */
};

/* ---- Reading ------------------------------------------------------------------------------------------- */

static bool is_container(enum content content) {
    return content == CONTENT_FATBIN || content == CONTENT_ELF || content == CONTENT_ARCHIVE;
}

/* The file as its own one image. */
static wb_status take_code(wb_program *program, const char *name, enum content content,
                           wb_diagnostics *diagnostics) {
    wb_image *code = &program->code;
    if (program->size > CODE_SIZE_MAX) {
        diagnose(diagnostics, SEVERITY_ERROR, name, "larger than %zu bytes", CODE_SIZE_MAX);
        return WB_ERR_INPUT;
    }
    *code = (wb_image){.name = "", .unit = "", .bytes = program->size};
    if (content != CONTENT_CUBIN) return WB_OK;
    struct text text = {0};
    code->kind = WB_IMAGE_CODE;
    code->architecture = cubin_architecture(program->bytes, program->size);
    text_printf(&text, "sm_%u", code->architecture);
    code->name = text.failed ? NULL : arena_string(&program->arena, text.data, text.length);
    text_free(&text);
    return code->name != NULL ? WB_OK : diagnose_out_of_memory(diagnostics, name);
}

static wb_status take_images(wb_program *program, const char *name, wb_diagnostics *diagnostics) {
    const wb_input input = input_of(WB_INPUT_PROGRAM, name, program->bytes, program->size);
    if (input_copy(&input, &program->arena, &program->input) != WB_OK)
        return diagnose_out_of_memory(diagnostics, name);
    return fatbin_read(name, program->bytes, program->size, diagnostics, &program->fatbin);
}

/* A program of bytes that it takes over. */
static wb_status program_of(const char *name, char *bytes, size_t size, wb_diagnostics *diagnostics,
                            wb_program **out) {
    wb_program *program = calloc(1, sizeof *program);
    if (program == NULL) {
        free(bytes);
        return diagnose_out_of_memory(diagnostics, name);
    }
    const enum content content = content_of(bytes, size);
    program->bytes = bytes;
    program->size = size;
    program->is_container = is_container(content);
    program->path = arena_string(&program->arena, name, strlen(name));
    program->name = arena_printable(&program->arena, name, strlen(name));
    wb_status status = WB_OK;
    if (program->path == NULL || program->name == NULL)
        status = diagnose_out_of_memory(diagnostics, name);
    else if (program->is_container)
        status = take_images(program, name, diagnostics);
    else
        status = take_code(program, name, content, diagnostics);
    if (status != WB_OK) {
        wb_program_free(program);
        return status;
    }
    *out = program;
    return WB_OK;
}

wb_status wb_program_read(const char *path, wb_diagnostics *diagnostics, wb_program **program) {
    char *bytes;
    size_t size;
    WB_TRY(file_read(path, PROGRAM_SIZE_MAX, diagnostics, &bytes, &size));
    return program_of(path, bytes, size, diagnostics, program);
}

void wb_program_free(wb_program *program) {
    if (program == NULL) return;
    fatbin_free(&program->fatbin);
    arena_free(&program->arena);
    free(program->bytes);
    free(program);
}

bool wb_program_is_container(const wb_program *program) {
    return program->is_container;
}

size_t program_image_count(const wb_program *program) {
    return program->is_container ? program->fatbin.image_count : 1;
}

const wb_image *wb_program_image(const wb_program *program, size_t index) {
    if (index >= program_image_count(program)) return NULL;
    return program->is_container ? &program->fatbin.images[index] : &program->code;
}

const char *program_name(const wb_program *program) {
    return program->name;
}

const wb_input *program_input(const wb_program *program) {
    return &program->input;
}

/* ---- The module of an image ---------------------------------------------------------------------------- */

/* The number of an image of the program. */
static size_t number_of(const wb_program *program, const wb_image *image) {
    return program->is_container ? (size_t)(image - program->fatbin.images) : 0;
}

wb_status wb_program_unpack(const wb_program *program, size_t index, wb_diagnostics *diagnostics,
                            char **bytes, size_t *size) {
    if (program->is_container)
        return fatbin_unpack(program->path, &program->fatbin, index, diagnostics, bytes, size);
    char *copy = malloc(program->size + 1);
    if (copy == NULL) return diagnose_out_of_memory(diagnostics, program->path);
    memcpy(copy, program->bytes, program->size + 1);
    *bytes = copy;
    *size = program->size;
    return WB_OK;
}

/* A module of an image that is called `name`. */
static wb_status module_named(const wb_program *program, const char *name, const wb_image *image,
                              wb_diagnostics *diagnostics, wb_module **module) {
    char *bytes = NULL;
    size_t size = 0;
    WB_TRY(wb_program_unpack(program, number_of(program, image), diagnostics, &bytes, &size));
    if (image->kind != WB_IMAGE_CODE) return ptx_module_of_text(name, bytes, size, diagnostics, module);
    const wb_status status = lift_module(name, bytes, size, diagnostics, module);
    free(bytes);
    return status;
}

/* Says of a module which of the images in a file it is. */
static wb_status set_origin(const wb_program *program, const wb_image *image, wb_module *module) {
    struct arena *arena = &module->arena;
    struct text text = {0};
    text_printf(&text, "%s for %s", image->kind == WB_IMAGE_CODE ? "machine code" : "PTX", image->name);
    if (image->unit[0] != '\0') text_printf(&text, ", unit %s", image->unit);
    text_printf(&text, ", of %s", program->name);
    if (!text.failed) module->origin.text = arena_string(arena, text.data, text.length);
    text_free(&text);
    module->origin.image = arena_string(arena, image->name, strlen(image->name));
    module->origin.unit = arena_string(arena, image->unit, strlen(image->unit));
    const struct ptx_origin *origin = &module->origin;
    if (origin->text == NULL || origin->image == NULL || origin->unit == NULL) return WB_ERR_LIMIT;
    return input_copy(&program->input, arena, &module->input);
}

wb_status program_image_module(const wb_program *program, const wb_image *image, wb_diagnostics *diagnostics,
                               wb_module **module) {
    if (!program->is_container) return module_named(program, program->path, image, diagnostics, module);
    struct text name = {0};
    wb_module *made = NULL;
    const char *comma = image->unit[0] == '\0' ? "" : ", ";
    text_printf(&name, "%s(%s%s%s)", program->name, image->unit, comma, image->name);
    wb_status status = name.failed ? diagnose_out_of_memory(diagnostics, program->name)
                                   : module_named(program, name.data, image, diagnostics, &made);
    text_free(&name);
    if (made == NULL) return status;
    if (set_origin(program, image, made) != WB_OK) {
        wb_module_free(made);
        return diagnose_out_of_memory(diagnostics, program->name);
    }
    *module = made;
    return WB_OK;
}

/* ---- The kernels of an image ----------------------------------------------------------------------------
 */

struct listing {
    struct arena *arena;
    const struct cubin *cubin;      /* or */
    const struct wb_module *module; /* NULL */
    kernel_names *names;
};

static void list_kernels(void *context) {
    struct listing *listing = context;
    const size_t count =
        listing->cubin != NULL ? listing->cubin->kernel_count : listing->module->kernel_count;
    for (size_t i = 0; i < count; i++) {
        const char *name = listing->cubin != NULL ? listing->cubin->kernels[i].name
                                                  : wb_kernel_name(&listing->module->kernels[i]);
        arena_push(listing->arena, listing->names, arena_string(listing->arena, name, strlen(name)));
    }
}

wb_status program_image_kernels(const wb_program *program, const wb_image *image, struct arena *arena,
                                wb_diagnostics *diagnostics, kernel_names *names) {
    struct cubin cubin = {0};
    wb_module *module = NULL;
    char *bytes = NULL;
    size_t size = 0;
    struct listing listing = {.arena = arena, .names = names};
    wb_status status = WB_OK;
    if (image->kind == WB_IMAGE_CODE) {
        WB_TRY(wb_program_unpack(program, number_of(program, image), diagnostics, &bytes, &size));
        status = cubin_read(program->name, bytes, size, diagnostics, &cubin);
        listing.cubin = &cubin;
    } else {
        status = program_image_module(program, image, diagnostics, &module);
        listing.module = module;
    }
    if (status == WB_OK && arena_protect(arena, list_kernels, &listing) != WB_OK)
        status = diagnose_out_of_memory(diagnostics, program->name);
    cubin_free(&cubin);
    wb_module_free(module);
    free(bytes);
    return status;
}

/* ---- Without a machine --------------------------------------------------------------------------------- */

/* The module of a program that is freed. */
static wb_status module_of(wb_program *program, wb_diagnostics *diagnostics, wb_module **module) {
    const struct program_wish wish = {0};
    const wb_status status = program_module(program, &wish, diagnostics, module);
    wb_program_free(program);
    return status;
}

wb_status wb_module_read(const char *path, wb_diagnostics *diagnostics, wb_module **module) {
    wb_program *program = NULL;
    WB_TRY(wb_program_read(path, diagnostics, &program));
    return module_of(program, diagnostics, module);
}

wb_status wb_module_parse(const char *name, const char *text, size_t size, wb_diagnostics *diagnostics,
                          wb_module **module) {
    wb_program *program = NULL;
    if (size > PROGRAM_SIZE_MAX) {
        diagnose(diagnostics, SEVERITY_ERROR, name, "larger than %zu bytes", PROGRAM_SIZE_MAX);
        return WB_ERR_INPUT;
    }
    char *copy = malloc(size + 1);
    if (copy == NULL) return diagnose_out_of_memory(diagnostics, name);
    if (size > 0) memcpy(copy, text, size);
    copy[size] = '\0';
    WB_TRY(program_of(name, copy, size, diagnostics, &program));
    return module_of(program, diagnostics, module);
}

uint32_t wb_module_architecture(const wb_module *module) {
    const struct machine_code *code = ptx_unit(module, 0)->code;
    return code == NULL ? 0 : code->sm;
}
