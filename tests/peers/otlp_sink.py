"""Takes what an OpenTelemetry collector passes on, or what is sent to it at once, and prints it as JSON, a line a request.

Judged by the protocol's own definitions: what does not parse, or holds a field that they do not know, is answered with 400.
"""

import base64
import gzip
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from google.protobuf import json_format
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
    ExportMetricsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest, ExportTraceServiceResponse

KINDS = {
    "/v1/traces": (ExportTraceServiceRequest, ExportTraceServiceResponse),
    "/v1/metrics": (ExportMetricsServiceRequest, ExportMetricsServiceResponse),
}


def with_hex_ids(value, from_json):
    """Ids as hexadecimal. OTLP's JSON has them so, where the mapping of protocol buffers reads base64."""
    if isinstance(value, dict):
        return {
            name: (inner if from_json else base64.b64decode(inner).hex())
            if name in ("traceId", "spanId", "parentSpanId")
            else with_hex_ids(inner, from_json)
            for name, inner in value.items()
        }
    if isinstance(value, list):
        return [with_hex_ids(inner, from_json) for inner in value]
    return value


# Requests come at the same time, and a line is one request.
TELLING = threading.Lock()


def tell(request):
    with TELLING:
        print(json.dumps(request), flush=True)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        from_json = self.headers["content-type"] == "application/json"
        try:
            request, response = KINDS[self.path]
            message = request()
            if from_json:
                json_format.Parse(body, message, ignore_unknown_fields=False)
            else:
                message.ParseFromString(body)
                whole = message.ByteSize()
                message.DiscardUnknownFields()
                if message.ByteSize() != whole:
                    raise ValueError("it holds fields that the definitions do not know")
        except Exception as error:  # whatever is wrong with it, it is told
            self.answer(400, str(error).encode(), "text/plain")
            tell({"error": str(error)})
            return
        told = {
            "path": self.path,
            "headers": {name.lower(): value for name, value in self.headers.items()},
            "body": base64.b64encode(body).decode(),
            "message": with_hex_ids(json_format.MessageToDict(message), from_json),
        }
        tell(told)
        empty = response()
        if from_json:
            self.answer(200, json_format.MessageToJson(empty).encode(), "application/json")
        else:
            self.answer(200, empty.SerializeToString(), "application/x-protobuf")

    def answer(self, status, body, kind):
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
# It ends when this pipe does, so that it cannot outlive the tests, however they end.
sys.stdin.read()
