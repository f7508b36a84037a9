#include "multi.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "curl-baseline load|start|streams|download|upload|waiting URL [--in-flight N] [--connections N] [--seconds S] [--ca FILE]\n"
    "              [--http2] [--tuned] [--file FILE] [--field 'Name: value']...\n"
    "The limit: what libcurl's multi socket interface takes for the same, in C.\n";

static struct options parse(int count, char **arguments) {
    struct options options = {.url = arguments[2], .in_flight = 1, .connections = 1, .seconds = 1};
    for (int index = 3; index < count; index++) {
        const char *name = arguments[index];
        if (strcmp(name, "--http2") == 0) {
            options.may_use_http2 = true;
            continue;
        }
        if (strcmp(name, "--tuned") == 0) {
            options.is_tuned = true;
            continue;
        }
        if (index + 1 == count) fail(name, "a value is missing");
        const char *value = arguments[++index];
        if (strcmp(name, "--in-flight") == 0) options.in_flight = (unsigned)atoi(value);
        else if (strcmp(name, "--connections") == 0) options.connections = atol(value);
        else if (strcmp(name, "--seconds") == 0) options.seconds = atof(value);
        else if (strcmp(name, "--ca") == 0) options.authorities = value;
        else if (strcmp(name, "--file") == 0) options.file = value;
        else if (strcmp(name, "--field") == 0) options.fields = curl_slist_append(options.fields, value);
        else fail(name, "unknown option");
    }
    return options;
}

int main(int count, char **arguments) {
    if (count < 3) {
        fputs(usage, stderr);
        return 64;
    }
    curl_global_init(CURL_GLOBAL_DEFAULT);
    struct options options = parse(count, arguments);
    const char *command = arguments[1];
    if (strcmp(command, "load") == 0) return run_load(&options);
    if (strcmp(command, "start") == 0) return run_start(&options);
    if (strcmp(command, "streams") == 0) return run_streams(&options);
    if (strcmp(command, "waiting") == 0) return run_waiting(&options);
    bool is_upload = strcmp(command, "upload") == 0;
    if (!is_upload && strcmp(command, "download") != 0) fail(command, "unknown command");
    if (options.file == NULL) fail(command, "--file is missing");
    return run_transfer(&options, is_upload);
}
