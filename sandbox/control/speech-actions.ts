import { z } from "zod";
import { nearestNames } from "../driver/nearest-names.ts";
import type { MessageRecord } from "../world/records.ts";
import { action, type ControlActions, name, text } from "./control-action.ts";
import { ControlError } from "./control-error.ts";
import { speech, toDraft } from "./speech.ts";

/** People write, change and delete messages, open threads and react. */
export const SPEECH_ACTIONS: ControlActions = {
  say: action(
    z.strictObject({ as: name, in: name, ...speech, reply_to: name.optional() }),
    ({ as, in: channel, reply_to: original, ...said }, deps) => {
      const reference = original === undefined ? undefined : { messageId: deps.names.message(original).id };
      return addressOf(deps.as(as).say(channel, { ...toDraft(said), ...(reference && { reference }) }));
    },
  ),
  dm: action(z.strictObject({ as: name, bot: name.optional(), ...speech }), ({ as, bot, ...said }, deps) => {
    if (said.text !== undefined || said.files !== undefined) return addressOf(deps.as(as).dm(toDraft(said), bot));
    return { channel_id: deps.as(as).openDm(bot).id };
  }),
  thread: action(
    z.strictObject({
      as: name,
      name,
      // On this message, or on its own in a channel.
      message_id: name.optional(),
      in: name.optional(),
      private: z.boolean().default(false),
      ...speech,
    }),
    ({ as, name: title, message_id: on, in: channel, private: isPrivate, ...said }, deps) => {
      const person = deps.as(as);
      if ((on === undefined) === (channel === undefined))
        throw new ControlError(
          400,
          "invalid",
          "Name either the `message_id` that the thread is on, or the channel that it is `in`.",
        );
      const thread = person.openThread(on === undefined ? { in: channel ?? "", isPrivate } : { on }, title);
      if (said.text === undefined && said.files === undefined) return { channel_id: thread.id };
      return addressOf(person.say(thread.id, toDraft(said)));
    },
  ),
  post: action(
    z.strictObject({ as: name, in: name, title: name, ...speech, tags: z.array(name).max(20).default([]) }),
    ({ as, in: forum, title, tags, ...said }, deps) => {
      const known = deps.names.channel(forum).tags.map((tag) => tag.name);
      const wrong = tags.find((tag) => !known.includes(tag));
      if (wrong !== undefined)
        throw new ControlError(
          404,
          "unknown",
          `There is no tag "${wrong}" here; there are: ${known.join(", ")}.`,
          nearestNames(wrong, known),
        );
      return addressOf(deps.as(as).post(forum, title, { what: toDraft(said), tags }).message);
    },
  ),
  edit: action(z.strictObject({ as: name, message_id: name, text }), ({ as, message_id: id, text: content }, deps) =>
    addressOf(deps.as(as).edit(id, content)),
  ),
  delete: action(z.strictObject({ as: name, message_id: name }), ({ as, message_id: id }, deps) => {
    deps.as(as).delete(id);
    return {};
  }),
  react: action(
    z.strictObject({ as: name, message_id: name, emoji: name, remove: z.boolean().default(false) }),
    ({ as, message_id: id, emoji, remove }, deps) => {
      const person = deps.as(as);
      if (remove) person.unreact(id, emoji);
      else person.react(id, emoji);
      return {};
    },
  ),
};

function addressOf({ id, channelId }: Pick<MessageRecord, "id" | "channelId">): object {
  return { message_id: id, channel_id: channelId };
}
