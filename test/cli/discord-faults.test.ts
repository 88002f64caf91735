import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { z } from "zod";
import { faultOrder, orderFault } from "../../sandbox/control/fault-orders.ts";
import { openSandbox } from "../../sandbox/index.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { runEarshot, startCommand } from "../support/program.ts";
import { smallCommunity } from "../support/small-community.ts";
import { IS_ON_POSTGRES } from "../support/test-database.ts";

type Order = z.input<typeof faultOrder>;

const ALWAYS = 1_000_000;

/** Faults of the sandbox, each under the name that it has in the table. */
const FAULTS: Readonly<Record<string, Order>> = {
  "status 500": { fault: "fail_rest", status: 500, times: ALWAYS },
  "status 503 with a page of HTML": { fault: "fail_rest", status: 503, times: ALWAYS },
  "status 401": { fault: "fail_rest", status: 401, times: ALWAYS },
  "status 403": { fault: "fail_rest", status: 403, times: ALWAYS },
  "status 404": { fault: "fail_rest", status: 404, times: ALWAYS },
  "a rate limit of a second": { fault: "rate_limit_rest", retry_after: 1, times: 2 },
  "a rate limit of an hour": { fault: "rate_limit_rest", retry_after: 3_600, global: true, times: ALWAYS },
  "a rate limit without a time": { fault: "rate_limit_rest", times: 2 },
  "a connection that is hung up": { fault: "hang_up_rest", times: ALWAYS },
  "no answer": { fault: "slow_rest", ms: 60_000, match: "/users/@me", times: ALWAYS },
  "HTML instead of JSON": { fault: "garble_rest", as: "html", times: ALWAYS },
  "a gateway that refuses connections": { fault: "refuse_connections", times: ALWAYS },
  "a gateway that closes for good": { fault: "refuse_connections", code: 4013, times: ALWAYS },
  "a gateway that says nothing": { fault: "go_silent" },
  "a gateway connection that is cut": { fault: "cut_socket" },
  "a refused resume": { fault: "refuse_resume" },
  "an invalid session": { fault: "invalidate_session" },
  "a request to reconnect": { fault: "ask_reconnect" },
  "heartbeats without an answer": { fault: "mute_heartbeats", times: ALWAYS },
  "lost events": { fault: "lose_events", times: ALWAYS },
  "repeated events": { fault: "duplicate_events", times: ALWAYS },
  "events in another order": { fault: "reorder_events", times: ALWAYS },
  "late events": { fault: "delay_events", ms: 100 },
};

/** How each command is typed, by its name. `mcp` reads the standard input of its process, so it gets a process of its own below. */
function typed({
  person,
  channel,
  aside,
}: {
  readonly person: string;
  readonly channel: string;
  readonly aside: string;
}) {
  const backups = [join(aside, "facts"), "--keys", join(aside, "keys")];
  const where = ["--as", person, "--in", channel];
  return {
    start: [],
    init: [],
    status: [],
    reload: [],
    console: [],
    tail: [],
    ask: [...where, "who has the keys of the crane?"],
    why: [...where, "--about", "crane"],
    window: where,
    call: ["discord.channel.messages", ...where, "limit=5"],
    tools: [],
    say: [...where, "hello"],
    confirm: [],
    privacy: ["show", "--as", person],
    memory: ["list", "--as", person],
    audit: [],
    backup: backups,
    restore: backups,
    migrate: ["--to", "postgres://postgres@127.0.0.1:9/none"],
    doctor: [],
    token: ["brain"],
    sandbox: ["--port", "0"],
  } satisfies Record<string, readonly string[]>;
}

