import type { ChannelId, UserId } from "../../src/domain/ids.ts";
import type { OpenRequest } from "../../src/policy/operations.ts";
import { openSystem } from "../attack/open-system.ts";
import { createTestConsent } from "./consent.ts";
import { describeMember } from "./describe-world.ts";
import { openMemoryForTest } from "./memory.ts";
import { GUILD, PLACE } from "./small-world.ts";

const SHARED = { memory: { people: "shared" } };
const SCOPES = {
  scopes: ["memory:read_self", "memory:read_project", "discord:send", "context:read_channel_recent"],
} as never;

/** The whole system on the small world, with a real memory, in a server where people may share facts unless the rules say otherwise. */
export async function openWithMemory(rules: object = SHARED) {
  const consent = createTestConsent();
  // The memory has the clock of the system, which is opened with it.
  const parts: { system: ReturnType<typeof openSystem> | null } = { system: null };
  const system = () => parts.system as ReturnType<typeof openSystem>;
  const { memory, close: closeFiles } = await openMemoryForTest({
    consent,
    clock: { now: () => (parts.system ? system().clock.now() : 0) },
  });
  parts.system = openSystem({ rules, memory, consent });
  const { open, call, ownMemory } = system();
  const own = ownMemory as NonNullable<typeof ownMemory>;
  const hear = async (actor: string, channelId: string, args: object = {}, more: Partial<OpenRequest> = {}) => {
    const operation = await open(actor, channelId, SCOPES, more);
    const outcome = await call(operation, "memory_read.get_user_facts", args, true);
    const facts = outcome.ok ? (outcome.value as never as { facts: { key: string; value: unknown }[] }).facts : null;
    return { operation, outcome, values: facts?.map(({ key, value }) => `${key}=${JSON.stringify(value)}`) };
  };
  const remember = (
    actor: string,
    key: string,
    value: unknown,
    visibility: "private" | "project" | "org" = "private",
    channelId: string = PLACE.general,
  ) => own.remember(actor as UserId, { key, value, visibility, channelId: channelId as ChannelId, typedIn: "1" });
  const members = () => system().world.guilds[0]?.members ?? [];
  const leave = (id: string) => {
    const index = members().findIndex((member) => member.id === id);
    if (index >= 0) members().splice(index, 1);
    system().tell("GUILD_MEMBER_REMOVE", { guild_id: GUILD, user: { id } });
  };
  /** Joins, or has other roles from now on. */
  const join = (id: string, roles: string[]) => {
    const index = members().findIndex((member) => member.id === id);
    const member = { id, bot: false, nick: `nick${id}`, roles };
    if (index >= 0) members().splice(index, 1, member);
    else members().push(member);
    const type = index >= 0 ? "GUILD_MEMBER_UPDATE" : "GUILD_MEMBER_ADD";
    system().tell(type, { guild_id: GUILD, ...describeMember(member) });
  };
  const close = async () => {
    await system().close();
    closeFiles();
  };
  return { ...system(), memory, consent, own, hear, remember, leave, join, close };
}
