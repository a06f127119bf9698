/* `.loc`: the source line of the instructions that follow. */
#include <string.h>

#include "ptx/parser.h"

/* How far back the call of inlined code is looked for; calls are near what was inlined. */
#define SEARCH_MAX 64

/* Longest chain of inlined calls that is kept. */
#define CHAIN_MAX 16

static wb_status location_add(struct parser *parser, const struct ptx_location *location, uint32_t *index) {
    *index = (uint32_t)parser->locations.count;
    return vec_push(&parser->locations, *location);
}

/* How many of the function's locations are looked at. */
static size_t search_count(const struct parser *parser) {
    size_t count = parser->locations.count - parser->location.first;
    return count < SEARCH_MAX ? count : SEARCH_MAX;
}

static bool chain_is_long(const struct parser *parser, uint32_t index) {
    int length = 0;
    while (index != PTX_NO_INDEX && length < CHAIN_MAX) {
        index = parser->locations.items[index].inlined_at;
        length++;
    }
    return length == CHAIN_MAX;
}

/* The function's last location at this place, or PTX_NO_INDEX. */
static uint32_t last_location(const struct parser *parser, const uint32_t place[3]) {
    size_t count = search_count(parser);
    for (size_t back = 1; back <= count; back++) {
        const uint32_t index = (uint32_t)(parser->locations.count - back);
        const struct ptx_location *location = &parser->locations.items[index];
        if (location->file == place[0] && location->line == place[1] && location->column == place[2])
            return index;
    }
    return PTX_NO_INDEX;
}

/* The location that code was inlined at: the one just before, the function's last one at this place, or a new
 * one. */
static wb_status location_of_call(struct parser *parser, const uint32_t place[3], uint32_t *index) {
    *index = parser->location.call != PTX_NO_INDEX ? parser->location.call : last_location(parser, place);
    if (*index != PTX_NO_INDEX && !chain_is_long(parser, *index)) return WB_OK;
    struct ptx_location call = {place[0], place[1], place[2], NULL, PTX_NO_INDEX};
    return location_add(parser, &call, index);
}

static bool same_location(const struct ptx_location *a, const struct ptx_location *b) {
    bool same_function = a->function == b->function || (a->function != NULL && b->function != NULL &&
                                                        strcmp(a->function, b->function) == 0);
    return a->file == b->file && a->line == b->line && a->column == b->column && same_function &&
           a->inlined_at == b->inlined_at;
}

/* Takes the `.loc` that was read last; the location that it was inlined at becomes known. */
static wb_status location_take(struct parser *parser, struct ptx_location *location) {
    struct location_state *state = &parser->location;
    state->pending = false;
    *location = state->next;
    if (!state->is_inlined) return WB_OK;
    return location_of_call(parser, state->inlined, &location->inlined_at);
}

/* Writes down a `.loc` without instructions because the next one was inlined there. One that is the last of
 * its place stands there already; an older one would be taken for another by what looks for the last. */
static wb_status location_keep_call(struct parser *parser, uint32_t *index) {
    struct ptx_location location;
    WB_TRY(location_take(parser, &location));
    *index = last_location(parser, (const uint32_t[3]){location.file, location.line, location.column});
    if (*index != PTX_NO_INDEX && same_location(&parser->locations.items[*index], &location)) return WB_OK;
    return location_add(parser, &location, index);
}

wb_status location_settle(struct parser *parser) {
    struct location_state *state = &parser->location;
    if (!state->pending) return WB_OK;
    struct ptx_location location;
    WB_TRY(location_take(parser, &location));
    bool again =
        state->current != PTX_NO_INDEX && same_location(&parser->locations.items[state->current], &location);
    return again ? WB_OK : location_add(parser, &location, &state->current);
}

/* file line column */
static wb_status parse_place(struct parser *parser, uint32_t place[3]) {
    for (int i = 0; i < 3; i++) {
        uint64_t value;
        WB_TRY(parse_count(parser, "a number in .loc", UINT32_MAX, &value));
        place[i] = (uint32_t)value;
    }
    return WB_OK;
}

/* label or label+offset, as text */
static wb_status parse_function_text(struct parser *parser, const char **text) {
    size_t first = parser_offset(parser);
    struct token name;
    uint64_t offset;
    WB_TRY(parser_name(parser, &name));
    WB_TRY(parse_offset(parser, &offset));
    return parser_slice(parser, first, text);
}

wb_status parse_loc(struct parser *parser) {
    struct location_state *state = &parser->location;
    uint32_t place[3];
    uint32_t inlined[3];
    const char *function = NULL;
    bool is_inlined = false;
    lexer_next(&parser->lexer);
    WB_TRY(parse_place(parser, place));
    while (parser_accept(parser, ',')) {
        bool is_function = parser_at_word(parser, "function_name");
        if (!is_function && !parser_at_word(parser, "inlined_at"))
            return parser_expected(parser, "function_name or inlined_at");
        lexer_next(&parser->lexer);
        if (is_function) {
            WB_TRY(parse_function_text(parser, &function));
        } else {
            WB_TRY(parse_place(parser, inlined));
            is_inlined = true;
        }
    }
    bool called_here = is_inlined && state->pending && state->next.file == inlined[0] &&
                       state->next.line == inlined[1] && state->next.column == inlined[2];
    uint32_t call = PTX_NO_INDEX;
    if (called_here) WB_TRY(location_keep_call(parser, &call));
    state->call = call;
    state->next = (struct ptx_location){place[0], place[1], place[2], function, PTX_NO_INDEX};
    state->pending = true;
    state->is_inlined = is_inlined;
    if (is_inlined) memcpy(state->inlined, inlined, sizeof inlined);
    return WB_OK;
}
