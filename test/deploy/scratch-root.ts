import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readDockerignore, type Stage } from "./dockerfile.ts";

/** What Docker sets where an image does not. */
const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const DEVICES = ["null", "zero", "random", "urandom"];
/** Name resolution and certificates, for npm. */
const ETC = ["passwd", "group", "hosts", "resolv.conf", "nsswitch.conf", "ssl", "ca-certificates"];

/** How npm reaches packages: all that the steps of an image get of this program's surroundings. */
const REACH = {
  npm_config_loglevel: "error",
  npm_config_update_notifier: "false",
  npm_config_registry: String(
    execFileSync("npm", ["config", "get", "registry"], { stdio: ["ignore", "pipe", "ignore"] }),
  ).trim(),
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => /^(\w+_proxy|NODE_EXTRA_CA_CERTS)$/i.test(name)),
  ),
};

/** Mounts need root, in a name space of their own. */
export const canMount = () =>
  process.getuid?.() === 0 && spawnSync("unshare", ["-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0;

/** The root of one stage: this machine's programs in place of the base image, this Node, and what the steps of the stage write. */
export class ScratchRoot {
  readonly #stage: Stage;
  readonly #folder: string;

  constructor(stage: Stage, scratch: string) {
    this.#stage = stage;
    this.#folder = join(scratch, stage.name);
    for (const name of ["usr", "local/bin", "dev", "proc", "etc", "root", "tmp"])
      mkdirSync(join(name.startsWith("local") ? this.#beside("") : this.#folder, name), { recursive: true });
    chmodSync(this.path("/tmp"), 0o1777);
    for (const name of ["bin", "sbin", "lib", "lib64"])
      if (existsSync(`/${name}`)) {
        if (!lstatSync(`/${name}`).isSymbolicLink()) throw new Error(`/${name} is expected to be part of /usr`);
        symlinkSync(readlinkSync(`/${name}`), this.path(name));
      }
    for (const name of DEVICES) writeFileSync(this.path(`dev/${name}`), "");
    writeFileSync(join(this.#beside("local"), "bin/node"), "");
    for (const name of ETC)
      if (existsSync(`/etc/${name}`))
        cpSync(`/etc/${name}`, this.path(`etc/${name}`), { recursive: true, dereference: true });
  }

  /** Where a path of the stage lies on this machine; what is below /usr is not. */
  path(inside: string): string {
    return join(this.#folder, inside);
  }

  /** Does what a `docker build` would. The stages before are needed for what is copied from them. */
  build(context: string, earlier: ReadonlyMap<string, ScratchRoot>): void {
    for (const step of this.#stage.steps) {
      if (step.kind === "copy") {
        const from = step.from === null ? null : earlier.get(step.from);
        if (from === undefined) throw new Error(`There is no stage ${step.from}`);
        if (from) this.#copy(from.path(step.source), this.path(step.target));
        else this.#copyContext(context, this.path(step.target));
      } else {
        mkdirSync(this.path(step.workdir), { recursive: true });
        const script = `${this.#mounts()}; exec chroot ${this.#folder} sh -c 'cd "$0" && eval "$1"' "$0" "$1"`;
        const env = { ...REACH, PATH, HOME: "/root" };
        execFileSync("unshare", ["-m", "sh", "-ec", script, step.workdir, step.script], {
          env,
          stdio: ["ignore", "ignore", "inherit"],
        });
      }
    }
    mkdirSync(this.path(this.#stage.workdir), { recursive: true });
    // A new volume begins as the folder of the image.
    for (const path of this.#stage.volumes) this.#copy(this.path(path), this.volume(path));
  }

  volume(path: string): string {
    return this.#beside(join("volumes", path));
  }

  /** As `docker run --read-only --cap-drop ALL --security-opt no-new-privileges` would, with the image's user. Its process id is the child's own. */
  run(command: readonly string[], env: Readonly<Record<string, string>>): ChildProcess {
    const { user, volumes, workdir } = this.#stage;
    const [uid, gid] = (user ?? "0:0").split(":");
    const readOnly = ["", "/usr/local"].map((path) => `mount -o remount,bind,ro ${this.#folder}${path}`);
    const volume = volumes.map((path) => `mount --bind ${this.volume(path)} ${this.path(path)}`);
    const privileges = `--reuid=${uid} --regid=${gid} --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all`;
    const inside = `exec chroot ${this.#folder} setpriv ${privileges} sh -c 'cd "$0" && exec "$@"' "$0" "$@"`;
    const script = [this.#mounts(), ...readOnly, ...volume, inside].join("; ");
    const whole = { PATH, ...this.#stage.env, ...env };
    return spawn("unshare", ["-m", "sh", "-ec", script, workdir, ...command], { env: whole });
  }

  #beside(name: string): string {
    return join(`${this.#folder}.parts`, name);
  }

  #mounts(): string {
    const bind = (source: string, target: string) => `mount --bind ${source} ${this.#folder}${target}`;
    return [
      bind(this.#folder, ""),
      `${bind("/usr", "/usr")}; mount -o remount,bind,ro ${this.#folder}/usr`,
      bind(this.#beside("local"), "/usr/local"),
      bind(process.execPath, "/usr/local/bin/node"),
      ...DEVICES.map((name) => bind(`/dev/${name}`, `/dev/${name}`)),
      `mount --rbind /proc ${this.#folder}/proc`,
    ].join("; ");
  }

  #copyContext(context: string, target: string): void {
    const { kept, dropped } = readDockerignore(join(context, "deploy/Dockerfile.dockerignore"));
    const filter = (path: string) => !dropped.some((ending) => path.endsWith(ending));
    for (const name of kept) cpSync(join(context, name), join(target, name), { recursive: true, filter });
  }

  #copy(source: string, target: string): void {
    mkdirSync(dirname(target), { recursive: true });
    execFileSync("cp", ["-a", source, target]);
  }
}
