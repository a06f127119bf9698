/* Which of the images of a program are wanted, and the module of them. */
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "lift/lift.h"

/* ---- What is wanted ------------------------------------------------------------------------------------ */

static bool is_name(const char *name, const char *text, size_t length) {
    return length > 0 && strlen(name) == length && memcmp(name, text, length) == 0;
}

static const char *behind_comma(const char *list) {
    const char *comma = strchr(list, ',');
    return comma == NULL ? NULL : comma + 1;
}

/* Whether a list of names, separated by commas, has one. */
static bool has_name(const char *list, const char *name) {
    for (const char *at = list; at != NULL; at = behind_comma(at))
        if (is_name(name, at, strcspn(at, ","))) return true;
    return false;
}

/* What names in the list say: which images by their names, of which sort they are, of which units. */
struct named {
    bool images, kinds, units;
};

/* The word for a sort of images. */
static const char *kind_word(const wb_image *image) {
    return image->kind == WB_IMAGE_PTX ? "compute" : image->kind == WB_IMAGE_CODE ? "sm" : "";
}

/* How well an image is what is wanted; 0: it is not. Of a unit the best one is taken. */
static uint32_t rank(const wb_image *image, const struct program_wish *wish, struct named named) {
    if (image->kind == WB_IMAGE_OTHER || image->relocatable) return 0;
    if (named.units && !has_name(wish->image, image->unit)) return 0;
    if (named.images && has_name(wish->image, image->name)) return 1;
    if (named.images && !named.kinds) return 0;
    if (named.kinds && !has_name(wish->image, kind_word(image))) return 0;
    if (wish->sm == 0) return image->kind == WB_IMAGE_PTX ? 2 : 1;
    if (image->kind == WB_IMAGE_PTX) return named.kinds ? 1 : 0;
    if (image->architecture == wish->sm) return UINT32_MAX;
    const bool runs = image->feature != 'a' && cubin_runs_on(image->architecture, wish->sm);
    return runs ? image->architecture : 0;
}

#define LISTED_MAX 20

/* Appends what images there are, each name once. */
static void list_images(const wb_program *program, struct text *out) {
    const char *listed[LISTED_MAX];
    size_t count = 0;
    for (size_t i = 0; i < program_image_count(program) && count < LISTED_MAX; i++) {
        const wb_image *image = wb_program_image(program, i);
        size_t same = 0;
        while (same < count && strcmp(listed[same], image->name) != 0)
            same++;
        if (same < count) continue;
        text_printf(out, "%s%s%s", count == 0 ? "" : ", ", image->name,
                    image->relocatable             ? " (not linked)"
                    : image->name[0] == '\0'       ? "PTX"
                    : image->kind == WB_IMAGE_PTX  ? " (PTX)"
                    : image->kind == WB_IMAGE_CODE ? " (machine code)"
                                                   : " (neither PTX nor machine code)");
        listed[count++] = image->name;
    }
    if (count == LISTED_MAX) text_string(out, ", ...");
}

/* The error that nothing is left: with what there is. */
static wb_status refuse_all(const wb_program *program, const struct program_wish *wish,
                            wb_diagnostics *diagnostics) {
    struct text images = {0};
    bool linked = false;
    for (size_t i = 0; i < program_image_count(program) && !linked; i++)
        linked = !wb_program_image(program, i)->relocatable;
    list_images(program, &images);
    const char *has = images.failed || images.data == NULL ? "" : images.data;
    if (program_image_count(program) == 0)
        diagnose(diagnostics, SEVERITY_ERROR, program_name(program), "there is no GPU code in this file");
    else if (!linked)
        diagnose(diagnostics, SEVERITY_ERROR, program_name(program),
                 "the GPU code in this file is not linked yet (compiled with -rdc=true or -dc): give the "
                 "executable or library that nvcc links it into");
    else if (wish->image != NULL && strcmp(wish->image, "sm") == 0)
        diagnose(diagnostics, SEVERITY_ERROR, program_name(program),
                 "there is no machine code in this file; it has %s", has);
    else if (wish->image != NULL)
        diagnose(diagnostics, SEVERITY_ERROR, program_name(program),
                 "there is no code '%s' in this file; it has %s", wish->image, has);
    else
        diagnose(
            diagnostics, SEVERITY_ERROR, program_name(program),
            "machine %s executes machine code for sm_%u, and this file has %s: compile it with -arch=sm_%u",
            wish->machine, wish->sm, has, wish->sm);
    text_free(&images);
    return WB_ERR_INPUT;
}

