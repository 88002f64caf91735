import { type Audience, flows, listViewers, toAudienceKey } from "../../domain/audience.ts";
import { EarshotError } from "../../domain/errors.ts";
import { type GuildAudience, placeToRead } from "../../domain/guild-audience.ts";
import type { ChannelId, GuildId } from "../../domain/ids.ts";
import { type Message, type MessageRef, toMessageReading } from "../../domain/message.ts";
import { canView, type PermissionPlace } from "../../domain/permissions.ts";
import type { Kept } from "../../domain/source.ts";
import { quotes } from "../../domain/text/quotes.ts";
import { splitText } from "../../domain/text/split-text.ts";
import type { BarredPlace, Disclosure, SendAction } from "../../policy/action.ts";
import { isListed, locateChannel } from "../../policy/apply-rules.ts";
import { kindOf } from "../../sources/kinds/index.ts";
import type { Teller } from "../../sources/kinds/kind.ts";
import { areAllIn, toAudience } from "../../sources/kinds/limits.ts";
import { textsOf } from "../../sources/kinds/message.ts";
import { listBarredChannels } from "../call/effect-access.ts";
import type { EffectCall, EffectsDeps } from "./effect-call.ts";

type DisclosuresDeps = Pick<EffectsDeps, "discord" | "timelines" | "sources" | "rules" | "clock" | "disclosureRate">;

export type DisclosureAction = SendAction & { readonly disclosure: Disclosure };

const MAX_BARRED_SHOWN = 10;
/** The actor of an operation with more sources cannot be asked to vouch for all of them. */
const MAX_SOURCES = 300;

/**
 * Content that actors may choose to tell in their own name although not everyone may read its sources: only what they can read themselves,
 * from the same server, and only unchanged since they were shown it.
 */
export class Disclosures {
  readonly #call: EffectCall;
  readonly #deps: DisclosuresDeps;

  constructor(call: EffectCall, deps: DisclosuresDeps) {
    this.#call = call;
    this.#deps = deps;
  }

