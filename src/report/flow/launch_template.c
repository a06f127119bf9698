/* A launch file to be completed by hand: what a kernel says of its launch, and what is to be filled in. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "flow/values/values.h"
#include "launch/launch.h"
#include "machine/machine.h"
#include "ptx/ptx.h"
#include "report/flow/template.h"
#include "sass/sass.h"

/* Where comments begin behind values. */
#define COMMENT_COLUMN 26

/* The output and its arguments. */
struct launch_template {
    const struct wb_kernel *kernel;
    const struct ptx_function *function;
    const char *code;
    uint32_t registers;
    char *readable; /* the kernel's name as C++ has it, or NULL */
    const struct pointed *pointed;
    struct host_params host;
    struct arena *arena;
    struct text *out;
};

/* ---- Types of parameters ---------------------------------------------------------------------------------
 */

/* Part of a text. */
struct span {
    const char *text;
    size_t length;
};

static int depth_change(char c) {
    return (c == '<' || c == '(' || c == '[') - (c == '>' || c == ')' || c == ']');
}

/* Where the parameters of a readable name begin, behind the bracket; NULL when it has none. */
static const char *parameters_of(const char *readable) {
    static const char unnamed[] = "(anonymous namespace)";
    int depth = 0;
    for (const char *c = readable; c != NULL && *c != '\0'; c++) {
        if (strncmp(c, unnamed, strlen(unnamed)) == 0)
            c += strlen(unnamed) - 1;
        else if (*c == '(' && depth == 0)
            return c + 1;
        else
            depth += depth_change(*c);
    }
    return NULL;
}

/* The type of parameter `index` as C++ has it; empty when that is not known. */
static struct span source_type(const char *readable, uint32_t index) {
    const char *start = parameters_of(readable);
    int depth = 0;
    for (const char *c = start; c != NULL && *c != '\0'; c++) {
        const bool ends = depth == 0 && (*c == ',' || *c == ')');
        if (ends && index == 0) return (struct span){start, (size_t)(c - start)};
        if (ends && *c == ')') break;
        if (ends) {
            index--;
            start = c + 1 + strspn(c + 1, " ");
        }
        depth += depth_change(*c);
    }
    return (struct span){"", 0};
}

/* Without qualifiers and blanks behind it. */
static struct span plain_type(struct span type) {
    static const char *const qualifiers[] = {" ", "const", "volatile", "__restrict__", "restrict"};
    for (size_t i = 0; i < sizeof qualifiers / sizeof *qualifiers; i++) {
        const size_t length = strlen(qualifiers[i]);
        if (type.length < length || memcmp(type.text + type.length - length, qualifiers[i], length) != 0)
            continue;
        type.length -= length;
        i = (size_t)-1; /* and what stands before that */
    }
    return type;
}

/* The type of launch files of a C++ type, or NULL. */
static const char *launch_type(struct span type) {
    static const char *const names[][2] = {
        {"float", "f32"},        {"double", "f64"},
        {"int", "i32"},          {"unsigned int", "u32"},
        {"char", "i8"},          {"signed char", "i8"},
        {"unsigned char", "u8"}, {"bool", "u8"},
        {"short", "i16"},        {"unsigned short", "u16"},
        {"long", "i64"},         {"unsigned long", "u64"},
        {"long long", "i64"},    {"unsigned long long", "u64"},
        {"__half", "f16"},       {"__nv_bfloat16", "bf16"},
        {"float2", "f32"},       {"float3", "f32"},
        {"float4", "f32"},       {"double2", "f64"},
        {"int2", "i32"},         {"int4", "i32"},
        {"uint2", "u32"},        {"uint4", "u32"},
        {"uchar4", "u8"},
    };
    type = plain_type(type);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i][0]) == type.length && memcmp(type.text, names[i][0], type.length) == 0)
            return names[i][1];
    return NULL;
}

/* The type that a pointer of that C++ type points to; empty for other types. */
static struct span pointed_type(struct span type) {
    type = plain_type(type);
    if (type.length == 0 || type.text[type.length - 1] != '*') return (struct span){"", 0};
    return (struct span){type.text, type.length - 1};
}

/* The name that launch files have for a PTX type: by its bits where they have none. */
static const char *element_name(enum ptx_type type) {
    switch (type) {
    case PTX_S8: return "i8";
    case PTX_S16: return "i16";
    case PTX_S32: return "i32";
    case PTX_S64: return "i64";
    case PTX_U8:
    case PTX_U16:
    case PTX_U32:
    case PTX_U64:
    case PTX_F16:
    case PTX_BF16:
    case PTX_F32:
    case PTX_F64: return ptx_type_name(type);
    default: break;
    }
    switch (ptx_type_bytes(type)) {
    case 2: return "b16";
    case 4: return "b32";
    case 8: return "b64";
    default: return "b8";
    }
}

/* ---- Parts of the file -----------------------------------------------------------------------------------
 */

/* Appends a text from outside to a comment: a line break in it would end the comment. */
static void put_in_comment(struct text *out, struct span text) {
    for (size_t i = 0; i < text.length; i++)
        text_char(out, (unsigned char)text.text[i] < ' ' ? '?' : text.text[i]);
}

