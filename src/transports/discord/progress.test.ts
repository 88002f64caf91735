import { expect, it } from "vitest";
import type { Note } from "../../ports/discord.ts";
import { ProgressNotes } from "./progress.ts";

it("a progress note is updated every two seconds at most, and not any more once the call has ended", async () => {
  let now = 0;
  const written: string[] = [];
  const slow = Promise.withResolvers<void>();
  const rewrite = async ({ text }: Note) => {
    await slow.promise;
    written.push(text);
  };
  const progress = new ProgressNotes({ rewrite }, { now: () => now });
  for (now = 0; now <= 5_000; now += 100) progress.note({ scanned: now, scan: 10_000, found: 0 });
  const ended = progress.end();
  progress.note({ scanned: 9_999, scan: 10_000, found: 0 });
  now = 60_000;
  progress.note({ scanned: 9_999, scan: 10_000, found: 0 });
  expect(written).toEqual([]);
  slow.resolve();
  await ended;
  expect(written).toEqual(["Looked at 2,000 messages…", "Looked at 4,000 messages…"]);
});

it("an answer is sent although a progress note could not be written", async () => {
  let now = 0;
  const progress = new ProgressNotes({ rewrite: () => Promise.reject(new Error("gone")) }, { now: () => now });
  now = 2_000;
  progress.note({ scanned: 1, scan: 1, found: 0 });
  await expect(progress.end()).resolves.toBeUndefined();
});
