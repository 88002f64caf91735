import type { FactInput } from "./fact-input.ts";
import { findPaymentNumber } from "./payment-numbers.ts";
import { findAssignedSecret } from "./secret-assignments.ts";
import type { SecretKind } from "./secret-kind.ts";
import { toSecretReadings } from "./secret-readings.ts";
import { findToken } from "./secret-tokens.ts";

/**
 * The kind of secret that a fact contains, or null. Catches accidents: it sees through simple disguises, but not through deliberate ones.
 * Examines at most `MAX_SCANNED_CHARACTERS`, more than `parseFactInput` allows.
 */
export function findSecret(fact: FactInput): SecretKind | null {
  const readings = toSecretReadings(fact);
  return findToken(readings) ?? findAssignedSecret(readings) ?? findPaymentNumber(readings);
}
