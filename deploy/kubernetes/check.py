"""Holds the manifests against each other and against rangersd's settings; run by deploy/kubernetes/check."""

import pathlib
import re
import sys

import yaml

folder = pathlib.Path(__file__).resolve().parent
problems = []


def expect(holds, problem):
    if not holds:
        problems.append(problem)


def documents(name):
    return [document for document in yaml.safe_load_all((folder / name).read_text()) if document]


kustomization = documents("kustomization.yaml")[0]
files = {path.name for path in folder.glob("*.yaml")} - {"kustomization.yaml"}
expect(files == set(kustomization["resources"]), "kustomization.yaml does not list every manifest, or lists others")

resources = [document for name in sorted(files) for document in documents(name)]
of_kind = lambda kind: [resource for resource in resources if resource["kind"] == kind]
named = lambda kind: {resource["metadata"]["name"] for resource in of_kind(kind)}

# Settings: an unknown one stops the start.
source = (folder / "../../Sources/Operating/RangersSettings/Setting.swift").read_text()
known = set(re.findall(r'case \w+ = "(RANGERS_\w+)"', source)) | {"RANGERS_DATABASE_URL_FILE"}
settings = of_kind("ConfigMap")[0]["data"]
for name, value in settings.items():
    expect(name in known, f"rangersd knows no setting {name}")
    expect(isinstance(value, str), f"{name} is not in quotes")

# Secrets are made by hand; these are the files that settings.yaml says how to make.
secrets = dict(re.findall(r"create secret generic ([\w-]+) --from-file=(\S+)", (folder / "settings.yaml").read_text()))


def matches(selector, labels):
    wanted = selector["matchLabels"]
    among = selector.get("matchExpressions", [])
    assert all(expression["operator"] == "In" for expression in among), "no other operator is understood here"
    return all(labels.get(name) == value for name, value in wanted.items()) and all(
        labels.get(expression["key"]) in expression["values"] for expression in among
    )


def leads_to_apns(labels):
    rules = [
        rule
        for policy in of_kind("NetworkPolicy")
        if matches(policy["spec"]["podSelector"], labels)
        for rule in policy["spec"].get("egress", [])
    ]
    return any(
        any(peer.get("ipBlock", {}).get("cidr") == "17.0.0.0/8" for peer in rule.get("to", []))
        and {443, 2197} <= {port["port"] for port in rule["ports"]}
        for rule in rules
    )


def check_pod(owner, pod):
    labels, spec = pod["metadata"]["labels"], pod["spec"]
    expect(spec["serviceAccountName"] in named("ServiceAccount"), f"{owner}: there is no such account")
    expect(spec["automountServiceAccountToken"] is False, f"{owner}: it gets a token of the cluster's")
    expect(spec["enableServiceLinks"] is False, f"{owner}: it gets variables for services")
    security = spec["securityContext"]
    expect(security["runAsNonRoot"] and security["runAsUser"] > 0, f"{owner}: it may be root")
    expect(security["seccompProfile"]["type"] == "RuntimeDefault", f"{owner}: it has no seccomp profile")
    mounted = {}
    for volume in spec["volumes"]:
        name = volume["secret"]["secretName"]
        expect(name in secrets, f"{owner}: nothing says how to make the secret {name}")
        mounted[volume["name"]] = name
    for container in spec["containers"]:
        rights = container["securityContext"]
        expect(rights["allowPrivilegeEscalation"] is False, f"{owner}: it may gain rights")
        expect(rights["readOnlyRootFilesystem"] is True, f"{owner}: it may write where it is from")
        expect(rights["capabilities"] == {"drop": ["ALL"]}, f"{owner}: it has capabilities")
        expect({"cpu", "memory"} <= set(container["resources"]["requests"]), f"{owner}: it asks for no resources")
        expect("memory" in container["resources"]["limits"], f"{owner}: its memory has no limit")
        expect(container["image"] in {image["name"] for image in kustomization["images"]}, f"{owner}: which image?")
        files = set()
        for mount in container["volumeMounts"]:
            expect(mount["readOnly"] and "subPath" not in mount, f"{owner}: {mount['mountPath']} would not be renewed")
            files.add(f"{mount['mountPath']}/{secrets[mounted[mount['name']]]}")
        needed = {settings["RANGERS_DATABASE_URL_FILE"]}
        # Operators have the API push to try a phone; without its key it could not.
        if labels["app.kubernetes.io/component"] in ("api", "dispatcher"):
            needed.add(settings["RANGERS_APNS_KEY_FILE"])
            expect(leads_to_apns(labels), f"{owner}: no network policy lets it reach APNs")
        expect(files == needed, f"{owner}: it mounts {sorted(files)} and needs {sorted(needed)}")
        for source in container.get("envFrom", []):
            expect(source["configMapRef"]["name"] in named("ConfigMap"), f"{owner}: there are no such settings")
    expect(
        any(matches(policy["spec"]["podSelector"], labels) for policy in of_kind("NetworkPolicy")),
        f"{owner}: no network policy is about it",
    )


roles = {"api", "engine", "dispatcher"}
expect(named("Deployment") == {f"rangers-{role}" for role in roles}, "not every role is deployed, or another one")
for deployment in of_kind("Deployment"):
    owner, spec = deployment["metadata"]["name"], deployment["spec"]
    labels = spec["template"]["metadata"]["labels"]
    role = labels["app.kubernetes.io/component"]
    check_pod(owner, spec["template"])
    expect(matches(spec["selector"], labels), f"{owner}: it does not select its own pods")
    expect(spec["replicas"] >= 2, f"{owner}: one pod is none while it is moved")
    container = spec["template"]["spec"]["containers"][0]
    expect(container["args"] == ["serve", "--role", role], f"{owner}: its arguments are those of another")
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    expect(str(ports["metrics"]) == settings["RANGERS_METRICS_PORT"], f"{owner}: the metrics have another port")
    expect(ports.get("http", 8081) == 8081, f"{owner}: the API has another port")
    for probe, path in {"startupProbe": "/healthz", "livenessProbe": "/healthz", "readinessProbe": "/readyz"}.items():
        question = container[probe]["httpGet"]
        expect(question["path"] == path and question["port"] in ports, f"{owner}: its {probe} asks something else")
    budgets = [budget for budget in of_kind("PodDisruptionBudget") if matches(budget["spec"]["selector"], labels)]
    expect(len(budgets) == 1, f"{owner}: it has {len(budgets)} disruption budgets")
    delay = int(settings["RANGERS_HTTP_STOP_DELAY"].removesuffix("s")) if role == "api" else 0
    grace = spec["template"]["spec"]["terminationGracePeriodSeconds"]
    expect(grace > delay + 20, f"{owner}: it is killed before it has drained")
    probe = container["readinessProbe"]
    expect(
        role != "api" or delay > probe["periodSeconds"] * probe["failureThreshold"],
        f"{owner}: it stops serving before its readiness probe has failed",
    )
for service in of_kind("Service"):
    labels = [deployment["spec"]["template"]["metadata"]["labels"] for deployment in of_kind("Deployment")]
    found = [each for each in labels if matches({"matchLabels": service["spec"]["selector"]}, each)]
    expect(len(found) == 1, f"{service['metadata']['name']}: it leads to {len(found)} deployments")
for job in of_kind("Job"):
    check_pod(job["metadata"]["name"], job["spec"]["template"])

for problem in problems:
    print(f"  {problem}", file=sys.stderr)
sys.exit(1 if problems else 0)