/** Faults at a time. On PostgreSQL each of their programs opens a dozen connections, all of them from this process. */
const TOGETHER = IS_ON_POSTGRES ? 6 : Number.POSITIVE_INFINITY;
/** Commands that run until they are stopped. */
const LASTING = ["start", "tail", "sandbox"];
/** Commands that depend on the gateway; all others ask over REST, or read what the program holds. */
const OF_GATEWAY = ["start", "status", "doctor"];

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "earshot-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function arrive() {
  // Not one that compares answers with Discord's description: that has no failures in it.
  const sandbox = await openSandbox({ community: smallCommunity(), rateLimits: false });
  onTestFinished(() => sandbox.close());
  const env = { EARSHOT_DISCORD_TOKEN: sandbox.token, EARSHOT_DISCORD_API: sandbox.api, EARSHOT_PORT: "0" };
  const place = { person: sandbox.as("sarah").id, channel: sandbox.community.channels.get("general") ?? "" };
  const aside = await emptyFolder();
  const order = (fault: Order) => orderFault(sandbox.faults, faultOrder.parse(fault));
  return { order, env, folder: await emptyFolder(), commands: typed({ ...place, aside }) };
}

/** A line of the table: every command while Discord behaves like this. */
async function tryAll(fault: Order) {
  const { order, env, folder, commands } = await arrive();
  await startCommand(["start"], env, folder).prints("Stop with Ctrl-C");
  order(fault);
  const concerned = Object.entries(commands).filter(
    ([name]) => fault.fault.endsWith("_rest") || OF_GATEWAY.includes(name),
  );
  const tried = concerned.map(async ([name, args]) => {
    const running = startCommand([name, ...args], env, ["start", "init"].includes(name) ? await emptyFolder() : folder);
    if (LASTING.includes(name)) {
      await Promise.race([running.ended, running.prints("Stop with Ctrl-C")]);
      running.stop();
    }
    return { name, code: await running.ended, said: `${running.out}${running.err}` };
  });
  return Promise.all(tried);
}

describe("every command, whatever Discord does", () => {
  it("has a line in this table, and so has every fault of the sandbox", () => {
    expect([...Object.keys(typed({ person: "", channel: "", aside: "" })), "mcp"].sort()).toEqual(
      Object.keys(COMMANDS).sort(),
    );
    const known = faultOrder.options.map(({ shape }) => shape.fault.value).filter((name) => name !== "clear");
    expect(known.filter((name) => !Object.values(FAULTS).some(({ fault }) => fault === name))).toEqual([]);
  });

  // Several wait for the same time-outs, so they wait together.
  it("ends with a sentence and the code 0 or 1, or 64 or 65 for what only a person can mend", async () => {
    for (const faults = Object.entries(FAULTS); faults.length > 0; ) {
      const lines = await Promise.all(
        faults
          .splice(0, TOGETHER)
          .map(async ([fault, order]) => (await tryAll(order)).map((tried) => ({ fault, ...tried }))),
      );
      for (const { fault, name, code, said } of lines.flat()) {
        expect([0, 1, 64, 65], `${name}: ${fault}`).toContain(code);
        expect(withoutLog(said), `${name}: ${fault}`).toMatch(WORDS);
        if (code !== 0 && ["start", "doctor"].includes(name)) expect(said, `${name}: ${fault}`).toMatch(ABOUT_DISCORD);
      }
    }
  });

  it("is ended by the command, not by an event loop in which only a pause before the next attempt is left", async () => {
    const { order, env, folder } = await arrive();
    order({ fault: "fail_rest", status: 503, match: "/users/@me", times: 1 });
    order({ fault: "rate_limit_rest", retry_after: 1, match: "/applications/@me", times: 1 });
    order({ fault: "hang_up_rest", match: "/gateway/bot", times: 1 });
    const doctor = runEarshot(["doctor"], env, folder);
    expect([await doctor.ended, doctor.out]).toEqual([0, expect.stringContaining("✓ token: accepted")]);
    order({ fault: "fail_rest", status: 503, times: ALWAYS });
    const mcp = runEarshot(["mcp", "--as", "80351110224678912"], env, folder);
    mcp.process.stdin?.write("{}\n");
    expect([await mcp.ended, mcp.err]).toEqual([1, expect.stringContaining("Discord does not answer (status 503)")]);
  });
});

const WORDS = /\p{L}+ \p{L}+/u;
const ABOUT_DISCORD =
  /Discord['\w ]* (?:answer|accept|rate-limiting|reached|gateway)|The Discord gateway cannot be used|check the address in EARSHOT_DISCORD_API/;

/** What a person is told, without the lines of the log. */
function withoutLog(said: string): string {
  return said.replace(/^\{.*\}$/gm, "").trim();
}
