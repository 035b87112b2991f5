"""Writes every result of an ansible-playbook run as one JSON object per line to $DUMP_RESULTS."""

import json
import os

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: dump_results
type: stdout
short_description: Results as JSON lines
description: Results as JSON lines, to be compared.
"""


class CallbackModule(CallbackBase):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "dump_results"

    def __init__(self):
        super().__init__()
        self.out = open(os.environ["DUMP_RESULTS"], "w", encoding="utf-8")
        self.play = ""

    def write(self, **record):
        self.out.write(json.dumps(record, default=str) + "\n")
        self.out.flush()

    def dump(self, status, result, item=False, ignored=False):
        body = {k: v for k, v in result._result.items() if not k.startswith("_ansible")}
        record = {
            "event": "result",
            "play": self.play,
            "task": result._task.get_name(),
            "host": result._host.get_name(),
            "status": "changed" if status == "ok" and body.get("changed") else status,
            "ignored": bool(ignored),
            "result": body,
        }
        if item:
            record["item"] = str(self._get_item_label(result._result))
        self.write(**record)

    def v2_playbook_on_play_start(self, play):
        self.play = play.get_name()
        self.write(event="play", play=self.play)

    def v2_playbook_on_no_hosts_matched(self):
        self.write(event="no_hosts")

    def v2_runner_on_ok(self, result):
        self.dump("ok", result)

    def v2_runner_on_failed(self, result, ignore_errors=False):
        self.dump("failed", result, ignored=ignore_errors)

    def v2_runner_on_skipped(self, result):
        self.dump("skipped", result)

    def v2_runner_on_unreachable(self, result):
        self.dump("unreachable", result)

    def v2_runner_item_on_ok(self, result):
        self.dump("ok", result, item=True)

    def v2_runner_item_on_failed(self, result):
        self.dump("failed", result, item=True)

    def v2_runner_item_on_skipped(self, result):
        self.dump("skipped", result, item=True)

    def v2_playbook_on_stats(self, stats):
        hosts = {h: stats.summarize(h) for h in sorted(stats.processed)}
        self.write(event="recap", hosts=hosts)
