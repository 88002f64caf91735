import fc from "fast-check";
import { AGENT } from "../../src/agent/agent-grant.ts";
import type { Answerer } from "../../src/agent/answerer.ts";
import { EarshotError } from "../../src/domain/errors.ts";
import { OPERATOR_GRANT } from "../../src/policy/grant.ts";
import type { Client } from "../../src/policy/operation.ts";
import { type AgentInProcess, openAgentInProcess, type ReusedAnswers } from "./agent-in-process.ts";
import {
  addTalks,
  memories,
  openPlannedMemory,
  ownerOf,
  type PlannedMemory,
  planFacts,
  SHOWN_FACT,
  SHOWN_TALK,
  withOtherBot,
} from "./agent-memories.ts";
import { type Change, changes, disturb, isOrigin } from "./disturbance.ts";
import { type Common, commonTo, happen, happenOpenly, type OpenChange, openChanges } from "./live-changes.ts";
import { BOT, copyWorld, type PlainPlace, type PlainWorld, placeOf, placesOf } from "./plain-world.ts";
import { canary, communities, messageId, personId, WORDS } from "./random-community.ts";
import { type Scene, sceneOf, settings, type Visibility, visibilityOf } from "./random-scene.ts";

/** A question, in numbers; what they mean depends on what there is. */
const question = fc.record({
  /** From 30 on: about what is remembered; from 37 on: about talks. */
  kind: fc.oneof(
    { weight: 2, arbitrary: fc.nat(29) },
    { weight: 1, arbitrary: fc.integer({ min: 30, max: 36 }) },
    { weight: 1, arbitrary: fc.integer({ min: 37, max: 41 }) },
  ),
  where: fc.nat(63),
  who: fc.nat(9),
  what: fc.nat(63),
  /** 0: a reply to the bot's last answer. 1: to somebody's message. */
  reply: fc.nat(7),
  isIsolated: fc.nat(9).map((value) => value === 0),
});

type RandomQuestion = typeof question extends fc.Arbitrary<infer Value> ? Value : never;

export interface AgentCase {
  readonly world: PlainWorld;
  readonly memories: typeof memories extends fc.Arbitrary<infer Value> ? Value : never;
  readonly setting: typeof settings extends fc.Arbitrary<infer Value> ? Value : never;
  readonly questions: readonly RandomQuestion[];
  readonly changes: readonly Change[];
  readonly openChanges: readonly OpenChange[];
  /** What somebody else asks for themselves alone, meanwhile. */
  readonly others: readonly (RandomQuestion & { readonly actor: number; readonly at: number })[];
  /** What programs ask for the same person in the same place, meanwhile, and tell nobody. */
  readonly programs: readonly (RandomQuestion & { readonly by: number; readonly at: number })[];
}

export const agentCases: fc.Arbitrary<AgentCase> = fc
  .record({
    world: communities,
    hasOtherBot: fc.nat(3).map((value) => value > 0),
    memories,
    setting: settings.map((setting) => ({ ...setting, purpose: "answer" as const, hasMessage: false, grant: 0 })),
    questions: fc.array(question, { minLength: 1, maxLength: 5 }),
    changes,
    openChanges,
    others: fc.array(
      fc.tuple(question, fc.nat(5), fc.nat(24)).map(([one, actor, at]) => ({ ...one, actor, at })),
      { maxLength: 2 },
    ),
    programs: fc.array(
      fc.tuple(question, fc.nat(3), fc.nat(24)).map(([one, by, at]) => ({ ...one, by, at })),
      { maxLength: 2 },
    ),
  })
  .map(({ hasOtherBot, ...one }) => {
    const world = hasOtherBot ? withOtherBot(one.world) : copyWorld(one.world);
    // A bot asks nothing.
    return { ...one, world, setting: { ...one.setting, actor: one.setting.actor % (hasOtherBot ? 5 : 6) } };
  });

