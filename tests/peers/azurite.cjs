// Azurite's blob service on loopback, in memory, until standard input ends. The port is the first argument.
const port = process.argv[2];
process.argv = [process.argv[0], "azurite-blob", "--silent", "--inMemoryPersistence", "--disableTelemetry",
  "--skipApiVersionCheck", "--blobHost", "127.0.0.1", "--blobPort", port];
process.stdin.on("end", () => process.exit(0)).resume();
require("azurite/dist/src/blob/main");
