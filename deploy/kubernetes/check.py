"""Checks the manifests for consistency with each other and with rangersd's settings; run by deploy/kubernetes/check."""

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
expect(files == set(kustomization["resources"]), "the resources in kustomization.yaml differ from the manifests")

resources = [document for name in sorted(files) for document in documents(name)]
of_kind = lambda kind: [resource for resource in resources if resource["kind"] == kind]
named = lambda kind: {resource["metadata"]["name"] for resource in of_kind(kind)}

# Unknown settings would stop the start.
source = (folder / "../../Sources/Operating/RangersSettings/Setting.swift").read_text()
known = set(re.findall(r'case \w+ = "(RANGERS_\w+)"', source)) | {"RANGERS_DATABASE_URL_FILE"}
settings = of_kind("ConfigMap")[0]["data"]
for name, value in settings.items():
    expect(name in known, f"unknown setting {name}")
    expect(isinstance(value, str), f"{name} is not in quotes")

# The files of the secrets, which are created by hand with the commands in settings.yaml.
secrets = dict(re.findall(r"create secret generic ([\w-]+) --from-file=(\S+)", (folder / "settings.yaml").read_text()))


def matches(selector, labels):
    wanted = selector["matchLabels"]
    among = selector.get("matchExpressions", [])
    assert all(expression["operator"] == "In" for expression in among), "only the operator In is supported"
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
        and {443, 2195, 2196, 2197} <= {port["port"] for port in rule["ports"]}
        for rule in rules
    )


def check_pod(owner, pod):
    labels, spec = pod["metadata"]["labels"], pod["spec"]
    expect(spec["serviceAccountName"] in named("ServiceAccount"), f"{owner}: unknown service account")
    expect(spec["automountServiceAccountToken"] is False, f"{owner}: it mounts a service account token")
    expect(spec["enableServiceLinks"] is False, f"{owner}: it gets environment variables for services")
    security = spec["securityContext"]
    expect(security["runAsNonRoot"] and security["runAsUser"] > 0, f"{owner}: it can run as root")
    expect(security["seccompProfile"]["type"] == "RuntimeDefault", f"{owner}: it has no seccomp profile")
    mounted = {}
    for volume in spec["volumes"]:
        name = volume["secret"]["secretName"]
        expect(name in secrets, f"{owner}: settings.yaml has no command for the secret {name}")
        mounted[volume["name"]] = name
    for container in spec["containers"]:
        rights = container["securityContext"]
        expect(rights["allowPrivilegeEscalation"] is False, f"{owner}: it allows privilege escalation")
        expect(rights["readOnlyRootFilesystem"] is True, f"{owner}: its root file system is writable")
        expect(rights["capabilities"] == {"drop": ["ALL"]}, f"{owner}: it has capabilities")
        expect({"cpu", "memory"} <= set(container["resources"]["requests"]), f"{owner}: it has no resource requests")
        expect("memory" in container["resources"]["limits"], f"{owner}: it has no memory limit")
        expect(container["image"] in {image["name"] for image in kustomization["images"]}, f"{owner}: unknown image")
        files = set()
        for mount in container["volumeMounts"]:
            expect(mount["readOnly"] and "subPath" not in mount, f"{owner}: {mount['mountPath']} is writable or would not be updated")
            files.add(f"{mount['mountPath']}/{secrets[mounted[mount['name']]]}")
        needed = {settings["RANGERS_DATABASE_URL_FILE"]}
        # The API sends operators' test pushes, which needs the provider key.
        if labels["app.kubernetes.io/component"] in ("api", "dispatcher"):
            needed.add(settings["RANGERS_APNS_KEY_FILE"])
            expect(leads_to_apns(labels), f"{owner}: no network policy allows APNs")
        expect(files == needed, f"{owner}: it mounts {sorted(files)} instead of {sorted(needed)}")
        for source in container.get("envFrom", []):
            expect(source["configMapRef"]["name"] in named("ConfigMap"), f"{owner}: unknown settings")
    expect(
        any(matches(policy["spec"]["podSelector"], labels) for policy in of_kind("NetworkPolicy")),
        f"{owner}: it has no network policy",
    )


