import type { ChannelId, UserId } from "../../domain/ids.ts";
import type { Silence } from "../../domain/silence.ts";
import type { Directory } from "../../ports/directory.ts";
import { explainSilence, type SilenceDeps } from "../kit/explain-silence.ts";

/** For the sandbox only: it names channels that a person may not know. */
export interface WithheldDeps extends SilenceDeps {
  readonly directory: SilenceDeps["directory"] & Pick<Directory, "guilds">;
}

export interface WithheldChannel {
  readonly channel_id: string;
  readonly name: string;
  readonly reason: Exclude<Silence["reason"], "open">;
}

/** Channels that answers in this channel never quote. None for a DM, which only its participants read. */
export function listWithheldHere(
  asked: { readonly actor: UserId; readonly channelId: ChannelId },
  deps: SilenceDeps,
): readonly WithheldChannel[] {
  return explainSilence(asked, deps).channels.flatMap(({ channel_id, reason }) => {
    const name = deps.directory.channel(channel_id as ChannelId)?.name ?? channel_id;
    return reason === "open" ? [] : [{ channel_id, name, reason }];
  });
}

/** The reasons that apply to the person in every channel. */
const ABOUT_PERSON = ["bot_cannot_read", "switched_off", "opted_out", "actor_cannot_read"];

/** Channels that are withheld from the person everywhere. */
export function listWithheldFrom(actor: UserId, deps: WithheldDeps): readonly WithheldChannel[] {
  return deps.directory.guilds().flatMap(({ id }) => {
    const [first] = deps.directory.channels(id);
    const withheld = first ? listWithheldHere({ actor, channelId: first.id }, deps) : [];
    return withheld.filter(({ reason }) => ABOUT_PERSON.includes(reason));
  });
}
