import { editDistance } from "./edit-distance.ts";
import { toId } from "./ids.ts";
import { type NameForms, toForms, toSkeleton } from "./name-forms.ts";
import { isOrdinaryWord } from "./ordinary-words.ts";

/** Somebody, or a channel, with every name it goes by. */
export interface Named {
  readonly id: string;
  readonly names: readonly string[];
}

/** Whom a name means. Where it could mean several, it is not decided between them. */
export type Resolution<Candidate extends Named> =
  | { readonly kind: "one"; readonly candidate: Candidate }
  | { readonly kind: "several"; readonly candidates: readonly Candidate[] }
  | { readonly kind: "none" };

export interface NameIndex<Candidate extends Named> {
  resolve(query: string): Resolution<Candidate>;
}

/** For a single question. Whoever asks more often, or among thousands, keeps an index. */
export function resolveName<Candidate extends Named>(
  query: string,
  candidates: readonly Candidate[],
): Resolution<Candidate> {
  return createNameIndex(candidates).resolve(query);
}
