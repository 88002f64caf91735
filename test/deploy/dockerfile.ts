import { readFileSync } from "node:fs";

export interface Stage {
  readonly name: string;
  /** In their order. */
  readonly steps: readonly Step[];
  readonly env: Readonly<Record<string, string>>;
  /** Where the command runs. */
  readonly workdir: string;
  readonly user: string | null;
  readonly volumes: readonly string[];
  readonly healthcheck: readonly string[];
  /** Entry point and arguments. */
  readonly command: readonly string[];
}

type Step =
  | { readonly kind: "run"; readonly script: string; readonly workdir: string }
  /** From an earlier stage, or from the context. */
  | { readonly kind: "copy"; readonly from: string | null; readonly source: string; readonly target: string };

interface OpenStage {
  name: string;
  steps: Step[];
  env: Record<string, string>;
  workdir: string;
  user: string | null;
  volumes: string[];
  healthcheck: string[];
  entrypoint: string[];
  arguments: string[];
}

/** The stages of a Dockerfile whose instructions are one line each. Throws for an instruction that it does not know. */
export function readDockerfile(file: string): Stage[] {
  const stages: OpenStage[] = [];
  for (const line of readFileSync(file, "utf8").split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const [word = "", ...rest] = line.split(" ");
    const [last, text] = [stages.at(-1), rest.join(" ")];
    if (word === "FROM") stages.push(openStage(rest[2] ?? "final"));
    else if (!last || !Object.hasOwn(INSTRUCTIONS, word)) throw new Error(`Not known here: ${line}`);
    else INSTRUCTIONS[word]?.(last, text);
  }
  return stages.map(({ entrypoint, arguments: more, ...stage }) => ({ ...stage, command: [...entrypoint, ...more] }));
}

const openStage = (name: string): OpenStage => ({
  ...{ name, steps: [], env: {}, workdir: "/", user: null, volumes: [] },
  ...{ healthcheck: [], entrypoint: [], arguments: [] },
});

const INSTRUCTIONS: Readonly<Record<string, (stage: OpenStage, text: string) => void>> = {
  RUN: (stage, script) => void stage.steps.push({ kind: "run", script, workdir: stage.workdir }),
  COPY(stage, text) {
    const [, from = null, source = "", path = ""] = /^(?:--from=(\w+) )?(\S+) (\S+)$/.exec(text) ?? [];
    stage.steps.push({ kind: "copy", from, source, target: path === "." ? stage.workdir : path });
  },
  ENV(stage, text) {
    const [name = "", value = ""] = text.split("=");
    stage.env[name] = value;
  },
  WORKDIR(stage, path) {
    stage.workdir = path;
  },
  USER(stage, user) {
    stage.user = user;
  },
  VOLUME: (stage, path) => void stage.volumes.push(path),
  HEALTHCHECK(stage, text) {
    stage.healthcheck = JSON.parse(text.slice(text.indexOf(" CMD ") + 5));
  },
  ENTRYPOINT(stage, text) {
    stage.entrypoint = JSON.parse(text);
  },
  CMD(stage, text) {
    stage.arguments = JSON.parse(text);
  },
  EXPOSE() {},
};

/** Top-level names that the context consists of, and endings of files that are left out below them. Throws for other patterns. */
export function readDockerignore(file: string): {
  readonly kept: readonly string[];
  readonly dropped: readonly string[];
} {
  const lines = readFileSync(file, "utf8").split("\n");
  const patterns = lines.filter((line) => line !== "" && !line.startsWith("#"));
  if (patterns.shift() !== "*") throw new Error(`${file} must begin with *`);
  const kept = patterns.filter((line) => line.startsWith("!")).map((line) => line.slice(1));
  const dropped = patterns.filter((line) => line.startsWith("**/*.")).map((line) => line.slice("**/*".length));
  if (kept.length + dropped.length < patterns.length) throw new Error(`${file} has a pattern that is not known here.`);
  return { kept, dropped };
}
