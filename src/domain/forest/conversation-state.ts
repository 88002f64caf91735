import type { ExplicitTarget } from "./explicit-links.ts";
import type { ForestPost } from "./forest-posts.ts";
import { type Connections, createConnections } from "./union-find.ts";

/** A thread while it grows. */
interface Strand {
  /** The place of its first post. */
  readonly number: number;
  readonly people: Set<number>;
  size: number;
  latest: number;
}

export interface Speaker {
  /** Their latest posts, the newest last. */
  readonly posts: ForestPost[];
  /** The latest posts of others that name them, the newest last. */
  readonly namedIn: ForestPost[];
  latest: ForestPost | null;
  /** Whom they have named. */
  readonly named: Set<number>;
  lastNamed: number | null;
  /** Whom they last answered. */
  partner: number | null;
  /** How many of the latest posts are theirs. */
  lately: number;
}

/** What the latest posts say of the room. */
interface RoomLately {
  /** Minutes from one post to the next. */
  pace: number;
  /** How many speak. */
  people: number;
  /** In what part of the posts somebody is named. */
  naming: number;
  namingPosts: number;
  /** 1 where nothing has been said yet, 0 once there is enough to judge by. */
  youth: number;
}

/** What is known when a post's turn comes: who spoke, who named whom, and which posts were found to belong together. */
export interface TalkSoFar {
  readonly posts: readonly ForestPost[];
  readonly people: readonly Speaker[];
  /** Those that are no notices. */
  readonly spoken: ForestPost[];
  /** By place, how many had been spoken before. */
  readonly ranks: Int32Array;
  /** By place, what its author says next. */
  readonly nexts: readonly (ForestPost | undefined)[];
  /** By place, which post each post answers; -1 for none. */
  readonly targets: Int32Array;
  /** By place, how many posts answer each post. */
  readonly answers: Int32Array;
  /** By place. */
  readonly strands: (Strand | undefined)[];
  /** By word, the places of the latest posts in which it stands, the newest last. */
  readonly mentions: (number[] | undefined)[];
  readonly room: RoomLately;
  readonly connections: Connections;
  readonly repliesAhead: boolean;
}

const REMEMBERED = 4;
const LATELY = 20;

export function beginTalk(posts: readonly ForestPost[], explicit: readonly ExplicitTarget[] = []): TalkSoFar {
  const connections = createConnections(posts.length);
  let repliesAhead = false;
  for (const [index, target] of explicit.entries()) {
    if (typeof target !== "number") continue;
    connections.connect(index, target);
    repliesAhead ||= target > index;
  }
  return {
    posts,
    people: Array.from({ length: countPeople(posts) }, newPerson),
    spoken: [],
    ranks: new Int32Array(posts.length),
    nexts: findNexts(posts),
    targets: new Int32Array(posts.length).fill(-1),
    answers: new Int32Array(posts.length),
    strands: new Array(posts.length).fill(undefined),
    mentions: new Array(countWords(posts)).fill(undefined),
    room: { pace: 0, people: 0, naming: 0, youth: 1, namingPosts: 0 },
    connections,
    repliesAhead,
  };
}

export function personOf({ people }: TalkSoFar, id: number): Speaker {
  return people[id] ?? newPerson();
}

/** The post so many back, notices not counted; 1 is the latest. */
export function postBack({ spoken }: TalkSoFar, count: number): ForestPost | undefined {
  return count > spoken.length ? undefined : spoken[spoken.length - count];
}

/** How many back a post is. */
export function distanceTo({ spoken, ranks }: TalkSoFar, { index }: ForestPost): number {
  return spoken.length - (ranks[index] ?? 0);
}

/** Whether answering the candidate would lead back to the post itself. */
export function leadsBack({ repliesAhead, connections }: TalkSoFar, candidate: number, post: number): boolean {
  return repliesAhead && connections.areConnected(candidate, post);
}

/** The post answers the earlier one, or nobody. */
export function placePost(talk: TalkSoFar, post: ForestPost, target: number | null): void {
  const { strands, spoken } = talk;
  const strand = (target === null ? undefined : strands[target]) ?? newStrand(post.index);
  strands[post.index] = strand;
  strand.people.add(post.author);
  strand.size += 1;
  strand.latest = post.index;
  if (target !== null) talk.connections.connect(post.index, target);
  if (post.isSystem) return;
  talk.ranks[post.index] = spoken.length;
  spoken.push(post);
  look(talk, post);
  remember(talk, post, target);
}

function look(talk: TalkSoFar, post: ForestPost): void {
  const { room, spoken } = talk;
  const left = postBack(talk, LATELY + 1);
  const count = Math.min(LATELY, spoken.length);
  room.people += enter(personOf(talk, post.author)) - (left ? leave(personOf(talk, left.author)) : 0);
  room.namingPosts += Number(post.named.length > 0) - Number(left !== undefined && left.named.length > 0);
  room.naming = room.namingPosts / count;
  room.pace = (post.minutes - (postBack(talk, count) ?? post).minutes) / count;
  room.youth = 1 - count / LATELY;
}

/** Words are numbered from 0. */
function countWords(posts: readonly ForestPost[]): number {
  let count = 0;
  for (const { words } of posts) for (const word of words) if (word >= count) count = word + 1;
  return count;
}

function countPeople(posts: readonly ForestPost[]): number {
  let count = 0;
  for (const { author } of posts) if (author >= count) count = author + 1;
  return count;
}

/** By place, the next post of the same author. */
function findNexts(posts: readonly ForestPost[]): (ForestPost | undefined)[] {
  const nexts: (ForestPost | undefined)[] = new Array(posts.length).fill(undefined);
  const latest = new Map<number, number>();
  for (const post of posts) {
    if (post.isSystem) continue;
    const before = latest.get(post.author);
    if (before !== undefined) nexts[before] = post;
    latest.set(post.author, post.index);
  }
  return nexts;
}

/** 1 if they had not spoken lately. */
function enter(person: Speaker): number {
  person.lately += 1;
  return Number(person.lately === 1);
}

/** 1 if they no longer have. */
function leave(person: Speaker): number {
  person.lately -= 1;
  return Number(person.lately === 0);
}

function newStrand(number: number): Strand {
  return { number, people: new Set(), size: 0, latest: -1 };
}

function newPerson(): Speaker {
  return { posts: [], latest: null, namedIn: [], named: new Set(), lastNamed: null, partner: null, lately: 0 };
}

function remember(talk: TalkSoFar, post: ForestPost, target: number | null): void {
  const person = personOf(talk, post.author);
  const original = target === null ? undefined : talk.posts[target];
  if (original) {
    talk.targets[post.index] = original.index;
    talk.answers[original.index] = (talk.answers[original.index] ?? 0) + 1;
    if (original.author !== post.author) person.partner = original.author;
  }
  keep(person.posts, post);
  person.latest = post;
  for (const named of post.named) {
    keep(personOf(talk, named).namedIn, post);
    person.named.add(named);
  }
  person.lastNamed = post.named[0] ?? person.lastNamed;
  for (const word of post.words) {
    const places = talk.mentions[word];
    if (places) keep(places, post.index);
    else talk.mentions[word] = [post.index];
  }
}

function keep<Item>(items: Item[], item: Item): void {
  items.push(item);
  if (items.length > REMEMBERED) items.shift();
}
