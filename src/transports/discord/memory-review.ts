import type { UserId } from "../../domain/ids.ts";
import type { DormantReason, OwnFacts, ReviewedFact } from "../../gate/memory/own-facts.ts";
import type { Consent } from "../../ports/consent.ts";
import type { CommandRun, Note } from "../../ports/discord.ts";
import type { ProposalDirectory } from "../kit/describe-proposal.ts";
import { describeLimits } from "../kit/describe-why.ts";
import { describeForgotten, LEFT_OUT, toAudienceWords, toShownName, toShownValue, toTime } from "./memory-text.ts";
import type { OwnPreviews } from "./own-previews.ts";
import { toDiscordWords } from "./proposal-notes.ts";

export interface ReviewDeps {
  readonly directory: ProposalDirectory;
  readonly consent: Pick<Consent, "isLeftOut">;
  readonly previews: OwnPreviews;
}

/** Must be below the maximum of pending previews per person. */
const PAGE = 4;
const NOTHING = "There is nothing to review: all that is remembered about you is in use.";
const OUT_OF_REACH = "Not in use: what it rests on cannot be read any more.";

/** The deletion of a source is not disclosed to others. */
const REASONS: Readonly<Record<NonNullable<DormantReason> | "unused" | "ending", string>> = {
  source_out_of_reach: OUT_OF_REACH,
  source_deleted: OUT_OF_REACH,
  source_uncertain: "Not in use at the moment.",
  left_out: "Not in use: you are left out.",
  restored:
    "Only you hear it: it comes from a backup, and what you decided since then may be missing. If you keep it, you confirm it again.",
  source_edited: "Only you hear it: what it rests on was edited. If you keep it, you confirm it again.",
  left_server: "Not in use: you have left the server with which it is shared.",
  unused: "No use is known for a year.",
  ending:
    "It ends within a month. If you keep it, you confirm it again, and it is remembered for as long as a new fact.",
};

/** Facts of the person that are not in use, were not used for a year, or end soon, each with buttons to keep or forget it. */
export async function showReview(
  { userId, options }: CommandRun,
  facts: OwnFacts,
  { directory, consent, previews }: ReviewDeps,
): Promise<readonly Note[]> {
  const all = await facts.review(userId);
  const leftOut = consent.isLeftOut(userId) ? [LEFT_OUT] : [];
  if (all.length === 0) return [{ text: [NOTHING, ...leftOut].join("\n") }];
  const pages = Math.ceil(all.length / PAGE);
  const page = Number(options.get("page") ?? 1);
  if (!(page >= 1 && page <= pages)) return [{ text: `There is no page ${page}; the last one is ${pages}.` }];
  const count =
    all.length === 1
      ? "1 fact is not in use, was not used for a year, or ends within a month"
      : `${all.length} facts are not in use, were not used for a year, or end within a month`;
  const head = `${count}${pages > 1 ? `; page ${page} of ${pages}` : ""}. Nothing changes unless you press a button; you can until ${toTime(previews.expiry(), "T")}.`;
  const shown = all.slice((page - 1) * PAGE, page * PAGE);
  const toNote = (one: ReviewedFact): Note => ({
    text: describeReviewed(one, directory),
    buttons: previews.add(userId, toDecision(userId, one, { facts, directory })),
  });
  return [{ text: [head, ...leftOut].join("\n") }, ...shown.map(toNote)];
}

function toDecision(
  person: UserId,
  { fact: { id, name } }: ReviewedFact,
  { facts, directory }: { readonly facts: OwnFacts; readonly directory: ProposalDirectory },
) {
  const keep = async () => {
    const kept = await facts.keep(person, id);
    if (kept.id === id) return [{ text: `Kept: ${toShownName(name)}.` }];
    const hearers = describeLimits(kept, toDiscordWords(person, directory));
    const until = kept.expiresAt === null ? "" : `, until ${toTime(kept.expiresAt, "d")}`;
    return [{ text: `Kept: ${toShownName(name)}. You have confirmed it again. Who can hear it: ${hearers}${until}.` }];
  };
  const forget = async () => [{ text: describeForgotten(name, await facts.forget(person, id)) }];
  return {
    choices: [
      { label: "Keep", confirm: keep },
      { label: "Forget", confirm: forget },
    ],
    cancelled: `${toShownName(name)} stays as it is.`,
    cancelLabel: "Later",
  };
}

function describeReviewed(own: ReviewedFact, directory: ProposalDirectory): string {
  const { fact, dormant, why } = own;
  const until = fact.expiresAt === null ? "" : `, until ${toTime(fact.expiresAt, "d")}`;
  return [
    `${toShownName(fact.name)}: ${toShownValue(own)}`,
    `For whom it is: ${toAudienceWords(fact.home, directory)}; since ${toTime(fact.createdAt, "d")}${until}.`,
    REASONS[why === "dormant" ? (dormant ?? "source_uncertain") : why],
  ].join("\n");
}
