// The part of yyjson that the trait FastJSON uses.
// https://github.com/ibireme/yyjson/blob/0.12.0/src/yyjson.h
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct yyjson_doc { const void *root; } yyjson_doc;
typedef struct yyjson_val { uint64_t tag; uint64_t uni; } yyjson_val;
typedef struct yyjson_alc { void *ctx; } yyjson_alc;
typedef struct yyjson_read_err { uint32_t code; } yyjson_read_err;
typedef uint32_t yyjson_read_flag;
static const yyjson_read_flag YYJSON_READ_NUMBER_AS_RAW = 1 << 5;

yyjson_doc *yyjson_read(const char *dat, size_t len, yyjson_read_flag flg);
const char *yyjson_read_number(const char *dat, yyjson_val *val, yyjson_read_flag flg, const yyjson_alc *alc,
                               yyjson_read_err *err);
yyjson_val *yyjson_doc_get_root(yyjson_doc *doc);
void yyjson_doc_free(yyjson_doc *doc);
double yyjson_get_num(yyjson_val *val);
bool unsafe_yyjson_is_arr(void *val);
bool unsafe_yyjson_is_bool(void *val);
bool unsafe_yyjson_is_ctn(void *val);
bool unsafe_yyjson_is_null(void *val);
bool unsafe_yyjson_is_obj(void *val);
bool unsafe_yyjson_is_raw(void *val);
bool unsafe_yyjson_is_str(void *val);
bool unsafe_yyjson_get_bool(void *val);
size_t unsafe_yyjson_get_len(void *val);
const char *unsafe_yyjson_get_raw(void *val);
const char *unsafe_yyjson_get_str(void *val);
yyjson_val *unsafe_yyjson_get_next(yyjson_val *val);
