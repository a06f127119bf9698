#include "base/files.h"

#include <inttypes.h>
#include <string.h>

#include "base/base.h"

#define MESSAGE_MAX 800

struct scanner scanner_of(const struct source *source, unsigned skips, wb_diagnostics *diagnostics) {
    return (struct scanner){.text = source->text,
                            .size = source->size,
                            .skips = skips,
                            .subject = {.source = source},
                            .diagnostics = diagnostics};
}

wb_status scan_fail_at(const struct scanner *scanner, size_t at, const char *format, ...) {
    char message[MESSAGE_MAX];
    va_list arguments;
    va_start(arguments, format);
    (void)text_vformat(message, sizeof message, format, arguments);
    va_end(arguments);
    struct subject subject = scanner->subject;
    subject.offset += at;
    const char *topic = scanner->topic == NULL ? "" : scanner->topic;
    const char *colon = scanner->topic == NULL ? "" : ": ";
    if (subject.source != NULL)
        diagnose_about(scanner->diagnostics, SEVERITY_ERROR, &subject, "%s%s%s", topic, colon, message);
    else
        diagnose_about(scanner->diagnostics, SEVERITY_ERROR, &subject, "%s%scolumn %zu: %s", topic, colon,
                       at + 1, message);
    return WB_ERR_INPUT;
}

/* What ends the comment that begins at the next character, which is skipped with it; NULL: none begins. */
static const char *comment_end(const struct scanner *scanner) {
    const char *at = scanner->text + scanner->at;
    const char second = scanner->size - scanner->at >= 2 ? at[1] : '\0';
    if ((scanner->skips & SCAN_HASH_COMMENTS) != 0 && *at == '#') return "\n";
    if ((scanner->skips & SCAN_SLASH_COMMENTS) != 0 && *at == '/' && second == '/') return "\n";
    return (scanner->skips & SCAN_STAR_COMMENTS) != 0 && *at == '/' && second == '*' ? "*/" : NULL;
}

char scan_peek(struct scanner *scanner) {
    assert(scanner->at <= scanner->size);
    while (scanner->at < scanner->size) {
        const char *at = scanner->text + scanner->at, *end = comment_end(scanner);
        if ((scanner->skips & SCAN_SPACES) != 0 && ascii_space(*at)) {
            scanner->at++;
        } else if (end != NULL) {
            const size_t start = end[1] == '/' ? 2 : 0, left = scanner->size - scanner->at - start;
            const char *found = memmem(at + start, left, end, strlen(end));
            scanner->at = found == NULL ? scanner->size : (size_t)(found + strlen(end) - scanner->text);
        } else {
            return *at;
        }
    }
    return '\0';
}

bool scan_accept(struct scanner *scanner, char c) {
    if (scan_peek(scanner) != c || scan_at_end(scanner)) return false;
    scanner->at++;
    return true;
}

wb_status scan_expect(struct scanner *scanner, char c) {
    return scan_accept(scanner, c) ? WB_OK : scan_fail(scanner, "expected '%c'", c);
}

wb_status scan_number(struct scanner *scanner, const char *what, uint64_t least, uint64_t most,
                      uint64_t *number) {
    if (!ascii_digit(scan_peek(scanner))) return scan_fail(scanner, "expected %s", what);
    const size_t first = scanner->at;
    while (ascii_digit(scan_here(scanner)))
        scanner->at++;
    uint64_t value;
    if (!number_u64(scanner->text + first, scanner->at - first, &value) || value < least || value > most)
        return scan_fail_at(scanner, first, "expected %s from %" PRIu64 " to %" PRIu64, what, least, most);
    *number = value;
    return WB_OK;
}

wb_status scan_u32(struct scanner *scanner, const char *what, uint32_t least, uint32_t most,
                   uint32_t *number) {
    uint64_t value = 0;
    WB_TRY(scan_number(scanner, what, least, most, &value));
    *number = (uint32_t)value;
    return WB_OK;
}

size_t scan_word(struct scanner *scanner, bool (*belongs)(char c), const char **word) {
    (void)scan_peek(scanner);
    const size_t first = scanner->at;
    while (scanner->at < scanner->size && belongs(scanner->text[scanner->at]))
        scanner->at++;
    *word = scanner->text + first;
    return scanner->at - first;
}

bool wb_read_bytes(const char *text, uint64_t *bytes) {
    static const char prefixes[] = "KMG";
    const size_t digits = strspn(text, "0123456789");
    const char *unit = text + digits;
    const char *prefix = *unit != '\0' ? strchr(prefixes, *unit & ~0x20) : NULL;
    const unsigned shift = prefix != NULL ? 10 * (unsigned)(prefix - prefixes + 1) : 0;
    uint64_t number;
    if (number_u64(text, strlen(text), bytes)) return true;
    if (prefix != NULL) unit += unit[1] == 'i' && unit[2] == 'B' ? 2 : 1;
    if (unit[0] == 'B') unit++;
    if (*unit != '\0' || !number_u64(text, digits, &number) || number > UINT64_MAX >> shift) return false;
    *bytes = number << shift;
    return true;
}
