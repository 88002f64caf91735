import type { ChannelId, MessageId, UserId } from "../../domain/ids.ts";
import type { Confirmation } from "../../policy/confirmations.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Discord, Draft } from "../../ports/discord.ts";
import type { Log } from "../../ports/log.ts";
import { codeOf } from "../kit/explain.ts";
import { toButton } from "./review-button.ts";

export interface PromptsDeps {
  readonly discord: Pick<Discord, "send" | "edit" | "openDm">;
  readonly clock: Clock;
  readonly log: Log;
}

interface Posted {
  readonly channelId: ChannelId;
  readonly messageId: MessageId;
}

interface Prompt {
  readonly actor: UserId;
  /** Null when it could not be posted. */
  readonly posted: Promise<Posted | null>;
  readonly expiry: NodeJS.Timeout;
}

/** The messages with a "Review" button. All who see the place see them, so they tell nothing of what they are about. */
export class ReviewPrompts {
  readonly #deps: PromptsDeps;
  readonly #open = new Map<string, Prompt>();

  constructor(deps: PromptsDeps) {
    this.#deps = deps;
  }

  /** `recheck` is asked in the moment in which the message leaves: what that throws stops it. */
  post(confirmation: Confirmation, recheck: () => void): void {
    const { id, operation, expiresAt } = confirmation;
    const { actor } = operation;
    const left = expiresAt - this.#deps.clock.now();
    const expiry = setTimeout(() => void this.settle({ id, actor }, "This has expired."), Math.max(0, left)).unref();
    this.#open.set(id, { actor, posted: this.#post(confirmation, recheck), expiry });
  }

  /** Takes the button away. What is not known, is somebody else's or was settled before is left alone. */
  async settle({ id, actor }: { id: string; actor: UserId }, text: string): Promise<void> {
    const prompt = this.#open.get(id);
    if (prompt?.actor !== actor) return;
    this.#open.delete(id);
    clearTimeout(prompt.expiry);
    const posted = await prompt.posted;
    if (!posted) return;
    try {
      await this.#deps.discord.edit(posted, { text });
    } catch (error) {
      // It may have been deleted. A button that stays gets its presser an answer all the same.
      this.#deps.log.info({ code: codeOf(error) }, "a review button could not be taken away");
    }
  }

  close(): void {
    for (const { expiry } of this.#open.values()) clearTimeout(expiry);
    this.#open.clear();
  }

  async #post(confirmation: Confirmation, recheck: () => void): Promise<Posted | null> {
    const { discord, log } = this.#deps;
    const { id, actor, origin, destination } = confirmation.operation;
    try {
      const channelId = destination.kind === "actor" ? await discord.openDm(actor) : origin.channelId;
      const replyTo = channelId === origin.channelId ? origin.messageId : null;
      const draft: Draft = {
        text: `<@${actor}>, something waits for your review.`,
        mentions: [actor],
        buttons: [toButton("show", confirmation)],
        ...(replyTo && { replyTo }),
      };
      const { message_id } = await discord.send(channelId, draft, { recheck });
      return { channelId, messageId: message_id };
    } catch (error) {
      log.warn({ code: codeOf(error), operation: id }, "nobody could be asked to review");
      return null;
    }
  }
}
