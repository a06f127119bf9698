/* Names of C++ behind those of PTX: what is understood reads as binutils spells it, and no name takes more
 * than a limited time and memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "base/containers.h"
#include "ptx/ptx.h"

static const struct {
    const char *mangled, *readable; /* NULL: stays mangled */
} names[] = {
    {"_Z6vecaddPKfS0_Pfi", "vecadd(float const*, float const*, float*, int)"},
    {"_Z6noargsv", "noargs()"},
    {"_ZL6statici", "static(int)"},
    {"_Z6linearPVKdPKvRiOj", "linear(double const volatile*, void const*, int&, unsigned int&&)"},
    {"_Z4scanIiLi256EEvPT_S1_", "void scan<int, 256>(int*, int*)"},
    {"_Z4litsILb1ELj5ELln7ELm8ELc97ELs3EEvv", "void lits<true, 5u, -7l, 8ul, (char)97, (short)3>()"},
    {"_ZN2ns1kIfLi5EEEvPT_RAT0__KS1_NS_1BINS6_IS1_EEEE",
     "void ns::k<float, 5>(float*, float const (&) [5], ns::B<ns::B<float> >)"},
    {"_ZN2ns2vaIJifNS_1AEEEEvDpT_", "void ns::va<int, float, ns::A>(int, float, ns::A)"},
    {"_ZN2ns2vaIJEEEvDpT_", "void ns::va<>()"},
    {"_ZN2ns2ttINS_1BEiEEvT_IT0_E", "void ns::tt<ns::B, int>(ns::B<int>)"},
    {"_ZN34_GLOBAL__N__5c0ffee_4_k_cu_deadbeef5innerEv", NULL}, /* a length that is wrong */
    {"_ZN12_GLOBAL__N_15innerEv", "(anonymous namespace)::inner()"},
    {"_Z2p3PFviEPA10_iPA2_A3_iRA4_iPA3_KPKcPFPFvfEiEPPFvvEMN2ns1AEiMSL_FviERFiiE",
     "p3(void (*)(int), int (*) [10], int (*) [2][3], int (&) [4], char const* const (*) [3], void "
     "(*(*)(int))(float), void (**)(), int ns::A::*, void (ns::A::*)(int), int (&)(int))"},
    {"_Z2fpIiEPFviET_", "void (*fp<int>(int))(int)"},
    {"_Z2rrIRiEvOT_", "void rr<int&>(int&)"},
    {"_Z3lamIZ4uservEUliE_EvT_", "void lam<user()::{lambda(int)#1}>(user()::{lambda(int)#1})"},
    {"_Z1vSt6vectorIiSaIiEE", "v(std::vector<int, std::allocator<int> >)"},
    {"_ZN5OuterIiE5InnerIfE1mIcEEvifT_if",
     "void Outer<int>::Inner<float>::m<char>(int, float, char, int, float)"},
    {"main", NULL},
    {"_Z", NULL},
    {"_Z3fo", NULL},
    {"_Z99999999999999999999f", NULL},
    {"_Z3foov.part", NULL},
    {"_ZN3FooC1Ev", NULL}, /* no kernel is a constructor */
};

static void names_are_spelled(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *readable = demangle(names[i].mangled);
        const char *expected = names[i].readable;
        if ((readable == NULL) != (expected == NULL) || (readable != NULL && strcmp(readable, expected) != 0))
            fail_msg("%s: %s", names[i].mangled, readable == NULL ? "not understood" : readable);
        free(readable);
    }
}

/* f(B<A, A>), f(C<B<A, A>, B<A, A> >) ...: every level doubles the name, and stands for the one below by two
 * substitutions. */
static char *doubling(uint32_t levels) {
    struct text text = {0};
    text_string(&text, "_Z1f1A");
    for (uint32_t i = 0; i < levels; i++) {
        /* Substitutions: 0 is A; level i adds its template, 2i + 1, and itself, 2i + 2. */
        static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
        char below[8] = "_";
        uint32_t number = 2 * i;
        if (number > 0 && number - 1 < 36) (void)snprintf(below, sizeof below, "%c_", digits[number - 1]);
        if (number > 36)
            (void)snprintf(below, sizeof below, "%c%c_", digits[(number - 1) / 36],
                           digits[(number - 1) % 36]);
        text_printf(&text, "1%cIS%sS%sE", 'B' + (int)i % 20, below, below);
    }
    return text_take(&text);
}

static void names_have_limits(void **state) {
    (void)state;
    static const char two[] = "f(A, B<A, A>, C<B<A, A>, B<A, A> >)";
    char *small = doubling(2), *readable = demangle(small);
    assert_string_equal(readable, two);
    free(small);
    free(readable);
    for (uint32_t levels = 20; levels < 70; levels++) {
        char *large = doubling(levels);
        assert_null(demangle(large));
        free(large);
    }
    struct text deep = {0};
    text_string(&deep, "_Z1f");
    for (int i = 0; i < 100000; i++)
        text_string(&deep, "P");
    text_string(&deep, "i");
    assert_null(demangle(deep.data));
    text_free(&deep);
}

/* Letters changed, added and left out: no crash, whatever comes out. */
static void garbage_is_survived(void **state) {
    (void)state;
    static const char letters[] = "NSTZIJLXEKPROFAMDpnt_0123456789abcfvijsUlB";
    for (uint64_t seed = 0; seed < 20000; seed++) {
        struct random_state random = random_seeded(seed);
        char name[256];
        (void)snprintf(name, sizeof name, "%s", names[random_below(&random, 18)].mangled);
        for (uint64_t changes = 1 + random_below(&random, 5); changes > 0; changes--) {
            size_t length = strlen(name), at = 2 + random_below(&random, length - 2);
            if (random_below(&random, 3) == 0)
                memmove(name + at, name + at + 1, length - at);
            else
                name[at] = letters[random_below(&random, sizeof letters - 1)];
            if (strlen(name) < 4) break;
        }
        free(demangle(name));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_spelled),
        cmocka_unit_test(names_have_limits),
        cmocka_unit_test(garbage_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
