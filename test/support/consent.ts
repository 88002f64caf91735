import type { UserId } from "../../src/domain/ids.ts";
import type { Consent, ConsentChange } from "../../src/ports/consent.ts";

/** Consent that a test changes as it likes. */
export interface TestConsent extends Consent {
  set(userId: string, isLeftOut: boolean): void;
  leftOut(): UserId[];
}

export function createTestConsent(leftOut: readonly string[] = []): TestConsent {
  const ids = new Set<string>(leftOut);
  const listeners = new Set<(change: ConsentChange) => void>();
  return {
    isLeftOut: (authorId) => ids.has(authorId),
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    leftOut: () => [...ids] as UserId[],
    set(userId, isLeftOut) {
      if (ids.has(userId) === isLeftOut) return;
      if (isLeftOut) ids.add(userId);
      else ids.delete(userId);
      for (const listener of listeners) listener({ userId: userId as UserId, isLeftOut });
    },
  };
}
