import type { Command } from "./command.ts";

interface CommandEntry {
  /** One line, for the list of all commands. */
  readonly about: string;
  load(): Promise<Command>;
}

/** Each is loaded only when it is run: neither `--version` nor `--help` need wait for the sandbox or the Discord library. */
export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  start: {
    about: "Run Earshot: on Discord if a token is set, otherwise on the embedded sandbox",
    load: async () => (await import("./start.ts")).start,
  },
  status: {
    about: "Say how the running program is doing; exit code 1 unless it is connected to Discord",
    load: async () => (await import("./status.ts")).status,
  },
  tail: {
    about: "Watch what the running program hears, live",
    load: async () => (await import("./tail.ts")).tail,
  },
  window: {
    about: "Show exactly what an agent would be given that is spoken to there",
    load: async () => (await import("./window.ts")).window,
  },
  call: {
    about: "Call a tool of the running program, on behalf of somebody",
    load: async () => (await import("./call.ts")).call,
  },
  mcp: {
    about: "Serve an agent of one person over MCP, on standard input and output",
    load: async () => (await import("./mcp.ts")).mcp,
  },
  say: {
    about: "Say something in the running sandbox as one of its people",
    load: async () => (await import("./say.ts")).say,
  },
  confirm: {
    about: "Show what waits for a person's word, and say yes or no for them",
    load: async () => (await import("./confirm.ts")).confirm,
  },
  audit: {
    about: "Tell what was asked, read, refused and done, and whether the record of it is whole",
    load: async () => (await import("./audit.ts")).audit,
  },
  doctor: {
    about: "Check token, intents, reachability and permissions, and say what to do",
    load: async () => (await import("./doctor.ts")).doctor,
  },
  token: {
    about: "Make a token for a client, and the lines for the configuration",
    load: async () => (await import("./token.ts")).token,
  },
  sandbox: {
    about: "Run only the Discord sandbox, for bots of any kind",
    load: async () => (await import("./sandbox.ts")).sandbox,
  },
};
