"""What `warpbound help` says: the commands, and the options and names of each."""

import re
import subprocess


class Help:
    def __init__(self, program):
        self.program = program
        self.commands = re.findall(r"^  ([a-z]+)  ", self.text().split("\nexit status:")[0], re.MULTILINE)

    def text(self, *command):
        return subprocess.run([self.program, "help", *command], check=True, capture_output=True, text=True).stdout

    def options(self, command):
        """Pairs of a letter, or None, and a name."""
        lines = re.findall(r"^  (?:-(\w), |    )--([a-z0-9-]+)", self.text(command), re.MULTILINE)
        return [(letter or None, name) for letter, name in lines]

    def names(self, command, title):
        """What stands under a heading such as "methods"."""
        section = re.search(rf"^{title}:\n(.*?)(?:\n\n|\Z)", self.text(command), re.MULTILINE | re.DOTALL)
        return re.findall(r"^  (\S+)", section.group(1), re.MULTILINE) if section else []
