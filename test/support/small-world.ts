import { BOT, MASK, type PlainChannel, type PlainWorld, TYPE } from "./plain-world.ts";
import { canary, messageId } from "./random-community.ts";

/** Ada leads, Bo is on the staff, Cem is a member like everybody. */
export const ADA = "3001";
export const BO = "3002";
export const CEM = "3003";
export const GUILD = "1000";
export const STAFF = "2001";
export const PLACE = { general: "4000", staff: "4004", lounge: "4008", aside: "5000", letters: "6000" } as const;

const USUAL = MASK.view | MASK.read | MASK.send | MASK.react | MASK.connect | MASK.createThreads | MASK.sendInThreads;

/** One server: a channel for all, two for the staff, a private thread in one of those, and Ada's letters. */
export function smallWorld(): PlainWorld {
  const staffOnly = [
    { id: GUILD, type: 0 as const, allow: 0n, deny: MASK.view },
    { id: STAFF, type: 0 as const, allow: MASK.view, deny: 0n },
    { id: BOT, type: 1 as const, allow: MASK.view, deny: 0n },
  ];
  const person = (id: string, roles: string[]) => ({ id, bot: false, nick: `nick${id}`, roles });
  const guild = {
    id: GUILD,
    name: canary.guild(GUILD),
    ownerId: "3000",
    roles: [
      { id: GUILD, name: "@everyone", permissions: USUAL },
      { id: STAFF, name: "staff", permissions: 0n },
    ],
    members: [
      person("3000", []),
      person(ADA, [STAFF]),
      person(BO, [STAFF]),
      person(CEM, []),
      { id: BOT, bot: true, nick: "earshot", roles: [] },
    ],
    channels: [channel(PLACE.general, []), channel(PLACE.staff, staffOnly), channel(PLACE.lounge, staffOnly)],
    threads: [
      {
        id: PLACE.aside,
        type: TYPE.privateThread,
        name: canary.name(PLACE.aside),
        parentId: PLACE.lounge,
        members: [ADA, BO, BOT],
        tellsMembers: true,
      },
    ],
    isDown: false,
  };
  const messages = new Map(
    Object.values(PLACE).map((id, place) => [
      id,
      [0, 1].map((index) => ({
        id: messageId(place * 2 + index),
        authorId: index === 0 ? ADA : BO,
        content: `${canary.text(id)} tide ${index}`,
        edited: false,
        replyTo: null,
        file: true,
      })),
    ]),
  );
  return { guilds: [guild], dms: [{ id: PLACE.letters, personId: ADA }], messages };
}

function channel(id: string, overwrites: PlainChannel["overwrites"]): PlainChannel {
  return {
    id,
    type: TYPE.text,
    name: canary.name(id),
    topic: canary.topic(id),
    position: 0,
    ageRestricted: false,
    overwrites: [...overwrites],
  };
}
