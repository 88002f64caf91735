import type { ExplicitTarget } from "./explicit-links.ts";
import type { ForestPost } from "./forest-posts.ts";
import { createUnionFind, type UnionFind } from "./union-find.ts";

/** A thread while it grows. */
interface OpenThread {
  /** The place of its first post. */
  readonly number: number;
  readonly people: Set<number>;
  size: number;
  latest: number;
}

export interface Participant {
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

/** How busy the channel was in its latest posts. */
interface ChannelActivity {
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
export interface ConversationState {
  readonly posts: readonly ForestPost[];
  readonly people: readonly Participant[];
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
  readonly threads: (OpenThread | undefined)[];
  /** By word, the places of the latest posts in which it stands, the newest last. */
  readonly mentions: (number[] | undefined)[];
  readonly activity: ChannelActivity;
  readonly unionFind: UnionFind;
  readonly repliesAhead: boolean;
}

const REMEMBERED = 4;
const LATELY = 20;

export function createState(posts: readonly ForestPost[], explicit: readonly ExplicitTarget[] = []): ConversationState {
  const unionFind = createUnionFind(posts.length);
  let repliesAhead = false;
  for (const [index, target] of explicit.entries()) {
    if (typeof target !== "number") continue;
    unionFind.connect(index, target);
    repliesAhead ||= target > index;
  }
  return {
    posts,
    people: Array.from({ length: countPeople(posts) }, newParticipant),
    spoken: [],
    ranks: new Int32Array(posts.length),
    nexts: findNexts(posts),
    targets: new Int32Array(posts.length).fill(-1),
    answers: new Int32Array(posts.length),
    threads: new Array(posts.length).fill(undefined),
    mentions: new Array(countWords(posts)).fill(undefined),
    activity: { pace: 0, people: 0, naming: 0, youth: 1, namingPosts: 0 },
    unionFind,
    repliesAhead,
  };
}

export function participantOf({ people }: ConversationState, id: number): Participant {
  return people[id] ?? newParticipant();
}

/** The post so many back, notices not counted; 1 is the latest. */
export function postBack({ spoken }: ConversationState, count: number): ForestPost | undefined {
  return count > spoken.length ? undefined : spoken[spoken.length - count];
}

/** How many back a post is. */
export function distanceTo({ spoken, ranks }: ConversationState, { index }: ForestPost): number {
  return spoken.length - (ranks[index] ?? 0);
}

/** Whether answering the candidate would lead back to the post itself. */
export function leadsBack({ repliesAhead, unionFind }: ConversationState, candidate: number, post: number): boolean {
  return repliesAhead && unionFind.areConnected(candidate, post);
}

/** The post answers the earlier one, or nobody. */
export function placePost(state: ConversationState, post: ForestPost, target: number | null): void {
  const { threads, spoken } = state;
  const thread = (target === null ? undefined : threads[target]) ?? newThread(post.index);
  threads[post.index] = thread;
  thread.people.add(post.author);
  thread.size += 1;
  thread.latest = post.index;
  if (target !== null) state.unionFind.connect(post.index, target);
  if (post.isSystem) return;
  state.ranks[post.index] = spoken.length;
  spoken.push(post);
  updateActivity(state, post);
  recordPost(state, post, target);
}

function updateActivity(state: ConversationState, post: ForestPost): void {
  const { activity, spoken } = state;
  const left = postBack(state, LATELY + 1);
  const count = Math.min(LATELY, spoken.length);
  activity.people += enter(participantOf(state, post.author)) - (left ? leave(participantOf(state, left.author)) : 0);
  activity.namingPosts += Number(post.named.length > 0) - Number(left !== undefined && left.named.length > 0);
  activity.naming = activity.namingPosts / count;
  activity.pace = (post.minutes - (postBack(state, count) ?? post).minutes) / count;
  activity.youth = 1 - count / LATELY;
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
function enter(person: Participant): number {
  person.lately += 1;
  return Number(person.lately === 1);
}

/** 1 if they no longer have. */
function leave(person: Participant): number {
  person.lately -= 1;
  return Number(person.lately === 0);
}

function newThread(number: number): OpenThread {
  return { number, people: new Set(), size: 0, latest: -1 };
}

function newParticipant(): Participant {
  return { posts: [], latest: null, namedIn: [], named: new Set(), lastNamed: null, partner: null, lately: 0 };
}

function recordPost(state: ConversationState, post: ForestPost, target: number | null): void {
  const person = participantOf(state, post.author);
  const original = target === null ? undefined : state.posts[target];
  if (original) {
    state.targets[post.index] = original.index;
    state.answers[original.index] = (state.answers[original.index] ?? 0) + 1;
    if (original.author !== post.author) person.partner = original.author;
  }
  keep(person.posts, post);
  person.latest = post;
  for (const named of post.named) {
    keep(participantOf(state, named).namedIn, post);
    person.named.add(named);
  }
  person.lastNamed = post.named[0] ?? person.lastNamed;
  for (const word of post.words) {
    const places = state.mentions[word];
    if (places) keep(places, post.index);
    else state.mentions[word] = [post.index];
  }
}

function keep<Item>(items: Item[], item: Item): void {
  items.push(item);
  if (items.length > REMEMBERED) items.shift();
}
