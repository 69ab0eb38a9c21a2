"""The schema that speedscope publishes for its files.

format: speedscope
suffix: .speedscope.json
counters: many
pypi: jsonschema
npm: speedscope
"""

import json
import os
import sys
from pathlib import Path

import jsonschema

exported, _ = (Path(argument) for argument in sys.argv[1:])
package = Path(os.environ["NODE_PATH"]) / "speedscope" / "dist" / "release"
schema = json.loads((package / "file-format-schema.json").read_text())
jsonschema.validate(json.loads(exported.read_text()), schema)
