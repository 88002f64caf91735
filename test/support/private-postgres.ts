import { execFileSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Where Debian has the programs of each version. */
const VERSIONS = "/usr/lib/postgresql";

/** The folder of PostgreSQL's own programs; null where they are not installed. */
export const POSTGRES_PROGRAMS = findPrograms();

export interface PrivatePostgres {
  readonly url: string;
  /** All that it keeps on disk, and its settings. */
  readonly data: string;
  /** Where the small file system is. */
  readonly small: string;
  start(): void;
  /** `immediate`: as if it were killed. */
  stop(how: "fast" | "immediate"): void;
  remove(): void;
}

/**
 * A server of its own on loopback, running, in a temporary folder. `smallDisk`: the size of a file system for tablespaces that only the server sees. Throws where the
 * programs are not installed.
 */
export async function openPrivatePostgres(
  settings: Readonly<Record<string, string>> = {},
  { smallDisk }: { readonly smallDisk?: string } = {},
): Promise<PrivatePostgres> {
  if (!POSTGRES_PROGRAMS) throw new Error(`There are no programs of PostgreSQL below ${VERSIONS}.`);
  const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "earshot-postgres-"));
  const [data, small, port] = [join(folder, "data"), join(folder, "small"), await findFreePort()];
  // It refuses to run as root.
  const asPostgres = process.getuid?.() === 0 ? ["runuser", "-u", "postgres", "--"] : [];
  const uid = asPostgres.length > 0 ? Number(execFileSync("id", ["-u", "postgres"])) : Number(process.getuid?.());
  const mount = `mount -t tmpfs -o size=${smallDisk},uid=${uid},mode=700 tmpfs ${small} && exec "$@"`;
  const withDisk = smallDisk === undefined ? [] : ["unshare", "-m", "sh", "-c", mount, "sh"];
  const run = (program: string, ...args: readonly string[]) => {
    const [first = "", ...rest] = [...withDisk, ...asPostgres, join(String(POSTGRES_PROGRAMS), program), ...args];
    execFileSync(first, rest, { cwd: "/", stdio: ["ignore", "ignore", "inherit"] });
  };
  const own = { port: String(port), listen_addresses: "127.0.0.1", unix_socket_directories: "", ...settings };
  const options = Object.entries(own).map(([name, value]) => `-c ${name}='${value}'`);
  const start = () => run("pg_ctl", "start", "-w", "-D", data, "-l", join(folder, "log"), "-o", options.join(" "));
  const stop = (how: "fast" | "immediate") => {
    if (existsSync(join(data, "postmaster.pid"))) run("pg_ctl", "stop", "-w", "-D", data, "-m", how);
  };
  mkdirSync(small);
  chownSync(folder, uid, -1);
  run("initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync");
  start();
  return {
    ...{ url: `postgres://postgres@127.0.0.1:${port}/postgres`, data, small, start, stop },
    remove() {
      stop("immediate");
      rmSync(folder, { recursive: true });
    },
  };
}

function findPrograms(): string | null {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS) : [];
  const folders = versions.sort((a, b) => Number(b) - Number(a)).map((version) => join(VERSIONS, version, "bin"));
  return folders.find((each) => existsSync(join(each, "initdb"))) ?? null;
}

function findFreePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
