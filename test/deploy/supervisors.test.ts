import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { toConfig } from "../../src/config/config.ts";
import { ENVIRONMENT } from "../../src/config/environment.ts";
import { EXIT_CODES } from "../../src/exit-codes.ts";
import { readDockerfile, readDockerignore } from "./dockerfile.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const FOLDER = join(ROOT, "deploy");
const read = (name: string) => readFileSync(join(FOLDER, name), "utf8");
const image = readDockerfile(join(FOLDER, "Dockerfile")).at(-1);
const unit = read("earshot.service");
const compose = read("compose.yaml");
const guide = readFileSync(join(ROOT, "docs/guide/keeping-it-running.md"), "utf8");

/** Names of the environment that a file sets for the program, from lines that are no comments. */
const settingsIn = (text: string) => text.replace(/^\s*#.*/gm, "").match(/EARSHOT_[A-Z_]+/g) ?? [];

const HAS_ANALYSER = spawnSync("systemd-analyze", ["security", "--help"]).status === 0;
const WHY = HAS_ANALYSER ? "" : " (skipped: there is no systemd-analyze here)";
/** In tenths; 1.4 when this was written. systemd calls up to 2 "OK". */
const MAX_EXPOSURE = 20;

describe("the files for containers and systemd", () => {
  it.each(["Dockerfile", "compose.yaml", "earshot.service", "alerts.yaml", "grafana-dashboard.json"])(
    "%s names only settings that exist",
    (name) => {
      expect(settingsIn(read(name)).filter((setting) => !Object.hasOwn(ENVIRONMENT, setting))).toEqual([]);
    },
  );

  it("require a token, and keep everything in one folder", () => {
    expect(image?.env).toMatchObject({ EARSHOT_REQUIRE_TOKEN: "1", EARSHOT_DATA_DIR: image?.volumes[0] });
    expect(image?.volumes).toHaveLength(1);
    expect(compose).toContain(`- data:${image?.volumes[0]}\n`);
    expect(unit).toContain("\nEnvironment=EARSHOT_REQUIRE_TOKEN=1\n");
    expect(unit).toContain("\nEnvironment=EARSHOT_DATA_DIR=/var/lib/earshot\n");
    expect(unit).toContain("\nStateDirectory=earshot\n");
  });

  it("run without privileges, and the container on a read-only root", () => {
    expect(image?.user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    for (const line of ["read_only: true", "cap_drop:\n      - ALL", "- no-new-privileges:true"])
      expect(compose).toContain(`\n    ${line.startsWith("-") ? `  ${line}` : line}\n`);
    expect(unit).toMatch(/\nUser=earshot\n[\s\S]*\nProtectSystem=strict\n[\s\S]*\nCapabilityBoundingSet=\n/);
  });

  it("publish a port on this machine alone", () => {
    const published = /\n {4}ports:\n((?: {6}.*\n)+)/.exec(compose)?.[1]?.match(/- \S+/g);
    expect(published).toEqual(["- 127.0.0.1:7790:7790"]);
  });

  it("take Earshot for alive whatever Discord and the disk do", () => {
    expect(image?.healthcheck.join(" ")).toContain("/livez");
  });

  it("do not start it again after the exit codes that only a person can mend", () => {
    const forPeople = Object.values(EXIT_CODES).filter((code) => code > 63 && code < 128);
    expect(unit).toContain(`\nRestart=on-failure\n`);
    expect(unit).toContain(`\nRestartPreventExitStatus=${forPeople.join(" ")}\n`);
    expect(compose).toMatch(/\n {4}restart: on-failure:\d\n/);
  });

  it("leave room for as much memory as messages take by default", () => {
    expect(compose).toContain(`# ${toConfig({}).timeline.megabytes} MiB of messages (EARSHOT_TIMELINE_MEGABYTES)`);
  });

  it("copy only what is there", () => {
    const { kept } = readDockerignore(join(FOLDER, "Dockerfile.dockerignore"));
    expect(kept.filter((name) => !existsSync(join(ROOT, name)))).toEqual([]);
  });

  it.skipIf(!HAS_ANALYSER)(`have a unit that systemd understands, and finds little exposed${WHY}`, () => {
    const folder = mkdtempSync(join(tmpdir(), "earshot-unit-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, "earshot.service");
    // The program is not installed here.
    writeFileSync(file, unit.replace(/^ExecStart=.*/m, "ExecStart=/bin/true"));
    const verified = spawnSync("systemd-analyze", ["verify", file], { encoding: "utf8" });
    expect([verified.status, verified.stderr]).toEqual([0, ""]);
    const args = ["security", "--offline=true", `--threshold=${MAX_EXPOSURE}`, "--no-pager", file];
    const secured = spawnSync("systemd-analyze", args, { encoding: "utf8" });
    expect(secured.status, secured.stdout).toBe(0);
  });
});

describe("the guide to keeping it running", () => {
  it("has the service installed where the unit looks for it", () => {
    const unitHas = (key: string) => new RegExp(`^${key}=(.*)$`, "m").exec(unit)?.[1] ?? key;
    const [prefix = ""] = unitHas("ExecStart").split("/node_modules/");
    expect(guide).toContain(`--prefix ${prefix} earshot\n`);
    expect(guide).toContain(`${prefix}/node_modules/earshot/deploy/earshot.service /etc/systemd/system/\n`);
    expect(guide).toContain(`install -m 600 /dev/null ${unitHas("EnvironmentFile")} `);
    expect(guide).toContain(`--shell /usr/sbin/nologin ${unitHas("User")}\n`);
    const [, dataDir] = /EARSHOT_DATA_DIR=(\S+)/.exec(unit) ?? [];
    const command = `${unitHas("ExecStart").split(" ")[0]} status`;
    expect(guide).toContain(
      `cd ${unitHas("WorkingDirectory")} && sudo -u ${unitHas("User")} env EARSHOT_DATA_DIR=${dataDir} ${command}\n`,
    );
  });

  it("runs the image by its name, and its commands in the service that the file for Compose has", () => {
    expect(compose).toContain("\n  earshot:\n    image: earshot\n");
    expect(image?.command[0]).toBe("earshot");
    const commands = [...guide.matchAll(/docker (?:run --rm|compose -f \S+ exec (\S+)) (\S+) (?:earshot )?\w+/g)];
    expect(commands.length).toBeGreaterThan(2);
    for (const [, service = "earshot", name] of commands) expect([service, name]).toEqual(["earshot", "earshot"]);
  });

  it("lists the exit codes with which the program ends, and which of them are started again", () => {
    const rows = [...guide.matchAll(/^\| (\d+) \| .* \| (yes|no) \|$/gm)].map(([, code, again]) => [
      Number(code),
      again,
    ]);
    const codes = Object.values(EXIT_CODES).filter((code) => code < 128);
    expect(rows).toEqual(codes.map((code) => [code, code < 64 ? "yes" : "no"]));
    expect(guide).toContain(/RestartPreventExitStatus=.*/.exec(unit)?.[0] ?? "?");
  });
});
