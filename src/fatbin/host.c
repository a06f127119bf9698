/* ELF files of the host: their sections with containers, and which units these are of. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "cubin/cubin.h"
#include "fatbin/fatbin.h"
#include "fatbin/walk.h"

/* Where nvcc puts containers: code that is complete, and code that is to be linked. */
static const struct {
    const char *section;
    bool relocatable;
} places[] = {{".nv_fatbin", false}, {"__nv_relfatbin", true}};

#define PLACES (sizeof places / sizeof *places)

/* A compiler makes one of each. */
#define SECTIONS_MAX 64

/* The symbol of each container. */
static const char container_symbol[] = "fatbinData";

struct host {
    struct walk *walk;
    struct span file;
    uint64_t headers; /* where the table of sections is, */
    uint64_t count;   /* and how many there are */
    uint64_t names;   /* the section of their names */
};

#define FIELD(member) offsetof(Elf64_Ehdr, member)

static uint32_t section_u32(const struct host *host, uint64_t index, size_t member) {
    return span_u32(host->file, (size_t)(host->headers + index * sizeof(Elf64_Shdr) + member));
}

static uint64_t section_u64(const struct host *host, uint64_t index, size_t member) {
    return span_u64(host->file, (size_t)(host->headers + index * sizeof(Elf64_Shdr) + member));
}

/* Files with very many sections have the numbers in the first one. */
static void open_table(struct host *host) {
    const struct span file = host->file;
    host->headers = span_u64(file, FIELD(e_shoff));
    host->count = span_u16(file, FIELD(e_shnum));
    host->names = span_u16(file, FIELD(e_shstrndx));
    if (host->headers == 0) return;
    if (span_u16(file, FIELD(e_shentsize)) != sizeof(Elf64_Shdr))
        walk_refuse(host->walk, "damaged: its section headers have %u bytes",
                    span_u16(file, FIELD(e_shentsize)));
    (void)span_part(host->walk, file, host->headers, sizeof(Elf64_Shdr), "its table of sections");
    if (host->count == 0) host->count = section_u64(host, 0, offsetof(Elf64_Shdr, sh_size));
    if (host->names == SHN_XINDEX) host->names = section_u32(host, 0, offsetof(Elf64_Shdr, sh_link));
    if (host->count > file.size / sizeof(Elf64_Shdr))
        walk_refuse(host->walk, "cut short or damaged: it has %llu sections",
                    (unsigned long long)host->count);
    (void)span_part(host->walk, file, host->headers, host->count * sizeof(Elf64_Shdr),
                    "its table of sections");
}

static struct span section_content(struct host *host, uint64_t index) {
    static const struct span none = {0};
    if (index >= host->count) return none;
    const uint32_t type = section_u32(host, index, offsetof(Elf64_Shdr, sh_type));
    if (type == SHT_NOBITS || type == SHT_NULL) return none;
    return span_part(host->walk, host->file, section_u64(host, index, offsetof(Elf64_Shdr, sh_offset)),
                     section_u64(host, index, offsetof(Elf64_Shdr, sh_size)), "a section");
}

/* The text at an offset of a table of strings; "" where there is none. */
static const char *string_at(struct span table, uint64_t at) {
    return at < table.size && table.bytes[table.size - 1] == '\0' ? (const char *)table.bytes + at : "";
}

/* ---- Which unit a container is of ---------------------------------------------------------------------- */

static int compare_places(const void *a, const void *b) {
    const struct unit_place *first = a, *second = b;
    return (first->at > second->at) - (first->at < second->at);
}

/* The containers of section `index` that symbols name: each stands behind the symbol of its source. */
static void find_units(struct host *host, uint64_t table, uint64_t index, unit_places *found) {
    const struct span symbols = section_content(host, table);
    const struct span strings =
        section_content(host, section_u32(host, table, offsetof(Elf64_Shdr, sh_link)));
    const uint64_t address = section_u64(host, index, offsetof(Elf64_Shdr, sh_addr));
    const char *file = NULL; /* of the symbols behind it */
    for (size_t at = 0; symbols.size - at >= sizeof(Elf64_Sym); at += sizeof(Elf64_Sym)) {
        const char *name = string_at(strings, span_u32(symbols, at + offsetof(Elf64_Sym, st_name)));
        const uint8_t type = ELF64_ST_TYPE(symbols.bytes[at + offsetof(Elf64_Sym, st_info)]);
        if (type == STT_FILE) file = *name == '\0' ? NULL : name;
        if (file == NULL || strcmp(name, container_symbol) != 0 ||
            span_u16(symbols, at + offsetof(Elf64_Sym, st_shndx)) != index)
            continue;
        const struct unit_place place = {span_u64(symbols, at + offsetof(Elf64_Sym, st_value)) - address,
                                         unit_name(host->walk, file, strnlen(file, UNIT_NAME_MAX))};
        arena_push(host->walk->arena, found, place);
    }
}

