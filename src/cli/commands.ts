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
  init: {
    about: "Write a configuration with comments, and start nothing",
    load: async () => (await import("./init.ts")).init,
  },
  status: {
    about: "Show the state of the running program; exits with 1 unless it is connected to Discord",
    load: async () => (await import("./status.ts")).status,
  },
  console: {
    about: "Print a link that opens the console of the running program in a browser, once and within 5 minutes",
    load: async () => (await import("./console.ts")).consoleLink,
  },
  reload: {
    about: "Have the running program read its configuration again, and apply it whole or not at all",
    load: async () => (await import("./reload.ts")).reload,
  },
  tail: {
    about: "Print events of the running program as they arrive",
    load: async () => (await import("./tail.ts")).tail,
  },
  ask: {
    about: "Ask the agent of the running program on behalf of a person, and print the answer",
    load: async () => (await import("./ask.ts")).ask,
  },
  why: {
    about: "Explain why a question would not be answered with things about something",
    load: async () => (await import("./why.ts")).why,
  },
  window: {
    about: "Print the context that an agent would be given, exactly as it would get it",
    load: async () => (await import("./window.ts")).window,
  },
  call: {
    about: "Call a tool of the running program on behalf of a person",
    load: async () => (await import("./call.ts")).call,
  },
  tools: {
    about: "List the tools with their arguments, or describe one",
    load: async () => (await import("./tools.ts")).tools,
  },
  mcp: {
    about: "Serve an MCP client on standard input and output, on behalf of one person",
    load: async () => (await import("./mcp.ts")).mcp,
  },
  say: {
    about: "Post a message in the running sandbox as one of its people",
    load: async () => (await import("./say.ts")).say,
  },
  confirm: {
    about: "List actions that wait for confirmation, and confirm or reject them",
    load: async () => (await import("./confirm.ts")).confirm,
  },
  privacy: {
    about: "Show whether what a person writes is used; in the sandbox, change it as that person",
    load: async () => (await import("./privacy.ts")).privacy,
  },
  memory: {
    about: "As a person: list, show, forget or export what is remembered about them, or erase what is held",
    load: async () => (await import("./memory.ts")).memory,
  },
  audit: {
    about: "Show what was asked, read, refused and done, and verify that the record is complete",
    load: async () => (await import("./audit.ts")).audit,
  },
  backup: {
    about: "Back up facts, opt-outs and the audit, and their keys apart from them, also while Earshot runs",
    load: async () => (await import("./backup.ts")).backup,
  },
  restore: {
    about: "Put back what was lost of the data folder from a backup, without bringing back what was forgotten",
    load: async () => (await import("./restore.ts")).restore,
  },
  migrate: {
    about: "Move facts, keys, opt-outs and the audit from the data folder to PostgreSQL, while Earshot is stopped",
    load: async () => (await import("./migrate.ts")).migrate,
  },
  doctor: {
    about: "Check token, intents, connection and permissions, and say how to fix what is wrong",
    load: async () => (await import("./doctor.ts")).doctor,
  },
  token: {
    about: "Create a token for a client, with the lines for the configuration",
    load: async () => (await import("./token.ts")).token,
  },
  sandbox: {
    about: "Run only the Discord sandbox, for any bot, or act in the one that runs",
    load: async () => (await import("./sandbox.ts")).sandbox,
  },
};