  /** Turns a send into a disclosure that the actor may confirm; null if it is not for the actor to decide. */
  async freeze(action: SendAction): Promise<DisclosureAction | null> {
    const { clock, disclosureRate } = this.#deps;
    const { actor } = this.#call.operation;
    const frozenAt = clock.now();
    // The prefix comes first, so that no open code block or quotation in the text contains it.
    const told = { ...action, text: `-# shared by <@${actor}>\n${action.text}` };
    if (splitText(told.text).length !== 1 || disclosureRate.waitFor(actor) > 0 || !this.#survey(told)) return null;
    const edits = await this.#lookUp();
    const survey = this.#survey(told);
    if (edits === null || !survey) return null;
    return { ...told, disclosure: { ...survey, edits, frozenAt } };
  }

  /** Looks up all messages again. Throws `forbidden` unless they are as they were shown to the actor. */
  async mustBeAsShown(action: DisclosureAction): Promise<void> {
    if ((await this.#lookUp()) !== action.disclosure.edits) throw changed();
    this.mustStand(action);
  }

  /** The same from events alone, for the moment before the send. */
  mustStand(action: DisclosureAction): void {
    const { pin, frozenAt } = action.disclosure;
    const isEdited = this.#deps.sources.hasEdits(this.#call.operation.label, frozenAt);
    if (isEdited || this.#survey(action)?.pin !== pin) throw changed();
  }

  /** The obstacles to the send; null if it is not for the actor to decide. */
  #survey(action: SendAction): Pick<Disclosure, "barred" | "others" | "pin"> | null {
    const { operation, access } = this.#call;
    const target = this.#toTarget(action.channelId);
    if (!target || !operation.isAlwaysPrivate || operation.client.grant.confined) return null;
    if (!access.isBarredByLabelAlone(action.channelId) || !access.mayTellActor() || !this.#isOwn(target)) return null;
    const { label } = operation;
    const barred = [...this.#listBarred(target, action.text)];
    const rank = ({ channelId, isQuoted }: BarredPlace) =>
      isQuoted ? 0 : channelId === null || label.of("told").has(channelId) ? 1 : 2;
    const shown = barred.map(({ place }) => place).sort((a, b) => rank(a) - rank(b));
    const sources = [...label]
      .filter(({ kind }) => kind !== "facts")
      .map((source) => [source.kind, String(kindOf(source).key(source))].join(" "))
      .sort();
    const marks = barred.map(({ place, mark }) => [place.channelId, place.learners, mark]);
    return {
      barred: shown.slice(0, MAX_BARRED_SHOWN),
      others: Math.max(0, shown.length - MAX_BARRED_SHOWN),
      pin: JSON.stringify([action.channelId, sources, marks]),
    };
  }

  /** Null for a place that copies messages elsewhere, or whose audience is unknown. */
  #toTarget(id: ChannelId): GuildAudience | null {
    const { rules, discord } = this.#deps;
    const audience = discord.directory.audience(id);
    if (audience.kind !== "guild") return null;
    const { guild, channel, thread } = audience.place;
    const isUnknown =
      channel.hidden || channel.kind === "other" || (isPrivateThread(thread) && !thread?.thread?.members);
    const goesFurther = channel.kind === "announcement" || channel.linkedToLobby;
    return isUnknown || goesFurther || !rules.disclosure.guilds.includes(guild.id) ? null : audience;
  }

  /** Whether every source is from the target's server, or the actor's own. */
  #isOwn(target: GuildAudience): boolean {
    const { discord } = this.#deps;
    const { actor, label } = this.#call.operation;
    const guildId = target.place.guild.id;
    const facts = label.listFacts();
    if (label.of("message").size + facts.size + label.records().length > MAX_SOURCES) return false;
    const teller: Teller = {
      ...{ actor, guildId },
      isOwnDm: (id) => this.#isOwnDm(id),
      isTellable: (id) => this.#isOwnDm(id) || this.#isTellable(id, guildId),
      areAllIn: (ref) => areAllIn(target, [ref], discord),
      wasTold: (ref) => facts.has(ref),
    };
    return [...label].every((source) => kindOf(source).isOwn?.(source, teller) === true);
  }

  #isOwnDm(id: ChannelId): boolean {
    const channel = this.#deps.discord.directory.channel(id);
    return channel?.kind === "dm" && channel.recipients.includes(this.#call.operation.actor);
  }

  /** A channel of that server that the actor reads, and whose content the operator allows to be told. */
  #isTellable(id: ChannelId, guildId: GuildId): boolean {
    const { rules, discord } = this.#deps;
    const { operation, access } = this.#call;
    const location = locateChannel(discord.directory, id);
    const place = discord.directory.place(id);
    if (!location || location.channel.guildId !== guildId || !place || place.channel.ageRestricted) return false;
    if (isListed(rules.disclosure.neverFrom, location.lineage)) return false;
    return operation.label.readBack(operation).has(id) ? access.mayReadBack(id) : access.mayRead(id);
  }

  *#listBarred(target: GuildAudience, text: string): Generator<{ place: BarredPlace; mark: string }> {
    const { discord } = this.#deps;
    const { operation } = this.#call;
    const { directory } = discord;
    for (const { channelId, source } of listBarredChannels(operation.label, target, { operation, directory }))
      yield this.#toBarred(source, target, { channelId, text });
    const refs = [...operation.label].flatMap((source) => kindOf(source).audiences?.(source) ?? []);
    for (const ref of new Map(refs.map((each) => [toAudienceKey(each), each])).values()) {
      const source = toAudience(ref, directory, discord.botId);
      if (!flows(source, target)) yield this.#toBarred(source, target, { channelId: null, text });
    }
  }

  #toBarred(
    source: Audience,
    target: GuildAudience,
    { channelId, text }: { channelId: ChannelId | null; text: string },
  ): { place: BarredPlace; mark: string } {
    const { people, mark } = findLearners(source, target);
    const isQuoted = [...this.#call.operation.label.of("message").values()].some(
      (message) => message.channelId === channelId && [...textsOf(message)].some((each) => quotes(text, each)),
    );
    return { place: { channelId, isQuoted, learners: people }, mark };
  }

