/* A plugin whose static array keeps what its host puts there. */
void *plugin_places[50];
