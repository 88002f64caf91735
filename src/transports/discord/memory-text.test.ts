import { expect, it } from "vitest";
import { describeErased } from "../kit/privacy-text.ts";
import { describeForgotten } from "./memory-text.ts";

it("receipts say that the clean-up of the disk is pending where it is", () => {
  const receipt = { facts: 2, areKeysDeleted: true, talks: 1, confirmations: 0, areMessagesErased: true };
  for (const text of [
    describeForgotten("boat", { areKeysDeleted: true, isScrubbed: false }),
    describeErased({ ...receipt, isScrubbed: false }),
  ]) {
    expect(text).toContain(
      "may be left on the disk until the table of keys was rewritten and its log recycled (pending)",
    );
    expect(text).not.toContain("backups");
  }
  for (const text of [
    describeForgotten("boat", { areKeysDeleted: true, isScrubbed: true }),
    describeErased({ ...receipt, isScrubbed: true }),
  ]) {
    expect(text).toContain("cannot be read again, not from backups of earshot.db either");
    expect(text).not.toContain("pending");
  }
});

it("receipts say that keys are yet to be deleted where keys.db fails", () => {
  const ending = { areKeysDeleted: false, isScrubbed: false };
  expect(describeForgotten("boat", ending)).toBe(
    "Forgotten: **boat**. It is told to nobody any more; its key will be deleted as soon as the storage allows.",
  );
  expect(describeErased({ facts: 2, talks: 1, confirmations: 0, areMessagesErased: true, ...ending })).toContain(
    "history: 2. They are told to nobody any more; their keys will be deleted as soon as the storage allows.",
  );
});

it("receipts show the name of a fact without its formatting", () => {
  expect(describeForgotten("**boat** ||x||", { areKeysDeleted: true, isScrubbed: true })).toContain(
    "Forgotten: **\\*\\*boat\\*\\* \\|\\|x\\|\\|**.",
  );
});
