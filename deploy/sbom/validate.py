"""Validates a software bill of materials against CycloneDX' schema, and checks that its parts are complete."""

import json
import pathlib
import sys

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

text = pathlib.Path(sys.argv[1]).read_text()
error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
if error:
    sys.exit(f"{sys.argv[1]}: {error}")
document = json.loads(text)
components = document["components"]
references = {component["bom-ref"] for component in components} | {document["metadata"]["component"]["bom-ref"]}
for component in components:
    if not component.get("version") or not component.get("purl"):
        sys.exit(f"{component['name']} has no version or purl")
for dependency in document["dependencies"]:
    unknown = {dependency["ref"], *dependency["dependsOn"]} - references
    if unknown:
        sys.exit(f"unknown components: {sorted(unknown)}")
for name in ("swift-nio", "hummingbird", "libpq5", "libssl3"):
    if name not in {component["name"] for component in components}:
        sys.exit(f"{name} is missing")
print(f"{len(components)} components")
