#include "abstract_text.h"

#include <inttypes.h>

static void put_sequence(const struct abstract_warp *warp, uint32_t first, struct text *out);

static void put_node(const struct abstract_warp *warp, const struct abstract_node *node, struct text *out) {
    switch ((enum abstract_kind)node->kind) {
    case ABSTRACT_TIME:
        text_printf(out, "%" PRIu64, node->instr);
        if (node->shift > 0) text_printf(out, "/%" PRIu64, node->shift);
        break;
    case ABSTRACT_MEMORY: text_char(out, node->is_store ? 'w' : 'm'); break;
    case ABSTRACT_BARRIER: text_char(out, '|'); break;
    case ABSTRACT_BRANCH:
        text_char(out, node->diverges ? '<' : '{');
        put_sequence(warp, node->side[0], out);
        text_string(out, "; ");
        put_sequence(warp, node->side[1], out);
        text_char(out, node->diverges ? '>' : '}');
        break;
    case ABSTRACT_LOOP:
        text_printf(out, "L%u(", node->number);
        put_sequence(warp, node->side[0], out);
        if (node->side[1] != ABSTRACT_NONE) text_string(out, ": ");
        put_sequence(warp, node->side[1], out);
        text_char(out, ')');
        break;
    }
}

static void put_sequence(const struct abstract_warp *warp, uint32_t first, struct text *out) {
    for (uint32_t i = first; i != ABSTRACT_NONE; i = warp->nodes.items[i].next) {
        if (i != first) text_char(out, ' ');
        put_node(warp, &warp->nodes.items[i], out);
    }
}

void abstract_text_print(const struct abstract_warp *warp, struct text *out) {
    put_sequence(warp, warp->first, out);
}
