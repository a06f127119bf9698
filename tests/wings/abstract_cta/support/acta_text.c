#include "acta_text.h"

#include <inttypes.h>

static void put_sequence(const struct acta_warp *warp, uint32_t first, struct text *out);

static void put_node(const struct acta_warp *warp, const struct acta_node *node, struct text *out) {
    switch ((enum acta_kind)node->kind) {
    case ACTA_TIME:
        text_printf(out, "%" PRIu64, node->instr);
        if (node->shift > 0) text_printf(out, "/%" PRIu64, node->shift);
        break;
    case ACTA_MEMORY: text_char(out, node->is_store ? 'w' : 'm'); break;
    case ACTA_BARRIER: text_char(out, '|'); break;
    case ACTA_BRANCH:
        text_char(out, node->diverges ? '<' : '{');
        put_sequence(warp, node->side[0], out);
        text_string(out, "; ");
        put_sequence(warp, node->side[1], out);
        text_char(out, node->diverges ? '>' : '}');
        break;
    case ACTA_LOOP:
        text_printf(out, "L%u(", node->number);
        put_sequence(warp, node->side[0], out);
        if (node->side[1] != ACTA_NONE) text_string(out, ": ");
        put_sequence(warp, node->side[1], out);
        text_char(out, ')');
        break;
    }
}

static void put_sequence(const struct acta_warp *warp, uint32_t first, struct text *out) {
    for (uint32_t i = first; i != ACTA_NONE; i = warp->nodes.items[i].next) {
        if (i != first) text_char(out, ' ');
        put_node(warp, &warp->nodes.items[i], out);
    }
}

void acta_text_print(const struct acta_warp *warp, struct text *out) {
    put_sequence(warp, warp->first, out);
}
