import type { NeighbourPlan } from "../plan.ts";

/** A second, small server: some people of Harbourside are there too, and two of the bots. */
export const museum: NeighbourPlan = {
  guild: {
    name: "Ferry Museum",
    description: "The archive of the Ferry Museum: interviews, tapes and a cupboard.",
    owner: "fatima",
    everyone: ["ViewChannel", "ReadMessageHistory", "SendMessages", "AddReactions", "UseApplicationCommands"],
  },
  members: [
    { key: "fatima", joinedDaysAgo: 400 },
    { key: "rosa", joinedDaysAgo: 14 },
    { key: "nadia", joinedDaysAgo: 14 },
    { key: "sarah", joinedDaysAgo: 14 },
    { key: "earshot", joinedDaysAgo: 20 },
    { key: "elena", joinedDaysAgo: 20 },
  ],
  roles: [],
  channels: [
    { key: "museum-lobby", name: "museum-lobby", kind: "text", topic: "News of the museum." },
    { key: "archive-desk", name: "archive-desk", kind: "text", topic: "Tapes and transcripts." },
  ],
};
