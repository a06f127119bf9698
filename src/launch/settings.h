/* What launch files say in place of options of the command. */
#ifndef WB_LAUNCH_SETTINGS_H
#define WB_LAUNCH_SETTINGS_H

#include "base/yaml.h"
#include "launch/launch.h"

/* The key of a launch file that says it. */
const char *launch_setting_key(wb_launch_setting setting);

/* Stores what a launch file says; files that it names lie relative to `folder` (NULL: the current one). */
wb_status launch_setting_store(wb_launch_setting setting, const struct ytree *document,
                               const struct ytree_node *value, const struct launch_folder *folder,
                               struct wb_launch *launch);

#endif
