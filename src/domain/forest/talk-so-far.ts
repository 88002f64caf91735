import { createConnections } from "./connections.ts";
import type { ExplicitTarget } from "./explicit-links.ts";
import type { Post } from "./posts.ts";

/** A thread while it grows. */
export interface Strand {
  readonly people: Set<number>;
  size: number;
  latest: number;
}

interface Person {
  /** Their latest posts, the newest last. */
  readonly posts: Post[];
  /** The latest posts of others that name them, the newest last. */
  readonly namedIn: Post[];
  latest: Post | null;
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
  /** 1 where nothing has been said yet, 0 once there is enough to judge by. */
  youth: number;
}

/** What is known when a post's turn comes: who spoke, who named whom, and which posts were found to belong together. */
export interface TalkSoFar {
  readonly posts: readonly Post[];
  /** Which post each post answers; -1 for none. */
  readonly targets: Int32Array;
  /** How many posts answer each post. */
  readonly answers: Int32Array;
  /** Places of the latest posts in which each word stands, the newest last. */
  readonly mentions: Map<string, number[]>;
  /** The post so many back, notices not counted; 1 is the latest. */
  back(count: number): Post | undefined;
  /** How many back a post is. */
  distance(post: Post): number;
  /** What its author says next. */
  next(post: Post): Post | undefined;
  readonly room: RoomLately;
  person(id: number): Person;
  strand(index: number): Strand | undefined;
  /** The post answers the earlier one, or nobody. */
  place(post: Post, target: number | null): void;
  /** Whether answering the candidate would lead back to the post itself. */
  leadsBack(candidate: number, post: number): boolean;
}

const REMEMBERED = 4;
const LATELY = 20;

export function beginTalk(posts: readonly Post[], explicit: readonly ExplicitTarget[] = []): TalkSoFar {
  const people = Array.from({ length: 1 + posts.reduce((most, { author }) => Math.max(most, author), -1) }, newPerson);
  const strands: (Strand | undefined)[] = new Array(posts.length).fill(undefined);
  const spoken: Post[] = [];
  let naming = 0;
  const ranks = new Int32Array(posts.length);
  const nexts = findNexts(posts);
  const connections = createConnections(posts.length);
  let repliesAhead = false;
  for (const [index, target] of explicit.entries()) {
    if (typeof target !== "number") continue;
    connections.connect(index, target);
    repliesAhead ||= target > index;
  }
  const talk: TalkSoFar = {
    posts,
    targets: new Int32Array(posts.length).fill(-1),
    answers: new Int32Array(posts.length),
    mentions: new Map(),
    back: (count) => spoken[spoken.length - count],
    next: ({ index }) => nexts[index],
    distance: ({ index }) => spoken.length - (ranks[index] ?? 0),
    room: { pace: 0, people: 0, naming: 0, youth: 1 },
    person: (id) => people[id] ?? newPerson(),
    strand: (index) => strands[index],
    place(post, target) {
      const strand = (target === null ? undefined : strands[target]) ?? { people: new Set(), size: 0, latest: -1 };
      strands[post.index] = strand;
      strand.people.add(post.author);
      strand.size += 1;
      strand.latest = post.index;
      if (target !== null) connections.connect(post.index, target);
      if (post.isSystem) return;
      ranks[post.index] = spoken.length;
      spoken.push(post);
      look(post);
      remember(talk, post, target);
    },
    leadsBack: (candidate, post) => repliesAhead && connections.areConnected(candidate, post),
  };
  return talk;

  function look(post: Post): void {
    const { room } = talk;
    const left = spoken[spoken.length - 1 - LATELY];
    const count = Math.min(LATELY, spoken.length);
    room.people += enter(talk.person(post.author)) - (left ? leave(talk.person(left.author)) : 0);
    naming += Number(post.named.length > 0) - Number(left !== undefined && left.named.length > 0);
    room.naming = naming / count;
    room.pace = (post.minutes - (spoken[spoken.length - count] ?? post).minutes) / count;
    room.youth = 1 - count / LATELY;
  }
}

/** By place, the next post of the same author. */
function findNexts(posts: readonly Post[]): (Post | undefined)[] {
  const nexts: (Post | undefined)[] = new Array(posts.length).fill(undefined);
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
function enter(person: Person): number {
  person.lately += 1;
  return Number(person.lately === 1);
}

/** 1 if they no longer have. */
function leave(person: Person): number {
  person.lately -= 1;
  return Number(person.lately === 0);
}

function newPerson(): Person {
  return { posts: [], latest: null, namedIn: [], named: new Set(), lastNamed: null, partner: null, lately: 0 };
}

function remember(talk: TalkSoFar, post: Post, target: number | null): void {
  const person = talk.person(post.author);
  const original = target === null ? undefined : talk.posts[target];
  if (original) {
    talk.targets[post.index] = original.index;
    talk.answers[original.index] = (talk.answers[original.index] ?? 0) + 1;
    if (original.author !== post.author) person.partner = original.author;
  }
  keep(person.posts, post);
  person.latest = post;
  for (const named of post.named) {
    keep(talk.person(named).namedIn, post);
    person.named.add(named);
  }
  person.lastNamed = post.named[0] ?? person.lastNamed;
  for (const word of post.words) {
    const places = talk.mentions.get(word);
    if (places) keep(places, post.index);
    else talk.mentions.set(word, [post.index]);
  }
}

function keep<Item>(items: Item[], item: Item): void {
  items.push(item);
  if (items.length > REMEMBERED) items.shift();
}
