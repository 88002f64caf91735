import { EarshotError } from "../../domain/errors.ts";
import type { ChannelId, MessageId, UserId } from "../../domain/ids.ts";
import { type Fact, toFactId } from "../../domain/memory/fact.ts";
import type { NewBasis } from "../../domain/memory/remember-request.ts";
import { RECORD_KINDS } from "../../domain/source.ts";
import { strongestOf } from "../../memory/fact-history.ts";
import type { Clock } from "../../ports/clock.ts";
import { readVersion } from "./check-basis.ts";
import { type LookDeps, lookAtFacts } from "./look-at-facts.ts";
import type { DormantReason, ReviewedFact } from "./own-facts.ts";
import { findOwnWords, toBasis } from "./proposal-basis.ts";

const DAY_MS = 86_400_000;
const UNUSED_MS = 365 * DAY_MS;
/** Only the month of a use is known, so it counts as its last day. */
const MONTH_MS = 31 * DAY_MS;
/** Facts that end this soon can be prolonged, except those saved for less than three months. */
const ENDING_MS = 30 * DAY_MS;
const LONG_MS = 90 * DAY_MS;
/** A kept dormant fact is not shown again for this long. */
const KEPT_MS = 90 * DAY_MS;
/** These are temporary, or concern all facts of a person. */
const PASSING: readonly DormantReason[] = [null, "source_uncertain", "left_out"];

const CHANGED =
  "What this rests on has changed too much to be confirmed again. Have it remembered once more, or forget it.";

/** Facts of a person that are not in use, were not used for a year, or end soon. */
export async function reviewFacts(
  actor: UserId,
  { clock, ...deps }: LookDeps & { readonly clock: Clock },
): Promise<readonly ReviewedFact[]> {
  const { memory } = deps;
  const facts = await lookAtFacts(actor, strongestOf(await memory.find({ subjectId: actor })), deps);
  const all = facts.map(({ fact }) => fact);
  const [kept, uses] = await Promise.all([memory.keptAt(all), memory.uses(all)]);
  const usedAt = new Map<string, number>();
  for (const { fact_id: id, month } of uses)
    usedAt.set(id, Math.max(usedAt.get(id) ?? 0, Date.parse(month) + MONTH_MS));
  const now = clock.now();
  return facts.flatMap((own): ReviewedFact[] => {
    const keptAt = kept.get(own.fact.id) ?? 0;
    const isKept = keptAt > 0 && now - keptAt < KEPT_MS;
    if (!PASSING.includes(own.dormant)) return isKept ? [] : [{ ...own, why: "dormant" }];
    const lastAt = Math.max(usedAt.get(own.fact.id) ?? 0, keptAt, own.fact.createdAt);
    if (now - lastAt >= UNUSED_MS) return [{ ...own, why: "unused" }];
    return own.dormant === null && endsSoon(own.fact, now) ? [{ ...own, why: "ending" }] : [];
  });
}

/** Keeping it prolongs it. */
export function endsSoon({ createdAt, expiresAt }: Fact, now: number): boolean {
  return expiresAt !== null && expiresAt - now <= ENDING_MS && expiresAt - createdAt >= LONG_MS;
}

/** The current basis of an edited fact for its person's new confirmation. Text that no longer occurs there no longer counts as their own
 * words. */
export async function toCurrentBasis(actor: UserId, fact: Fact, deps: LookDeps): Promise<readonly NewBasis[]> {
  const basis: NewBasis[] = [];
  for (const { type, ref, isOwn } of fact.basis) {
    if (type === "discord_message") {
      const [channelId, messageId] = ref.split("/") as [ChannelId, MessageId];
      const message = await deps.timelines.message(channelId, messageId);
      if (!message) throw new EarshotError("forbidden", CHANGED);
      const said = { channelId, messageId };
      const own = isOwn ? await findOwnWords({ actor }, { draft: fact, ref: said }, deps) : null;
      basis.push(own ?? toBasis(message));
      continue;
    }
    const kind = RECORD_KINDS.get(type);
    if (kind) {
      const version = await readVersion({ kind, ref }, deps.records);
      if (version === null) throw new EarshotError("forbidden", CHANGED);
      basis.push({ type, ref, isOwn, authorId: null, words: version });
      continue;
    }
    const other = type === "memory_fact" ? await deps.memory.openById(toFactId(ref)) : null;
    // Only the person can say which of two values is meant.
    if (type === "memory_fact" && (!other || (await deps.memory.isReplaced(other))))
      throw new EarshotError("forbidden", CHANGED);
    const authorId = other && other.subjectId !== actor ? other.subjectId : null;
    basis.push({ type, ref, isOwn, authorId, words: "" });
  }
  return basis;
}
