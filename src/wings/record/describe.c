#include "wings/record/describe.h"

#include <inttypes.h>
#include <string.h>

#include "base/files.h"
#include "launch/launch.h"
#include "warp/interpret/warp.h"
#include "warp/path/path.h"

/* A launch being described. */
struct describing {
    const struct recorded_launch *launch;
    struct text *out;
    size_t pointer; /* the next one among its parameters */
};

/* Bytes of the parameters: a parameter, or a part of a struct. */
struct part {
    uint32_t parameter; /* its number, from 1 */
    bool in_struct;
    uint64_t start, at, size; /* `start`: of the parameter */
};

/* ---- Values -------------------------------------------------------------------------------------------- */

static void put_bytes(struct describing *describing, uint64_t at, uint64_t size) {
    text_string(describing->out, "bytes:");
    for (uint64_t i = 0; i < size; i++)
        text_printf(describing->out, "%02x", describing->launch->params[at + i]);
}

static uint64_t bits_at(const struct describing *describing, uint64_t at, uint64_t size) {
    uint64_t bits = 0;
    memcpy(&bits, describing->launch->params + at, size);
    return bits;
}

static void put_scalar(struct describing *describing, const struct ptx_variable *param, uint64_t at) {
    const enum ptx_type_kind kind = ptx_type_kind(param->type);
    const uint32_t width = (uint32_t)param->size * 8;
    const uint64_t bits = bits_at(describing, at, param->size);
    if (kind == PTX_KIND_FLOAT && width >= 32)
        text_printf(describing->out, "f%u:0%c%0*" PRIX64, width, width == 32 ? 'f' : 'd', (int)width / 4,
                    bits);
    else if (kind == PTX_KIND_SIGNED)
        text_printf(describing->out, "i%u:%" PRId64, width, (int64_t)(bits << (64 - width)) >> (64 - width));
    else if (kind == PTX_KIND_UNSIGNED)
        text_printf(describing->out, "u%u:%" PRIu64, width, bits);
    else
        text_printf(describing->out, "b%u:0x%" PRIx64, width, bits);
}

/* ---- Pointers ------------------------------------------------------------------------------------------ */

/* The pointer at that offset, or NULL; those before it are done with. */
static const struct recorded_pointer *pointer_at(struct describing *describing, uint64_t at) {
    const struct recorded_launch *launch = describing->launch;
    while (describing->pointer < launch->pointer_count && launch->pointers[describing->pointer].at < at)
        describing->pointer++;
    const bool here =
        describing->pointer < launch->pointer_count && launch->pointers[describing->pointer].at == at;
    return here ? &launch->pointers[describing->pointer] : NULL;
}

/* The first pointer to the same memory: where it stands. */
struct seen {
    uint32_t allocation;
    struct part part;
};

typedef VEC(struct seen) seen_list;

static void put_name(struct text *out, const struct part *part) {
    text_printf(out, "p%u", part->parameter);
    if (part->in_struct) text_printf(out, ".at%" PRIu64, part->at - part->start);
}

static void put_pointer(struct describing *describing, const struct recorded_pointer *pointer,
                        const struct part *part, seen_list *seen) {
    struct text *out = describing->out;
    const struct seen *first = NULL;
    for (size_t i = 0; i < seen->count && first == NULL; i++)
        if (seen->items[i].allocation == pointer->allocation) first = &seen->items[i];
    text_string(out, "buf:");
    if (first != NULL) {
        put_name(out, &first->part);
    } else {
        text_printf(out, "b8[%" PRIu64 "]", pointer->size);
        const struct seen made = {pointer->allocation, *part};
        arena_push(out->arena, seen, made);
    }
    if (pointer->offset > 0) text_printf(out, "+%" PRIu64, pointer->offset);
}

/* ---- Parameters ---------------------------------------------------------------------------------------- */

/* A struct: pointers, and the bytes between them. */
static void put_struct(struct describing *describing, const struct part *whole, seen_list *seen) {
    const uint64_t end = whole->at + whole->size;
    uint64_t done = whole->at;
    text_string(describing->out, "packed struct {");
    for (uint64_t at = align_up(done, 8); at + 8 <= end; at += 8) {
        const struct recorded_pointer *pointer = pointer_at(describing, at);
        const struct part part = {whole->parameter, true, whole->start, at, 8};
        if (pointer == NULL) continue;
        if (done < at) {
            text_printf(describing->out, "b%" PRIu64 ": ", done - whole->start);
            put_bytes(describing, done, at - done);
            text_string(describing->out, ", ");
        }
        text_printf(describing->out, "at%" PRIu64 ": ", at - whole->start);
        put_pointer(describing, pointer, &part, seen);
        done = at + 8;
        if (done < end) text_string(describing->out, ", ");
    }
    if (done < end) {
        text_printf(describing->out, "b%" PRIu64 ": ", done - whole->start);
        put_bytes(describing, done, end - done);
    }
    text_char(describing->out, '}');
}

