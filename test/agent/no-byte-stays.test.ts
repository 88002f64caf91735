import fc from "fast-check";
import { expect, it, vi } from "vitest";
import type { UserId } from "../../src/domain/ids.ts";
import {
  type AgentInProcess,
  openAgentInProcess,
  openReusedAnswers,
  type ReusedAnswers,
} from "../support/agent-in-process.ts";
import { assertUntil } from "../support/assert-until.ts";
import { createTestConsent } from "../support/consent.ts";
import { mayFlow, reads, sees } from "../support/plain-oracle.ts";
import { BOT, MASK, type PlainWorld, placeOf, placesOf } from "../support/plain-world.ts";
import { canary, communities, personId, WORDS } from "../support/random-community.ts";
import * as twists from "../support/twists.ts";

vi.setConfig({ testTimeout: process.env["SOAK_RUNS"] ? 0 : 240_000 });

const numRuns = Number(process.env["SOAK_RUNS"] ?? 6);

/** In numbers; what they mean depends on what there is. */
const step = fc.record({ kind: fc.nat(15), where: fc.nat(63), who: fc.nat(5), what: fc.nat(63) });

type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

const CITATION = /\]\(<https:\/\/discord\.com\/channels\/(?:\d+|@me)\/(\d+)\/(\d+)>\)/gu;

/** What stands in an answer of the bot's and should not, by our own reckoning on plain lists. */
function problemsIn(world: PlainWorld, leftOut: ReadonlySet<string>): string[] {
  return placesOf(world).flatMap((there) => {
    // What the bot cannot reach it cannot take back either.
    if (!reads(there, BOT)) return [];
    const said = (world.messages.get(there.id) ?? []).filter(({ id, authorId }) => authorId === BOT && isOwn(id));
    return said.flatMap(({ content }) =>
      [...content.matchAll(CITATION)].flatMap(([, channelId = "", id]) => {
        const source = world.messages.get(channelId)?.find((one) => one.id === id);
        const place = placeOf(world, channelId);
        if (!source || !place) return [`cites ${channelId}/${id}, which is gone`];
        if (leftOut.has(source.authorId)) return [`cites ${source.authorId}, who is left out`];
        if (place.id === there.id) return [];
        return reads(place, BOT) && mayFlow(place, { place: there }) ? [] : [`tells ${there.id} of ${channelId}`];
      }),
    );
  });
}

/** Sent by a program of this test. */
function isOwn(id: string): boolean {
  return /^15714949791744\d{5}$/.test(id);
}

class Play {
  readonly world: PlainWorld;
  readonly consent = createTestConsent();
  readonly leftOut = new Set<string>();
  readonly #answers: ReusedAnswers;
  #sent = 0;
  test: AgentInProcess;

  constructor(world: PlainWorld, answers: ReusedAnswers) {
    this.world = world;
    this.#answers = answers;
    this.test = this.#open();
  }

  #open(before?: AgentInProcess): AgentInProcess {
    const { store } = this.#answers;
    const options = { consent: this.consent, store, sentBefore: this.#sent, ...(before && { before }) };
    return openAgentInProcess(this.world, options);
  }

  async take({ kind, where, who, what }: Step): Promise<void> {
    const { test, world } = this;
    const places = placesOf(world);
    // What stands in an answer is changed more often than all else.
    const cited = (await this.#answers.store.citing(20)).flatMap((answer) =>
      answer.sources.filter(({ ref }) => what % 4 > 0 && (!ref.startsWith(`${answer.channelId}/`) || what % 2 === 0)),
    );
    const source = cited[where % Math.max(1, cited.length)];
    const [citedPlace = "", citedId] = source?.ref.split("/") ?? [];
    const place = placeOf(world, citedPlace) ?? places[where % Math.max(1, places.length)];
    if (!place) return;
    const { id, guild } = place;
    const there = world.messages.get(id) ?? [];
    const message = there.find((one) => one.id === citedId) ?? there[what % Math.max(1, there.length)];
    if (kind < 7) return this.#ask({ kind, where, who, what });
    if (kind === 7 && message) twists.deleteMessage(test, id, message.id);
    if (kind === 8) twists.setOverwrite(test, place, { id: personId(who), type: 1, allow: 0n, deny: MASK.view });
    if (kind === 9 && guild)
      twists.setOverwrite(test, place, { id: guild.id, type: 0, allow: 0n, deny: what % 2 ? MASK.view : MASK.read });
    if (kind === 10 && guild && places.length > 2) twists.deletePlace(test, id);
    if (kind === 11) {
      const person = source?.personId || personId(who);
      this.leftOut.add(person);
      this.consent.set(person, true);
    }
    if (kind === 12 && guild) twists.setRoles(test, guild, { id: personId(who), roles: [] });
    if (kind === 13) await this.#erase(source?.personId || personId(who));
    if (kind >= 14) await this.#restart(() => twists.deleteSilently(world, id, what));
  }

  async #ask({ kind, where, who, what }: Step): Promise<void> {
    const actor = personId(who);
    const seen = placesOf(this.world).filter((one) => sees(one, actor));
    const place = seen[where % Math.max(1, seen.length)];
    if (!place) return;
    const word = what % 4 === 0 ? canary.text(seen[what % seen.length]?.id ?? "") : WORDS[what % WORDS.length];
    const texts = [`when is the ${word}?`, `who knows about ${word}?`, "what was said last?", "what did I miss?"];
    const text = `<@${BOT}> ${texts[kind % texts.length]}`;
    await this.test.ask({ actor, channelId: place.id, text });
  }

  async #erase(person: string): Promise<void> {
    const citing = (await this.#answers.store.answersCiting({ personId: person as UserId })).flatMap(
      ({ answerIds }) => answerIds,
    );
    await this.test.agent.eraser.erase(person as UserId);
    for (const place of placesOf(this.world).filter((one) => reads(one, BOT)))
      for (const { id } of this.world.messages.get(place.id) ?? []) expect(citing).not.toContain(id);
  }

  async #restart(meanwhile: () => void): Promise<void> {
    const { test } = this;
    await test.closeAgent();
    this.#sent += test.departures.length;
    meanwhile();
    this.test = this.#open(test);
    const [from, to] = [test.clock.now() - 1_000, test.clock.now()].map((time) => new Date(time).toISOString());
    const guildIds = this.world.guilds.map(({ id }) => id);
    this.test.announce({ type: "gap", shard: 0, from, to, reason: "restart", guildIds } as never);
  }
}

it("no answer stands whose source is gone, left out, erased, or hidden from somebody who sees the answer", async () => {
  const answers = await openReusedAnswers();
  let cited = 0;
  await assertUntil(
    fc.asyncProperty(communities, fc.array(step, { minLength: 4, maxLength: 16 }), async (world, steps) => {
      await answers.clear();
      const play = new Play(world, answers);
      try {
        for (const one of steps) {
          play.test.clock.ahead += 1_000;
          await play.take(one);
          await play.test.settled();
          await play.test.checkSources();
          expect(problemsIn(world, play.leftOut), JSON.stringify(one)).toEqual([]);
        }
        cited += (await answers.store.citing(100)).length;
      } finally {
        await play.test.closeAgent();
      }
    }),
    // A property of silence would hold as well.
    () => expect(cited).toBeGreaterThan(numRuns / 4),
    { numRuns, endOnFailure: true },
  );
  answers.close();
});
