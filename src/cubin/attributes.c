#include "cubin/reader.h"

/* How a record goes on behind its two bytes of format and kind. */
enum format { FORMAT_NONE = 1, FORMAT_BYTE = 2, FORMAT_HALF = 3, FORMAT_SIZED = 4 };

#define HEAD_BYTES 4

bool attribute_next(struct elf_file *file, const struct elf_section *section, uint64_t *at,
                    struct attribute *attribute) {
    const uint64_t left = section->bytes == NULL ? 0 : section->size - *at;
    if (left == 0) return false;
    if (left < HEAD_BYTES)
        elf_file_refuse(file, "this cubin is damaged: '%s' ends within a record", section->name);
    const uint8_t *record = section->bytes + *at;
    const uint16_t value = elf_u16(record + 2);
    *attribute = (struct attribute){.kind = record[1], .value = value};
    *at += HEAD_BYTES;
    switch (record[0]) {
    case FORMAT_NONE: break;
    case FORMAT_BYTE: attribute->value = record[2]; break;
    case FORMAT_HALF: break;
    case FORMAT_SIZED:
        if (value > left - HEAD_BYTES)
            elf_file_refuse(file, "this cubin is damaged: '%s' ends within a record of %u bytes",
                            section->name, value);
        attribute->bytes = record + HEAD_BYTES;
        attribute->size = value;
        *at += value;
        break;
    default:
        elf_file_refuse(file, "this cubin is damaged: '%s' has a record of unknown format %u at byte %llu",
                        section->name, record[0], (unsigned long long)(*at - HEAD_BYTES));
    }
    return true;
}

uint32_t attribute_u32(struct elf_file *file, const struct attribute *attribute, uint32_t index) {
    if (attribute->size / 4 <= index)
        elf_file_refuse(file, "this cubin is damaged: its attribute 0x%02x has only %u bytes",
                        attribute->kind, attribute->size);
    return elf_u32(attribute->bytes + (size_t)index * 4);
}
