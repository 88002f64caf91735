import type { Sandbox } from "../../sandbox/index.ts";
import type { ChannelId, GuildId, MessageId, UserId } from "../domain/ids.ts";
import type { NewBasis } from "../domain/memory/remember-request.ts";
import type { OwnFacts } from "../gate/memory/own-facts.ts";
import type { Memory } from "../memory/memory.ts";
import type { Rules } from "../policy/rules.ts";
import type { Clock } from "../ports/clock.ts";

export interface SampleDeps {
  readonly sandbox: Pick<Sandbox, "as" | "community" | "world">;
  readonly ownMemory: OwnFacts;
  readonly memory: Memory;
  readonly clock: Clock;
}

const DAY_MS = 86_400_000;
/** Newer by one than any message there is: as if it had been deleted. */
const nextId = (id: string) => String(BigInt(id) + 1n) as MessageId;

/** In the sample community people may share facts, unless the operator's rules speak of it. */
export function allowSharing(rules: Rules, guildId: GuildId): Rules {
  const { memory } = rules;
  if (memory.people !== "private" || memory.servers.some(({ guild }) => guild === guildId)) return rules;
  return { ...rules, memory: { ...memory, servers: [...memory.servers, { guild: guildId, people: "shared" }] } };
}

/**
 * What people of the sample community have had remembered: something for Sarah alone, something that she shares and has corrected since, and a fact
 * of Fatima's that rests on a message which is gone.
 */
export async function rememberSample({ sandbox, ownMemory, memory, clock }: SampleDeps): Promise<void> {
  const general = sandbox.community.channels.get("general") as ChannelId;
  const sarah = sandbox.as("sarah").id as UserId;
  const fatima = sandbox.as("fatima").id as UserId;
  const typed = { channelId: general, typedIn: "sample" };
  const share = (key: string, value: string) => ownMemory.remember(sarah, { ...typed, key, value, visibility: "org" });
  await ownMemory.remember(sarah, {
    ...typed,
    key: "present for Mark",
    value: "a brass tide clock, hidden at Fatima's until the 20th",
    visibility: "private",
  });
  await share("berth", "pontoon C, number 12");
  await share("berth", "pontoon D, number 31");
  const said = [...(sandbox.world.channels.get(general)?.messages ?? [])].find(({ authorId }) => authorId === fatima);
  if (!said) return;
  const basis = (id: MessageId, words: string): NewBasis => ({
    type: "discord_message",
    ref: `${general}/${id}`,
    isOwn: true,
    authorId: fatima,
    words,
  });
  await memory.remember({
    scope: "user",
    scopeId: fatima,
    subjectId: fatima,
    guildId: null,
    visibility: "private",
    home: { kind: "person", id: fatima },
    name: "my shift at the fair",
    value: "tea and cake, from ten to twelve",
    basis: [basis(said.id as MessageId, said.content), basis(nextId(said.id), "")],
    createdBy: fatima,
    verification: "user_confirmed",
    confidence: 1,
    expiresAt: clock.now() + 30 * DAY_MS,
    ends: [],
  });
}
