import type { MessageRecord } from "../../sandbox/world/records.ts";
import type { ChannelId, UserId } from "../../src/domain/ids.ts";
import type { Memory } from "../../src/memory/memory.ts";
import { type Grant, OPERATOR_GRANT } from "../../src/policy/grant.ts";
import type { MemoryClientOptions, MemoryFixture, MemoryServer } from "../../src/transports/kit/person-memory.suite.ts";
import type { TestGate, TestGateOptions } from "./gate.ts";
import { openTestMemory } from "./memory.ts";
import { openTestSandbox } from "./sandbox.ts";
import { IS_ON_POSTGRES } from "./test-database.ts";

type Fixed = Omit<MemoryFixture, "connect">;

/** A server whose pier is for Sarah, Mei and the bot alone. */
export async function openPersonMemoryWorld({ remembersNothing, forbidsEverything }: MemoryServer = {}) {
  const sandbox = await openTestSandbox({ rateLimits: false });
  sandbox.admin.setOverwrite("pier", "everyone", { deny: ["ViewChannel"] });
  for (const who of ["person:sarah", "person:mei", "person:earshot"])
    sandbox.admin.setOverwrite("pier", who, { allow: ["ViewChannel"] });
  const person = (who: string) => sandbox.as(who).id as UserId;
  const general = sandbox.community.channels.get("general") as ChannelId;
  const pier = sandbox.community.channels.get("pier") as ChannelId;
  const guildId = sandbox.community.guild.id;
  const parts: { memory?: Memory; message?: MessageRecord; isFull: boolean } = { isFull: false };
  const rules = {
    toolsets: [],
    directMessages: false,
    guilds: { allow: [], deny: [guildId] },
    channels: { allow: [] },
    roles: [{ guild: guildId, role: "everyone", scopes: [] }],
    limits: { callsPerMinute: { actor: 1 } },
  };
  const gateOptions: TestGateOptions = {
    ...(forbidsEverything && { rules }),
    ...(!remembersNothing && {
      async openMemory(deps) {
        parts.memory = await openTestMemory(deps);
        return parts.memory;
      },
    }),
    wrapAudit: (audit) => ({
      ...audit,
      note: (entry) => audit.note(entry),
      hash: (text) => audit.hash(text),
      settled: () => (parts.isFull ? Promise.reject(new Error("the disk is full")) : audit.settled()),
    }),
  };
  const actorsOf = { sarah: ["sarah"], "sarah, twice": ["sarah", "sarah"], "sarah and mark": ["sarah", "mark"] };
  const toGrant = ({ actors = "sarah", isGrantedNothing }: MemoryClientOptions): Grant => ({
    ...OPERATOR_GRANT,
    ...(isGrantedNothing && { scopes: [], toolsets: [], guilds: [], directMessages: false, events: "none" }),
    actors: actors === "anyone" ? "anyone" : actorsOf[actors].map(person),
  });

  const settle = async (edge: TestGate["edge"]) => {
    const { id } = sandbox.as("olga").dm("settled?");
    await edge.find("message", ({ message }) => message.message_id === id);
  };

  const toFixture = ({ ownMemory, edge }: TestGate): Fixed => ({
    canScrub: !IS_ON_POSTGRES,
    async remember(who, key, value) {
      const request = { key, value, visibility: "private", channelId: general, typedIn: "1" } as const;
      const fact = await ownMemory?.remember(person(who), request);
      return fact?.id ?? "";
    },
    async rememberFrom(words, name, value) {
      parts.message = sandbox.as("mei").say("pier", words);
      const { id } = parts.message;
      await edge.find("message", ({ message }) => message.message_id === id);
      const sarah = person("sarah");
      const ref = `${pier}/${id}`;
      const fact = await parts.memory?.remember({
        ...{ scope: "user", scopeId: sarah, subjectId: sarah, guildId: null, visibility: "private" },
        home: { kind: "person", id: sarah },
        ...{ name, value, createdBy: sarah, verification: "user_confirmed", confidence: 1, expiresAt: null, ends: [] },
        basis: [{ type: "discord_message", ref, isOwn: false, authorId: person("mei"), words }],
      });
      return { id: fact?.id ?? "", link: `https://discord.com/channels/${guildId}/${ref}` };
    },
    async shutSarahOut() {
      sandbox.admin.setOverwrite("pier", "person:sarah", { deny: ["ViewChannel"] });
      await settle(edge);
    },
    async deleteMessage() {
      if (parts.message) sandbox.as("mei").delete(parts.message);
      await settle(edge);
    },
    fillDisk() {
      parts.isFull = true;
    },
  });
  return { sandbox, sarah: person("sarah"), general, gateOptions, toGrant, toFixture };
}
