import type { UserId } from "../../src/domain/ids.ts";
import type { WayName } from "../../src/domain/memory/remember-request.ts";
import type { Grant } from "../../src/policy/grant.ts";
import type { Operation } from "../../src/policy/operation.ts";
import type { OpenRequest } from "../../src/policy/operations.ts";
import type { InProcessOptions } from "./in-process.ts";
import type { PlainWorld } from "./plain-world.ts";
import { PLACE, smallWorld } from "./small-world.ts";
import { openWithMemory } from "./with-memory.ts";

export const IN_PERSON = { inPerson: true };
const SCOPES: Partial<Grant> = {
  scopes: [
    "memory:read_self",
    "memory:read_project",
    "memory:write_self",
    "memory:write_project",
    "context:read_channel_recent",
    "context:search",
    "discord:send",
  ],
};

/** The whole system with a memory, in which a model proposes and people press. */
export async function openWithProposals(options: InProcessOptions = {}, world: PlainWorld = smallWorld()) {
  const system = await openWithMemory(options, world);
  const { gate, call, own } = system;
  const begin = (actor: string, place: string = PLACE.general, more: Partial<OpenRequest> = {}, grant = {}) =>
    system.open(actor, place, { ...SCOPES, ...grant }, more);
  /** Somebody asks in a message of theirs. */
  const ask = (actor: string, place: string, text: string) =>
    begin(actor, place, { messageId: system.say(place, actor, text).id as never });
  const propose = (operation: Operation, args: object) => call(operation, "memory_write.remember_fact", args);
  const proposeEnd = (operation: Operation, args: object) => call(operation, "memory_write.forget_fact", args);
  const waiting = (actor: string) => gate.confirmations.pending(actor as UserId, IN_PERSON);
  const press = (actor: string, id: string | undefined = waiting(actor)[0]?.id, way?: WayName) =>
    gate.confirm(id ?? "", actor as UserId, { ...IN_PERSON, ...(way && { way }) });
  const values = async (actor: string) => (await own.list(actor as UserId)).map(({ fact }) => fact.value);
  return { ...system, begin, ask, propose, proposeEnd, waiting, press, values };
}
