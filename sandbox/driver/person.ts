import { openDm } from "../actions/channels.ts";
import { deleteMessage } from "../actions/delete-messages.ts";
import type { OptionValue } from "../actions/interactions/command-options.ts";
import { askSuggestions, type CommandRequest, runCommand, useMenu } from "../actions/interactions/run-command.ts";
import { type ModalSubmission, submitModal } from "../actions/interactions/submit-modal.ts";
import { useComponent } from "../actions/interactions/use-component.ts";
import type { MessageDraft, MessagePatch } from "../actions/message-draft.ts";
import { createMessage, editMessage } from "../actions/messages.ts";
import { pinMessage, unpinMessage } from "../actions/pins.ts";
import { votePoll } from "../actions/polls.ts";
import { addReaction, removeReaction } from "../actions/reactions.ts";
import { addThreadMember, joinThread, leaveThread } from "../actions/thread-members.ts";
import { openForumPost, openThread, openThreadOnMessage } from "../actions/threads.ts";
import { startTyping } from "../actions/typing.ts";
import type { ChannelRecord, InteractionRecord, MessageRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";
import type { MessageName, Names } from "./names.ts";
import { type PersonView, toPersonView } from "./person-view.ts";

type Speech = string | MessageDraft;

/**
 * A person in the sandbox, with what they can do in their client. Everything is subject to their permissions: what Discord would refuse throws a
 * `DiscordError`. An interaction is returned at once; its `answered` and `spoken` settle with the result.
 */
export interface Person {
  readonly id: string;
  readonly view: PersonView;
  say(channel: string, what: Speech): MessageRecord;
  reply(to: MessageName, what: Speech): MessageRecord;
  /** Their DM with a bot: the main one unless another is named. */
  openDm(bot?: string): ChannelRecord;
  /** To a bot, in their DM: the main one unless another is named. */
  dm(what: Speech, bot?: string): MessageRecord;
  forward(message: MessageName, channel: string): MessageRecord;
  edit(message: MessageName, what: string | MessagePatch): MessageRecord;
  delete(message: MessageName): void;
  react(message: MessageName, emoji: string): void;
  unreact(message: MessageName, emoji: string): void;
  pin(message: MessageName): void;
  unpin(message: MessageName): void;
  vote(message: MessageName, answerId: number): void;
  type(channel: string): void;
  /** On a message, or on its own in a channel. */
  openThread(
    where: { readonly on: MessageName } | { readonly in: string; readonly isPrivate?: boolean },
    name: string,
  ): ChannelRecord;
  /** In a forum or media channel; tags by name. */
  post(
    channel: string,
    title: string,
    post: { readonly what: Speech; readonly tags?: readonly string[] },
  ): { thread: ChannelRecord; message: MessageRecord };
  joinThread(thread: string): void;
  leaveThread(thread: string): void;
  bringIntoThread(thread: string, person: string): void;
  /** In direct messages with the bot when no channel is given. */
  run(
    command: string,
    options: Readonly<Record<string, OptionValue>>,
    where: Partial<CommandPlace> & Pick<CommandRequest, "files">,
  ): InteractionRecord;
  /** Begins to type an option and asks for suggestions. */
  suggest(
    command: string,
    options: Readonly<Record<string, OptionValue>>,
    where: CommandPlace & { readonly focused: string },
  ): InteractionRecord;
  /** A command from the menu of a message, or of a person who is seen in a channel. */
  menu(
    command: string,
    target: MessageName | { readonly person: string; readonly in: string },
    bot?: string,
  ): InteractionRecord;
  click(message: MessageName, customId: string): InteractionRecord;
  select(message: MessageName, customId: string, values: readonly string[]): InteractionRecord;
  /** Fills in the modal with which an interaction was answered. */
  fillModal(opener: InteractionRecord, values: ModalSubmission["values"]): InteractionRecord;
}

interface CommandPlace {
  readonly in: string;
  /** Whose command; the main bot's when absent. */
  readonly bot?: string;
}

export function toPerson(world: World, names: Names, id: string): Person {
  const address = (name: MessageName) => {
    const { id: messageId, channelId } = names.message(name);
    return { messageId, channelId };
  };
  const channelId = (name: string): string => names.channel(name).id;
  const say = (channel: string, draft: MessageDraft) => createMessage(world, id, { channelId: channel, draft });
  return {
    id,
    view: toPersonView(world, id),
    say: (channel, what) => say(channelId(channel), toDraft(what)),
    reply(to, what) {
      const { channelId: channel, messageId } = address(to);
      return say(channel, { ...toDraft(what), reference: { messageId } });
    },
    openDm: (bot) => openDm(world, id, { recipientId: names.bot(bot).botId }),
    dm: (what, bot) => say(openDm(world, id, { recipientId: names.bot(bot).botId }).id, toDraft(what)),
    forward: (message, channel) => say(channelId(channel), { reference: { type: 1, ...address(message) } }),
    edit: (message, what) =>
      editMessage(world, id, { ...address(message), patch: typeof what === "string" ? { content: what } : what }),
    delete: (message) => deleteMessage(world, id, address(message)),
    react: (message, emoji) => addReaction(world, id, { ...address(message), emoji }),
    unreact: (message, emoji) => removeReaction(world, id, { ...address(message), emoji }),
    pin: (message) => pinMessage(world, id, address(message)),
    unpin: (message) => unpinMessage(world, id, address(message)),
    vote: (message, answerId) => votePoll(world, id, { ...address(message), answerId }),
    type: (channel) => startTyping(world, id, { channelId: channelId(channel) }),
    openThread(where, name) {
      if ("on" in where) return openThreadOnMessage(world, id, { ...address(where.on), name });
      return openThread(world, id, { channelId: channelId(where.in), name, isPrivate: where.isPrivate ?? false });
    },
    post(channel, title, { what, tags = [] }) {
      const forum = names.channel(channel);
      const appliedTags = forum.tags.filter((tag) => tags.includes(tag.name)).map((tag) => tag.id);
      return openForumPost(world, id, { channelId: forum.id, name: title, draft: toDraft(what), appliedTags });
    },
    joinThread: (thread) => joinThread(world, id, { channelId: channelId(thread) }),
    leaveThread: (thread) => leaveThread(world, id, { channelId: channelId(thread) }),
    bringIntoThread: (thread, person) =>
      addThreadMember(world, id, { channelId: channelId(thread), userId: names.person(person) }),
    run(name, options, { in: channel, bot, files = {} }) {
      const { id: applicationId, botId } = names.bot(bot);
      const place = channel === undefined ? openDm(world, id, { recipientId: botId }).id : channelId(channel);
      return runCommand(world, id, { applicationId, channelId: place, name, options, files });
    },
    suggest: (name, options, { in: channel, bot, focused }) =>
      askSuggestions(world, id, {
        applicationId: names.bot(bot).id,
        channelId: channelId(channel),
        name,
        options,
        focused,
      }),
    menu(name, target, bot) {
      const isPerson = typeof target === "object" && "person" in target;
      const at = isPerson ? { userId: names.person(target.person), channelId: channelId(target.in) } : address(target);
      return useMenu(world, id, { applicationId: names.bot(bot).id, name, ...at });
    },
    click: (message, customId) => useComponent(world, id, { ...address(message), customId }),
    select: (message, customId, values) => useComponent(world, id, { ...address(message), customId, values }),
    fillModal: (opener, values) => submitModal(world, id, { interactionId: opener.id, values }),
  };
}

function toDraft(what: Speech): MessageDraft {
  return typeof what === "string" ? { content: what } : what;
}
