/* The names that docs/schema lists are those of the library: of methods, policies, schemes and the rest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "bound/kernel/kernel_bounds.h"
#include "warpbound.h"

#if defined WB_WING_ABSTRACT_CTA && defined WB_WING_JCSE2017 && defined WB_WING_TASK
#    define HAS_ALL_METHODS true
#else
#    define HAS_ALL_METHODS false
#endif

/* Asserts that the schema's list `key` is the names that `name` lists, and, of methods, perhaps those of
 * wings that this build lacks. */
static void check_names(const char *key, const char *(*name)(size_t)) {
    json_t *schema = json_load_file("docs/schema/common.schema.json", 0, NULL);
    const json_t *listed = json_object_get(json_object_get(json_object_get(schema, "$defs"), key), "enum");
    const bool may_lack = !HAS_ALL_METHODS && strcmp(key, "method") == 0;
    size_t at = 0;
    assert_non_null(listed);
    for (size_t i = 0; name(i) != NULL; i++, at++) {
        const char *found = json_string_value(json_array_get(listed, at));
        while (may_lack && found != NULL && strcmp(found, name(i)) != 0)
            found = json_string_value(json_array_get(listed, ++at));
        if (found == NULL || strcmp(found, name(i)) != 0)
            fail_msg("%s: '%s' is expected, not '%s'", key, name(i), found != NULL ? found : "nothing");
    }
    assert_true(may_lack || json_array_size(listed) == at);
    json_decref(schema);
}

static const char *part_name(size_t index) {
    return index < WB_PART_COUNT ? wb_part_name((wb_part_kind)index) : NULL;
}

static const char *kind_name(size_t index) {
    return index <= WB_ESTIMATE ? wb_kind_name((wb_kind)index) : NULL;
}

static const char *role_name(size_t index) {
    return index <= WB_INPUT_PROGRAM ? wb_input_role_name((wb_input_role)index) : NULL;
}

static void test_names(void **state) {
    (void)state;
    check_names("method", wb_method_name);
    check_names("form", kernel_form_name);
    check_names("policy", wb_policy_name);
    check_names("scheme", wb_scheme_name);
    check_names("part", part_name);
    check_names("kind", kind_name);
    check_names("role", role_name);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
