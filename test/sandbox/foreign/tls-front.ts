import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer } from "node:tls";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";

interface TlsFront {
  /** With the port. */
  readonly host: string;
  /** The file with the certificate that clients have to trust. */
  readonly certificate: string;
}

/** Takes TLS connections on 127.0.0.1 and passes their bytes on to a local port, until the test ends. */
export async function openTlsFront(port: () => number): Promise<TlsFront> {
  const folder = await mkdtemp(join(tmpdir(), "earshot-tls-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const request = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1,DNS:earshot.example.org"];
  await promisify(execFile)("openssl", [...request, ...subject, "-keyout", key, "-out", certificate]);
  const server = createServer({ key: await readFile(key), cert: await readFile(certificate) }, (client) => {
    const onward = connect(port(), "127.0.0.1");
    client.on("error", () => onward.destroy()).on("close", () => onward.destroy());
    onward.on("error", () => client.destroy()).on("close", () => client.destroy());
    client.pipe(onward).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
  });
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, certificate };
}