/* Begins the comment behind what was written. */
static void begin_comment(const struct launch_template *template) {
    text_char(template->out, ' ');
    text_pad(template->out, COMMENT_COLUMN);
    text_string(template->out, "# ");
}

static void put_comment(const struct launch_template *template, const char *comment) {
    begin_comment(template);
    text_printf(template->out, "%s\n", comment);
}

static void put_dimensions(struct text *out, const uint32_t dimensions[3]) {
    text_printf(out, "[%u, %u, %u]", dimensions[0], dimensions[1] == 0 ? 1 : dimensions[1],
                dimensions[2] == 0 ? 1 : dimensions[2]);
}

static void put_heading(const struct launch_template *template) {
    const char *name = template->readable != NULL ? template->readable : wb_kernel_name(template->kernel);
    struct text *out = template->out;
    text_string(out, "# Launch of ");
    put_in_comment(out, (struct span){name, strlen(name)});
    text_string(out, "\n# Fill in every ___ (or give it as an option), then: warpbound analyze THIS_FILE\n"
                     "# docs/launch.md says all that can stand here.\n");
    if (template->code != NULL) {
        text_string(out, "code: ");
        field_print_quoted(template->code, out);
        text_char(out, '\n');
    }
    text_string(out, "kernel: ");
    field_print_quoted(wb_kernel_name(template->kernel), out);
    text_char(out, '\n');
}

static void put_shape(const struct launch_template *template) {
    const struct ptx_tuning *tuning = &template->function->tuning;
    struct text *out = template->out;
    text_string(out, "grid: " LAUNCH_BLANK);
    put_comment(template, "blocks in x, y, z: 16 or [16, 4]");
    text_string(out, "block: ");
    if (tuning->reqntid[0] != 0) {
        put_dimensions(out, tuning->reqntid);
        put_comment(template, "threads of a block, as the kernel requires (.reqntid)");
        return;
    }
    text_string(out, LAUNCH_BLANK);
    begin_comment(template);
    text_string(out, "threads of a block in x, y, z: 256 or [32, 8]");
    if (tuning->maxntid[0] != 0) {
        text_string(out, "; the kernel is made for at most ");
        put_dimensions(out, tuning->maxntid);
    }
    text_char(out, '\n');
}

/* Dynamic shared memory, if the module has some, be it of another kernel. */
static void put_shared(const struct launch_template *template) {
    const struct wb_module *module = template->kernel->module;
    bool has_some = false;
    for (uint32_t i = 0; i < module->variable_count; i++)
        has_some = has_some || (module->variables[i].space == PTX_SPACE_SHARED &&
                                module->variables[i].linkage == PTX_LINK_EXTERN);
    if (!has_some) return;
    const bool is_machine = module->code != NULL; /* where every kernel may reach it */
    text_string(template->out, is_machine ? "# shared: 0" : "shared: " LAUNCH_BLANK);
    put_comment(template, is_machine
                              ? "bytes of dynamic shared memory of a block, if this kernel has some"
                              : "bytes of dynamic shared memory of a block; 0 if this kernel has none");
}

/* Says what is at an address: "float const *, read". */
static void put_pointer_comment(const struct launch_template *template, struct span type,
                                const struct pointed *pointed) {
    struct text *out = template->out;
    text_string(out, ": elements of the buffer that it points to");
    if (type.length > 0) {
        text_string(out, ", ");
        put_in_comment(out, type);
    }
    if (pointed->read || pointed->written)
        text_printf(out, ", %s", !pointed->written ? "read" : pointed->read ? "read and written" : "written");
    text_char(out, '\n');
}

void template_comment(struct text *out, const char *comment) {
    if (comment[0] == '\0') return;
    text_char(out, ' ');
    text_pad(out, COMMENT_COLUMN);
    text_string(out, "# ");
    put_in_comment(out, (struct span){comment, strlen(comment)});
}

/* A struct or vector, by its fields where the host's debug information has them. */
static void put_bytes(const struct launch_template *template, uint32_t index, const char *comment) {
    const struct ptx_variable *param =
        &template->kernel->module->variables[template->function->params[index]];
    struct text *out = template->out;
    text_string(out, "  - \"struct {" LAUNCH_BLANK "}\"");
    template_comment(out, comment);
    text_printf(out,
                "; %" PRIu64 " bytes: fields such as in: buf:f32[1024], n: i32:7; or bytes[%" PRIu64
                "] for all\n",
                param->size, param->size);
}

static bool put_host_type(const struct launch_template *template, uint32_t index, const char *comment) {
    const struct ptx_variable *param =
        &template->kernel->module->variables[template->function->params[index]];
    return template->host.count == template->function->param_count &&
           template_put_type(template->out, template->host.types[index], param->size, comment);
}

