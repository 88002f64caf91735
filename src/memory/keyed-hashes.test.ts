import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { UserId } from "../domain/ids.ts";
import { deriveMark, hashKeyName, hashSource } from "./key-ring.ts";

const KEY = new Uint8Array(32).fill(7);
const OTHER = new Uint8Array(32).fill(8);

/** The same with WebCrypto. */
async function hmac(key: Uint8Array<ArrayBuffer>, text: string): Promise<string> {
  const imported = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return Buffer.from(await crypto.subtle.sign("HMAC", imported, new TextEncoder().encode(text))).toString("hex");
}

describe("the hash of a key's name", () => {
  it("is the same for names that differ in case, white space or Unicode form", () => {
    const expected = hashKeyName(KEY, "café name");
    for (const name of ["Café Name", "  café \u00a0\n name\t", "CAFE\u0301 NAME", "ｃａｆé name"])
      expect(hashKeyName(KEY, name)).toBe(expected);
    for (const name of ["cafe name", "cafén ame", "cafénname", ""]) expect(hashKeyName(KEY, name)).not.toBe(expected);
  });

  it("is the same for every name and its normalised form", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (name) => {
        const normalised = ` ${name.normalize("NFKC").toLowerCase()} `;
        expect(hashKeyName(KEY, normalised)).toBe(hashKeyName(KEY, name));
      }),
    );
  });

  it("differs from subject to subject", async () => {
    expect(hashKeyName(KEY, "colour")).not.toBe(hashKeyName(OTHER, "colour"));
    expect(hashKeyName(KEY, "Colour")).toBe(await hmac(KEY, "colour"));
  });
});

describe("the hash of a source", () => {
  it("uses a key that is derived from the fact's own", async () => {
    const base = await crypto.subtle.importKey("raw", KEY, "HKDF", false, ["deriveBits"]);
    const info = new TextEncoder().encode("earshot source hash 1");
    const derived = await crypto.subtle.deriveBits(
      { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info },
      base,
      256,
    );
    expect(hashSource(KEY, "I like teal")).toBe(await hmac(new Uint8Array(derived), "I like teal"));
    expect(hashSource(KEY, "I like teal")).not.toBe(hashSource(KEY, "I like teal."));
    expect(hashSource(KEY, "I like teal")).not.toBe(hashSource(OTHER, "I like teal"));
  });
});

describe("the mark of a person", () => {
  it("is a keyed hash of the id", async () => {
    expect(deriveMark(KEY, "11" as UserId)).toBe(await hmac(KEY, "11"));
    expect(deriveMark(OTHER, "11" as UserId)).not.toBe(deriveMark(KEY, "11" as UserId));
  });
});

describe("the hashes of facts", () => {
  it("are HMACs of every text under every key of at most a block", async () => {
    const key = fc.uint8Array({ minLength: 1, maxLength: 64 });
    await fc.assert(
      fc.asyncProperty(key, fc.string({ unit: "binary" }), async (bytes, text) => {
        expect(deriveMark(bytes, text as UserId)).toBe(await hmac(Uint8Array.from(bytes), text));
      }),
    );
  });
});
