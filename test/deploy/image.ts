// Proves deploy/Dockerfile: builds the image, runs it read-only as its user, and stops it. With Docker or Podman where there is one, and as root also without:
// the same steps in a scratch root. Run by `npm run test:package`.
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readDockerfile } from "./dockerfile.ts";
import { canMount, ScratchRoot } from "./scratch-root.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const PORT = "7797";
const MAX_START_MS = 60_000;

/** What Docker calls a container. */
interface Container {
  /** Begins to run the command of the image. */
  start(env: Readonly<Record<string, string>>): ChildProcess;
  /** Runs a command beside it; resolves to its exit code. */
  exec(command: readonly string[]): Promise<number | null>;
  terminate(): void;
}

const stages = readDockerfile(join(ROOT, "deploy/Dockerfile"));
const image = stages.at(-1);
if (!image) throw new Error("deploy/Dockerfile has no stage");

const check = (isTrue: boolean, sentence: string) => {
  if (!isTrue) throw new Error(`Not true: ${sentence}`);
  console.log(`  ${sentence}`);
};

async function prove(name: string, container: Container, discord: Readonly<Record<string, string>>): Promise<void> {
  console.log(`${name}:`);
  const refused = await finish(container.start({ EARSHOT_PORT: PORT }));
  check(refused.code === 64, "without a token it ends with exit code 64");
  const running = container.start({ ...discord, EARSHOT_PORT: PORT });
  const finished = finish(running);
  const url = `http://127.0.0.1:${PORT}`;
  for (let waited = 0; !(await isOk(`${url}/healthz`)); waited += 100) {
    if (running.exitCode !== null || waited > MAX_START_MS)
      throw new Error(`It did not start:\n${(await finished).printed}`);
    await sleep(100);
  }
  check(await isOk(`${url}/livez`), "it starts, reads Discord and answers at /livez and /healthz");
  check((await container.exec(image?.healthcheck ?? [])) === 0, "its health check succeeds");
  check((await container.exec(["earshot", "status"])) === 0, "its own commands reach it");
  check(
    (await container.exec(["sh", "-c", `test "$(id -u):$(id -g)" = ${image?.user}`])) === 0,
    "it runs as the image's user",
  );
  const tryAll =
    "for each in / /opt/earshot /config /tmp /usr/local; do touch $each/x && exit 1; done; touch /data/x && rm /data/x";
  check((await container.exec(["sh", "-c", tryAll])) === 0, "only its volume can be written to");
  container.terminate();
  const { code, printed } = await finished;
  check(code === 0, "SIGTERM ends it with exit code 0");
  check(!/"level":[56]0|EROFS/.test(printed), "it logged no error");
}

async function finish(child: ChildProcess): Promise<{ code: number | null; printed: string }> {
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (printed += chunk));
  const [code] = await once(child, "close");
  return { code, printed };
}

async function isOk(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** The steps of the Dockerfile, without Docker. */
function buildScratch(scratch: string): Container {
  const roots = new Map<string, ScratchRoot>();
  for (const stage of stages) {
    const root = new ScratchRoot(stage, scratch);
    root.build(ROOT, roots);
    roots.set(stage.name, root);
  }
  const root = roots.get(image?.name ?? "");
  if (!root) throw new Error("There is no last stage");
  const program = root.path("/opt/earshot");
  console.log(`${program.slice(scratch.length)}: ${readdirSync(program).join(" ")}`);
  const { packages } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
  const forDevelopment = Object.keys(packages).filter(
    (path) => path && packages[path].dev && existsSync(join(program, path)),
  );
  check(forDevelopment.length === 0, "the image has no development packages");
  let running: ChildProcess | null = null;
  return {
    start(env) {
      running = root.run(image?.command ?? [], env);
      return running;
    },
    exec: async (command) => (await finish(root.run(command, { EARSHOT_PORT: PORT }))).code,
    terminate: () => void running?.kill("SIGTERM"),
  };
}

function buildWith(engine: string): Container {
  const name = `earshot-test-${process.pid}`;
  execFileSync(engine, ["build", "-q", "-f", "deploy/Dockerfile", "-t", "earshot-test", "."], { cwd: ROOT });
  const limits = ["--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges", "--network=host"];
  // Podman mounts a writable /tmp on a read-only root; Docker and compose do not.
  if (engine === "podman") limits.push("--read-only-tmpfs=false");
  return {
    start(env) {
      const variables = Object.entries(env).flatMap(([key, value]) => ["-e", `${key}=${value}`]);
      return spawn(engine, ["run", "--rm", "--name", name, ...limits, ...variables, "earshot-test"]);
    },
    exec: async (command) => (await finish(spawn(engine, ["exec", name, ...command]))).code,
    terminate: () => void execFileSync(engine, ["kill", "--signal=TERM", name]),
  };
}

/** A Discord outside of the container. */
async function openDiscord(): Promise<{ process: ChildProcess; env: Readonly<Record<string, string>> }> {
  const child = spawn(process.execPath, [join(ROOT, "bin/earshot.js"), "sandbox", "--port", "0"], {
    env: { ...process.env, EARSHOT_SANDBOX_TALK_SECONDS: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  for await (const chunk of child.stdout) {
    printed += chunk;
    if (printed.includes("Stop with")) break;
  }
  const [, api = "", token = ""] = /EARSHOT_DISCORD_API=(\S+) EARSHOT_DISCORD_TOKEN=(\S+)/.exec(printed) ?? [];
  return { process: child, env: { EARSHOT_DISCORD_API: api, EARSHOT_DISCORD_TOKEN: token } };
}

const engine = ["docker", "podman"].find((each) => spawnSync(each, ["info"]).status === 0);
const scratch = mkdtempSync(join(tmpdir(), "earshot-image-"));
const discord = await openDiscord();
try {
  if (canMount()) await prove("In a scratch root", buildScratch(scratch), discord.env);
  else console.log("In a scratch root: skipped, that needs root and the right to mount.");
  if (engine) await prove(`With ${engine}`, buildWith(engine), discord.env);
  else console.log("With Docker or Podman: skipped, neither runs here.");
} finally {
  discord.process.kill();
  rmSync(scratch, { recursive: true, force: true });
}
