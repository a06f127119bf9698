wb_find(SQLITE sqlite3)
wb_find(JANSSON jansson)
list(APPEND WB_PC_REQUIRES sqlite3 jansson)
set_property(GLOBAL APPEND PROPERTY WB_DEVELOPMENT_PACKAGES libsqlite3-dev libjansson-dev)
