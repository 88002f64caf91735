import type { PermissionName, RolePlan } from "../plan.ts";

const TALK: readonly PermissionName[] = [
  "ViewChannel",
  "ReadMessageHistory",
  "SendMessages",
  "SendMessagesInThreads",
  "CreatePublicThreads",
  "CreatePrivateThreads",
  "AddReactions",
  "AttachFiles",
  "EmbedLinks",
  "UseExternalEmojis",
  "UseApplicationCommands",
  "Connect",
  "Speak",
];

/** Highest first. */
export const roles: readonly RolePlan[] = [
  {
    key: "staff",
    name: "Harbour Office",
    permissions: [...TALK, "ManageMessages", "ManageThreads", "ManageRoles", "ModerateMembers", "MentionEveryone"],
    color: 0xc0392b,
    hoist: true,
    mentionable: true,
  },
  { key: "bots", name: "Bots", permissions: TALK, color: 0x9b59b6, hoist: true },
  { key: "crew", name: "Launch Crew", color: 0x1abc9c, mentionable: true },
  { key: "boats", name: "Boatyard", color: 0xe67e22, mentionable: true },
  { key: "code", name: "Tideboard Team", color: 0x5865f2, mentionable: true },
  { key: "member", name: "Member", permissions: [...TALK, "SendPolls"], color: 0x3ba55d },
  { key: "muted", name: "Muted", color: 0x747f8d },
];
