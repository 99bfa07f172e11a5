"""Verifies the signature of an evidence bundle with other people's code, and says what was signed.

usage: bundle_verify.py BUNDLE PUBLIC_KEY
prints: one JSON object, {"keyid", "statement"}; ends with 1 where something does not hold
"""

import base64
import hashlib
import json
import sys
import zipfile

from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_public_key
from securesystemslib.dsse import Envelope
from securesystemslib.signer import SSlibKey


def main(bundle, public):
    archive = zipfile.ZipFile(bundle)
    assert archive.testzip() is None
    with open(public, "rb") as file:
        key = load_pem_public_key(file.read())
    der = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    keyid = hashlib.sha256(der).hexdigest()

    # DSSE by cryptography alone.
    document = json.loads(archive.read("signature.json"))
    kind, payload = document["payloadType"], base64.b64decode(document["payload"], validate=True)
    signed = b"DSSEv1 %d %s %d %s" % (len(kind), kind.encode(), len(payload), payload)
    (signature,) = document["signatures"]
    assert signature["keyid"] == keyid
    key.verify(base64.b64decode(signature["sig"], validate=True), signed)

    # DSSE by securesystemslib.
    sslib = SSlibKey.from_crypto(key, keyid=keyid)
    envelope = Envelope.from_dict(document)
    assert envelope.verify([sslib], 1)

    statement = json.loads(payload)
    assert kind == "application/vnd.in-toto+json"
    assert statement["_type"] == "https://in-toto.io/Statement/v1"

    # The subject is the manifest, and the manifest holds every part.
    manifest = archive.read("manifest.json")
    (subject,) = statement["subject"]
    assert subject["digest"]["sha256"] == hashlib.sha256(manifest).hexdigest()
    names = {name.removeprefix("parts/") for name in archive.namelist() if name.startswith("parts/")}
    assert names <= set(json.loads(manifest)["parts"])
    for name in names:
        assert hashlib.sha256(archive.read("parts/" + name)).hexdigest() == name
    print(json.dumps({"keyid": keyid, "statement": statement}))


if __name__ == "__main__":
    main(*sys.argv[1:])