roles = {"api", "engine", "dispatcher"}
expect(named("Deployment") == {f"rangers-{role}" for role in roles}, "the deployments differ from the roles")
for deployment in of_kind("Deployment"):
    owner, spec = deployment["metadata"]["name"], deployment["spec"]
    labels = spec["template"]["metadata"]["labels"]
    role = labels["app.kubernetes.io/component"]
    check_pod(owner, spec["template"])
    expect(matches(spec["selector"], labels), f"{owner}: its selector does not match its pods")
    expect(spec["replicas"] >= 2, f"{owner}: with one replica it is down while the pod moves")
    container = spec["template"]["spec"]["containers"][0]
    expect(container["args"] == ["serve", "--role", role], f"{owner}: wrong arguments")
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    expect(str(ports["metrics"]) == settings["RANGERS_METRICS_PORT"], f"{owner}: wrong metrics port")
    expect(ports.get("http", 8081) == 8081, f"{owner}: wrong API port")
    for probe, path in {"startupProbe": "/healthz", "livenessProbe": "/healthz", "readinessProbe": "/readyz"}.items():
        request = container[probe]["httpGet"]
        expect(request["path"] == path and request["port"] in ports, f"{owner}: wrong path or port of its {probe}")
    budgets = [budget for budget in of_kind("PodDisruptionBudget") if matches(budget["spec"]["selector"], labels)]
    expect(len(budgets) == 1, f"{owner}: it has {len(budgets)} disruption budgets instead of one")
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
    expect(len(found) == 1, f"{service['metadata']['name']}: it selects {len(found)} deployments instead of one")
for ingress in of_kind("Ingress"):
    hosts = {rule["host"] for rule in ingress["spec"]["rules"]}
    expect(hosts == {host for tls in ingress["spec"]["tls"] for host in tls["hosts"]}, "the ingress serves a host without TLS")
    for path in (path for rule in ingress["spec"]["rules"] for path in rule["http"]["paths"]):
        expect(path["path"].startswith(("/v1", "/docs", "/openapi.yaml")), f"the ingress exposes {path['path']}")
        backend = path["backend"]["service"]
        ports = [p["name"] for s in of_kind("Service") if s["metadata"]["name"] == backend["name"] for p in s["spec"]["ports"]]
        expect(backend["port"]["name"] in ports, f"the ingress has an unknown service or port {backend}")

# The optional components.
root = folder / "../.."
monitors = documents("monitoring/podmonitor.yaml")
for deployment in of_kind("Deployment"):
    pod = deployment["spec"]["template"]
    monitored = [
        monitor
        for monitor in monitors
        if matches(monitor["spec"]["selector"], pod["metadata"]["labels"])
        and all(
            endpoint["port"] in {port["name"] for port in pod["spec"]["containers"][0]["ports"]}
            for endpoint in monitor["spec"]["podMetricsEndpoints"]
        )
    ]
    expect(len(monitored) == 1, f"{deployment['metadata']['name']}: {len(monitored)} PodMonitors scrape it")
rules = documents("autoscaling/adapter-rules.yaml")[0]["rules"]["external"]
known_metrics = set(re.findall(r"(?m)^\| `([a-z0-9_]+)` \|", (root / "docs/metrics.md").read_text()))
for rule in rules:
    for name in re.findall(r"\b(?:rangers|process)_\w+", rule["seriesQuery"] + " " + rule["metricsQuery"]):
        expect(re.sub("_(bucket|sum|count)$", "", name) in known_metrics, f"adapter-rules.yaml: unknown metric {name}")
for scaler in documents("autoscaling/autoscalers.yaml"):
    target = scaler["spec"]["scaleTargetRef"]["name"]
    expect(target in named("Deployment"), f"unknown deployment {target}")
    for metric in (metric["external"] for metric in scaler["spec"]["metrics"] if metric["type"] == "External"):
        name = metric["metric"]["name"]
        expect(name in {rule["name"]["as"] for rule in rules}, f"{target}: adapter-rules.yaml has no metric {name}")

# One port for metrics everywhere.
port = settings["RANGERS_METRICS_PORT"]
for name, pattern in {
    "deploy/prometheus/scrape.yaml": r"targets: \['127.0.0.1:(\d+)'\]",
    "deploy/debian/rangersd.conf": r"RANGERS_METRICS_PORT=(\d+)",
    "deploy/Containerfile": r"EXPOSE 8081 (\d+)",
    "deploy/kubernetes/network.yaml": r"port: (9\d+)",
}.items():
    expect(set(re.findall(pattern, (root / name).read_text())) == {port}, f"{name}: it has another metrics port than {port}")
for deployment in of_kind("Deployment"):
    annotations = deployment["spec"]["template"]["metadata"]["annotations"]
    expect(annotations["prometheus.io/port"] == port, f"{deployment['metadata']['name']}: wrong port in its annotations")

for job in of_kind("Job"):
    check_pod(job["metadata"]["name"], job["spec"]["template"])

for problem in problems:
    print(f"  {problem}", file=sys.stderr)
sys.exit(1 if problems else 0)
