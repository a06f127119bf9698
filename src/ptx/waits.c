#include "ptx/waits.h"

static const struct {
    enum ptx_answer answer;
    const char *what, *text;
} waits[PTX_WAIT_COUNT] = {
#define X(enumerator, answer, what, text) {PTX_##answer, what, text},
    PTX_WAIT_TABLE(X)
#undef X
};

enum ptx_answer ptx_wait_answer(enum ptx_wait wait) {
    return waits[wait].answer;
}

const char *ptx_wait_what(enum ptx_wait wait) {
    return waits[wait].what;
}

const char *ptx_wait_text(enum ptx_wait wait) {
    return waits[wait].text;
}
