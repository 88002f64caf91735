import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createNameIndex, type Named, resolveName } from "./resolve-name.ts";

const people = [
  ["1001", "Mark 🛶", "Mark", "mark_h"],
  ["1002", "★Sarah★", "sarah.okafor"],
  ["1003", "Sara", "sara.lindqvist"],
  ["1004", "Pat · treasurer", "pat.quill"],
  ["1005", "[AFK] Bob", "bobthebuilder"],
  ["1006", "José Ñúñez", "jnz"],
  ["1007", "Łukasz", "wilk"],
  ["1008", "𝓔𝓵𝓮𝓷𝓪", "elena"],
  ["1009", "Саша", "alex_p"],
  ["1010", "さくら", "sakura.t"],
  ["1011", "AntMaz", "am77"],
  ["1012", "r00tintheb0x", "rx"],
  ["1013", "Müller", "hans.m"],
  ["1014", "ꜱᴀɢᴇ", "hermit"],
  ["1015", "🦊", "vulpes"],
].map(([id = "", ...names]): Named => ({ id, names }));

const channels = ["general", "pets-and-wildlife", "help-desk", "late-night", "🎵-music"].map(
  (name, index): Named => ({ id: `20${index}`, names: [name] }),
);

/** The ids that a name could mean. */
function meant(query: string, candidates: readonly Named[] = people): string[] {
  const answer = resolveName(query, candidates);
  if (answer.kind === "several") return answer.candidates.map(({ id }) => id);
  return answer.kind === "one" ? [answer.candidate.id] : [];
}

const named = (...names: readonly string[]) =>
  names.map((name, index): Named => ({ id: String(index), names: [name] }));

describe("resolveName", () => {
  it.each([
    ["Mark", "1001"],
    ["mark 🛶", "1001"],
    ["@Mark", "1001"],
    ["<@1001>", "1001"],
    ["<@!1001>", "1001"],
    ["1001", "1001"],
    ["Mark:", "1001"],
    ["Mark's", "1001"],
    ["SARAH", "1002"],
    ["sara", "1003"],
    ["Okafro", "1002"],
    ["Sarah Okafor", "1002"],
    ["Pat", "1004"],
    ["treasurer", "1004"],
    ["bob", "1005"],
    ["jose", "1006"],
    ["JOSE NUNEZ", "1006"],
    ["José", "1006"],
    ["Lukasz", "1007"],
    ["elena", "1008"],
    ["саша", "1009"],
    ["さくら", "1010"],
    ["ｓａｋｕｒａ", "1010"],
    ["ant", "1011"],
    ["root in the box", "1012"],
    ["r00t", "1012"],
    ["muller", "1013"],
    ["Mueller", "1013"],
    ["sage", "1014"],
    ["🦊", "1015"],
  ])("finds the person meant by %s", (query, id) => {
    expect(meant(query)).toEqual([id]);
  });

  it.each([
    ["general", "200"],
    ["#general", "200"],
    ["<#200>", "200"],
    ["the general channel", "200"],
    ["The #general channel", "200"],
    ["pets and wildlife", "201"],
    ["wildlife", "201"],
    ["help desk", "202"],
    ["latenight", "203"],
    ["music", "204"],
    ["genral", "200"],
  ])("finds a channel by %s", (query, id) => {
    expect(meant(query, channels)).toEqual([id]);
  });

  it.each(["the", "deadline", "turtle", "yes", "me", "I", "afk", "a", "", " ", "@", "🛶🛶", "<@999>", "the channel"])(
    "takes %j for nobody",
    (query) => {
      expect(meant(query)).toEqual([]);
      expect(meant(query, channels)).toEqual([]);
    },
  );

  it("returns all candidates that a name could mean, without a choice", () => {
    expect(meant("Sarah", named("Sarah Brown", "Sarah Green", "Saras"))).toEqual(["0", "1"]);
    expect(meant("bob", named("Bob", "BOB", "bobby"))).toEqual(["0", "1"]);
    expect(meant("Sarha", named("★Sarah★", "Sara", "Sarhi", "Sam"))).toEqual(["0", "1", "2"]);
    expect(meant("marck", named("Marc", "Mark", "Sue"))).toEqual(["0", "1"]);
    expect(meant("sar", named("Sarah", "Sara", "Rosa"))).toEqual(["0", "1"]);
  });

  it("prefers an exact match, then other decoration, then a whole word, then a prefix, then a misspelling", () => {
    const ladder = ["Mark", "★Márk★", "Mark Hale", "Markus", "Marek"];
    for (let from = 0; from < ladder.length; from += 1) {
      expect(meant("mark", named(...ladder.slice(from)).reverse())).toEqual(["0"]);
    }
  });

  it("returns a person with several matching names once", () => {
    expect(meant("mark", [{ id: "1", names: ["Mark", "mark", "MARK", "mark_"] }])).toEqual(["1"]);
  });

  it("treats look-alike letters as a misspelling, never as an exact match", () => {
    const [real, impostor] = ["Mark H", "Маrk"];
    expect(meant("Mark", named(real, impostor))).toEqual(["0"]);
    expect(meant("Mark", named(impostor))).toEqual(["0"]);
  });

  it("tolerates no typo in a short name", () => {
    expect(meant("Tom", named("Tim", "Ton", "Toma"))).toEqual(["2"]);
    expect(meant("Tom", named("Tim", "Ton"))).toEqual([]);
  });
});

