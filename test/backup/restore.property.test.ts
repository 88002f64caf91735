import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { UserId } from "../../src/domain/ids.ts";
import { createDataFolder } from "../support/data-folder.ts";
import { ADA, BO, CEM } from "../support/small-world.ts";

const PEOPLE = [ADA, BO, CEM];
const NAMES = ["city", "pet"];

type Lost = "earshot.db" | "keys.db" | "both";
type Step =
  | { readonly do: "remember"; readonly owner: string; readonly name: string; readonly author: string }
  | { readonly do: "forget" | "keep"; readonly owner: string; readonly name: string }
  | { readonly do: "optOut"; readonly person: string }
  | { readonly do: "backup" }
  | { readonly do: "lose"; readonly lost: Lost };

const person = fc.constantFrom(...PEOPLE);
const name = fc.constantFrom(...NAMES);
const change: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant("remember" as const), owner: person, name, author: person }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("forget" as const, "keep" as const), owner: person, name }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("optOut" as const), person }) },
);
const backup = fc.constant<Step>({ do: "backup" });
const loss: fc.Arbitrary<Step> = fc.record({
  do: fc.constant("lose" as const),
  lost: fc.constantFrom<Lost>("earshot.db", "keys.db", "both"),
});
const changes = (maxLength: number) => fc.array(change, { maxLength });
const history = fc
  .tuple(changes(6), backup, changes(5), loss, changes(5), fc.array(backup, { maxLength: 1 }), changes(3), loss)
  .map((parts) => parts.flat());

/** One value of a fact. */
interface Said {
  readonly value: string;
  readonly author: string;
  /** Which number of a step it was said or confirmed in. */
  readonly at: number;
}

/** The values of one name of one owner, the newest last. */
type Chains = ReadonlyMap<string, readonly Said[]>;

interface Known {
  readonly chains: Chains;
  readonly optOuts: ReadonlySet<string>;
  /** Values whose followers have lost their keys: nobody is told them, not even in the list, but nobody has forgotten them either. */
  readonly stranded: readonly Said[];
}

/** Who may hear what, told by what people did and which files were lost; knows nothing of keys, rows and marks. */
class Oracle {
  now: Known = { chains: new Map(), optOuts: new Set(), stranded: [] };
  saved: Known | null = null;
  /** Nobody but the owner hears what was said before. */
  restoredAt = -1;

  lose(lost: Lost, at: number): void {
    const { saved } = this;
    if (!saved) return;
    const isIn =
      ({ chains, stranded }: Known) =>
      ({ value, at: when }: Said) =>
        [...chains.values(), stranded].flat().some((one) => one.value === value && one.at === when);
    const filter = (chains: Chains, isKept: (said: readonly Said[]) => boolean): Chains =>
      new Map([...chains].filter(([, said]) => said.length > 0 && isKept(said)));
    const { chains, optOuts, stranded } = this.now;
    // What was forgotten since is known by the keys that are left.
    if (lost === "earshot.db")
      this.now = {
        ...saved,
        chains: filter(saved.chains, (said) => said.every(isIn(this.now))),
        stranded: saved.stranded.filter(isIn(this.now)),
      };
    // What was added since has lost its key.
    if (lost === "keys.db") {
      const isWhole = (said: readonly Said[]) => said.slice(-1).every(isIn(saved));
      const broken = [...filter(chains, (said) => !isWhole(said)).values()].flat();
      this.now = { optOuts, chains: filter(chains, isWhole), stranded: [...stranded, ...broken].filter(isIn(saved)) };
    }
    if (lost === "both") this.now = saved;
    if (lost !== "keys.db") this.restoredAt = at;
  }

