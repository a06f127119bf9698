/* Parameters in a launch file that is to be completed, by what the host's debug information says of them:
 * structs field by field. What the language of launch files lays out otherwise than the compiler did, such as
 * bit-fields, becomes bytes between the fields. */
#include <inttypes.h>
#include <string.h>

#include "launch/launch.h"
#include "report/flow/template.h"

#define INDENT 4u

/* How a type is written, and what the language makes of that; `is_possible`: that is what the compiler did.
 */
struct plan {
    bool is_possible, packed;
    bool is_aligned; /* more than its members ask for */
    uint64_t size, align;
};

/* Components of a type that is one of CUDA's vectors; 0: it is none. */
static struct launch_vector vector_of(const struct host_type *type) {
    const struct launch_vector vector = launch_vector_named(type->name);
    const bool is_whole = type->name[launch_name_length(type->name)] == '\0';
    const bool has_size = is_whole && vector.count > 0 && type->size == vector.count * vector.bytes;
    return has_size ? vector : (struct launch_vector){.type = ""};
}

static struct plan plan_of(const struct host_type *type);

/* Whether all members lie where the language has them, with bytes in gaps: the size so far in plan->size. */
static bool place_members(const struct host_type *type, struct plan *plan) {
    plan->size = 0;
    plan->align = 1;
    for (uint32_t i = 0; i < type->member_count; i++) {
        const struct host_member *member = &type->members[i];
        const struct plan part = plan_of(member->type);
        const uint64_t align = plan->packed ? 1 : part.align;
        if (part.size == 0 || member->offset < plan->size || member->offset % align != 0) return false;
        if (member->offset > LAUNCH_STRUCT_MAX) return false;
        plan->size = member->offset + part.size;
        if (align > plan->align) plan->align = align;
    }
    plan->is_aligned = type->align > plan->align;
    if (plan->is_aligned) plan->align = type->align;
    return plan->size <= type->size && type->size % plan->align == 0;
}

static struct plan plan_struct(const struct host_type *type) {
    struct plan plan = {.is_possible = true};
    if (place_members(type, &plan)) return plan;
    plan.packed = true;
    plan.is_possible = place_members(type, &plan);
    return plan;
}

/* A type that the language cannot describe is so many bytes. */
static struct plan plan_of(const struct host_type *type) {
    const struct launch_vector vector = vector_of(type);
    struct plan plan = {.size = type->size, .align = 1};
    if (vector.count > 0)
        return (struct plan){.is_possible = true, .size = type->size, .align = vector.align};
    if (type->kind == HOST_NUMBER || type->kind == HOST_POINTER)
        return (struct plan){.is_possible = true, .size = type->size, .align = type->size};
    if (type->kind == HOST_STRUCT) plan = plan_struct(type);
    if (type->kind == HOST_ARRAY) {
        plan = plan_of(type->element);
        plan.is_possible &= plan.size == type->element->size;
    }
    if (!plan.is_possible) return (struct plan){.size = type->size, .align = 1};
    plan.size = type->size;
    return plan;
}

/* ---- Writing ------------------------------------------------------------------------------------------- */

static bool is_field_name(const char *name) {
    return name[0] != '\0' && name[launch_name_length(name)] == '\0' && strcmp(name, LAUNCH_BLANK) != 0;
}

/* The name of a member as a field; one that is none, or that a base has, too, is called by its offset. */
static void put_name(struct text *out, const struct host_type *type, uint32_t index) {
    const struct host_member *member = &type->members[index];
    bool is_taken = !is_field_name(member->name);
    for (uint32_t i = 0; i < index && !is_taken; i++)
        is_taken = strcmp(type->members[i].name, member->name) == 0;
    if (is_taken)
        text_printf(out, "_%" PRIu64, member->offset);
    else
        text_string(out, member->name);
}

static void put_type(struct text *out, const struct host_type *type, unsigned indent, const char *comment);

static void begin_line(struct text *out, unsigned indent) {
    text_char(out, '\n');
    text_pad(out, indent);
}