/** So that a property that compares nothing can be told from one that holds. */
export interface AgentTally {
  cases: number;
  questions: number;
  /** Answers that quote something. */
  quoting: number;
  /** Answers that show something that is remembered, or what was said in a talk of the agent's. */
  facts: number;
  talks: number;
  withdrawn: number;
  /** Between the two worlds, and of these the facts and talks. */
  differences: number;
  hiddenMemories: number;
}

export const emptyAgentTally = (): AgentTally => ({
  ...{ cases: 0, questions: 0, quoting: 0, facts: 0, talks: 0, withdrawn: 0, differences: 0, hiddenMemories: 0 },
});

/** Asks the same questions in two worlds that differ only in what the readers of the answers may not know. Null when all they see is the same. */
export async function compareAgents(
  one: AgentCase,
  tally: AgentTally,
  answers: ReusedAnswers,
  openAnswerer?: () => Answerer,
): Promise<string | null> {
  const found = sceneOf(one, {});
  if (!found) return null;
  const scene: Scene = { ...found, grant: AGENT.grant };
  const isVisible = visibilityOf(scene, []);
  const world = copyWorld(one.world);
  addTalks(world, one.memories.talks, { isVisible, isWanted: ({ isOnlyThere }) => !isOnlyThere });
  const { world: other, count } = disturb(world, one.changes, { isVisible, ...scene });
  const isHidden = (place: PlainPlace) => !isOrigin(place, scene.origin) && !isVisible(other, place.id);
  const isMore = (talk: { isOnlyThere: boolean }, place: PlainPlace) => talk.isOnlyThere && isHidden(place);
  const more = addTalks(other, one.memories.talks, { isVisible, isWanted: isMore });
  const planned = planFacts(one.memories.facts, [world, other], scene);
  const common = commonTo([world, other], isVisible, scene);
  // As they are now: what happens in one of them later must not change what is asked in it.
  const play = { one, scene, isVisible, common, worlds: [world, other].map(copyWorld), openAnswerer };
  // What somebody asks out of sight counts against their own limits, and so shows where these are low. Without a member list it has history read, and
  // who wrote a message is called as they were known when it was first read.
  const mayDiffer = !scene.rules.limits && scene.members === "listed";
  const live = mayDiffer ? one.changes : [];
  const programs = mayDiffer ? one.programs : [];
  const here = await tell(copyWorld(world), { ...play, live: [], programs, facts: planned.here }, answers);
  // In the other world they ask for something else.
  const otherPrograms = programs.map((asking) => ({ ...asking, what: asking.what + 1 }));
  const disturbed = { ...play, live, programs: otherPrograms, facts: planned.there };
  const there = await tell(other, disturbed, answers);
  tally.cases += 1;
  tally.questions += one.questions.length;
  tally.differences += count + more + planned.differences + programs.length;
  tally.hiddenMemories += more + planned.differences;
  tally.facts += here.filter((line) => SHOWN_FACT.test(line)).length;
  tally.talks += here.filter((line) => SHOWN_TALK.test(line)).length;
  tally.quoting += here.filter((line) => line.includes("“")).length;
  tally.withdrawn += here.filter((line) => line.includes('"withdraw"')).length;
  for (let index = 0; index < Math.max(here.length, there.length); index += 1)
    if (here[index] !== there[index]) return `${here[index]}\n  but in the other world\n${there[index]}`;
  return null;
}

interface Play {
  readonly one: AgentCase;
  readonly scene: Scene;
  readonly isVisible: Visibility;
  readonly common: Common;
  readonly worlds: readonly PlainWorld[];
  /** What happens meanwhile out of their sight. */
  readonly live: readonly Change[];
  readonly programs: AgentCase["programs"];
  readonly openAnswerer: (() => Answerer) | undefined;
  /** What is remembered. */
  readonly facts: PlannedMemory["here"];
}

