import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GuildId, UserId } from "../domain/ids.ts";
import { BASIS_TYPES } from "../domain/memory/fact.ts";
import type { FactRow, FactSource, StoredFact } from "../ports/fact-store.ts";
import { type FactContent, openFact, sealFact, type UnsealedFact } from "./seal.ts";

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const text = fc.string({ unit: "binary", maxLength: 20 });
const nullable = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null });
const anySource: fc.Arbitrary<FactSource> = fc.record({
  ...{ type: fc.constantFrom(...BASIS_TYPES), ref: text, hash: text, isOwn: fc.boolean() },
});
const anyRow: fc.Arbitrary<UnsealedFact["row"]> = fc.record({
  ...{ id: text, scope_type: fc.constantFrom("user", "project", "org"), scope_id: text, key: text },
  ...{ subject_id: nullable(text as fc.Arbitrary<UserId>), guild_id: nullable(text as fc.Arbitrary<GuildId>) },
  ...{ audience_ref: nullable(text), visibility: fc.constantFrom("private", "project", "org") },
  created_by: text as fc.Arbitrary<UserId>,
  verification_status: fc.constantFrom("inferred", "user_confirmed", "admin_confirmed", "authoritative"),
  ...{ confidence: fc.double({ min: 0, max: 1, noNaN: true }), expires_at: nullable(fc.nat()) },
  ...{ version: fc.nat(), created_at: fc.nat() },
});
const anyContent: fc.Arbitrary<FactContent> = fc.record({
  ...{ name: fc.string({ unit: "binary" }), value: fc.jsonValue(), authorMarks: fc.array(nullable(text)) },
});
const anyCase = fc.record({
  content: anyContent,
  fact: fc.record({ row: anyRow, sources: fc.array(anySource, { maxLength: 4 }) }),
  secrets: fc.record({ key: bytes(32), nonce: bytes(12), storeId: text }),
});

const ROW: UnsealedFact["row"] = {
  ...{ id: "fact", scope_type: "user", scope_id: "11", subject_id: "11" as UserId, guild_id: "1" as GuildId },
  ...{ audience_ref: "channel:7", key: "k", visibility: "project" },
  ...{ created_by: "11" as UserId, verification_status: "user_confirmed", confidence: 1 },
  ...{ expires_at: 500, created_at: 1, version: 3 },
};
const SOURCES: readonly FactSource[] = [
  { type: "typed", ref: "r", hash: "x", isOwn: true },
  { type: "discord_message", ref: "7/70", hash: "y", isOwn: false },
];
const CONTENT: FactContent = { name: "Favourite colour", value: "teal", authorMarks: ["m", null] };
const KEY = new Uint8Array(32).fill(7);
const SECRETS = { key: KEY, storeId: "store", nonce: new Uint8Array(12).fill(9) };

function seal(content: FactContent = CONTENT): StoredFact {
  const fact = { row: ROW, sources: SOURCES };
  return { ...fact, row: { ...ROW, value_json: sealFact(content, fact, SECRETS) } };
}

/** Reads the documented format with WebCrypto alone. */
async function decrypt(sealed: string, key: Uint8Array<ArrayBuffer>, bound: unknown): Promise<FactContent> {
  const blob = Buffer.from(sealed, "base64");
  expect(blob[0]).toBe(1);
  const imported = await crypto.subtle.importKey("raw", key, "AES-GCM", false, ["decrypt"]);
  const algorithm = {
    name: "AES-GCM",
    iv: blob.subarray(1, 13),
    additionalData: new TextEncoder().encode(JSON.stringify(bound)),
    tagLength: 128,
  };
  const plain = Buffer.from(await crypto.subtle.decrypt(algorithm, imported, blob.subarray(13)));
  expect(plain.length % 64).toBe(8);
  const [first, second] = [plain.readUInt32BE(0), plain.readUInt32BE(4)];
  const begin = 8 + 64 * Math.ceil(first / 64);
  const [name, authorMarks] = JSON.parse(plain.toString("utf8", 8, 8 + first));
  expect(plain.subarray(8 + first, begin).every((byte) => byte === 0)).toBe(true);
  expect(plain.subarray(begin + second).every((byte) => byte === 0)).toBe(true);
  return { name, value: JSON.parse(plain.toString("utf8", begin, begin + second)), authorMarks };
}

function toBound({ row, sources }: UnsealedFact, storeId: string): unknown {
  const { id, version, scope_type, scope_id, subject_id, guild_id, audience_ref, key, visibility } = row;
  const { verification_status, confidence, expires_at, created_at } = row;
  const [first] = sources;
  return [
    ...["earshot fact", 1, storeId, id, version, scope_type, scope_id, subject_id, guild_id, audience_ref, key],
    ...[visibility, verification_status, confidence, expires_at, created_at],
    ...[first?.type, first?.ref, first?.hash],
    sources.map((source) => [source.type, source.ref, source.hash, source.isOwn]),
  ];
}