static void put_param(struct describing *describing, const struct ptx_variable *param,
                      const struct part *part, seen_list *seen) {
    const bool scalar =
        !param->array && param->vector <= 1 && (param->size & (param->size - 1)) == 0 && param->size <= 8;
    const bool may_point = scalar && param->size == 8 && ptx_type_kind(param->type) != PTX_KIND_FLOAT;
    const struct recorded_pointer *pointer = may_point ? pointer_at(describing, part->at) : NULL;
    text_printf(describing->out, "  - p%u: \"", part->parameter);
    if ((describing->launch->flags & LOG_NO_PARAMS) != 0)
        text_printf(describing->out, scalar ? "u%" PRIu64 ":" LAUNCH_BLANK : "struct {" LAUNCH_BLANK "}",
                    param->size * 8);
    else if (pointer != NULL)
        put_pointer(describing, pointer, part, seen);
    else if (scalar)
        put_scalar(describing, param, part->at);
    else
        put_struct(describing, part, seen);
    text_string(describing->out, "\"\n");
}

static enum description put_params(struct describing *describing, const wb_kernel *kernel) {
    const struct ptx_function *function = kernel_function(kernel);
    const struct wb_module *module = kernel->module;
    seen_list seen = {0};
    uint64_t end = 0;
    if (function->param_count > 0) text_string(describing->out, "arguments:\n");
    for (uint32_t i = 0; i < function->param_count; i++) {
        const struct ptx_variable *param = &module->variables[function->params[i]];
        const uint64_t at = module->code == NULL ? align_up(end, param->align) : param->place;
        const struct part part = {i + 1, false, at, at, param->size};
        end = at + param->size;
        if ((describing->launch->flags & LOG_NO_PARAMS) == 0 && end > describing->launch->param_bytes)
            return OTHER_PARAMS;
        put_param(describing, param, &part, &seen);
    }
    return (describing->launch->flags & LOG_NO_PARAMS) != 0 && function->param_count > 0 ? NO_PARAMS
                                                                                         : DESCRIBED;
}

/* ---- Launches ------------------------------------------------------------------------------------------ */

static void put_shape(const struct recorded_launch *launch, const wb_kernel *kernel, struct text *out) {
    text_string(out, "kernel: ");
    field_print_quoted(wb_kernel_name(kernel), out);
    text_printf(out, "\ngrid: [%u, %u, %u]\nblock: [%u, %u, %u]\n", launch->grid[0], launch->grid[1],
                launch->grid[2], launch->block[0], launch->block[1], launch->block[2]);
    if (launch->shared > 0) text_printf(out, "shared: %u\n", launch->shared);
    if (wb_kernel_registers(kernel) == 0 && launch->registers > 0)
        text_printf(out, "registers: %u # as the driver compiled it for that GPU\n", launch->registers);
}

enum description describe_launch(const struct recorded_launch *launch, const wb_kernel *kernel,
                                 const char *variables, struct text *out) {
    struct describing describing = {.launch = launch, .out = out};
    assert(arena_is_protected(out->arena));
    if ((launch->flags & LOG_CLUSTERS) != 0) return IN_CLUSTERS;
    for (size_t i = 0; i < launch->pointer_count; i++)
        if (launch->pointers[i].size > LAUNCH_BUFFER_MAX) return TOO_LARGE;
    put_shape(launch, kernel, out);
    const enum description description = put_params(&describing, kernel);
    text_string(out, variables);
    return description;
}

const char *describe_variables(const wb_kernel *kernel, struct arena *arena, wb_diagnostics *diagnostics) {
    const struct wb_module *module = kernel->module;
    struct program program = {0};
    struct text out = {.arena = arena};
    uint32_t *code_first = NULL;
    assert(arena_is_protected(arena));
    wb_status status = code_number(module, arena, &code_first);
    if (status == WB_OK) status = program_scan(&program, kernel, arena, code_first, diagnostics);
    program_free(&program); /* what is used below is in the arena */
    if (status != WB_OK) return NULL;
    text_string(&out, "");
    for (uint32_t i = 0; i < module->variable_count; i++) {
        const struct ptx_variable *variable = &module->variables[i];
        const bool is_data = variable->space == PTX_SPACE_GLOBAL || variable->space == PTX_SPACE_CONST;
        if (!is_data || !program.variable_used[i] || variable->size == 0) continue;
        if (out.length == 0) text_string(&out, "variables: # the program may have written to them\n");
        text_string(&out, "  ");
        field_print_quoted(variable->name, &out);
        text_printf(&out, ": b8[%" PRIu64 "]\n", variable->size);
    }
    return out.data;
}
