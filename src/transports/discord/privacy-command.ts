import type { UserId } from "../../domain/ids.ts";
import type { ErasePerson } from "../../gate/memory/erase-person.ts";
import type { CommandRun, Note } from "../../ports/discord.ts";
import type { Privacy, PrivacyRequest } from "../kit/privacy.ts";
import { describeErased } from "../kit/privacy-text.ts";
import { ERASE_ME, INCLUDE_ME, LEAVE_ME_OUT, SHOW_PRIVACY } from "./command-menu.ts";
import type { MentionNotes } from "./mention-notes.ts";
import type { OwnAnswers } from "./own-answers.ts";
import type { OwnPreviews } from "./own-previews.ts";

export interface PrivacyCommandDeps {
  readonly privacy: Privacy;
  readonly answers: OwnAnswers;
  readonly previews: OwnPreviews;
  readonly erasePerson: ErasePerson;
  readonly mentionNotes: MentionNotes;
}

/** `/privacy`: a person decides about their own messages, and about all stored data about them. */
export class PrivacyCommand {
  readonly #deps: PrivacyCommandDeps;

  constructor(deps: PrivacyCommandDeps) {
    this.#deps = deps;
  }

  /** False for another command. */
  begin(run: CommandRun): boolean {
    const decide = this.#decisionOf(run.command);
    if (!decide) return false;
    const { answers, mentionNotes } = this.#deps;
    answers.begin(run, async () => {
      const note = await decide({ person: run.userId, client: "discord", isAlone: true });
      return run.command === SHOW_PRIVACY ? [note, ...(await mentionNotes.about(run.userId, run.guildId))] : [note];
    });
    return true;
  }

  #decisionOf(command: string): ((request: PrivacyRequest) => Promise<Note>) | null {
    const { privacy } = this.#deps;
    if (command === SHOW_PRIVACY) return async (request) => toNote(await privacy.show(request));
    if (command === LEAVE_ME_OUT) return async (request) => toNote(await privacy.leaveOut(request));
    if (command === INCLUDE_ME) return async (request) => toNote(await privacy.include(request));
    return command === ERASE_ME ? (request) => this.#previewErasure(request) : null;
  }

  async #previewErasure(request: PrivacyRequest): Promise<Note> {
    const { privacy, previews } = this.#deps;
    const { text } = await privacy.previewErasure(request);
    const buttons = previews.add(request.person, {
      choices: [{ label: "Erase", confirm: async () => [await this.#erase(request.person)] }],
      cancelled: "Nothing was erased.",
    });
    return { text, buttons };
  }

  async #erase(person: UserId): Promise<Note> {
    return { text: describeErased(await this.#deps.erasePerson(person)) };
  }
}

function toNote({ text }: { readonly text: string }): Note {
  return { text };
}
