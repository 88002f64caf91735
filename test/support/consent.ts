import type { UserId } from "../../src/domain/ids.ts";
import type { ConsentChange, OwnConsent } from "../../src/ports/consent.ts";
import { PersonMemory, type PersonMemoryDeps } from "../../src/transports/kit/person-memory.ts";
import { Privacy } from "../../src/transports/kit/privacy.ts";

/** Consent that a test changes as it likes. */
export interface TestConsent extends OwnConsent {
  set(userId: string, isLeftOut: boolean): void;
  leftOut(): UserId[];
}

export function createTestConsent(leftOut: readonly string[] = []): TestConsent {
  const ids = new Set<string>(leftOut);
  const listeners = new Set<(change: ConsentChange) => void>();
  const set: TestConsent["set"] = (userId, isLeftOut) => {
    if (ids.has(userId) === isLeftOut) return;
    if (isLeftOut) ids.add(userId);
    else ids.delete(userId);
    for (const listener of listeners) listener({ userId: userId as UserId, isLeftOut });
  };
  return {
    isLeftOut: (authorId) => ids.has(authorId),
    stateOf(userId) {
      if (leftOut.includes(userId)) return "left_out_by_operator";
      return ids.has(userId) ? "left_out" : "included";
    },
    leaveOut: async (userId) => set(userId, true),
    async include(userId) {
      if (!leftOut.includes(userId)) set(userId, false);
    },
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    leftOut: () => [...ids] as UserId[],
    set,
  };
}

export function createTestPrivacy(consent: OwnConsent = createTestConsent()): Privacy {
  const days = { maxAgeDays: 30, diskDays: null, auditDays: 90, talkDays: 90 };
  const kept = { messagesPerChannel: 20_000, ...days, countsTokens: false, asksProfiles: false };
  return new Privacy({ consent, kept, clock: { now: () => Date.now() } });
}

const nobody = () => undefined;
const NO_DIRECTORY = { channel: nobody, canRead: () => false, member: nobody, guild: nobody, people: () => [] };

/** What people do with what is remembered about themselves; nothing is unless given. */
export function createTestPersonMemory({
  consent,
  ...parts
}: Partial<Pick<PersonMemoryDeps, "ownMemory" | "ownTalks" | "erasePerson" | "directory">> & {
  readonly consent?: OwnConsent;
} = {}): PersonMemory {
  const erasePerson = () => Promise.reject(new Error("nothing is held here"));
  const nothing = { ownMemory: null, erasePerson, directory: NO_DIRECTORY };
  return new PersonMemory({
    ...nothing,
    ...parts,
    privacy: createTestPrivacy(consent),
    clock: { now: () => Date.now() },
  });
}
