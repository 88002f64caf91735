import { EarshotError } from "../../domain/errors.ts";
import type { GuildId } from "../../domain/ids.ts";
import { quoteInput } from "../../domain/text/escape.ts";
import type { Locale } from "../../domain/time/date-order.ts";
import { type DecidedDate, readTime } from "../../domain/time/read-time.ts";
import type { TimeSpan } from "../../domain/time/time-span.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Directory } from "../../ports/directory.ts";

export interface TypedTimesDeps {
  readonly discord: { readonly directory: Pick<Directory, "guild"> };
  readonly clock: Clock;
  /** IANA name of the time zone in which people's words for times are read. */
  readonly timeZone: string;
}

/** Discord gives it to every server, and only some can change it: it tells nothing about how people there write dates. */
const DEFAULT_GUILD_LOCALE = "en-US";

/** By whose language times are read. */
interface TimesFor {
  readonly locale?: Locale | undefined;
  /** The server where the call looks if it names none; null outside of any. */
  readonly guildId: GuildId | null;
}

/** Reads the times that were typed within one call. */
export class TypedTimes {
  readonly #for: TimesFor;
  readonly #deps: TypedTimesDeps;
  readonly #notes = new Set<string>();

  constructor(timesFor: TimesFor, deps: TypedTimesDeps) {
    this.#for = timesFor;
    this.#deps = deps;
  }

  /** For the person asking: how dates were read that can be read in two ways. */
  get notes(): readonly string[] {
    return [...this.#notes];
  }

  /** Throws `invalid` for what is no time, and for a date that can be read in two ways where no locale decides. */
  async read(words: string): Promise<TimeSpan> {
    const { clock, timeZone: zone } = this.#deps;
    const reading = await readTime(words, { now: clock.now(), zone, locale: this.#locale() });
    if (reading?.kind === "span") {
      for (const date of reading.decided) this.#notes.add(describeChoice(date));
      return reading.span;
    }
    if (reading)
      throw new EarshotError(
        "invalid",
        `${quoteInput(reading.written, '"')} may be ${reading.days.join(" or ")}: the order of day and month differs between countries. Give the date like that.`,
      );
    throw new EarshotError(
      "invalid",
      `${quoteInput(words, '"')} is not a time that Earshot understands; try "yesterday" or 2026-11-02.`,
    );
  }

  /** Only of the server of the request: a server's locale is disclosed to its members only. */
  #locale(): Locale | null {
    const { locale, guildId } = this.#for;
    if (locale) return locale;
    const preferred = guildId && this.#deps.discord.directory.guild(guildId)?.preferredLocale;
    return preferred && preferred !== DEFAULT_GUILD_LOCALE ? preferred : null;
  }
}

/** Without the locale: others may read the answer. */
function describeChoice({ written, day, days }: DecidedDate): string {
  const other = days.find((one) => one !== day);
  return `${quoteInput(written, '"')} was read as ${day}; if ${other} was meant, give the date like that.`;
}