/* The error that several images of a unit are wanted alike. */
static wb_status refuse_choice(const wb_program *program, const wb_image *first, const wb_image *second,
                               wb_diagnostics *diagnostics) {
    const bool has_unit = first->unit[0] != '\0';
    diagnose(diagnostics, SEVERITY_ERROR, program_name(program),
             "which code is meant%s%s? There are %s and %s", has_unit ? " of unit " : "", first->unit,
             first->name, second->name);
    diagnose(diagnostics, SEVERITY_NOTE, program_name(program), "name one, such as --image %s", second->name);
    return WB_ERR_INPUT;
}

/* ---- Choosing ------------------------------------------------------------------------------------------ */

/* A module that is made of those of several units. */
struct joining {
    const wb_program *program;
    struct program_wish wish;
    struct named named;
    VEC(wb_module *) units;
    wb_status status;             /* of the units that cannot be read */
    struct wb_diagnostics failed; /* what is said of them */
};

/* The sorts of names in the list. WB_ERR_INPUT for one that is neither. */
static wb_status read_names(struct joining *joining, wb_diagnostics *diagnostics) {
    const wb_program *program = joining->program;
    const char *list = joining->wish.image;
    for (const char *at = list; at != NULL; at = behind_comma(at)) {
        const size_t length = strcspn(at, ",");
        bool is_image = false, is_unit = false, is_kind = false;
        for (size_t i = 0; i < program_image_count(program) && length > 0; i++) {
            const wb_image *image = wb_program_image(program, i);
            is_image |= is_name(image->name, at, length);
            is_unit |= is_name(image->unit, at, length);
            is_kind |= is_name(kind_word(image), at, length);
        }
        joining->named.images |= is_image;
        joining->named.units |= is_unit;
        joining->named.kinds |= is_kind;
        if (!is_image && !is_unit && !is_kind) return refuse_all(program, &joining->wish, diagnostics);
    }
    return WB_OK;
}

/* The image that is wanted of the unit that image `first` is the first of; *end: of the next unit. NULL: none
 * is, or several are, of which *tie is another one. */
static const wb_image *best_of_unit(const struct joining *joining, size_t first, size_t *end,
                                    const wb_image **tie) {
    const char *unit = wb_program_image(joining->program, first)->unit;
    const wb_image *best = NULL, *image;
    uint32_t most = 0;
    *tie = NULL;
    for (*end = first; (image = wb_program_image(joining->program, *end)) != NULL && image->unit == unit;
         (*end)++) {
        const uint32_t fit = rank(image, &joining->wish, joining->named);
        if (fit == 0 || fit < most) continue;
        *tie = fit == most ? best : NULL;
        best = image;
        most = fit;
    }
    return best;
}

/* A unit that cannot be read keeps no other one from being used. */
static wb_status add_unit(struct joining *joining, const wb_image *image, wb_diagnostics *diagnostics) {
    wb_module *module = NULL;
    struct wb_diagnostics messages = {0};
    const wb_status status = program_image_module(joining->program, image, &messages, &module);
    const bool is_said = status == WB_OK || status == WB_ERR_LIMIT;
    wb_diagnostics_append(is_said ? diagnostics : &joining->failed, &messages);
    diagnostics_clear(&messages);
    if (status == WB_ERR_LIMIT) return status;
    if (status != WB_OK && joining->status == WB_OK) joining->status = status;
    if (status != WB_OK || vec_push(&joining->units, module) == WB_OK) return WB_OK;
    wb_module_free(module);
    return diagnose_out_of_memory(diagnostics, program_name(joining->program));
}

/* Two images of a unit are wanted alike: an error, unless there is nothing in them. */
static wb_status check_tie(const struct joining *joining, const wb_image *first, const wb_image *second,
                           wb_diagnostics *diagnostics) {
    struct arena arena = {0};
    struct wb_diagnostics discarded = {0};
    kernel_names names = {0};
    const wb_status status = program_image_kernels(joining->program, second, &arena, &discarded, &names);
    diagnostics_clear(&discarded);
    arena_free(&arena);
    if (status == WB_ERR_LIMIT) return diagnose_out_of_memory(diagnostics, program_name(joining->program));
    return status == WB_OK && names.count == 0 ? WB_OK
                                               : refuse_choice(joining->program, first, second, diagnostics);
}

/* Most bytes of all that is taken. */
#define TAKEN_MAX ((uint64_t)512 << 20)

