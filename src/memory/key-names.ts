import type { FactRow, FactSubject } from "../ports/fact-store.ts";

/** The key that marks of people are made with. */
export const CONSENT = "consent";
export const FACT_PREFIX = "fact:";
export const SUBJECT_PREFIX = "subject:";

export function toFactKeyName(id: string): string {
  return FACT_PREFIX + id;
}

/** The key that hashes names of keys of one person, project or server. */
export function toSubjectKeyName({ scope_type, scope_id }: FactSubject): string {
  return `${SUBJECT_PREFIX}${scope_type}:${scope_id}`;
}

/** From the name of a subject's key. */
export function toSubject(keyName: string): FactSubject {
  const [scopeType = "", ...rest] = keyName.slice(SUBJECT_PREFIX.length).split(":");
  return { scope_type: scopeType as FactRow["scope_type"], scope_id: rest.join(":") };
}
