import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { loadAuditKey } from "./audit-key.ts";

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "earshot-key-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "data");
}

const make = () => randomBytes(32);
const modeOf = (path: string) => statSync(path).mode & 0o777;

describe("the key of the audit", () => {
  it("is made once, for its owner alone", async () => {
    const folder = newFolder();
    const key = await loadAuditKey(folder, make);
    expect(key).toHaveLength(32);
    expect(Buffer.from(await loadAuditKey(folder, make)).equals(key)).toBe(true);
    expect(Buffer.from(await loadAuditKey(folder, null)).equals(key)).toBe(true);
    expect([modeOf(folder), modeOf(join(folder, "audit.key"))]).toEqual([0o700, 0o600]);
    expect(readdirSync(folder)).toEqual(["audit.key"]);
  });

  it("is the same for all who start at once", async () => {
    const folder = newFolder();
    const keys = await Promise.all(Array.from({ length: 20 }, () => loadAuditKey(folder, make)));
    expect(new Set(keys.map((key) => Buffer.from(key).toString("hex"))).size).toBe(1);
    expect(readdirSync(folder)).toEqual(["audit.key"]);
  });

  it("is not made anew where an audit exists already", async () => {
    const folder = newFolder();
    await expect(loadAuditKey(folder, null)).rejects.toMatchObject({
      code: "misconfigured",
      message: expect.stringContaining("audit.key"),
    });
  });

  it("is refused when it is not a key, and left as it is", async () => {
    const folder = newFolder();
    await loadAuditKey(folder, make);
    writeFileSync(join(folder, "audit.key"), "short");
    await expect(loadAuditKey(folder, make)).rejects.toMatchObject({ code: "misconfigured" });
    expect(readFileSync(join(folder, "audit.key"), "utf8")).toBe("short");
  });

  it("is taken away from others who could read it", async () => {
    const folder = newFolder();
    await loadAuditKey(folder, make);
    chmodSync(join(folder, "audit.key"), 0o644);
    await loadAuditKey(folder, null);
    expect(modeOf(join(folder, "audit.key"))).toBe(0o600);
  });
});