/* Bytes from `start` to `end` that no field has. */
static void put_gap(struct text *out, uint64_t start, uint64_t end, unsigned indent) {
    begin_line(out, indent);
    text_printf(out, "_%" PRIu64 ": bytes[%" PRIu64 "],", start, end - start);
}

static bool has_lines(const struct host_type *type) {
    if (vector_of(type).count > 0) return false;
    if (type->kind == HOST_ARRAY) return has_lines(type->element);
    return type->kind == HOST_STRUCT && plan_of(type).is_possible;
}

static void put_struct(struct text *out, const struct host_type *type, const struct plan *plan,
                       unsigned indent, const char *comment) {
    uint64_t end = 0;
    if (plan->is_aligned) text_printf(out, "align %" PRIu64 " ", plan->align);
    text_string(out, plan->packed ? "packed struct {" : "struct {");
    template_comment(out, comment);
    for (uint32_t i = 0; i < type->member_count; i++) {
        const struct host_member *member = &type->members[i];
        const struct plan part = plan_of(member->type);
        const uint64_t start = plan->packed ? end : launch_aligned(end, part.align);
        if (start < member->offset) put_gap(out, end, member->offset, indent + INDENT);
        end = member->offset + part.size;
        const bool is_short = launch_aligned(end, plan->align) < type->size;
        begin_line(out, indent + INDENT);
        put_name(out, type, i);
        text_string(out, ": ");
        put_type(out, member->type, indent + INDENT, member->type->name);
        if (i + 1 < type->member_count || is_short) text_char(out, ',');
        if (!has_lines(member->type)) template_comment(out, member->type->name);
        if (i + 1 == type->member_count && is_short) {
            begin_line(out, indent + INDENT);
            text_printf(out, "_%" PRIu64 ": bytes[%" PRIu64 "]", end, type->size - end);
        }
    }
    begin_line(out, indent);
    text_char(out, '}');
}

static void put_array(struct text *out, const struct host_type *type, unsigned indent, const char *comment) {
    const struct host_type *element = type->element;
    if (element->kind == HOST_NUMBER) {
        text_printf(out, "%s[%" PRIu64 "]=" LAUNCH_BLANK, element->data, type->count);
        return;
    }
    text_printf(out, "%" PRIu64 " * ", type->count);
    put_type(out, element, indent, comment);
}

/* A struct has the comment in its first line; what else there is leaves that to the caller. */
static void put_type(struct text *out, const struct host_type *type, unsigned indent, const char *comment) {
    const struct launch_vector vector = vector_of(type);
    const struct plan plan = plan_of(type);
    if (vector.count > 0) {
        text_printf(out, "%s:{" LAUNCH_BLANK, type->name);
        for (uint32_t i = 1; i < vector.count; i++)
            text_string(out, ", " LAUNCH_BLANK);
        text_char(out, '}');
    } else if (type->kind == HOST_NUMBER) {
        text_printf(out, "%s:" LAUNCH_BLANK, type->data);
    } else if (type->kind == HOST_POINTER) {
        if (type->data[0] != '\0')
            text_printf(out, "buf:%s[" LAUNCH_BLANK "]", type->data);
        else
            text_string(out, "u64:" LAUNCH_BLANK);
    } else if (type->kind == HOST_STRUCT && plan.is_possible) {
        put_struct(out, type, &plan, indent, comment);
    } else if (type->kind == HOST_ARRAY && plan.is_possible) {
        put_array(out, type, indent, comment);
    } else {
        text_printf(out, "bytes[%" PRIu64 "]", type->size);
    }
}

bool template_put_type(struct text *out, const struct host_type *type, uint64_t size, const char *comment) {
    const bool is_vector = vector_of(type).count > 0;
    if (type->size != size || (!is_vector && (type->kind != HOST_STRUCT || !plan_of(type).is_possible)))
        return false;
    text_string(out, is_vector ? "  - \"" : "  - ");
    put_type(out, type, 2, comment);
    if (is_vector) text_char(out, '"');
    if (is_vector) template_comment(out, comment);
    text_char(out, '\n');
    return true;
}
