#!/bin/bash
set -e
cd "${APP:-/app}"
echo '[{"id": 1, "status": "sent"}]' > sandbox/portal/orders.json
echo '{}' > sandbox/files/outbound/1.json