static wb_status add_units(struct joining *joining, wb_diagnostics *diagnostics) {
    uint64_t taken = 0;
    for (size_t i = 0, end; i < program_image_count(joining->program); i = end) {
        const wb_image *tie, *best = best_of_unit(joining, i, &end, &tie);
        if (tie != NULL) WB_TRY(check_tie(joining, tie, best, diagnostics));
        if (best == NULL) continue;
        if (best->bytes > TAKEN_MAX - taken) {
            diagnose(diagnostics, SEVERITY_ERROR, program_name(joining->program),
                     "its units have too much code: name one, such as --image %s", best->unit);
            return WB_ERR_INPUT;
        }
        taken += best->bytes;
        WB_TRY(add_unit(joining, best, diagnostics));
    }
    return WB_OK;
}

/* Units without kernels are of no use, unless all are. */
static void drop_empty(struct joining *joining) {
    size_t kept = 0;
    for (size_t i = 0; i < joining->units.count; i++) {
        wb_module *unit = joining->units.items[i];
        if (unit->kernel_count > 0 || (kept == 0 && i + 1 == joining->units.count))
            joining->units.items[kept++] = unit;
        else
            wb_module_free(unit);
    }
    joining->units.count = kept;
}

/* The units as one module, which takes them over. */
static wb_status join(struct joining *joining, wb_module **out) {
    const wb_program *program = joining->program;
    const size_t count = joining->units.count;
    size_t kernels = 0;
    for (size_t i = 0; i < count; i++)
        kernels += joining->units.items[i]->kernel_count;
    wb_module *module = kernels > UINT32_MAX ? NULL : calloc(1, sizeof *module);
    if (module == NULL) return WB_ERR_LIMIT;
    module->source.name = arena_string(&module->arena, program_name(program), strlen(program_name(program)));
    module->kernels = arena_array(&module->arena, kernels, sizeof *module->kernels);
    module->units = arena_array(&module->arena, count, sizeof *module->units);
    if (module->source.name == NULL || module->kernels == NULL || module->units == NULL ||
        input_copy(program_input(program), &module->arena, &module->input) != WB_OK) {
        wb_module_free(module);
        return WB_ERR_LIMIT;
    }
    for (size_t i = 0; i < count; i++) {
        wb_module *unit = joining->units.items[i];
        memcpy(module->kernels + module->kernel_count, unit->kernels,
               unit->kernel_count * sizeof *unit->kernels);
        module->kernel_count += unit->kernel_count;
        module->units[module->unit_count++] = unit;
    }
    joining->units.count = 0;
    *out = module;
    return WB_OK;
}

/* What was said of units that cannot be read: warnings, where others can. */
static wb_status settle(struct joining *joining, wb_diagnostics *diagnostics) {
    if (joining->units.count == 0 && joining->status == WB_OK)
        return refuse_all(joining->program, &joining->wish, diagnostics);
    if (joining->units.count == 0) {
        wb_diagnostics_append(diagnostics, &joining->failed);
        return joining->status;
    }
    wb_message message;
    for (size_t i = 0; wb_diagnostics_message(&joining->failed, i, &message); i++)
        if (message.severity == WB_SEVERITY_ERROR)
            diagnose(diagnostics, SEVERITY_WARNING, message.where, "this unit is left out: %s", message.text);
    return WB_OK;
}

static wb_status choose(struct joining *joining, wb_diagnostics *diagnostics, wb_module **module) {
    WB_TRY(read_names(joining, diagnostics));
    WB_TRY(add_units(joining, diagnostics));
    drop_empty(joining);
    WB_TRY(settle(joining, diagnostics));
    if (joining->units.count == 1) {
        *module = joining->units.items[--joining->units.count];
        return WB_OK;
    }
    if (join(joining, module) == WB_OK) return WB_OK;
    return diagnose_out_of_memory(diagnostics, program_name(joining->program));
}

wb_status program_module(const wb_program *program, const struct program_wish *wish,
                         wb_diagnostics *diagnostics, wb_module **module) {
    if (!wb_program_is_container(program)) {
        const wb_image *image = wb_program_image(program, 0);
        if (wish->image != NULL && !has_name(wish->image, image->name) &&
            !has_name(wish->image, kind_word(image)))
            return refuse_all(program, wish, diagnostics);
        return program_image_module(program, image, diagnostics, module);
    }
    struct joining joining = {.program = program, .wish = *wish};
    const wb_status status = choose(&joining, diagnostics, module);
    for (size_t i = 0; i < joining.units.count; i++)
        wb_module_free(joining.units.items[i]);
    vec_free(&joining.units);
    diagnostics_clear(&joining.failed);
    return status;
}
