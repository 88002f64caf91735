import type { GuildId, UserId } from "../../domain/ids.ts";
import { audiencesOf, type Fact } from "../../domain/memory/fact.ts";
import { toLimited } from "../../memory/fact-history.ts";
import { isListed, locateChannel, nameProject, refuseGuild, refusePlace } from "../../policy/apply-rules.ts";
import { peopleMode } from "../../policy/decide.ts";
import type { Rules } from "../../policy/rules.ts";
import type { Clock } from "../../ports/clock.ts";
import { isSubjectThere } from "../../sources/kinds/limits.ts";
import { checkBasis } from "./check-basis.ts";
import { openCurrent } from "./current-facts.ts";
import { type LookDeps, mayKnow } from "./look-at-facts.ts";
import type { SharedDormancy, SharedFact } from "./shared-facts.ts";

export interface SharedReadsDeps extends LookDeps {
  readonly rules: Rules;
  readonly clock: Clock;
}

/** Only the operator's rules decide; no client is involved. */
const ANY_GRANT = { guilds: "all", channels: "all", directMessages: true } as const;

/**
 * The shared facts of a server, for one person who decides about them. They see only facts that they may know: a fact does not exist for
 * them if they cannot read its home or part of its basis. It is not even counted, because a growing number would reveal activity there.
 * Facts of people who opted out are absent, too: a world in which a person opted out looks like one without their words.
 */
export class SharedReads {
  readonly #deps: SharedReadsDeps;

  constructor(deps: SharedReadsDeps) {
    this.#deps = deps;
  }

  /** All facts that a person may know of, in use or not, the newest first. */
  async knownTo(person: UserId, guildId: GuildId): Promise<readonly Fact[]> {
    const { memory, discord } = this.#deps;
    const stored = await memory.find({ guildId });
    // Asks Discord for the membership only if there are facts, because people may query any server.
    if (stored.length > 0) await discord.directory.learnMember(person, guildId);
    const audible = stored.filter((one) => mayKnow(person, toLimited(one), this.#deps));
    const facts = await openCurrent(audible, memory);
    // Access may be lost while facts are opened.
    return facts.filter((fact) => mayKnow(person, fact, this.#deps));
  }

  /** Adds the reason if they are dormant. */
  async look(facts: readonly Fact[]): Promise<readonly SharedFact[]> {
    const { memory, rules, discord } = this.#deps;
    const { directory } = discord;
    const requests = await memory.removalRequests(facts);
    const looked: SharedFact[] = [];
    for (const fact of facts) {
      const by = fact.subjectId ?? fact.createdBy;
      const isNamed = by !== null && memory.isConsented({ subjectId: by, basis: [] });
      const dormant = await this.#findDormancy(fact);
      // Requests for removal hint at the fact's content.
      const askedBy = dormant === null ? (requests.get(fact.id) ?? []) : [];
      const project = fact.scope === "project" ? nameProject(fact.home, { rules, directory }) : null;
      looked.push({ fact, dormant, by: isNamed ? by : null, project, askedBy });
    }
    return looked;
  }

  async #findDormancy(fact: Fact): Promise<SharedDormancy> {
    const { directory } = this.#deps.discord;
    const { subjectId, guildId } = fact;
    if (subjectId !== null && guildId !== null) await directory.learnMember(subjectId, guildId).catch(() => {});
    if (!isSubjectThere(fact, directory)) return "left_server";
    if (this.#isSwitchedOff(fact)) return "switched_off";
    const basis = await checkBasis(fact, this.#deps);
    if (basis === "restored") return basis;
    return basis === "standing" ? null : `source_${basis}`;
  }

  /** Switched off by the operator: for the server, for facts by people, for the home channel, or for a channel of its sources. */
  #isSwitchedOff(fact: Fact): boolean {
    const { rules, discord } = this.#deps;
    const { subjectId, guildId } = fact;
    const terms = { grant: ANY_GRANT, rules };
    if (guildId !== null && refuseGuild(terms, guildId) !== null) return true;
    if (subjectId !== null && peopleMode(rules, guildId) !== "shared") return true;
    return audiencesOf(fact).some((ref) => {
      if (ref.kind !== "channel") return false;
      const place = locateChannel(discord.directory, ref.id);
      return refusePlace(terms, place) !== null || !place || isListed(rules.optOut.channels, place.lineage);
    });
  }
}
