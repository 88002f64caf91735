import { toId, type UserId } from "../../domain/ids.ts";
import type { Button } from "../../ports/discord.ts";

type AnswerStep = "more" | "share";

/** What a button says of itself. It is a claim: who asked is looked up. */
export interface AnswerButton {
  readonly step: AnswerStep;
  readonly owner: UserId;
  readonly commandId: string;
}

const LABELS: Readonly<Record<AnswerStep, string>> = { more: "More", share: "Share here" };

/** It names its owner, so that everybody else gets the same answer whether or not it still works. */
export function toAnswerButton({ step, owner, commandId }: AnswerButton): Button {
  return { id: `answer:${step}:${owner}:${commandId}`, label: LABELS[step], isMain: step === "more" };
}

/** Null for what is no button of ours. */
export function readAnswerButton(id: string): AnswerButton | null {
  const [, step, owner, commandId] = /^answer:(more|share):(\d{1,20}):([\w-]{1,64})$/.exec(id) ?? [];
  const userId = toId<UserId>(owner);
  if (!userId || commandId === undefined) return null;
  return { step: step as AnswerStep, owner: userId, commandId };
}
