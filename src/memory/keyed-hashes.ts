import { createHmac, createSecretKey, hkdfSync } from "node:crypto";
import type { UserId } from "../domain/ids.ts";
import { normaliseName } from "../domain/memory/fact.ts";
import { KEY_BYTES } from "./seal.ts";

/** Equal for names that differ only in case, white space or Unicode form. */
export function hashKeyName(subjectKey: Uint8Array, name: string): string {
  return hash(subjectKey, normaliseName(name));
}

/** Of the words of a source. The fact's own key seals; another one that is derived from it hashes. */
export function hashSource(factKey: Uint8Array, words: string): string {
  const derived = new Uint8Array(
    hkdfSync("sha256", createSecretKey(factKey), new Uint8Array(), "earshot source hash 1", KEY_BYTES),
  );
  return hash(derived, words);
}

/** Stands for a person where no id may be kept: in the list of opt-outs, and for authors of sources. */
export function deriveMark(consentKey: Uint8Array, userId: UserId): string {
  return hash(consentKey, userId);
}

function hash(key: Uint8Array, text: string): string {
  return createHmac("sha256", createSecretKey(key)).update(text, "utf8").digest("hex");
}
