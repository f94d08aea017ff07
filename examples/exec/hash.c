/* A partitioner in C: a hash of the key, and the available partitions in turn for records without one.
 *
 *     cc -O2 -o hash examples/exec/hash.c && kassay certify exec:./hash
 *
 * It speaks version 2 of the exec protocol (docs/exec-protocol.md), the first that has partitioners. A request is one line,
 * whose names can be searched as text: within a value every quote follows a backslash.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The text after a name in the request, which must contain the name. */
static const char *value_of(const char *line, const char *name)
{
	return strstr(line, name) + strlen(name);
}

/* A hash of the key in base64: equal keys have equal texts. */
static unsigned hash_of(const char *text)
{
	unsigned hash = 2166136261u;

	for (; *text != '"'; text++)
		hash = (hash ^ (unsigned char)*text) * 16777619u;
	return hash;
}

/* The next available partition, or 0 if there is none. */
static long turn_of(const char *list, unsigned turn)
{
	long numbers[4096];
	unsigned count = 0;
	char *end;

	while (*list != ']' && count < 4096) {
		numbers[count++] = strtol(list + 1, &end, 10);
		if (end == list + 1)
			return 0;
		list = end;
	}
	return numbers[turn % count];
}

int main(void)
{
	char *line = NULL;
	size_t size = 0;
	unsigned turn = 0;

	while (getline(&line, &size, stdin) > 0) {
		printf("{\"id\":%ld,\"answer\":", strtol(value_of(line, "\"id\":"), NULL, 10));
		if (strstr(line, "\"call\":\"hello\"")) {
			printf("{\"name\":\"hash-c\",\"kassay\":2,\"kind\":\"partitioner\"}");
		} else if (strstr(line, "\"call\":\"partition\"")) {
			const char *key = value_of(line, "\"key\":");
			long partitions = strtol(value_of(line, "\"partitions\":"), NULL, 10);

			if (*key == '"')
				printf("%ld", (long)(hash_of(key + 1) % partitions));
			else
				printf("%ld", turn_of(value_of(line, "\"available\":"), turn++));
		} else {
			printf("null");
		}
		printf("}\n");
		fflush(stdout);
	}
	return 0;
}