  say(owner: string, name: string, said: Said): void {
    const key = `${owner} ${name}`;
    this.now = { ...this.now, chains: new Map(this.now.chains).set(key, [...this.#chain(owner, name), said]) };
  }

  forget(owner: string, name: string): void {
    this.now = { ...this.now, chains: new Map(this.now.chains).set(`${owner} ${name}`, []) };
  }

  optOut(person: string): void {
    this.now = { ...this.now, optOuts: new Set(this.now.optOuts).add(person) };
  }

  /** What its owner sees in the list. */
  current(owner: string, name: string): Said | undefined {
    return this.#chain(owner, name).at(-1);
  }

  /** What anybody hears in front of everybody, or the owner alone. */
  heard(owner: string, isOwnerAlone: boolean): readonly string[] {
    const { optOuts } = this.now;
    if (optOuts.has(owner)) return [];
    const told = NAMES.flatMap((name) => this.#chain(owner, name).findLast(({ author }) => !optOuts.has(author)) ?? []);
    return told.filter(({ at }) => isOwnerAlone || at > this.restoredAt).map(({ value }) => value);
  }

  isConsented({ author }: Said, owner: string): boolean {
    return !this.now.optOuts.has(owner) && !this.now.optOuts.has(author);
  }

  #chain(owner: string, name: string): readonly Said[] {
    return this.now.chains.get(`${owner} ${name}`) ?? [];
  }
}

async function play(steps: readonly Step[]): Promise<void> {
  const folder = createDataFolder();
  const oracle = new Oracle();
  let program = await folder.start();
  const find = async (owner: string, name: string) =>
    (await program.own.list(owner as UserId)).find(({ fact }) => fact.name === name)?.fact.id ?? "none";
  /** As long as no backup of both files was restored, nobody hears or sees any of these again. */
  const forgotten = new Set<string>();
  const compare = async () => {
    for (const owner of PEOPLE) {
      const [other = ""] = PEOPLE.filter((one) => one !== owner);
      const shared = [...oracle.heard(owner, false)].sort();
      expect(await program.hear(other, owner)).toEqual(shared);
      expect(await program.hear(other, owner, true)).toEqual(shared);
      expect(await program.hear(owner, owner)).toEqual(shared);
      expect(await program.hear(owner, owner, true)).toEqual([...oracle.heard(owner, true)].sort());
      const listed = (await program.own.export(owner as UserId)).map(({ fact }) => fact.value as string);
      expect(listed.filter((value) => forgotten.has(value))).toEqual([]);
      const current = NAMES.flatMap((name) => oracle.current(owner, name)?.value ?? []);
      expect((await program.own.list(owner as UserId)).map(({ fact }) => fact.value).sort()).toEqual(current.sort());
    }
  };
  try {
    for (const [at, step] of steps.entries()) {
      if (step.do === "remember") {
        const { owner, name, author } = step;
        const value = `value ${at}`;
        await program.remember(owner, [name, value], author);
        oracle.say(owner, name, { value, author, at });
      }
      if (step.do === "forget") {
        const { owner, name } = step;
        const said = oracle.current(owner, name);
        await program.own.forget(owner as UserId, await find(owner, name)).catch(() => expect(said).toBeUndefined());
        if (said) forgotten.add(said.value);
        oracle.forget(owner, name);
      }
      if (step.do === "keep") {
        const { owner, name } = step;
        const said = oracle.current(owner, name);
        await program.own.keep(owner as UserId, await find(owner, name)).catch(() => expect(said).toBeUndefined());
        const isAgain = said && said.at <= oracle.restoredAt && oracle.isConsented(said, owner);
        if (isAgain) oracle.say(owner, name, { ...said, at });
      }
      if (step.do === "optOut") {
        await program.consent.leaveOut(step.person as UserId);
        oracle.optOut(step.person);
      }
      if (step.do === "backup") {
        await folder.backUp();
        oracle.saved = oracle.now;
      }
      if (step.do === "lose") {
        await program.close();
        folder.lose(...(step.lost === "both" ? ["earshot.db", "keys.db", "audit.key"] : [step.lost]));
        await folder.restore({ confirm: async () => step.lost === "both" });
        oracle.lose(step.lost, at);
        if (step.lost === "both") forgotten.clear();
        program = await folder.start();
        await compare();
      }
    }
    await compare();
  } finally {
    await program.close();
    folder.remove();
  }
}

describe("after a restore", () => {
  it("nobody hears what was forgotten or opted out of as far as the files that are left can know it, and else its owner alone", async () => {
    await fc.assert(fc.asyncProperty(history, play), { numRuns: 20 });
  });
});
