import type { ExplicitTarget } from "./explicit-links.ts";
import type { ForestPost } from "./forest-posts.ts";
import { createUnionFind, type UnionFind } from "./union-find.ts";

/** A thread of the posts processed so far. */
interface OpenThread {
  /** The index of its first post. */
  readonly number: number;
  readonly people: Set<number>;
  size: number;
  latest: number;
}

export interface Participant {
  /** Their latest posts, newest last. */
  readonly posts: ForestPost[];
  /** The latest posts of others that name them, newest last. */
  readonly namedIn: ForestPost[];
  latest: ForestPost | null;
  /** The people they have named. */
  readonly named: Set<number>;
  lastNamed: number | null;
  /** The person they last answered. */
  partner: number | null;
  /** The number of latest posts that are theirs. */
  lately: number;
}

/** How busy the channel was in its latest posts. */
interface ChannelActivity {
  /** Average minutes from one post to the next. */
  pace: number;
  /** The number of active people. */
  people: number;
  /** The share of posts that name a person. */
  naming: number;
  namingPosts: number;
  /** The share of posts that are replies: where replies are common, a post without one more likely begins a conversation. */
  replying: number;
  replyingPosts: number;
  /** 1 without any posts, falling to 0 once there are enough to judge by. */
  youth: number;
}

/** The state before a post is processed: the speakers, the people they named, and the threads so far. */
export interface ConversationState {
  readonly posts: readonly ForestPost[];
  readonly people: readonly Participant[];
  /** Posts that are not system messages. */
  readonly spoken: ForestPost[];
  /** By index, the number of `spoken` posts before it. */
  readonly ranks: Int32Array;
  /** By index, the next post of the same author. */
  readonly nexts: readonly (ForestPost | undefined)[];
  /** By index, the next post by any author. */
  readonly followers: readonly (ForestPost | undefined)[];
  /** By index, the post that it answers; -1 for none. */
  readonly targets: Int32Array;
  /** By index, the first person who replies to it explicitly; -1 for none. */
  readonly repliers: Int32Array;
  /** By index, the number of posts that answer it. */
  readonly answers: Int32Array;
  /** By index. */
  readonly threads: (OpenThread | undefined)[];
  /** By word, the indices of the latest posts that contain it, newest last. */
  readonly mentions: (number[] | undefined)[];
  readonly activity: ChannelActivity;
  readonly unionFind: UnionFind;
  readonly repliesAhead: boolean;
  readonly explicit: readonly ExplicitTarget[];
}

const MAX_KEPT = 4;
const ACTIVITY_POSTS = 20;

export function createState(posts: readonly ForestPost[], explicit: readonly ExplicitTarget[] = []): ConversationState {
  const unionFind = createUnionFind(posts.length);
  const repliers = new Int32Array(posts.length).fill(-1);
  let repliesAhead = false;
  for (const [index, target] of explicit.entries()) {
    if (typeof target !== "number") continue;
    unionFind.connect(index, target);
    if (repliers[target] === -1) repliers[target] = posts[index]?.author ?? -1;
    repliesAhead ||= target > index;
  }
  return {
    posts,
    people: Array.from({ length: countPeople(posts) }, newParticipant),
    spoken: [],
    ranks: new Int32Array(posts.length),
    nexts: findNexts(posts),
    followers: findFollowers(posts),
    targets: new Int32Array(posts.length).fill(-1),
    repliers,
    answers: new Int32Array(posts.length),
    threads: new Array(posts.length).fill(undefined),
    mentions: new Array(countWords(posts)).fill(undefined),
    activity: { pace: 0, people: 0, naming: 0, namingPosts: 0, replying: 0, replyingPosts: 0, youth: 1 },
    unionFind,
    repliesAhead,
    explicit,
  };
}

export function participantOf({ people }: ConversationState, id: number): Participant {
  return people[id] ?? newParticipant();
}

/** The post `count` back, without system messages; 1 is the latest. */
export function postBack({ spoken }: ConversationState, count: number): ForestPost | undefined {
  return count > spoken.length ? undefined : spoken[spoken.length - count];
}

/** How many posts back a post is. */
export function distanceTo({ spoken, ranks }: ConversationState, { index }: ForestPost): number {
  return spoken.length - (ranks[index] ?? 0);
}

/** Whether a link to the candidate would create a cycle. */
export function leadsBack({ repliesAhead, unionFind }: ConversationState, candidate: number, post: number): boolean {
  return repliesAhead && unionFind.areConnected(candidate, post);
}

/** Records the post and which earlier post it answers, if any. */
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
  const left = postBack(state, ACTIVITY_POSTS + 1);
  const count = Math.min(ACTIVITY_POSTS, spoken.length);
  activity.people += enter(participantOf(state, post.author)) - (left ? leave(participantOf(state, left.author)) : 0);
  activity.namingPosts += Number(post.named.length > 0) - Number(left !== undefined && left.named.length > 0);
  activity.naming = activity.namingPosts / count;
  activity.replyingPosts += countReply(state, post) - (left ? countReply(state, left) : 0);
  activity.replying = activity.replyingPosts / count;
  activity.pace = (post.minutes - (postBack(state, count) ?? post).minutes) / count;
  activity.youth = 1 - count / ACTIVITY_POSTS;
}

function countReply({ explicit }: ConversationState, { index }: ForestPost): number {
  return Number((explicit[index] ?? null) !== null);
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

/** By index. */
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

/** By index. */
function findFollowers(posts: readonly ForestPost[]): (ForestPost | undefined)[] {
  const followers: (ForestPost | undefined)[] = new Array(posts.length).fill(undefined);
  let next: ForestPost | undefined;
  for (let index = posts.length - 1; index >= 0; index -= 1) {
    followers[index] = next;
    const post = posts[index];
    if (post && !post.isSystem) next = post;
  }
  return followers;
}

/** 1 if they become active. */
function enter(person: Participant): number {
  person.lately += 1;
  return Number(person.lately === 1);
}

/** 1 if they are no longer active. */
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
  if (items.length > MAX_KEPT) items.shift();
}
