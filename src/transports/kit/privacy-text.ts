import type { EraseReceipt } from "../../gate/memory/erase-person.ts";
import type { ConsentState } from "../../ports/consent.ts";
import { isOlderDatabase, type RestoreNote } from "../../ports/restore-store.ts";

/** How long data about people is kept, by the operator's settings. */
export interface KeptFacts {
  /** In memory. */
  readonly messagesPerChannel: number;
  readonly maxAgeDays: number;
  /** Days on disk, in channels that the operator chose; null without any. */
  readonly diskDays: number | null;
  readonly auditDays: number;
  /** Days for which talks with the agent are kept. */
  readonly talkDays: number;
  /** A model is configured, and people's usage is counted. */
  readonly countsTokens: boolean;
  /** The operator's profile service is configured. */
  readonly asksProfiles: boolean;
  /** Restores of files from a backup. */
  readonly restores?: readonly RestoreNote[];
}

/** The number of stored talks with a person; null if talks are not stored at all. */
export type KeptTalks = number | "unknown" | "untold" | null;

/** The answer if an opt-out could not be stored. */
export const NOT_STORED =
  "Your messages are left out now, but that could not be stored: it holds only until the program's next start. Please do this again in a few minutes.";

export const NOT_TAKEN_BACK =
  "Nothing was changed: your messages are still left out, because the change could not be stored. Please try again in a few minutes.";

const USED =
  "Your messages are used. They can be found, quoted and summarised for people who may read them on Discord, and reach programs that the person who runs this bot has connected.";
const LEFT_OUT = "Your messages are left out, because you asked for it, in every server that this bot is in.";
const LEFT_OUT_BY_OPERATOR = "Your messages are left out, because the person who runs this bot decided so.";
const STATES: Readonly<Record<ConsentState, string>> = {
  included: USED,
  left_out: LEFT_OUT,
  left_out_by_operator: LEFT_OUT_BY_OPERATOR,
};
const TAKE_BACK = "- `/privacy include-me` takes it back.";
const CHOICES: Readonly<Record<ConsentState, readonly string[]>> = {
  included: ["- `/privacy leave-me-out` leaves your messages out, at once and in every server."],
  left_out: [TAKE_BACK],
  left_out_by_operator: ["- Only the person who runs this bot can change it; ask them."],
};

type KeptOf = KeptFacts & { readonly talks: KeptTalks };

export function describePrivacy(state: ConsentState, kept: KeptOf): string {
  return [
    STATES[state],
    "",
    "What is kept:",
    ...(state === "included" ? describeMessages(kept) : [NO_MESSAGES]),
    "- Facts about you that you had remembered, each encrypted with a key of its own, and how often each was used, by month and channel.",
    "- Which facts you asked to be removed because they name you, until they are.",
    ...describeTalks(kept),
    ...(kept.countsTokens
      ? [
          "- How many tokens of the model were used for you, by your id, for the hour and for the day in each server that the limits count.",
        ]
      : []),
    ...(kept.asksProfiles ? [state === "included" ? PROFILES : NO_PROFILES] : []),
    `- In the audit, for ${toDays(kept.auditDays)}: who asked for what, and which messages were used for it, by ids and times, never in words.`,
    "- Of somebody who asked to be left out: a keyed hash of their id, to know it by.",
    ...describeRestores(kept.restores ?? []),
    "",
    "What you can do:",
    ...CHOICES[state],
    "- `/memory list` shows what is remembered about you, and `/privacy erase` erases what is held about you.",
    "- What you edit or delete on Discord is changed or gone here too.",
  ].join("\n");
}

/** Decisions between the backup and the restore that people may have to repeat. */
function describeRestores(restores: readonly RestoreNote[]): readonly string[] {
  return restores.filter(isOlderDatabase).map(({ backup_at, restored_at, replaced }) => {
    const span = `between ${toTime(backup_at)} and ${toTime(restored_at)}`;
    const lost =
      replaced === "both" ? "what you forgot and that you asked to be left out" : "that you asked to be left out";
    return `- A backup was restored: ${lost}, ${span}, may be missing. Do it again if you did. Facts from before are told to you alone until you confirm them again with \`/memory review\`.`;
  });
}

function toTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

const UNCOUNTED = {
  unknown: "how many there are of you cannot be read just now",
  untold: "how many there are of you is told to you alone, by `/privacy show` in Discord",
};

function describeTalks({ talks, talkDays }: KeptOf): readonly string[] {
  if (talks === null) return [];
  const count = typeof talks === "number" ? `of you: ${talks}` : UNCOUNTED[talks];
  return [
    `- Talks with this bot, for ${toDays(talkDays)}: with whom, where and when, and the ids of the messages, never in words (${count}).`,
  ];
}

const PROFILES =
  "- What a service of the person who runs this bot says about you, in memory for five minutes at most. It is asked by your id when somebody wants to know; each answer goes only to those for whom that person meant it.";
const NO_PROFILES = "- Nothing of what a service of the person who runs this bot says about you: it is not asked.";

