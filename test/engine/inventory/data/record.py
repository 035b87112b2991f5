"""Records what ansible-core answers: `python3 record.py` rewrites recorded.json beside it.

Needs ansible-core 2.19. Commands run in this directory.
"""
import json, shlex, subprocess
from ansible.errors import AnsibleError
from ansible.inventory.manager import InventoryManager
from ansible.parsing.dataloader import DataLoader

SHOWN = [
    "-i values.ini --list", "-i ranges.ini --list", "-i ranges.ini --graph", "-i order.ini --list", "-i order.ini --graph",
    "-i tree.yml --list", "-i tree.yml --list --export", "-i tree.yml --graph", "-i tree.yml --graph z",
    "-i tree.yml --list --yaml", "-i tree.yml --list --export -y", "-i tree.yml --host y1 -y", "-i order.ini --list -y",
    "-i tree.yml --list -y --limit y*", "-i order.ini -i tree.yml --list -y", "-i values.ini --list -y",
    "-i tree.yml --list --limit y*", "-i tree.yml --graph --limit y*", "-i tree.yml --host y1", "-i tree.yml --host localhost",
    "-i script.sh --list", "-i script.sh --list --export", "-i a1,b:2200, --list", "-i h, --list", "-i h1,h2 --graph",
    "-i marks.yml --list", "-i marks.yml --list --export", "-i marks.yml --list -y", "-i marks.yml --host h1",
    "-i marks.yml --host h1 -y",
    "-i untrusted.yml -i script.sh --list", "-i untrusted.yml --list --export", "-i untrusted.yml --host u1",
    "-i untrusted.yml --list -e given=1 -e plain=over -e 'rendered={{ plain }}x'",
    "-i untrusted.yml --list -y -e given=1 -e plain=over", "-i untrusted.yml --list --export -e given=1 -e plain=over",
    "-i untrusted.yml --graph --vars -e given=1 -e plain=over", "-i untrusted.yml --host u1 -e '{given: [1]}'",
    "-i untrusted.yml -i uses-extra-vars.yml --list -e given=1 -e plain=over -e 'rendered={{ plain }}x'",
    "-i untrusted.yml -i groups-by-extra-vars.yml --list -e given=1 -e plain=over",
    "-i untrusted.yml -i uses-no-extra-vars.yml --list -e given=1 -e plain=over",
    "-i groups.toml --list", "-i groups.toml --list --export", "-i groups.toml --graph",
    "-i directory --list", "-i directory --graph", "-i order.ini -i tree.yml --list", "-i tree.yml -i order.ini --graph",
    "-i precedence/inventory/hosts.ini --playbook-dir precedence/playbook --list",
    "-i precedence/inventory/hosts.ini --playbook-dir precedence/playbook --list --export",
    "-i precedence/inventory/hosts.ini --playbook-dir precedence/playbook --graph --vars",
    "-i precedence/inventory --playbook-dir precedence/playbook --host h1",
    "-i precedence/inventory/hosts.ini --playbook-dir precedence/playbook --host localhost",
]
PATTERNS = """
all|*|all:!z|z|z:b|b,z|b:z|!z|&z|all:&z:!y1|z:!x:&y|y*|y?|y[0]|y[-1]|y[1:2]|y[0:]|y[0-1]|y[5]|y[1:9]|y[-2]|~y\\d|~[bd]\\d|~(b|y[7:9]|y[7:]|empty[0]|nothing[0]|y[-9]|~^.1$|q1|q1:v1
b1,b2|solo|ungrouped|nothing|nothing:b|b:!nothing|b:&nothing|*1|[yz]1|[!y]1|y1,!y1|!y1,y1|z[0]:z[1]|z:!~y.*|x*:&z|w[0]|~w|all[0]|all[1:3]
all[-1]|ungrouped[0]|localhost|127.0.0.1|both|both:c|a:&d|a[2:]|empty|empty2|empty:b|p1|p1:2200|y1;y2|z:x:w|w:x:z| b , z |b;z|::1|h.x|d*:!d|*:!*1
""".strip().replace("\n", "|").split("|")


def shown(arguments):
    done = subprocess.run(["ansible-inventory", *shlex.split(arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(arguments + done.stderr)
    lines = done.stdout.rstrip("\n").split("\n")
    return [line for line in lines if "ansible_python_interpreter" not in line]  # a path of this machine


def hosts(pattern):
    manager = InventoryManager(loader=DataLoader(), sources=["order.ini", "tree.yml"])
    try:
        return [host.name for host in manager.get_hosts(pattern)]
    except AnsibleError as error:
        return str(error)


record = {
    "shown": {arguments: shown(arguments) for arguments in SHOWN},
    "patterns": {pattern: hosts(pattern) for pattern in PATTERNS},
}
with open("recorded.json", "w") as out:
    json.dump(record, out, indent=2, ensure_ascii=False)
    out.write("\n")
