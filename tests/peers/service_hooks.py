# What schemathesis needs to know of the media types of the service that are not JSON.
import schemathesis


def _bytes(ctx, value):
    if isinstance(value, bytes):
        return value
    # A value that is generated as bytes comes in a wrapper.
    return getattr(value, "value", str(value)).encode() if not hasattr(value, "data") else value.data


for media_type in ["application/hl7-v2", "application/edi-x12", "application/octet-stream"]:
    schemathesis.serializer(media_type)(_bytes)

for media_type in ["application/hl7-v2", "application/octet-stream", "application/x-tar", "text/css", "text/html"]:
    schemathesis.deserializer(media_type)(lambda ctx, response: response.content.decode("latin-1"))
