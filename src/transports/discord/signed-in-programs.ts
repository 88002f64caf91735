import type { UserId } from "../../domain/ids.ts";
import { LOOPBACK_PROGRAM } from "../../policy/sign-in-settings.ts";
import type { SignIns } from "../../policy/sign-ins.ts";
import type { Button, Discord, Note, Press } from "../../ports/discord.ts";
import type { Log } from "../../ports/log.ts";
import type { SignIn } from "../../ports/sign-in-store.ts";
import { codeOf, explain } from "../kit/explain.ts";
import { showName } from "../kit/show-name.ts";
import { PersonLimit } from "./person-limit.ts";

/** Shows people the programs that they signed in, and ends them. */
export interface SignedInPrograms {
  list(person: UserId): Note;
  /** Ignores new presses; resolves when presses in progress are answered. Safe to repeat. */
  close(): Promise<void>;
}

export interface SignedInProgramsDeps {
  readonly signIns?: Pick<SignIns, "list" | "end" | "endOf"> | undefined;
  readonly discord: Pick<Discord, "listenForPresses">;
  readonly log: Log;
}

const ALL = "all";
const BUTTON = /^connection:([\w-]{1,64})$/;
const MAX_RUNNING = 1;
const NOTHING: Note = { text: "No program is signed in as you." };
const OFF: Note = { text: "Programs cannot be signed in here." };

export function openSignedInPrograms({ signIns, discord, log }: SignedInProgramsDeps): SignedInPrograms {
  const running = new PersonLimit(MAX_RUNNING);
  const stopListening = discord.listenForPresses("connection", (press) => {
    const [, which] = BUTTON.exec(press.button) ?? [];
    if (which === undefined) return;
    running.tryRun(press.userId, () =>
      end(press, which).catch((error: unknown) => {
        log.warn({ code: codeOf(error) }, "a press could not be answered");
      }),
    );
  });

  /** Ends only the presser's own sign-ins, whatever the button says. */
  async function end(press: Press, which: string): Promise<void> {
    const { userId: person } = press;
    try {
      await (which === ALL ? signIns?.endOf(person, "by_person") : signIns?.end(which, "by_person", person));
    } catch (error) {
      const { message } = explain(error, { log, what: "a sign-in could not be ended" });
      return press.whisper({ text: `It has no access now, but may have it again after a restart: ${message}` });
    }
    await press.replace(list(person));
  }

  function list(person: UserId): Note {
    if (!signIns) return OFF;
    const all = signIns.list(person);
    if (all.length === 0) return NOTHING;
    const toButton = (which: string, label: string): Button => ({ id: `connection:${which}`, label });
    const buttons = all.map(({ id }, index) => toButton(id, `End ${index + 1}`));
    return {
      text: ["Programs that you signed in:", ...all.map((one, index) => `${index + 1}. ${describe(one)}`)].join("\n"),
      buttons: all.length > 1 ? [...buttons, toButton(ALL, "End all")] : buttons,
    };
  }

  return {
    list,
    async close() {
      stopListening();
      await running.settled();
    },
  };
}

function describe(signIn: SignIn): string {
  const { usedAt, expiresAt } = signIn;
  const until = expiresAt === null ? "until you end it" : `until ${toTime(expiresAt, "d")}`;
  return `${describeProgram(signIn)}, last used ${toTime(usedAt, "R")}, ${until}`;
}

/** The name is the program's own claim: in a code block, it can neither format, hide nor disguise a link. */
export function describeProgram({ program, redirectHost }: Pick<SignIn, "program" | "redirectHost">): string {
  const name = showName(program).replaceAll("`", "'");
  const isLocal = redirectHost === LOOPBACK_PROGRAM || redirectHost.endsWith(":");
  return `\`${name}\` ${isLocal ? "on your computer" : `at ${redirectHost}`}`;
}

function toTime(at: number, style: "R" | "d"): string {
  return `<t:${Math.floor(at / 1_000)}:${style}>`;
}
