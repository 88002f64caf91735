import type { Sandbox } from "../../sandbox/index.ts";
import { EarshotError } from "../../src/domain/errors.ts";
import type { ChannelId, UserId } from "../../src/domain/ids.ts";
import type { Gate } from "../../src/gate/gate.ts";
import { type Grant, SCOPES } from "../../src/policy/grant.ts";
import type { ContractClient, ContractFixture, ContractServer } from "../../src/transports/kit/contract.suite.ts";
import type { TestGateOptions } from "./gate.ts";
import { openTestSandbox } from "./sandbox.ts";

export interface ContractWorld {
  readonly sandbox: Sandbox;
  readonly actor: UserId;
  readonly general: ChannelId;
  /** For `openTestGate`. */
  readonly gateOptions: TestGateOptions;
  readonly log: Record<"debug" | "info" | "warn" | "error", (fields: Record<string, unknown>, message: string) => void>;
  channel(key: string): ChannelId;
  /** All of the fixture but what depends on the transport. */
  toFixture(transport: ContractTransport): ContractFixture;
}

interface ContractTransport {
  connect(name: string, grant: Partial<Grant>): Promise<ContractClient>;
  running(): number;
}

/** A server with messages in its general channel, whose staff room Sarah may not enter though the bot may. */
export async function openContractWorld({
  callsPerMinute = 1_000_000,
  messages = 50,
}: ContractServer = {}): Promise<ContractWorld> {
  const sandbox = await openTestSandbox({ rateLimits: false });
  for (let count = 0; count < messages; count += 1) sandbox.as("mark").say("general", `line ${count}`);
  sandbox.admin.setOverwrite("staff-room", "helper", { allow: ["ViewChannel"] });
  const channel = (key: string) => sandbox.community.channels.get(key) as ChannelId;
  const general = channel("general");
  const lines: string[] = [];
  const note = (fields: Record<string, unknown>, message: string) => void lines.push(JSON.stringify([message, fields]));
  let fault: { readonly error: Error | null } | null = null;
  const wrapGate = (gate: Gate): Gate => ({
    ...gate,
    async callTool(call) {
      if (fault === null) return gate.callTool(call);
      if (fault.error) throw fault.error;
      return new Promise((_, reject) => {
        const stop = () => reject(new EarshotError("cancelled", "The call was cancelled."));
        // It may have been cancelled while its operation was opened.
        if (call.signal?.aborted) stop();
        else call.signal?.addEventListener("abort", stop);
      });
    },
  });
  const plenty = { actor: 1_000_000 };
  const limits = { callsPerMinute: { actor: callsPerMinute }, scansPerMinute: plenty, summariesPerHour: plenty };
  const info = (channel_id: string) => ({ tool: "discord.channel.info", args: { channel_id } });
  const value = { channel_id: general, name: "general", kind: "text", topic: "Anything.", age_restricted: false };
  const more = { guild_id: sandbox.community.guild.id, parent_id: channel("commons"), archived: false, tags: [] };
  const recent = { tool: "discord.channel.messages", args: { channel_id: general, limit: 5 } };
  return {
    sandbox,
    actor: sandbox.as("sarah").id as UserId,
    general,
    gateOptions: { rules: { limits }, wrapGate },
    log: { debug: note, info: note, warn: note, error: note },
    channel,
    toFixture: ({ connect, running }) => ({
      connect: () => connect("all", {}),
      connectWithout: () => connect("fewer", { scopes: SCOPES.filter((scope) => scope !== "directory:read") }),
      readable: { ...info(general), value: { ...value, ...more } },
      hidden: info(channel("staff-room")),
      absent: info("1"),
      wrong: { tool: "discord.channel.messages", args: { channel_id: general, limit: "five" }, wrongField: "limit" },
      misspelt: { tool: "serach_messages", args: {}, meant: "search_messages" },
      effect: { tool: "discord.send", args: { channel_id: channel("pier"), text: "ahoy" }, before: recent },
      uncached: recent,
      // With many messages twelve seconds, if nobody stops it: longer than the suite waits.
      get endless() {
        sandbox.faults.slowRest({ match: "/messages", ms: 600, times: 100 });
        return { tool: "discord.search.window", args: { channel_id: general, query: "needle", scan: 100_000 } };
      },
      breakDiscord: () => sandbox.faults.failRest({ match: /^GET .*messages/, status: 503, times: 1_000 }),
      breakTools(error) {
        fault = { error };
      },
      running,
      logged: () => lines.join("\n"),
    }),
  };
}
