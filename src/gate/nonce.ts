import { createHash } from "node:crypto";

/** The same for the same part of the same send, so that Discord itself drops a repetition. At most 25 characters, as Discord demands. */
export function toNonce(operationId: string, key: string, part: number): string {
  return createHash("sha256")
    .update(JSON.stringify([operationId, key, part]))
    .digest("base64url")
    .slice(0, 25);
}
