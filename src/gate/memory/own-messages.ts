import { EarshotError } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import type { NewBasis, RememberRequest } from "../../domain/memory/remember-request.ts";
import { type Message, type MessageRef, typedText } from "../../domain/message.ts";
import type { Memory } from "../../memory/memory.ts";
import type { Rules } from "../../policy/rules.ts";
import type { LookDeps } from "./look-at-facts.ts";
import { findOwnWords, mustBeUsed, toBasis } from "./proposal-basis.ts";

export interface OwnMessageDeps extends Pick<LookDeps, "discord" | "timelines"> {
  readonly memory: Pick<Memory, "isConsented">;
  readonly rules: Pick<Rules, "optOut">;
}

const NOT_OWN = "Only a message that you wrote yourself, and that the bot can read, can be remembered like this.";
const NO_TEXT = "There is nothing typed in this message that could be remembered.";
const LEFT_OUT = "You are left out, so your messages are not used; `/privacy include-me` changes that.";

/** What somebody typed in a message of theirs. Throws `forbidden` for every other message, as for one that does not exist. */
export async function readOwnMessage(
  actor: UserId,
  said: MessageRef,
  { signal, ...deps }: OwnMessageDeps & { readonly signal?: AbortSignal | undefined },
): Promise<string> {
  const text = typedText(await findOwnMessage(actor, said, { ...deps, signal }));
  if (text.trim() === "") throw new EarshotError("invalid", NO_TEXT);
  return text;
}

/**
 * What a fact rests on that is taken from a message of its person. A value that stands there word for word is their own words: its key they have typed
 * into the form. Anything else rests on the message, so that only those hear it who can read that.
 */
export async function findSaidBasis(
  actor: UserId,
  { draft, said }: { readonly draft: Pick<RememberRequest, "value" | "home">; readonly said: MessageRef },
  deps: OwnMessageDeps,
): Promise<NewBasis> {
  const message = await findOwnMessage(actor, said, deps);
  const named = { ...draft, name: String(draft.value) };
  return (await findOwnWords({ actor }, { draft: named, ref: said }, deps)) ?? toBasis(message);
}

async function findOwnMessage(
  actor: UserId,
  { channelId, messageId }: MessageRef,
  { discord, timelines, memory, rules, signal }: OwnMessageDeps & { readonly signal?: AbortSignal | undefined },
): Promise<Message> {
  const { directory } = discord;
  if (!memory.isConsented({ subjectId: actor, basis: [] })) throw new EarshotError("forbidden", LEFT_OUT);
  await directory.learn(actor, channelId).catch(() => {});
  if (!directory.canRead(actor, channelId)) throw new EarshotError("forbidden", NOT_OWN);
  mustBeUsed(channelId, { discord, rules });
  const message = await timelines.message(channelId, messageId, signal);
  if (message?.author.id !== actor || message.author.bot) throw new EarshotError("forbidden", NOT_OWN);
  return message;
}