static unit_places units_in(struct host *host, uint64_t index) {
    unit_places found = {0};
    for (uint64_t i = 0; i < host->count; i++) {
        if (section_u32(host, i, offsetof(Elf64_Shdr, sh_type)) != SHT_SYMTAB) continue;
        find_units(host, i, index, &found);
        break; /* there is one at most */
    }
    if (found.count > 0) qsort(found.items, found.count, sizeof *found.items, compare_places);
    return found;
}

/* ---- The file ------------------------------------------------------------------------------------------ */

static void walk_section(struct host *host, uint64_t index, bool relocatable) {
    const struct span content = section_content(host, index);
    if ((section_u64(host, index, offsetof(Elf64_Shdr, sh_flags)) & SHF_COMPRESSED) != 0)
        walk_refuse(host->walk, "its section of GPU code is compressed as a whole: unpack it with "
                                "objcopy --decompress-debug-sections");
    host->walk->walked += content.size;
    if (host->walk->walked > host->walk->file_size)
        walk_refuse(host->walk, "damaged: its sections of GPU code overlap");
    const unit_places units = units_in(host, index);
    containers_walk(host->walk, content, relocatable, &units);
}

static void add_cubin(struct walk *walk, struct span file) {
    struct text name = {.arena = walk->arena};
    wb_image image = {.kind = WB_IMAGE_CODE,
                      .architecture = cubin_architecture(file.bytes, file.size),
                      .relocatable = span_u16(file, FIELD(e_type)) == ET_REL,
                      .bytes = file.size};
    const struct fatbin_packed packed = {file.bytes, file.size, PACKED_NOT};
    text_printf(&name, "sm_%u", image.architecture);
    image.name = text_take(&name);
    const struct container container = {walk->member, walk->images.count};
    walk_add_image(walk, &image, &packed);
    arena_push(walk->arena, &walk->containers, container);
}

/* The section's place in `places`; their number: it is another one. */
static size_t place_of(const char *name) {
    size_t p = 0;
    while (p < PLACES && strcmp(name, places[p].section) != 0)
        p++;
    return p;
}

static void walk_sections(struct host *host) {
    const struct span names = section_content(host, host->names);
    size_t walked = 0;
    for (uint64_t i = 0; i < host->count; i++) {
        const char *name = string_at(names, section_u32(host, i, offsetof(Elf64_Shdr, sh_name)));
        const size_t place = place_of(name);
        if (place == PLACES) continue;
        if (walked++ == SECTIONS_MAX)
            walk_refuse(host->walk, "there are more than %d sections of GPU code", SECTIONS_MAX);
        walk_section(host, i, places[place].relocatable);
    }
}

bool host_recognise(struct span span) {
    return span.size >= SELFMAG && memcmp(span.bytes, ELFMAG, SELFMAG) == 0;
}

void host_walk(struct walk *walk, struct span span) {
    struct host host = {.walk = walk, .file = span};
    (void)span_part(walk, span, 0, sizeof(Elf64_Ehdr), "the header of an ELF file");
    const bool is_read = span.bytes[EI_CLASS] == ELFCLASS64 && span.bytes[EI_DATA] == ELFDATA2LSB;
    if (!is_read && walk->member == NULL)
        walk_refuse(walk, "an ELF file of 32 bits or with big-endian numbers cannot be read");
    if (!is_read) return;
    if (span_u16(span, FIELD(e_machine)) == EM_CUDA) {
        add_cubin(walk, span);
        return;
    }
    open_table(&host);
    if (host.headers == 0)
        containers_scan(walk, span);
    else
        walk_sections(&host);
}