/** Everything that the readers see, line by line. */
async function tell(world: PlainWorld, play: Play, answers: ReusedAnswers): Promise<string[]> {
  const { one, scene, live, isVisible, common, worlds } = play;
  const { actor, origin, rules, members, isPrivate } = scene;
  await answers.clear();
  const { memory, consent, fill, close } = await openPlannedMemory();
  const place = openAgentInProcess(world, {
    rules: { ...rules, memory: { people: "shared" } },
    ...{ members, memory, consent, talks: answers.episodes },
    quota: scene.quota && { ...scene.quota, totalBytes: PLENTY },
    store: answers.store,
    ...(play.openAnswerer && { answerer: play.openAnswerer() }),
  });
  const isNow = (index: number) => (change: { readonly at: number }) => change.at % one.questions.length === index;
  const lines: string[] = [];
  const answersSeen = new Map<unknown, string>();
  /** What is said out of sight is not theirs to see. Ids of answers are minted all over Discord, and channels are answered side by side. */
  const see = () => {
    const seen = place.visible
      .splice(0)
      .filter(({ channelId }) => channelId === origin.id || isSeen(String(channelId)))
      .sort((a, b) => Number(a["channelId"]) - Number(b["channelId"]));
    for (const act of seen) note(JSON.stringify(act));
  };
  const note = (line: string) => void lines.push(line.replaceAll(MINTED_ID, (id) => nameOf(id)));
  const isSeen = (id: string) => worlds.some((each) => isVisible(each, id));
  const nameOf = (id: string) => {
    if (!answersSeen.has(id)) answersSeen.set(id, `answer${answersSeen.size}`);
    return answersSeen.get(id) ?? id;
  };
  try {
    await fill(play.facts, place.clock);
    for (const [index, asked] of one.questions.entries()) {
      for (const change of one.openChanges.filter(isNow(index))) happenOpenly(place, change, common);
      for (const change of live.filter(isNow(index)))
        happen(place, change, { isVisible, origin, hasMembers: members === "listed" });
      await place.settled();
      for (const other of one.others.filter(isNow(index))) await askElsewhere(place, other, play);
      for (const asking of play.programs.filter(isNow(index))) await askByProgram(place, asking, play);
      const text = toQuestion(asked, play);
      place.clock.ahead += 1_000;
      if (isPrivate) note(`${text}: ${await place.askPrivately({ actor, channelId: origin.id, text })}`);
      else {
        const replyTo = toReply(asked, place, play);
        note(`${text} (${replyTo})`);
        await place.ask({ actor, channelId: origin.id, text: `<@${BOT}> ${text}`, replyTo });
      }
      see();
    }
    await place.checkSources();
    see();
    return lines;
  } finally {
    await place.closeAgent();
    close();
  }
}

const PLENTY = 100_000_000;
/** Of messages that are said while the questions are asked: they are minted one after the other, for what is said out of sight, too. */
export const MINTED_ID = /\b1571(?:49|5\d)\d{13}\b/g;

/** As somebody else, who alone reads the answer: what they are told is theirs. */
async function askElsewhere(place: AgentInProcess, other: AgentCase["others"][number], play: Play) {
  const { scene } = play;
  const actor = personId(other.actor);
  const [somewhere] = placesOf(place.world).filter(({ personId: owner }) => owner === actor);
  if (actor === scene.actor || !somewhere || scene.members !== "listed") return;
  await place.askPrivately({ actor, channelId: somewhere.id, text: toQuestion(other, play) });
}

const PROGRAMS: readonly Client[] = [
  { name: "walled", grant: { ...OPERATOR_GRANT, confined: true, events: "none" } },
  { name: "operator", grant: OPERATOR_GRANT },
];

/** A program asks the agent for the same person. Nobody is told what it is answered. */
async function askByProgram({ operations, agent }: AgentInProcess, asking: AgentCase["programs"][number], play: Play) {
  const { actor, origin } = play.scene;
  const client = PROGRAMS[asking.by % 2] ?? AGENT;
  try {
    const request = { actor, channelId: origin.id, isPrivate: asking.by > 1 } as never;
    await agent.ask(await operations.open(client, request), { text: toQuestion(asking, play) });
  } catch (error) {
    if (!(error instanceof EarshotError)) throw error;
  }
}

