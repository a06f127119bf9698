/* Textures and surfaces: what they return is not known, and what surfaces store no other memory has. All
 * registers that may be read or written are named. */
#include "lift/lift.h"

#define COORDINATES 4u /* registers from A, or B, on that may hold some */

/* Registers from one on, of a vector. */
static uint32_t add_registers(struct lift *lift, uint32_t first, uint32_t count, bool written,
                              struct ptx_operand *elements) {
    for (uint32_t i = 0; i < count && first != SASS_RZ && first + i < SASS_RZ; i++)
        elements[i] = written ? lift_to_reg(lift, first + i, false) : lift_reg(lift, first + i, false);
    return first == SASS_RZ ? 0 : first + count <= SASS_RZ ? count : SASS_RZ - first;
}

static struct ptx_operand read_from(struct lift *lift, const struct sass_source *source) {
    struct ptx_operand elements[COORDINATES];
    const bool is_register = source->kind == SASS_SOURCE_REG;
    const uint32_t count =
        is_register ? add_registers(lift, source->number, COORDINATES, false, elements) : 0;
    return count == 0 ? lift_none() : lift_vector(lift, elements, count);
}

/* The handle where it is in a uniform register; constants are no registers. */
static struct ptx_operand handle_of(struct lift *lift, const struct sass_inst *inst) {
    return inst->c.kind == SASS_SOURCE_UREG ? lift_source(lift, &inst->c) : read_from(lift, &inst->c);
}

/* What is read: `tex` stands for surfaces and queries as well, whose results are no less unknown. */
static void read(struct lift *lift, const struct sass_inst *inst, const struct ptx_operand *to,
                 uint32_t count, struct ptx_operand at, struct ptx_operand more) {
    struct ptx_operand values =
        count == 0 ? (struct ptx_operand){.kind = PTX_OPERAND_SINK} : lift_vector(lift, to, count);
    struct ptx_operand there = inst->to[0].present ? lift_to_predicate(lift, &inst->to[0]) : lift_none();
    LIFT_EMIT(lift, "tex.2d.v4.f32.f32", values, there, lift_address(lift, lift_int(0), 0), at, more,
              handle_of(lift, inst));
}

/* Of the components that the mask names the first two are in D and the next register, others in the second
 * destination and the one behind that. */
void lift_texture(struct lift *lift, const struct sass_inst *inst) {
    enum { LEVEL_ZERO = 1, LEVEL_GIVEN = 3 };
    const uint32_t level = sass_field(inst, SASS_FIELD_MODE);
    const uint32_t components = (uint32_t)__builtin_popcount(sass_field(inst, SASS_FIELD_LUT));
    struct ptx_operand to[4];
    if (inst->op == SASS_OP_TEX && level != LEVEL_ZERO && level != LEVEL_GIVEN) {
        lift_refuse(lift, "not supported: its level of detail is that of a gradient");
        return;
    }
    uint32_t count = add_registers(lift, inst->d, components > 1 ? 2 : 1, true, to);
    count += add_registers(lift, sass_field(inst, SASS_FIELD_SECOND), 2, true, to + count);
    read(lift, inst, to, count, read_from(lift, &inst->a), read_from(lift, &inst->b));
}

/* How many registers the data of a surface has at most. */
static uint32_t data_registers(const struct sass_inst *inst) {
    static const uint8_t of_width[8] = {1, 1, 1, 1, 1, 2, 4, 4};
    return inst->op == SASS_OP_SUST_P ? 4 : of_width[sass_field(inst, SASS_FIELD_WIDTH) & 7];
}

void lift_surface(struct lift *lift, const struct sass_inst *inst) {
    const struct sass_source at = {.kind = SASS_SOURCE_REG, .number = inst->address.reg};
    struct ptx_operand data[4 + COORDINATES];
    const bool loads = inst->op == SASS_OP_SULD;
    uint32_t count = add_registers(lift, loads ? inst->d : inst->b.number, data_registers(inst), loads, data);
    if (loads) {
        read(lift, inst, data, count, read_from(lift, &at), lift_none());
        return;
    }
    count += add_registers(lift, at.number, COORDINATES, false, data + count);
    LIFT_EMIT(lift, "sust.b.2d.v4.b32.trap", lift_address(lift, lift_int(0), 0),
              count == 0 ? lift_int(0) : lift_vector(lift, data, count));
}
