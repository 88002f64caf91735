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
/** Who has read more than this for one message cannot be asked to answer for all of it. */
const MAX_SOURCES = 300;

/**
 * What the person asking may choose to tell, in their own name, where not everyone may read it: only what they can read themselves, of that same
 * server, and only as it was when they were shown it.
 */
export class Disclosures {
  readonly #call: EffectCall;
  readonly #deps: DisclosuresDeps;

  constructor(call: EffectCall, deps: DisclosuresDeps) {
    this.#call = call;
    this.#deps = deps;
  }

  /** The same send as something to be told knowingly; null where that is not for the actor to decide. */
  async freeze(action: SendAction): Promise<DisclosureAction | null> {
    const { clock, disclosureRate } = this.#deps;
    const { actor } = this.#call.operation;
    const frozenAt = clock.now();
    // First, so that no open code block or quotation of the text swallows it.
    const told = { ...action, text: `-# shared by <@${actor}>\n${action.text}` };
    if (splitText(told.text).length !== 1 || disclosureRate.waitFor(actor) > 0 || !this.#survey(told)) return null;
    const edits = await this.#lookUp();
    const survey = this.#survey(told);
    if (edits === null || !survey) return null;
    return { ...told, disclosure: { ...survey, edits, frozenAt } };
  }

  /** Looks everything up again. Throws `forbidden` unless it is as it was when the actor was shown it. */
  async mustBeAsShown(action: DisclosureAction): Promise<void> {
    if ((await this.#lookUp()) !== action.disclosure.edits) throw changed();
    this.mustStand(action);
  }

  /** The same, as far as was heard: to be asked right before it leaves. */
  mustStand(action: DisclosureAction): void {
    const { pin, frozenAt } = action.disclosure;
    const isEdited = this.#deps.sources.hasEdits(this.#call.operation.label, frozenAt);
    if (isEdited || this.#survey(action)?.pin !== pin) throw changed();
  }

  /** What stands in the way; null if it is not the actor's to tell. */
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

  /** Null for a place from which it could go further, or of which too little is known. */
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

  /** Whether everything in the label is of the target's server, or the actor's own. */
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

  /** A channel of that server that the actor reads, and of which the operator allows something to be told. */
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

  /** The edit times of all messages concerned; null if one of them is gone, was edited since it was read, or is not the actor's to tell. */
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
        // After an edit only its owner still hears a fact; whether that was so when it was read, the label does not say.
        if (!message || message.edited_ts !== null || !this.#isTypedIfDm(message)) return null;
        edits.push([message.message_id, message.edited_ts]);
      }
    return JSON.stringify(edits);
  }

  #find({ channelId, messageId }: MessageRef): Promise<Message | undefined> {
    return this.#deps.timelines.message(channelId, messageId, this.#call.signal);
  }

  /** In their own direct messages only what the actor typed is theirs: the bot's answers may rest on anything, and so may what is forwarded. */
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

/** Those at a destination who would learn something that they cannot read where it was said. */
interface Learners {
  /** Null while the member list is not complete. */
  readonly people: number | null;
  /** Changes when anybody else becomes one of them, or when the rules that decide it change. */
  readonly mark: string;
}

function findLearners(source: Audience, destination: GuildAudience): Learners {
  const { membersByRoles, place, member, countsBots } = destination;
  const except = source.kind === "guild" || source.kind === "members" ? source : null;
  const rules = JSON.stringify([except && listRules(placeToRead(except, false)), listRules(place)]);
  if (!membersByRoles) return { people: null, mark: rules };
  const bits = membersByRoles.bits(place, "sees").slice();
  // Of those who hold the same roles, some may be pending: then roles alone do not say who may know what is shared with members.
  const readers = except?.kind === "guild" ? membersByRoles.bits(except.place, "reads") : null;
  for (const [word, known] of readers?.entries() ?? []) bits[word] = (bits[word] ?? 0) & ~known;
  const viewers = [...listViewers(destination, except)];
  let people = viewers.reduce((sum, one) => sum + one.people, 0);
  // Those in a private conversation know what was said there.
  for (const id of source.kind === "people" ? source.people : []) {
    const there = member(id);
    if (there && canView(place, there) && (countsBots || !there.bot)) people -= 1;
  }
  const named = viewers.flatMap((one) => one.member ?? []).sort();
  return { people, mark: JSON.stringify([rules, membersByRoles.mark(bits), named]) };
}

/** Everything that decides who may view or read a place, but for who holds which roles. */
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