static void put_argument(const struct launch_template *template, uint32_t index) {
    const struct wb_module *module = template->kernel->module;
    const struct ptx_variable *param = &module->variables[template->function->params[index]];
    const struct pointed *pointed = &template->pointed[index];
    /* What the kernel calculates with, where the parameter's own type says no more than its bits. */
    const bool fits = pointed->number != PTX_TYPE_NONE && ptx_type_kind(param->type) == PTX_KIND_BITS &&
                      ptx_type_bytes(pointed->number) == param->size;
    const enum ptx_type number = fits ? pointed->number : param->type;
    const struct span type = source_type(template->readable, index), element = pointed_type(type);
    const bool may_point = !param->array && param->size == module->address_size / 8 &&
                           ptx_type_kind(param->type) != PTX_KIND_FLOAT && number != PTX_F64;
    const bool points = may_point && (pointed->is_address || param->pointer || element.length > 0);
    struct text *out = template->out, comment = {.arena = template->arena};
    text_printf(&comment, "%u, %s%s%.*s", index + 1, param->name, type.length > 0 ? ": " : "",
                (int)type.length, type.text);
    if (put_host_type(template, index, comment.data)) return;
    if (param->array) {
        put_bytes(template, index, comment.data);
        return;
    }
    text_string(out, "  - \"");
    if (points) {
        const char *named = launch_type(element);
        text_printf(out, "buf:%s[" LAUNCH_BLANK "]\"", named != NULL ? named : element_name(pointed->type));
    } else {
        const char *named = launch_type(type);
        text_printf(out, "%s:" LAUNCH_BLANK "\"", named != NULL ? named : element_name(number));
    }
    begin_comment(template);
    text_printf(out, "%u, %s", index + 1, param->name);
    if (points) {
        put_pointer_comment(template, type, pointed);
        return;
    }
    if (type.length > 0) {
        text_string(out, ": ");
        put_in_comment(out, type);
    }
    if (may_point && module->code != NULL)
        text_string(out, ": a number, or \"buf:f32[COUNT]=zero\" where it is the address of a buffer");
    text_char(out, '\n');
}

/* The machine: of machine code whose user has a GPU of one preset that; else one to choose. */
static void put_machine(const struct launch_template *template) {
    const struct machine_code *code = template->kernel->module->code;
    size_t count = 0;
    char *names = code == NULL ? NULL : wb_machine_presets_for(code->sm, &count);
    if (count == 0)
        text_string(template->out, "# machine: ...");
    else
        text_printf(template->out, "machine: %s", count == 1 ? names : "___");
    begin_comment(template);
    if (count > 1) text_printf(template->out, "which GPU: %s\n", names);
    if (count <= 1) text_string(template->out, "which GPU: warpbound machine list\n");
    template->out->failed |= code != NULL &&names == NULL;
    free(names);
}

/* The optional keys. */
static void put_optional(const struct launch_template *template) {
    struct text *out = template->out;
    if (wb_kernel_registers(template->kernel) != 0) { /* of machine code, which says them */
    } else if (template->registers != 0) {
        text_printf(out, "registers: %u", template->registers);
        put_comment(template, "of a thread, as ptxas says");
    } else {
        text_string(out, "# registers: 32");
        put_comment(template, "of a thread, as ptxas -v says: else a bound of them is taken");
        text_string(out, "# ptxas_info: FILE");
        put_comment(template, "or a file with what nvcc --resource-usage printed");
    }
    put_machine(template);
    if (template->kernel->module->code == NULL) {
        text_string(out, "# compile: ptxas");
        put_comment(template, "with it, for a machine that times machine code");
    }
    text_string(out, "# deadline: 1ms");
    put_comment(template, "of the kernel; analyze says whether it is met");
    text_string(out, "# facts: FILE");
    put_comment(template, "how often loops run that data steer: warpbound facts");
}

static void write_template(void *context) {
    struct launch_template *template = context;
    const struct wb_module *module = template->kernel->module;
    template->pointed = pointed_find(template->kernel, template->arena);
    if (module->origin.text != NULL && !host_params_find(module->input.path, wb_kernel_name(template->kernel),
                                                         template->arena, &template->host))
        template->host.count = 0;
    put_heading(template);
    put_shape(template);
    put_shared(template);
    if (template->function->param_count > 0) {
        text_string(template->out, "arguments:");
        put_comment(template, "? for a scalar of any value; =zero, =iota, =@FILE ... behind a buffer");
    }
    for (uint32_t i = 0; i < template->function->param_count; i++)
        put_argument(template, i);
    put_optional(template);
}

wb_status wb_launch_template(const wb_kernel *kernel, const char *code, uint32_t registers,
                             wb_diagnostics *diagnostics, char **text) {
    struct arena arena = {0};
    struct text out = {.arena = &arena};
    struct launch_template template = {.kernel = kernel,
                                       .function = kernel_function(kernel),
                                       .code = code,
                                       .registers = registers,
                                       .readable = demangle(wb_kernel_name(kernel)),
                                       .arena = &arena,
                                       .out = &out};
    const wb_status status = arena_protect(&arena, write_template, &template);
    char *copy = status == WB_OK && !out.failed ? strdup(out.data) : NULL;
    free(template.readable);
    arena_free(&arena);
    if (copy == NULL) return diagnose_out_of_memory(diagnostics, wb_kernel_name(kernel));
    *text = copy;
    return WB_OK;
}
