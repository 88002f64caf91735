import type { FactInput } from "./fact-input.ts";
import { findPaymentNumber } from "./payment-numbers.ts";
import { findAssignedSecret } from "./secret-assignments.ts";
import type { SecretKind } from "./secret-kind.ts";
import { toSecretReadings } from "./secret-readings.ts";
import { findToken } from "./secret-tokens.ts";

/**
 * The kind of secret that a fact contains, or null. Meant for accidents: it sees through simple hiding, but a person who wants to store a secret can. At most
 * `MAX_SCANNED_CHARACTERS` are examined, more than `parseFactInput` allows.
 */
export function findSecret(fact: FactInput): SecretKind | null {
  const readings = toSecretReadings(fact);
  return findToken(readings) ?? findAssignedSecret(readings) ?? findPaymentNumber(readings);
}
