"""Compares JSON documents with their schemas: validate.py SCHEMA DOCUMENT...

Prints what is wrong, a line each, and fails if anything is."""

import json
import sys

from jsonschema import Draft202012Validator

with open(sys.argv[1]) as file:
    schema = json.load(file)
Draft202012Validator.check_schema(schema)
validator = Draft202012Validator(schema)
found = 0
for name in sys.argv[2:]:
    with open(name) as file:
        document = json.load(file)
    for error in validator.iter_errors(document):
        place = "/".join(str(step) for step in error.absolute_path)
        print(f"{name}: {place or '(document)'}: {error.message[:300]}")
        found += 1
sys.exit(1 if found else 0)
