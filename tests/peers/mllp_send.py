"""Sends every message in a folder with python-hl7's MLLP client, which waits for one answer a message.

Messages with MSH-15 or MSH-16 (enhanced mode) are left out: they ask for two answers, or for none.

Arguments: HOST:PORT and the folder. Standard output: a line a message, with tabs: file, MSA-1, MSH-10 that was sent,
MSA-2 that came back.
"""

import pathlib
import sys

import hl7
from hl7.client import MLLPClient


def main():
    host, port = sys.argv[1].rsplit(":", 1)
    with MLLPClient(host, int(port)) as client:
        client.socket.settimeout(600)
        for file in sorted(pathlib.Path(sys.argv[2]).glob("*.hl7")):
            message = hl7.parse("\r".join(file.read_text("utf-8-sig").splitlines()))
            header = message.segment("MSH")
            if any(len(header) > number and str(header[number]) for number in (15, 16)):
                continue
            answer = hl7.parse(client.send_message(message).decode().strip("\x0b\x1c\r"))
            msa = answer.segment("MSA")
            print(file.name, str(msa[1]), str(header[10]), str(msa[2]), sep="\t")


main()
