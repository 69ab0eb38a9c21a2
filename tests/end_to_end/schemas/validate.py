"""Compares JSON documents with their schemas: validate.py SCHEMA DOCUMENT [SCHEMA DOCUMENT]...

Prints what is wrong, a line each, and fails if anything is."""

import functools
import json
import sys

from jsonschema import Draft202012Validator


@functools.cache
def validator(path):
    with open(path) as file:
        schema = json.load(file)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


found = 0
for schema, name in zip(sys.argv[1::2], sys.argv[2::2], strict=True):
    with open(name) as file:
        document = json.load(file)
    for error in validator(schema).iter_errors(document):
        place = "/".join(str(step) for step in error.absolute_path)
        print(f"{name}: {place or '(document)'}: {error.message[:300]}")
        found += 1
sys.exit(1 if found else 0)
