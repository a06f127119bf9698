/* What the parsers of arguments by fields share: values of types that stand with them (fields.c), and of
 * types that the launch declares (declared.c). */
#ifndef WB_LAUNCH_FIELDS_H
#define WB_LAUNCH_FIELDS_H

#include "launch/launch.h"

struct fields_parser {
    const struct launch_site *site;
    const char *text, *at;  /* without comments, and with single blanks only */
    const uint32_t *places; /* of each byte of it, in the source; NULL: it is in none */
    uint32_t depth;
    bool blank;         /* some field is to be filled in */
    struct text path;   /* of the field that is parsed: "p.dims.1" */
    size_t name_length; /* of the argument in it */
    VEC(struct launch_field) fields;
};

/* Errors about what stands at `at`, with the path of the field: that something else is expected, or a
 * problem; always WB_ERR_INPUT. */
wb_status fields_fail_at(const struct fields_parser *parser, const char *at, const char *expected);
wb_status fields_refuse_at(const struct fields_parser *parser, const char *at, const struct text *problem);
wb_status fields_no_memory(const struct fields_parser *parser);

/* Takes a character, or a word, with the blanks around it, if it comes next. */
bool fields_accept(struct fields_parser *parser, char c);
bool fields_accept_word(struct fields_parser *parser, const char *word);

/* Appends a part to the path, a name or an index; *before is the length to go back to. */
wb_status fields_enter(struct fields_parser *parser, const char *name, size_t length, size_t *before);
void fields_leave(struct fields_parser *parser, size_t before);

/* Up to what ends a value: the blank, comma or bracket behind it. */
size_t fields_value_length(const char *at);

/* A scalar, buffer, array or bytes: `length` bytes at `at`, behind `type` if that is given. */
wb_status fields_leaf(struct fields_parser *parser, const char *at, size_t length, const char *type,
                      struct launch_layout *layout);

/* NAME: of the struct whose fields begin at `start`, a name that none of them has; the path is entered. */
wb_status fields_name(struct fields_parser *parser, size_t start, const char **name, size_t *length,
                      size_t *before);

/* Whether the struct whose fields begin at `first` has a field of the current path. */
bool fields_is_taken(const struct fields_parser *parser, size_t first);

/* [VALUE, VALUE ...] or COUNT * VALUE behind the first bracket or the `*`: elements of one layout, of type
 * `element` if that is not NULL; *count is how many. */
wb_status fields_list(struct fields_parser *parser, const struct host_type *element, uint64_t *count,
                      struct launch_layout *layout);
wb_status fields_repeated(struct fields_parser *parser, const struct host_type *element, uint64_t count,
                          struct launch_layout *layout);

/* The number of "COUNT * VALUE" in front of that, which is taken; 0: it is something else. */
uint64_t fields_accept_count(struct fields_parser *parser);

/* float4:{1, 2, 3, 4}, float4:? or float4:___; the name may be left out where the type is declared. */
wb_status fields_vector(struct fields_parser *parser, const struct launch_vector *type,
                        struct launch_layout *layout);

/* A value of a declared type. */
wb_status fields_declared(struct fields_parser *parser, const struct host_type *type,
                          struct launch_layout *layout);

/* NAME of "struct NAME {...}": its type among those that the launch declares. */
wb_status fields_declared_type(struct fields_parser *parser, const struct host_type **type);

#endif