const anyName = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }),
  fc.constantFrom(
    "Ann",
    "ann",
    "Anna",
    "ANNA",
    "the",
    "Ann B",
    "änn",
    "ann_",
    "1001",
    "<@1>",
    "@ann",
    "Zoë ✨",
    "\u200b",
  ),
);
const anyCandidates = fc
  .array(fc.array(anyName, { minLength: 1, maxLength: 3 }), { maxLength: 8 })
  .map((lists) => lists.map((names, index): Named => ({ id: `9${index}`, names })));

describe("resolveName, for any names,", () => {
  it("finds exactly the people with the name as written", () => {
    fc.assert(
      fc.property(anyCandidates, fc.nat(), (candidates, pick) => {
        const names = candidates.flatMap((one) => one.names).filter((name) => /^\p{L}[\p{L}\p{M}]*$/u.test(name));
        const query = names[pick % names.length];
        if (query === undefined) return;
        const plain = (name: string) => name.normalize("NFKC").toLowerCase().trim();
        const bearers = candidates.filter((one) => one.names.some((name) => plain(name) === plain(query)));
        expect(meant(query, candidates)).toEqual(bearers.map(({ id }) => id));
      }),
    );
  });

  it("never throws, returns only candidates, and does not depend on their order", () => {
    fc.assert(
      fc.property(anyName, anyCandidates, (query, candidates) => {
        const found = meant(query, candidates);
        expect(new Set(found).size).toBe(found.length);
        expect(candidates.map(({ id }) => id)).toEqual(expect.arrayContaining(found));
        expect(meant(query, candidates.toReversed())).toEqual(found.toReversed());
      }),
    );
  });

  it("tolerates one wrong, missing, doubled or swapped letter in a longer name", () => {
    const names = ["Margaret", "Tobiasson", "Winslow", "Dockhand", "Priyanka", "Gabriel"];
    const slips = [
      (name: string, at: number) => name.slice(0, at) + name.slice(at + 1),
      (name: string, at: number) => `${name.slice(0, at)}${name[at]}${name.slice(at)}`,
      (name: string, at: number) => `${name.slice(0, at)}q${name.slice(at + 1)}`,
      (name: string, at: number) => name.slice(0, at) + name[at + 1] + name[at] + name.slice(at + 2),
    ];
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.constantFrom(...slips), fc.nat(100), (name, slip, place) => {
        const typed = slip(name, 1 + (place % (name.length - 3)));
        expect(meant(typed, named(...names))).toEqual([String(names.indexOf(name))]);
      }),
    );
  });
});

describe("a name index", () => {
  it("follows people who join, leave and change their names", () => {
    const index = createNameIndex(named("Ann", "Bea"));
    index.set({ id: "0", names: ["Cleo"] });
    index.set({ id: "2", names: ["Dora"] });
    index.delete("1");
    const kinds = ["Ann", "Bea", "Cleo", "Dora", "1"].map((query) => index.resolve(query).kind);
    expect(kinds).toEqual(["none", "none", "one", "one", "none"]);
  });

  it.each([
    ["田中", "田中太郎"],
    ["太郎", "田中太郎"],
    ["田中さん", "田中太郎"],
    ["민준", "김민준"],
    ["민준씨", "김민준"],
    ["タナカ", "ヤマダタナカ"],
    ["小明", "王小明"],
  ])("finds by %s, part of a name without spaces, the person called %s", (query, name) => {
    const others = ["鈴木一郎", "박서연", "李雷", "サトウ"].map((each) => ({ id: each, names: [each] }));
    const resolution = resolveName(query, [...others, { id: name, names: [name] }]);
    expect(resolution).toEqual({ kind: "one", candidate: { id: name, names: [name] } });
  });

  it("takes one sign for nobody whose name merely has it", () => {
    expect(resolveName("田", [{ id: "1", names: ["田中太郎"] }])).toEqual({ kind: "none" });
  });
});
