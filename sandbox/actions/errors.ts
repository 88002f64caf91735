import { RESTJSONErrorCodes as Code } from "discord-api-types/v10";

/** One wrong field of a request, as Discord nests it under `errors`. */
export interface FormProblem {
  readonly path: readonly (string | number)[];
  readonly code: string;
  readonly message: string;
}

export type ErrorTree = { [field: string]: ErrorTree | ErrorLeaf[] };
interface ErrorLeaf {
  readonly code: string;
  readonly message: string;
}

/** An error in Discord's own words, with everything that an HTTP response needs. */
export class DiscordError extends Error {
  override readonly name = "DiscordError";
  readonly status: number;
  readonly code: number;
  readonly errors: ErrorTree | undefined;

  constructor(status: number, code: number, message: string, errors?: ErrorTree) {
    super(message);
    this.status = status;
    this.code = code;
    this.errors = errors;
  }
}

export const unknownChannel = () => new DiscordError(404, Code.UnknownChannel, "Unknown Channel");
export const unknownGuild = () => new DiscordError(404, Code.UnknownGuild, "Unknown Guild");
export const unknownMember = () => new DiscordError(404, Code.UnknownMember, "Unknown Member");
export const unknownMessage = () => new DiscordError(404, Code.UnknownMessage, "Unknown Message");
export const unknownRole = () => new DiscordError(404, Code.UnknownRole, "Unknown Role");
export const unknownUser = () => new DiscordError(404, Code.UnknownUser, "Unknown User");
export const unknownEmoji = () => new DiscordError(400, Code.UnknownEmoji, "Unknown Emoji");
export const unknownWebhook = () => new DiscordError(404, Code.UnknownWebhook, "Unknown Webhook");
export const unknownInteraction = () => new DiscordError(404, Code.UnknownInteraction, "Unknown interaction");
export const unknownApplication = () => new DiscordError(404, Code.UnknownApplication, "Unknown Application");
export const unknownOverwrite = () => new DiscordError(404, Code.UnknownPermissionOverwrite, "Unknown Overwrite");
export const unknownCommand = () =>
  new DiscordError(404, Code.UnknownApplicationCommand, "Unknown application command");
export const invalidWebhookToken = () => new DiscordError(401, Code.InvalidWebhookToken, "Invalid Webhook Token");
export const missingAccess = () => new DiscordError(403, Code.MissingAccess, "Missing Access");
export const missingPermissions = () => new DiscordError(403, Code.MissingPermissions, "Missing Permissions");
export const guildUnavailable = () =>
  new DiscordError(503, Code.APIResourceOverloaded, "API resource is currently overloaded. Try again a little later");
export const emptyMessage = () => new DiscordError(400, Code.CannotSendAnEmptyMessage, "Cannot send an empty message");
export const notYourMessage = () =>
  new DiscordError(403, Code.CannotEditMessageAuthoredByAnotherUser, "Cannot edit a message authored by another user");
export const systemMessage = () =>
  new DiscordError(403, Code.CannotExecuteActionOnSystemMessage, "Cannot execute action on a system message");
export const wrongChannelType = () =>
  new DiscordError(400, Code.CannotExecuteActionOnThisChannelType, "Cannot execute action on this channel type");
export const notInDm = () =>
  new DiscordError(403, Code.CannotExecuteActionOnDMChannel, "Cannot execute action on a DM channel");
export const notATextChannel = () =>
  new DiscordError(400, Code.CannotSendMessagesInNonTextChannel, "Cannot send messages in a non-text channel");
export const threadArchived = () => new DiscordError(400, Code.InvalidActionOnArchivedThread, "Thread is archived");
export const threadLocked = () => new DiscordError(400, Code.ThreadLocked, "This thread is locked");
export const threadExists = () =>
  new DiscordError(400, Code.ThreadAlreadyCreatedForMessage, "A thread has already been created for this message");
export const cannotReplyUnread = () =>
  new DiscordError(
    403,
    Code.CannotReplyWithoutPermissionToReadMessageHistory,
    "Cannot reply without permission to read message history",
  );
export const cannotForwardUnread = () =>
  new DiscordError(
    400,
    Code.CannotForwardMessageWithUnreadableContent,
    "You cannot forward a message whose content you cannot read.",
  );
export const alreadyAcknowledged = () =>
  new DiscordError(400, Code.InteractionHasAlreadyBeenAcknowledged, "Interaction has already been acknowledged.");

/** 50035, with each wrong field at its path in the tree. */
export function invalidForm(problems: readonly FormProblem[]): DiscordError {
  return new DiscordError(400, Code.InvalidFormBodyOrContentType, "Invalid Form Body", toErrorTree(problems));
}

export function tooLong(path: FormProblem["path"], limit: number): FormProblem {
  return { path, code: "BASE_TYPE_MAX_LENGTH", message: `Must be ${limit} or fewer in length.` };
}

export function required(path: FormProblem["path"]): FormProblem {
  return { path, code: "BASE_TYPE_REQUIRED", message: "This field is required" };
}

function toErrorTree(problems: readonly FormProblem[]): ErrorTree {
  const root: ErrorTree = {};
  for (const { path, code, message } of problems) {
    let node = root;
    for (const step of path) {
      const next = node[step];
      if (next && !Array.isArray(next)) node = next;
      else {
        const made: ErrorTree = {};
        node[step] = made;
        node = made;
      }
    }
    const leaves = node["_errors"];
    if (Array.isArray(leaves)) leaves.push({ code, message });
    else node["_errors"] = [{ code, message }];
  }
  return root;
}
