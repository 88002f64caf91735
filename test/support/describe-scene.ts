import type { ChannelId } from "../../src/domain/ids.ts";
import { roleId, userId } from "./audience-check.ts";
import { type Room, type Scene, spotsOf } from "./audience-scene.ts";
import { OBFUSCATED, rawChannel, rawGuild, rawMember, rawOverwrite, rawRole, rawThread } from "./raw-guild.ts";

const GUILD = "1000";
const TYPES = { text: 0, voice: 2, announcement: 5, stage: 13, other: 99 } as const;
const PUBLIC_THREAD = 11;
const PRIVATE_THREAD = 12;

export const spotId = (index: number) => `${4000 + index}` as ChannelId;

/** The scene as the gateway would describe it. Members hold only roles that exist. */
export function describeScene(scene: Scene) {
  const isRole = (index: number) => index < scene.roles.length;
  const threads = spotsOf(scene).flatMap(({ room, thread }, index) =>
    thread
      ? rawThread({
          id: spotId(index),
          guildId: GUILD,
          type: thread.isPrivate ? PRIVATE_THREAD : PUBLIC_THREAD,
          name: `t${index}`,
          ownerId: userId(0),
          parentId: spotId(scene.channels.indexOf(room)),
        })
      : [],
  );
  return rawGuild({
    id: GUILD,
    name: "g",
    ownerId: userId(scene.owner),
    roles: scene.roles.map((permissions, index) =>
      rawRole({ id: roleId(index), name: `r${index}`, permissions, position: index }),
    ),
    members: scene.members.map(({ roles, bot }, index) =>
      rawMember({ id: userId(index), username: `u${index}`, bot }, { roles: roles.filter(isRole).map(roleId) }),
    ),
    channels: scene.channels.map((room, index) => describeRoom(room, index)),
    threads,
  });
}

function describeRoom({ kind, ageRestricted, hidden, overwrites }: Room, index: number) {
  const raw = rawChannel({
    id: spotId(index),
    guildId: GUILD,
    type: TYPES[kind],
    name: `c${index}`,
    position: index,
    ageRestricted,
    overwrites: overwrites.map(({ who, ...masks }) => {
      const number = Number(who.slice(1));
      return who.startsWith("r")
        ? rawOverwrite("role", roleId(number), masks)
        : rawOverwrite("member", userId(number), masks);
    }),
  });
  // Its overwrites stay: what is hidden must not be used even where they are known.
  return { ...raw, flags: hidden ? OBFUSCATED : 0 };
}
