"""An SFTP server, version 3 (draft-ietf-secsh-filexfer-02), that is odd in the way its folders' names say. It speaks over
standard input and output, as the program of a subsystem of OpenSSH's server."""
import struct
import sys

DIRECTORY, FILE = 0o040755, 0o100644
OK, EOF, NO_SUCH_FILE, FAILURE = 0, 1, 2, 4
CONTENT = b'{"a": 1}' + b" " * 92


def text(value):
    return struct.pack(">I", len(value)) + value


def attributes(mode, size=len(CONTENT)):
    return struct.pack(">IQII", 0x1 | 0x4, size, mode, 0)[:16]


SILENT = struct.pack(">I", 0)


def name(value, attrs):
    return text(value) + text(b"") + attrs


FILES = [(b"a.json", attributes(FILE)), (b"b.json", attributes(FILE))]

# What a folder answers to one READDIR after the other; behind the last, the end.
FOLDERS = {
    b"plain": [FILES],
    # Nothing, and then something.
    b"gaps": [[], FILES[:1], [], FILES[1:]],
    # A name that is none hides nothing behind it.
    b"nameless": [[(b"", attributes(FILE))] + FILES],
    b"twice": [FILES, FILES],
    b"escaping": [[(b"../plain/a.json", attributes(FILE)), (b"/etc/passwd", attributes(FILE))]],
    b"silent": [[(b"a.json", SILENT)]],
    # The count is more than what comes.
    b"lying": ["lie"],
    b"broken": [FILES, FAILURE],
    b"missing": [FILES, NO_SUCH_FILE],
    # The content ends early, or goes on for too long, or is refused on the way.
    b"short": [FILES[:1]],
    b"long": [FILES[:1]],
    b"refused": [FILES[:1]],
    b"empty": [],
}


def stat(path):
    parts = [part for part in path.split(b"/") if part]
    if not parts or parts == [b"odd"] or (len(parts) == 2 and parts[1] in FOLDERS):
        return attributes(DIRECTORY, 0)
    if len(parts) == 3 and parts[1] in FOLDERS and parts[2] in (b"a.json", b"b.json"):
        return attributes(FILE)
    return None


def read(folder, offset, length):
    content = {b"short": CONTENT[:40], b"long": CONTENT + b"more"}.get(folder, CONTENT)
    if folder == b"refused" and offset + length > 0:
        return None
    return content[offset:offset + length]


def main():
    handles = {}
    source, sink = sys.stdin.buffer, sys.stdout.buffer

    def send(kind, body):
        sink.write(struct.pack(">IB", len(body) + 1, kind) + body)
        sink.flush()

    while True:
        head = source.read(4)
        if len(head) < 4:
            return
        packet = source.read(struct.unpack(">I", head)[0])
        kind, request = packet[0], packet[1:5]
        if kind == 1:
            send(2, struct.pack(">I", 3))
            continue
        fields = packet[5:]
        length = struct.unpack(">I", fields[:4])[0]
        first, rest = fields[4:4 + length], fields[4 + length:]

        def status(code):
            send(101, request + struct.pack(">I", code) + text(b"") + text(b""))

        if kind == 16:
            path = first if first.startswith(b"/") else b"/" + first
            send(104, request + struct.pack(">I", 1) + name(path.rstrip(b"/") or b"/", SILENT))
        elif kind in (7, 17):
            found = stat(first)
            send(105, request + found) if found else status(NO_SUCH_FILE)
        elif kind == 11 or kind == 3:
            if stat(first) is None:
                status(NO_SUCH_FILE)
                continue
            handle = str(len(handles)).encode()
            folder = (first.rstrip(b"/").split(b"/") + [b"", b""])[2]
            handles[handle] = (folder, list(FOLDERS.get(folder, [[(n, attributes(DIRECTORY, 0)) for n in FOLDERS]])))
            send(102, request + text(handle))
        elif kind == 12:
            answers = handles[first][1]
            answer = answers.pop(0) if answers else EOF
            if isinstance(answer, int):
                status(answer)
            elif answer == "lie":
                send(104, request + struct.pack(">I", 7) + name(*FILES[0]))
            else:
                send(104, request + struct.pack(">I", len(answer)) + b"".join(name(*entry) for entry in answer))
        elif kind == 5:
            offset, count = struct.unpack(">QI", rest[:12])
            data = read(handles[first][0], offset, count)
            if data is None:
                status(FAILURE)
            elif data:
                send(103, request + text(data))
            else:
                status(EOF)
        elif kind == 4:
            status(OK)
        else:
            status(8)


main()
