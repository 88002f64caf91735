import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { hasAuditKey, keepAuditKey, loadAuditKey, prepareAuditKey } from "./audit-key.ts";

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "earshot-key-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "data");
}

const make = () => randomBytes(32);
/** As a start that goes well. */
async function createAuditKey(folder: string, key: Uint8Array): Promise<void> {
  await prepareAuditKey(folder, key);
  await keepAuditKey(folder);
}
const modeOf = (path: string) => statSync(path).mode & 0o777;

describe("the audit key", () => {
  it("is created once, readable by its owner only", async () => {
    const folder = newFolder();
    const key = make();
    expect(await hasAuditKey(folder)).toBe(false);
    await createAuditKey(folder, key);
    expect(await hasAuditKey(folder)).toBe(true);
    expect(Buffer.from(await loadAuditKey(folder)).equals(key)).toBe(true);
    expect([modeOf(folder), modeOf(join(folder, "audit.key"))]).toEqual([0o700, 0o600]);
    expect(readdirSync(folder)).toEqual(["audit.key"]);
  });

  it("is stored by only one of several programs that start at once", async () => {
    const folder = newFolder();
    const keys = Array.from({ length: 20 }, make);
    const outcomes = await Promise.all(keys.map((key) => prepareAuditKey(folder, key)));
    await keepAuditKey(folder);
    const stored = Buffer.from(await loadAuditKey(folder));
    expect(outcomes.filter((key) => stored.equals(key))).toHaveLength(keys.length);
    expect(keys.filter((key) => stored.equals(key))).toHaveLength(1);
    expect(readdirSync(folder)).toEqual(["audit.key"]);
  });

  it("is not replaced by a new one, because an existing key means that an audit was written", async () => {
    const folder = newFolder();
    const key = make();
    await createAuditKey(folder, key);
    await expect(createAuditKey(folder, make())).rejects.toMatchObject({
      code: "misconfigured",
      message: expect.stringMatching(/earshot\.db is missing or empty.*move audit\.key/),
    });
    expect(Buffer.from(await loadAuditKey(folder)).equals(key)).toBe(true);
  });

  it("stays as it is where a start that was killed has left another one", async () => {
    const folder = newFolder();
    const [left, key] = [make(), make()];
    await prepareAuditKey(folder, left);
    // The operator restores a saved key.
    writeFileSync(join(folder, "audit.key"), key);
    await keepAuditKey(folder);
    expect(Buffer.from(await loadAuditKey(folder)).equals(key)).toBe(true);
  });

  it("is not created again when an audit already exists", async () => {
    const folder = newFolder();
    await expect(loadAuditKey(folder)).rejects.toMatchObject({
      code: "misconfigured",
      message: expect.stringContaining("audit.key"),
    });
  });

  it("is rejected and left unchanged when it is malformed", async () => {
    const folder = newFolder();
    await createAuditKey(folder, make());
    writeFileSync(join(folder, "audit.key"), "short");
    await expect(loadAuditKey(folder)).rejects.toMatchObject({ code: "misconfigured" });
    expect(readFileSync(join(folder, "audit.key"), "utf8")).toBe("short");
  });

  it("loses its read permission for others when it is loaded", async () => {
    const folder = newFolder();
    await createAuditKey(folder, make());
    chmodSync(join(folder, "audit.key"), 0o644);
    await loadAuditKey(folder);
    expect(modeOf(join(folder, "audit.key"))).toBe(0o600);
  });
});