const NO_MESSAGES =
  "- None of your messages, except requests that you make yourself: those are held in memory for the program that answers them.";

function describeMessages({ messagesPerChannel, maxAgeDays, diskDays }: KeptFacts): readonly string[] {
  const bounds = `at most ${messagesPerChannel.toLocaleString("en")} per channel, for at most ${toDays(maxAgeDays)} after they were last read from Discord`;
  const disk =
    diskDays === null
      ? "- No messages on disk."
      : `- Messages on disk only in channels that the person who runs this bot chose, until they are ${toDays(diskDays)} old.`;
  return [`- Messages in memory: ${bounds}.`, disk];
}

export function describeLeftOut(state: ConsentState): string {
  return [
    "Your messages are left out from now on, in every server that this bot is in. Nothing that you wrote or will write is found, quoted, summarised or passed on, and what was held of it is gone.",
    "",
    "This does not cover:",
    "- others who quote you, or what they write about you",
    "- your name where others mention you",
    "- what is posted for you through a webhook or a proxy bot: it does not come from your account",
    "- what was already sent, and what connected programs already received",
    "- what is on Discord itself: delete that there",
    "",
    "What you ask for yourself is still answered. Your wish is kept as a keyed hash of your id, also when everything else about you is erased.",
    state === "left_out_by_operator"
      ? "The person who runs this bot leaves you out as well; that stays, whatever you choose."
      : "`/privacy include-me` takes it back.",
  ].join("\n");
}

export function describeIncluded(state: ConsentState): string {
  if (state === "left_out_by_operator")
    return "Your messages stay left out, because the person who runs this bot decided so; only they can change it. You yourself do not ask for it any more.";
  return `${USED}\n\nThat holds for what you wrote meanwhile, too. \`/privacy leave-me-out\` leaves them out again.`;
}

export function describeErasure(state: ConsentState, kept: KeptOf): string {
  return [
    "**Nothing has been erased yet.**",
    "",
    "What goes:",
    "- every fact that is remembered about you, with its history and its key, and what others had remembered that rests on one of them",
    ...(kept.talks === null
      ? []
      : [
          `- your talks with this bot${typeof kept.talks === "number" ? `: ${kept.talks}` : ""}, as far as it keeps that there were any`,
        ]),
    ...(kept.countsTokens ? ["- on disk, how many tokens of the model were used for you"] : []),
    ...(kept.asksProfiles ? ["- what is cached of your profile; it stays with the service it comes from"] : []),
    "- actions that wait for your confirmation, and previews that you have not decided",
    `- your messages, as far as they are held in memory${kept.diskDays === null ? "" : " and on disk"}, and what was cached of searches and summaries`,
    "",
    "What stays:",
    `- in the audit, for ${toDays(kept.auditDays)}: ids and times of what you asked for and of messages that were used, never words`,
    ...(kept.countsTokens
      ? ["- in memory, until your hour is over: that count, because erasing must be no way around the limit"]
      : []),
    ...(state === "left_out" ? ["- your wish to be left out, as a keyed hash of your id"] : []),
    "- facts that you confirmed for a server or a project: others go on hearing them, without your id",
    "- what was said on Discord: delete that there",
    "- what connected programs have already received",
    "",
    state === "included"
      ? "Your messages are on Discord still, and are read from there again when somebody asks. `/privacy leave-me-out` prevents that; erasing does not."
      : "Your messages are left out, and stay so.",
  ].join("\n");
}

/** The state of forgotten facts in the files. */
export function describeGone(
  { areKeysDeleted, isScrubbed }: Pick<EraseReceipt, "areKeysDeleted" | "isScrubbed">,
  isOne = true,
): string {
  if (!areKeysDeleted)
    return isOne
      ? "It is told to nobody any more; its key will be deleted as soon as the storage allows."
      : "They are told to nobody any more; their keys will be deleted as soon as the storage allows.";
  const gone = `${isOne ? "It" : "They"} cannot be read again`;
  return isScrubbed
    ? `${gone}, not from backups of earshot.db either.`
    : `${gone}; traces of ${isOne ? "its key" : "their keys"} may be left on the disk until the table of keys was rewritten and its log recycled (pending).`;
}

export function describeErased(receipt: EraseReceipt): string {
  const { facts, talks, confirmations, areMessagesErased } = receipt;
  return [
    "Erased:",
    `- facts about you, with their history: ${facts}.${facts === 0 ? "" : ` ${describeGone(receipt, false)}`}`,
    `- talks with this bot, by ids and times: ${talks}`,
    `- actions that waited for your confirmation: ${confirmations}`,
    areMessagesErased
      ? "- your messages that were held, and what was cached of searches and summaries"
      : "- not your messages that are held: that was done less than ten minutes ago. Do this again later if you want it repeated.",
    "",
    "What was said on Discord is still there, and is read from there again unless you are left out: see `/privacy leave-me-out`.",
  ].join("\n");
}

function toDays(days: number): string {
  return days === 1 ? "1 day" : `${days.toLocaleString("en")} days`;
}
