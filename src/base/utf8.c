#include "base/utf8.h"

size_t utf8_decode(const char *text, size_t length, uint32_t *point) {
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    if (length == 0) return 0;
    unsigned char lead = (unsigned char)text[0];
    size_t size = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
    if (size == 0 || size > length) return 0;
    uint32_t value = size == 1 ? lead : lead & (0x7fu >> size);
    for (size_t i = 1; i < size; i++) {
        unsigned char c = (unsigned char)text[i];
        if ((c & 0xc0) != 0x80) return 0;
        value = value << 6 | (c & 0x3fu);
    }
    if (value < least[size] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) return 0;
    *point = value;
    return size;
}

bool utf8_valid(const char *text, size_t length) {
    uint32_t point;
    while (length > 0) {
        size_t size = utf8_decode(text, length, &point);
        if (size == 0) return false;
        text += size;
        length -= size;
    }
    return true;
}