/** The same in both worlds: only what stands where it is asked, and of a history that not everybody there can read back only answers of the agent. */
function toReply({ reply, what }: RandomQuestion, { world }: AgentInProcess, play: Play): string | null {
  const { origin } = play.scene;
  const all = world.messages.get(origin.id) ?? [];
  const there = play.isVisible(world, origin.id)
    ? all
    : all.filter(({ id, authorId }) => authorId === BOT && id.match(MINTED_ID));
  if (reply === 0) return there.findLast(({ authorId }) => authorId === BOT)?.id ?? null;
  return reply === 1 ? (there.at(-1 - (what % Math.max(1, there.length)))?.id ?? null) : null;
}

/** Names what is seen, what is hidden and what does not exist, alike. */
function toQuestion(asked: RandomQuestion, play: Play): string {
  const { kind, where, who, what, isIsolated } = asked;
  const { worlds } = play;
  const places = [...new Set(worlds.flatMap((world) => placesOf(world).map(({ id }) => id)))].sort();
  const id = places[where % places.length] ?? "4000";
  const named = worlds.map((world) => placeOf(world, id)).find((one) => one);
  const channel = `#${(named?.thread ?? named?.channel)?.name ?? "nowhere"}`;
  const person = [`nick0${who % 6}`, `nick1${who % 6}`, `<@${personId(who)}>`, "I", "he"][what % 5] ?? "I";
  const word = what % 3 === 0 ? canary.text(id) : (WORDS[what % WORDS.length] ?? "tide");
  const link = `https://discord.com/channels/1000/${id}/${messageId(what)}`;
  const texts = [
    `when is the ${word}?`,
    `who knows about the ${word}?`,
    `where is the ${word} and the ${WORDS[who % WORDS.length]}?`,
    `did anybody mention ${word}?`,
    `what did ${person} say?`,
    `what did ${person} say about the ${word}?`,
    `what did ${person} say in ${channel}?`,
    `what was said about ${word} in ${channel}?`,
    `what was said in <#${id}> about ${word}?`,
    "what did I miss?",
    `what's going on in ${channel}?`,
    `summarise <#${id}>`,
    "what was said last?",
    `what was said last in ${channel}?`,
    "what is this thread about?",
    `what is ${link} about?`,
    `what did you talk about with nick0${who % 6}?`,
    "what did the bots say?",
    `what do you know about ${person}?`,
    `what is ${person === "I" ? "my" : `${person}'s`} ${word}?`,
    "what do you know about me?",
    `remember that my ${word} is ${canary.text(id)}`,
    "who said that?",
    "when was that?",
    "more",
    `and ${person}?`,
    `and in ${channel}?`,
    `${word}?`,
    "thanks!",
    ["yesterday?", "why?", "hello", "help"][what % 4],
    ...toMemoryQuestions(asked, play),
  ];
  return `${isIsolated ? "🚫 " : ""}${texts[kind % texts.length]}`;
}

/** About what is remembered, and about talks with the other bot; each in one of the two worlds at least, whether or not it may be known. */
function toMemoryQuestions({ who, what }: RandomQuestion, { one, scene }: Play): string[] {
  const { facts, talks } = one.memories;
  const house = scene.origin.guild?.id === "1001" ? 1 : 0;
  const fact = facts[what % Math.max(1, facts.length)];
  const owner = fact ? ownerOf(fact, scene) : personId(who);
  const name = `nick${house}${Number(owner) % 10}`;
  const word = WORDS[fact?.key ?? 0] ?? "tide";
  const talk = talks[what % Math.max(1, talks.length)];
  const topic = WORDS[(talk?.words ?? what) % WORDS.length];
  return [
    `what is ${name}'s ${word}?`,
    `what is <@${owner}>'s ${word}?`,
    `what is my ${word}?`,
    "what do you know about me?",
    "what is remembered here?",
    `do you know about the ${word}?`,
    `forget my ${word}`,
    `what did you talk about with nick${house}5?`,
    `what did nick${house}5 tell you about the ${topic}?`,
    "what did you talk about with other bots?",
    `what did you talk about with <@${personId(5)}>?`,
    "what did we talk about?",
  ];
}