  /** The edit times of all messages concerned; null if one of them is deleted, edited since the read, or not the actor's to tell. */
  async #lookUp(): Promise<string | null> {
    const { label } = this.#call.operation;
    const edits: (readonly [string, string | null])[] = [];
    for (const source of label.of("message").values()) {
      const message = await this.#find(source);
      if (!message || !isAsRead(source, message) || !this.#isTypedIfDm(message)) return null;
      edits.push([message.message_id, message.edited_ts]);
    }
    for (const { messages } of label.listFacts().values())
      for (const ref of messages) {
        const message = await this.#find(ref);
        // After an edit only the owner may know the fact; the label does not say whether that was so at the read.
        if (!message || message.edited_ts !== null || !this.#isTypedIfDm(message)) return null;
        edits.push([message.message_id, message.edited_ts]);
      }
    return JSON.stringify(edits);
  }

  #find({ channelId, messageId }: MessageRef): Promise<Message | undefined> {
    return this.#deps.timelines.message(channelId, messageId, this.#call.signal);
  }

  /** In the actor's DM with the bot, only typed text is theirs: answers and forwarded messages may rest on anything. */
  #isTypedIfDm({ channel_id, author, parts }: Message): boolean {
    if (!this.#isOwnDm(channel_id)) return true;
    return author.id === this.#call.operation.actor && parts.every(({ kind }) => kind === "typed");
  }
}

function isPrivateThread(thread: { readonly kind: string } | null): boolean {
  return thread?.kind === "private_thread";
}

function isAsRead(source: Kept<"message">, message: Message): boolean {
  const { text } = source;
  return text !== null && textsOf(source).size === 1 && toMessageReading(message).text === text;
}

function changed(): EarshotError {
  const problem =
    "What would be shared, or who would learn of it, is not as it was when it was shown; nothing was sent. Ask again.";
  return new EarshotError("forbidden", problem);
}

/** People at a destination who would learn content that they cannot read at its source. */
interface Learners {
  /** Null if the member list is incomplete. */
  readonly people: number | null;
  /** Changes with the set of these people, and with the rules that decide it. */
  readonly mark: string;
}

function findLearners(source: Audience, destination: GuildAudience): Learners {
  const { membersByRoles, place, member, countsBots } = destination;
  const except = source.kind === "guild" || source.kind === "members" ? source : null;
  const rules = JSON.stringify([except && listRules(placeToRead(except, false)), listRules(place)]);
  if (!membersByRoles) return { people: null, mark: rules };
  const bits = membersByRoles.bits(place, "sees").slice();
  // Members with the same roles may or may not be pending, so for content shared with all members, roles alone do not decide.
  const readers = except?.kind === "guild" ? membersByRoles.bits(except.place, "reads") : null;
  for (const [word, known] of readers?.entries() ?? []) bits[word] = (bits[word] ?? 0) & ~known;
  const viewers = [...listViewers(destination, except)];
  let people = viewers.reduce((sum, one) => sum + one.people, 0);
  // The participants of a DM know its content already.
  for (const id of source.kind === "people" ? source.people : []) {
    const there = member(id);
    if (there && canView(place, there) && (countsBots || !there.bot)) people -= 1;
  }
  const named = viewers.flatMap((one) => one.member ?? []).sort();
  return { people, mark: JSON.stringify([rules, membersByRoles.mark(bits), named]) };
}

/** All rules that decide who may view or read a place, except the roles of members. */
function listRules({ guild, channel, thread }: PermissionPlace): unknown {
  const roles = [...guild.roles.values()].map(({ id, permissions }) => [id, permissions]);
  const members = thread?.thread?.members;
  return [
    guild.ownerId,
    roles,
    channel.id,
    channel.overwrites,
    thread?.id ?? null,
    members ? [...members].sort() : null,
  ];
}
