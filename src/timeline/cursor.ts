import { createHash } from "node:crypto";
import { EarshotError } from "../domain/errors.ts";
import { NEWEST } from "../domain/intervals.ts";

/** What a cursor belongs to: the kind of read, the channel, and everything else that was requested. */
export type CursorKey = readonly (string | bigint | number)[];

/** Where a read goes on. It holds only for the same key. */
export function toCursor(key: CursorKey, position: bigint): string {
  return `${position.toString(36)}.${sealOf(key, position)}`;
}

/** Throws `invalid` for anything but a cursor of the same key. */
export function fromCursor(key: CursorKey, cursor: string): bigint {
  const [digits = "", seal] = cursor.split(".");
  const position = /^[0-9a-z]{1,13}$/.test(digits)
    ? [...digits].reduce((sum, digit) => sum * 36n + BigInt(Number.parseInt(digit, 36)), 0n)
    : null;
  if (position === null || position > NEWEST || toCursor(key, position) !== cursor || seal === undefined)
    throw new EarshotError("invalid", "The cursor does not belong to this request: start again without one.");
  return position;
}

function sealOf(key: CursorKey, position: bigint): string {
  const text = [...key, position].map((part) => encodeURIComponent(String(part).toWellFormed())).join("/");
  return createHash("sha256").update(text).digest("base64url").slice(0, 12);
}
