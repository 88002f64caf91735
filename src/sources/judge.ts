import type { Audience } from "../domain/audience.ts";
import type { Kept, SourceState } from "../domain/source.ts";
import { kindOf } from "./kinds/index.ts";
import type { Moment, SourceWorld } from "./kinds/kind.ts";
import { isSubjectThere } from "./kinds/limits.ts";

/** Whether all readers may know all sources now. `uncertain` sources are neither disclosed nor taken back. */
export type Judgement =
  | { readonly answer: "yes"; readonly reason: null }
  | { readonly answer: "no"; readonly reason: "not_for_everyone_there" | "source_deleted" | "source_changed" }
  | { readonly answer: "unknown"; readonly reason: "source_uncertain" };

export const YES = { answer: "yes", reason: null } as const;
export const BARRED = { answer: "no", reason: "not_for_everyone_there" } as const;

const BY_STATE: Readonly<Record<SourceState, Judgement>> = {
  standing: YES,
  uncertain: { answer: "unknown", reason: "source_uncertain" },
  changed: { answer: "no", reason: "source_changed" },
  deleted: { answer: "no", reason: "source_deleted" },
};

interface JudgedReaders {
  /** In groups. An empty list gets nothing. */
  readonly readers: readonly Audience[];
  readonly moment: Moment;
}

/**
 * Whether all readers may know all sources, and these are unchanged since they were read: the last two checks of every read and effect.
 * Synchronous, so that nothing can change between its answer and the send.
 */
export function judge(sources: Iterable<Kept>, { readers, moment }: JudgedReaders, world: SourceWorld): Judgement {
  if (readers.length === 0) return BARRED;
  const [seen, looked] = [new Set<string>(), new Set<string>()];
  let worst: SourceState = "standing";
  for (const source of sources) {
    worst = worse(worst, stateOf(source, world));
    const kind = kindOf(source);
    const alike = kind.limitedAs?.(source, moment);
    if (alike !== undefined && looked.has(alike)) continue;
    if (alike !== undefined) looked.add(alike);
    const limits = kind.limits(source, world, moment);
    if (limits === null) worst = worse(worst, "uncertain");
    for (const { key, allows } of limits ?? []) {
      if (seen.has(key)) continue;
      seen.add(key);
      if (!readers.every(allows)) return BARRED;
    }
  }
  return BY_STATE[worst];
}

/** The state of a source. One that is about a person in a server stands only while they are a member. */
export function stateOf(source: Kept, world: SourceWorld): SourceState {
  const kind = kindOf(source);
  for (const subject of kind.subjects?.(source, world.directory) ?? [])
    if (!isSubjectThere(subject, world.directory)) return "deleted";
  return kind.state?.(source, world) ?? "standing";
}

const FROM_WORST: readonly SourceState[] = ["deleted", "changed", "uncertain", "standing"];

function worse(one: SourceState, other: SourceState): SourceState {
  if (one === other) return one;
  return FROM_WORST.indexOf(one) < FROM_WORST.indexOf(other) ? one : other;
}
