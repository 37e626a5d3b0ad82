#!/usr/bin/env python3
"""Prints a software bill of materials (CycloneDX 1.6, JSON) of the Debian package, or of an image with it."""

import argparse
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import uuid

NAME = "emoji-rangers-parties"
# Text that no other licence contains, and the SPDX identifier.
LICENCES = [
    ("Version 2.0, January 2004", "Apache-2.0"),
    ("Permission is hereby granted, free of charge, to any person obtaining a copy", "MIT"),
    ("Redistribution and use in source and binary forms", "BSD-3-Clause"),
]


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--version", help="the version of the package")
    arguments.add_argument("--scratch-path", type=pathlib.Path, default=".build", help="SwiftPM's build directory")
    arguments.add_argument("--executable", type=pathlib.Path, action="append", default=[], help="an executable of the package")
    arguments.add_argument("--depends", default="", help="the field Depends of the package")
    arguments.add_argument("--package-sbom", type=pathlib.Path, help="print the SBOM of an image: that of its package …")
    arguments.add_argument("--dpkg-status", type=pathlib.Path, help="… and all Debian packages in this status file")
    options = arguments.parse_args()
    if options.package_sbom:
        document = json.loads(options.package_sbom.read_text())
        document["metadata"]["component"]["type"] = "container"
        known = debian_packages(options.dpkg_status.read_text(), os_release())
        others = [each for each in document["components"] if not each["purl"].startswith("pkg:deb/")]
        document["components"] = others + list(known.values())
        swift = [each["bom-ref"] for each in others if each["bom-ref"] in document["dependencies"][0]["dependsOn"]]
        document["dependencies"][0]["dependsOn"] = sorted(swift + [each["bom-ref"] for each in known.values()])
        references = {each["bom-ref"] for each in document["components"]}
        document["dependencies"][1:] = [each for each in document["dependencies"][1:] if each["ref"] in references]
    else:
        document = package(options)
    finish(document)


def package(options):
    """Returns the document of the Debian package."""
    root = f"pkg:generic/{NAME}@{options.version}"
    graph = json.loads(
        run("swift", "package", "--scratch-path", str(options.scratch_path), "show-dependencies", "--format", "json")
    )
    swift, dependencies = {}, {}
    collect(graph, swift, dependencies)
    known = debian_packages(pathlib.Path("/var/lib/dpkg/status").read_text(), os_release())
    names = [re.split(r"[ (]", alternative.strip())[0] for alternative in options.depends.split(",") if alternative.strip()]
    debian = [known[name] for name in names if name in known]
    runtime = swift_runtime()
    direct = sorted(dependencies.pop(graph["identity"])) + [runtime["bom-ref"]] + [each["bom-ref"] for each in debian]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": root,
                "name": NAME,
                "version": options.version,
                "purl": root,
                "licenses": licence("Apache-2.0"),
                "components": [executable(path) for path in options.executable],
            },
        },
        "components": sorted(swift.values(), key=lambda each: each["bom-ref"]) + [runtime] + debian,
        "dependencies": [{"ref": root, "dependsOn": sorted(direct)}]
        + [{"ref": reference, "dependsOn": sorted(others)} for reference, others in sorted(dependencies.items())],
    }


def collect(node, components, dependencies):
    """Adds a package of SwiftPM's tree and all below it; returns its reference, which is its identity for the root."""
    if node["version"] == "unspecified":
        reference = node["identity"]
    else:
        location = re.sub(r"^https://|\.git$|/$", "", node["url"])
        reference = f"pkg:swift/{location}@{node['version']}"
        components[reference] = {
            "type": "library",
            "bom-ref": reference,
            "name": node["name"],
            "version": node["version"],
            "purl": reference,
            "licenses": licence(licence_in(pathlib.Path(node["path"]))),
            "externalReferences": [{"type": "vcs", "url": node["url"]}],
        }
    if reference not in dependencies:
        dependencies[reference] = set()
        dependencies[reference] |= {collect(each, components, dependencies) for each in node["dependencies"]}
    return reference


def licence_in(checkout):
    for file in sorted(checkout.glob("LICENSE*")):
        text = " ".join(file.read_text().split())
        for words, identifier in LICENCES:
            if words in text:
                return identifier
    sys.exit(f"{checkout} has no known licence")


def swift_runtime():
    version = re.search(r"Swift version ([0-9.]+)", run("swift", "--version")).group(1)
    reference = f"pkg:generic/swift@{version}"
    return {
        "type": "framework",
        "bom-ref": reference,
        "name": "Swift runtime library and Foundation, linked statically",
        "version": version,
        "purl": reference,
        "licenses": [{"expression": "Apache-2.0 WITH Swift-exception"}],
    }


def debian_packages(status, release):
    """Returns the components of the installed packages in a status file of dpkg, by name."""
    packages = {}
    for paragraph in status.split("\n\n"):
        fields = dict(re.findall(r"(?m)^([A-Za-z-]+): (.*)$", paragraph))
        if "ok installed" not in fields.get("Status", "") or fields["Package"] == NAME:
            continue
        version = fields["Version"].replace("+", "%2B")
        name = fields["Package"].replace("+", "%2B")
        reference = f"pkg:deb/debian/{name}@{version}?arch={fields['Architecture']}&distro={release}"
        packages[fields["Package"]] = {
            "type": "library",
            "bom-ref": reference,
            "name": fields["Package"],
            "version": fields["Version"],
            "purl": reference,
        }
    return dict(sorted(packages.items()))


def os_release():
    return re.search(r"(?m)^VERSION_CODENAME=(.*)$", pathlib.Path("/etc/os-release").read_text()).group(1)


def executable(path):
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return {"type": "file", "name": f"/usr/bin/{path.name}", "hashes": [{"alg": "SHA-256", "content": digest}]}


def licence(identifier):
    return [{"license": {"id": identifier}}]


def finish(document):
    """Adds time and serial number, equal for equal contents, and prints the document."""
    moment = int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))
    document.pop("serialNumber", None)
    document["metadata"]["timestamp"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))
    text = json.dumps(document, sort_keys=True)
    document["serialNumber"] = f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, text)}"
    json.dump(document, sys.stdout, indent=2)
    print()


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout


main()
