/* SHA-256, as FIPS 180-4 defines it. */
#include "check.h"

#include <string.h>

static uint32_t turned(uint32_t word, int by) {
    return word >> by | word << (32 - by);
}

/* The first 32 bits behind the point of the cube roots of the first 64 primes. */
static const uint32_t roots[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static void add_chunk(uint32_t hash[8], const unsigned char *chunk) {
    uint32_t w[64], v[8];
    for (int t = 0; t < 16; t++, chunk += 4)
        w[t] = (uint32_t)chunk[0] << 24 | (uint32_t)chunk[1] << 16 | (uint32_t)chunk[2] << 8 | chunk[3];
    for (int t = 16; t < 64; t++) {
        const uint32_t a = w[t - 15], b = w[t - 2];
        w[t] = w[t - 16] + (turned(a, 7) ^ turned(a, 18) ^ a >> 3) + w[t - 7] +
               (turned(b, 17) ^ turned(b, 19) ^ b >> 10);
    }
    memcpy(v, hash, sizeof v);
    for (int t = 0; t < 64; t++) {
        const uint32_t a = v[0], e = v[4];
        const uint32_t one = v[7] + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) +
                             ((e & v[5]) ^ (~e & v[6])) + roots[t] + w[t];
        const uint32_t two =
            (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[0] = one + two;
        v[4] += one;
    }
    for (int i = 0; i < 8; i++)
        hash[i] += v[i];
}

void sha256_of(FILE *file, char hex[SHA256_DIGITS + 1]) {
    uint32_t hash[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    unsigned char chunk[64];
    uint64_t bits = 0;
    size_t size;
    while ((size = fread(chunk, 1, sizeof chunk, file)) == sizeof chunk) {
        add_chunk(hash, chunk);
        bits += 8 * sizeof chunk;
    }
    bits += 8 * size;
    chunk[size++] = 0x80;
    memset(chunk + size, 0, sizeof chunk - size);
    if (size > 56) {
        add_chunk(hash, chunk);
        memset(chunk, 0, sizeof chunk);
    }
    for (int i = 0; i < 8; i++)
        chunk[56 + i] = (unsigned char)(bits >> (56 - 8 * i));
    add_chunk(hash, chunk);
    for (int i = 0; i < 8; i++)
        (void)snprintf(hex + 8 * i, 9, "%08" PRIx32, hash[i]);
}
