"""Plays many small playbooks with ansible-playbook: `python3 play-many.py FOLDER…` plays `play.yaml` of each folder.

The command line is loaded once, and each playbook runs in a fork of it. Results go to `results` in the folder, the exit
code to `code`, output to `output`.
"""
import os
import signal
import sys

from ansible.cli.playbook import main

# Loaded once for all.
import ansible.executor.process.worker  # noqa: F401
import ansible.executor.task_executor  # noqa: F401
import ansible.playbook.included_file  # noqa: F401
import ansible.playbook.role_include  # noqa: F401
import ansible.utils._junit_xml  # noqa: F401

TIMEOUT = 60
SIDE_BY_SIDE = (os.cpu_count() or 1) + 1


def play(folder):
    os.chdir(folder)
    os.environ["DUMP_RESULTS"] = os.path.join(folder, "results")
    output = os.open("output", os.O_WRONLY | os.O_CREAT, 0o644)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    signal.alarm(TIMEOUT)
    with open("code", "w") as file:
        file.write("none")
    try:
        main(["ansible-playbook", "-i", "localhost,", "-c", "local", "play.yaml"])
        code = 0
    except SystemExit as end:
        code = end.code or 0
    with open("code", "w") as file:
        file.write(str(code))
    sys.stdout.flush()
    os._exit(0)


running = 0
for folder in sys.argv[1:]:
    if running == SIDE_BY_SIDE:
        os.wait()
        running -= 1
    if os.fork() == 0:
        play(folder)
    running += 1
while running > 0:
    os.wait()
    running -= 1
