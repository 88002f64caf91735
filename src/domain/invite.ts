import { type PermissionName, toPermissionMask } from "./permission-set.ts";

/** All permissions that Earshot requests in a server, and why. */
export const INVITE_PERMISSIONS: readonly {
  readonly name: PermissionName;
  readonly label: string;
  readonly why: string;
}[] = [
  { name: "viewChannel", label: "View Channels", why: "see that a channel exists and hear what is said there" },
  { name: "readMessageHistory", label: "Read Message History", why: "read what was said before" },
  {
    name: "connect",
    label: "Connect",
    why: "read the text chat of voice channels, which Discord ties to this permission",
  },
  { name: "sendMessages", label: "Send Messages", why: "answer" },
  { name: "sendMessagesInThreads", label: "Send Messages in Threads", why: "answer in threads and forum posts" },
  { name: "addReactions", label: "Add Reactions", why: "acknowledge a request" },
];

/** The URL at which an administrator adds the bot with exactly these permissions. */
export function inviteLink(applicationId: string): string {
  const permissions = toPermissionMask(INVITE_PERMISSIONS.map(({ name }) => name));
  const query = new URLSearchParams({ client_id: applicationId, scope: "bot applications.commands", permissions });
  return `https://discord.com/oauth2/authorize?${query}`;
}
