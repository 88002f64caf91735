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
  /** IANA name of the time zone for times without one. */
  readonly timeZone: string;
}

/** Discord's default for every server, which only some can change: it says nothing about how people there write dates. */
const DEFAULT_GUILD_LOCALE = "en-US";

/** The locale by which times are read. */
interface TimesFor {
  readonly locale?: Locale | undefined;
  /** The default server of the call; null outside of any. */
  readonly guildId: GuildId | null;
}

export class TypedTimes {
  readonly #for: TimesFor;
  readonly #deps: TypedTimesDeps;
  readonly #notes = new Set<string>();

  constructor(timesFor: TimesFor, deps: TypedTimesDeps) {
    this.#for = timesFor;
    this.#deps = deps;
  }

  /** Notes for the actor on the reading of ambiguous dates. */
  get notes(): readonly string[] {
    return [...this.#notes];
  }

  /** Throws `invalid` for anything else than a time, and for an ambiguous date if no locale decides. */
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

  /** Only of the server of the request, because a server's locale is disclosed to its members only. */
  #locale(): Locale | null {
    const { locale, guildId } = this.#for;
    if (locale) return locale;
    const preferred = guildId && this.#deps.discord.directory.guild(guildId)?.preferredLocale;
    return preferred && preferred !== DEFAULT_GUILD_LOCALE ? preferred : null;
  }
}

/** Without the locale, because others may read the answer. */
function describeChoice({ written, day, days }: DecidedDate): string {
  const other = days.find((one) => one !== day);
  return `${quoteInput(written, '"')} was read as ${day}; if ${other} was meant, give the date like that.`;
}
