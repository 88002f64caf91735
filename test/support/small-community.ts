import type { Community, PermissionName, PostPlan } from "../../sandbox/community/plan.ts";

const EVERYONE: readonly PermissionName[] = [
  "ViewChannel",
  "ReadMessageHistory",
  "SendMessages",
  "SendMessagesInThreads",
  "SendPolls",
  "CreatePublicThreads",
  "CreatePrivateThreads",
  "AddReactions",
  "EmbedLinks",
  "AttachFiles",
  "UseApplicationCommands",
  "Connect",
];

/** A handful of people and rooms, enough for every journey. */
export function smallCommunity(posts: readonly PostPlan[] = []): Community {
  return {
    guild: { name: "Quay", description: "A small place.", owner: "olga", everyone: EVERYONE },
    people: [
      { key: "olga", username: "olga", displayName: "Olga" },
      { key: "sarah", username: "sarah", displayName: "Sarah", nick: "Skipper" },
      { key: "mark", username: "mark" },
      { key: "mei", username: "mei", roles: ["staff"] },
      { key: "earshot", username: "earshot", displayName: "Earshot", bot: true, roles: ["helper"] },
      { key: "gabriel", username: "gabriel", bot: true },
    ],
    roles: [
      { key: "staff", name: "Staff", permissions: ["ManageMessages", "ManageThreads", "PinMessages"] },
      { key: "helper", name: "Helper", permissions: ["ManageThreads"] },
      { key: "crew", name: "Crew", mentionable: true },
    ],
    channels: [
      { key: "commons", name: "Commons", kind: "category" },
      { key: "general", name: "general", kind: "text", category: "commons", topic: "Anything." },
      { key: "news", name: "news", kind: "announcement", category: "commons" },
      { key: "help", name: "help", kind: "forum", tags: ["tools", "solved"] },
      { key: "pier", name: "pier", kind: "voice" },
      {
        key: "staff-room",
        name: "staff-room",
        kind: "text",
        topic: "Not for bots.",
        overwrites: [
          { who: "everyone", deny: ["ViewChannel"] },
          { who: "staff", allow: ["ViewChannel"] },
        ],
      },
    ],
    posts,
  };
}