describe("a sealed fact", () => {
  it("opens to what was sealed, also for an independent reader of the format", async () => {
    await fc.assert(
      fc.asyncProperty(anyCase, async ({ content, fact, secrets }) => {
        const value_json = sealFact(content, fact, secrets);
        const expected = JSON.parse(JSON.stringify(content));
        expect(openFact({ ...fact, row: { ...fact.row, value_json } }, secrets)).toEqual(expected);
        const key = new Uint8Array(secrets.key);
        expect(await decrypt(value_json, key, toBound(fact, secrets.storeId))).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  it("is damaged by every change of a single bit, in the bytes and in their base64 text", () => {
    const fact = seal();
    const withText = (value_json: string) => openFact({ ...fact, row: { ...fact.row, value_json } }, SECRETS);
    const blob = Buffer.from(fact.row.value_json, "base64");
    expect(withText(blob.toString("base64"))).toEqual(CONTENT);
    for (let bit = 0; bit < blob.length * 8; bit += 1) {
      const flipped = Buffer.from(blob);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(withText(flipped.toString("base64"))).toBe("damaged");
    }
    const letters = Buffer.from(fact.row.value_json);
    for (let bit = 0; bit < letters.length * 8; bit += 1) {
      const flipped = Buffer.from(letters);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(withText(flipped.toString("latin1"))).toBe("damaged");
    }
  });

  it("is damaged when it is cut anywhere, or when anything follows it", () => {
    const fact = seal();
    const blob = Buffer.from(fact.row.value_json, "base64");
    const open = (bytes: Uint8Array) =>
      openFact({ ...fact, row: { ...fact.row, value_json: Buffer.from(bytes).toString("base64") } }, SECRETS);
    for (let length = 0; length < blob.length; length += 1) expect(open(blob.subarray(0, length))).toBe("damaged");
    expect(open(Buffer.concat([blob, Buffer.alloc(1)]))).toBe("damaged");
  });

  it("is damaged when its version byte is unknown", () => {
    const fact = seal();
    for (const version of [0, 2, 255]) {
      const blob = Buffer.from(fact.row.value_json, "base64");
      blob[0] = version;
      expect(openFact({ ...fact, row: { ...fact.row, value_json: blob.toString("base64") } }, SECRETS)).toBe("damaged");
    }
  });

  const changes = {
    ...{ id: "other", version: 4, scope_type: "org", scope_id: "12", subject_id: null, guild_id: null },
    ...{ audience_ref: "channel:8", key: "l", visibility: "org", verification_status: "authoritative" },
    ...{ confidence: 0.5, expires_at: null, created_at: 2 },
  } satisfies Partial<FactRow>;
  it.each(Object.entries(changes))("is damaged when its column %s is another", (column, value) => {
    const fact = seal();
    expect(openFact({ ...fact, row: { ...fact.row, [column]: value } }, SECRETS)).toBe("damaged");
  });

  it("is damaged by every change of a single bit in a text column that is bound", () => {
    const fact = seal();
    for (const [column, value] of Object.entries(ROW))
      if (column in changes && typeof value === "string")
        for (let bit = 0; bit < value.length * 8; bit += 1) {
          const flipped = Buffer.from(value, "latin1");
          flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
          const row = { ...fact.row, [column]: flipped.toString("latin1") };
          expect(openFact({ ...fact, row }, SECRETS)).toBe("damaged");
        }
  });

  it("is damaged when a source is changed, missing, added or in another place", () => {
    const fact = seal();
    const [first, second] = SOURCES as [FactSource, FactSource];
    const changed = [
      [],
      [first],
      [second, first],
      [first, second, second],
      [first, { ...second, isOwn: true }],
      [first, { ...second, ref: "7/71" }],
      [first, { ...second, type: "typed" as const }],
      [first, { ...second, hash: "z" }],
      [{ ...first, type: "typedr" as never, ref: "" }, second],
    ];
    for (const sources of changed) expect(openFact({ ...fact, sources }, SECRETS)).toBe("damaged");
  });

  it("is damaged in another store and under another key", () => {
    expect(openFact(seal(), { ...SECRETS, storeId: "another" })).toBe("damaged");
    expect(openFact(seal(), { ...SECRETS, key: new Uint8Array(32) })).toBe("damaged");
    for (const length of [0, 16, 31, 33])
      expect(openFact(seal(), { ...SECRETS, key: new Uint8Array(length) })).toBe("damaged");
  });

  it("stays readable when a column changes that is not bound", () => {
    const fact = seal();
    const row = { ...fact.row, created_by: "" as const };
    expect(openFact({ ...fact, row }, SECRETS)).toEqual(CONTENT);
  });

  it("is as long for a value of 1 byte as for one of 60, whatever the name", () => {
    for (const name of ["", "a", "a".repeat(63), "a".repeat(64)]) {
      const lengths = Array.from({ length: 60 }, (_, index) =>
        seal({ ...CONTENT, name, value: "v".repeat(index + 1) }),
      );
      expect(new Set(lengths.map(({ row }) => row.value_json.length)).size).toBe(1);
    }
  });

  it("is damaged, and nothing worse, for any bytes", () => {
    const anyText = fc.oneof(fc.string({ unit: "binary" }), fc.base64String(), bytes(200).map(toBase64));
    fc.assert(
      fc.property(anyText, (value_json) => {
        expect(openFact({ row: { ...ROW, value_json }, sources: SOURCES }, SECRETS)).toBe("damaged");
      }),
    );
  });
});

/** With the right version byte. */
function toBase64(all: Uint8Array): string {
  return Buffer.from([1, ...all]).toString("base64");
}
