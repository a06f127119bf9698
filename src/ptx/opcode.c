#include "ptx/opcode.h"

#include <assert.h>
#include <string.h>

static const struct {
    const char *name;
    uint8_t bytes;
    uint8_t kind;
} types[PTX_TYPE_COUNT] = {{"", 0, PTX_KIND_NONE},
#define X(enumerator, name, bytes, kind) {name, bytes, PTX_KIND_##kind},
                           PTX_TYPE_TABLE(X)
#undef X
};

static const char *const class_names[PTX_CLASS_COUNT] = {
#define X(enumerator, name) name,
    PTX_CLASS_TABLE(X)
#undef X
};

static const struct {
    const char *name;
    enum ptx_space space;
} spaces[] = {
    {"const", PTX_SPACE_CONST},
    {"global", PTX_SPACE_GLOBAL},
    {"local", PTX_SPACE_LOCAL},
    {"param", PTX_SPACE_PARAM},
    {"shared", PTX_SPACE_SHARED},
    {"tex", PTX_SPACE_TEX},
    {"reg", PTX_SPACE_REG},
    {"param::entry", PTX_SPACE_PARAM},
    {"param::func", PTX_SPACE_PARAM},
    {"shared::cta", PTX_SPACE_SHARED},
    {"shared::cluster", PTX_SPACE_SHARED},
};

#define SPACE_COUNT (sizeof spaces / sizeof *spaces)

static bool same(const char *name, const char *text, size_t length) {
    return strncmp(name, text, length) == 0 && name[length] == '\0';
}

const char *ptx_class_name(enum ptx_class class) {
    assert(class < PTX_CLASS_COUNT);
    return class_names[class];
}

enum ptx_class ptx_class_wider(enum ptx_class class) {
    switch (class) {
    case PTX_CLASS_INT_ADD64: return PTX_CLASS_INT_ADD;
    case PTX_CLASS_INT_MUL64: return PTX_CLASS_INT_MUL;
    case PTX_CLASS_INT_DIV64: return PTX_CLASS_INT_DIV;
    case PTX_CLASS_FP32_DIV_APPROX: return PTX_CLASS_FP32_DIV;
    case PTX_CLASS_FP32_SPECIAL_RN: return PTX_CLASS_FP32_SPECIAL;
    case PTX_CLASS_MATCH:
    case PTX_CLASS_REDUX: return PTX_CLASS_VOTE;
    default: return class;
    }
}

const char *ptx_type_name(enum ptx_type type) {
    assert(type < PTX_TYPE_COUNT);
    return types[type].name;
}

uint32_t ptx_type_bytes(enum ptx_type type) {
    assert(type < PTX_TYPE_COUNT);
    return types[type].bytes;
}

enum ptx_type_kind ptx_type_kind(enum ptx_type type) {
    return (enum ptx_type_kind)types[type].kind;
}

enum ptx_type ptx_type_named(const char *name, size_t length) {
    for (int type = PTX_TYPE_NONE + 1; type < PTX_TYPE_COUNT; type++)
        if (same(types[type].name, name, length)) return (enum ptx_type)type;
    return PTX_TYPE_NONE;
}

const char *ptx_space_name(enum ptx_space space) {
    for (size_t i = 0; i < SPACE_COUNT; i++)
        if (spaces[i].space == space) return spaces[i].name;
    return "";
}

bool ptx_space_named(const char *name, size_t length, enum ptx_space *space) {
    for (size_t i = 0; i < SPACE_COUNT; i++) {
        if (!same(spaces[i].name, name, length)) continue;
        *space = spaces[i].space;
        return true;
    }
    return false;
}

const char *ptx_sreg_name(enum ptx_sreg sreg) {
    static const char *const names[] = {
#define X(enumerator, name) name,
        PTX_SREG_TABLE(X)
#undef X
    };
    return sreg >= PTX_SREG_ENVREG0 ? "%envreg" : names[sreg];
}

static const struct {
    enum ptx_answer answer;
    const char *text;
} waits[PTX_WAIT_COUNT] = {
#define X(enumerator, answer, what, text) {PTX_##answer, text},
    PTX_WAIT_TABLE(X)
#undef X
};

enum ptx_answer ptx_wait_answer(enum ptx_wait wait) {
    return waits[wait].answer;
}

const char *ptx_wait_text(enum ptx_wait wait) {
    return waits[wait].text;
}
