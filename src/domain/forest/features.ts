import { distanceTo, personOf, postBack, type Speaker, type TalkSoFar } from "./conversation-state.ts";
import { FEATURE } from "./feature-rows.ts";
import { addTrait as add, markTrait as mark, type Traits } from "./feature-vector.ts";
import type { ForestPost } from "./forest-posts.ts";
import type { SharedWords } from "./shared-words.ts";

/** A post while it is decided what it answers. */
export interface ForestTurn {
  readonly talk: TalkSoFar;
  readonly post: ForestPost;
  readonly shared: SharedWords;
  /** Its author. */
  readonly me: Speaker;
  /** What they said last. */
  readonly own: ForestPost | null;
  readonly previous: ForestPost | undefined;
}

const SHORT = 3;
/** Minutes. */
const SOON = 1;
const LATE = 5;
const VERY_LATE = 30;

export function beginTurn(talk: TalkSoFar, post: ForestPost, shared: SharedWords): ForestTurn {
  const me = personOf(talk, post.author);
  return { talk, post, shared, me, own: me.latest, previous: postBack(talk, 1) };
}

/** That a post answers none. */
export function describeStart(traits: Traits): void {
  mark(traits, FEATURE.startsAnew, true);
}

/** What holds of a post whatever it answers. */
export function describePost(traits: Traits, { talk, post, me, own, previous }: ForestTurn): void {
  const lastNaming = me.namedIn.at(-1);
  mark(traits, FEATURE.postNames, post.named.length > 0);
  mark(traits, FEATURE.postAddresses, post.isAddressed);
  if (own) {
    mark(traits, FEATURE.postHasPast, true);
    add(traits, FEATURE.postPastDistance, scaleCount(distanceTo(talk, own)));
    add(traits, FEATURE.postPastGap, scaleMinutes(post.minutes - own.minutes));
    mark(traits, FEATURE.postFollowsItself, own === previous);
    mark(traits, FEATURE.postPastNames, own.named.length > 0);
  }
  mark(traits, FEATURE.postWasNamed, lastNaming !== undefined);
  mark(traits, FEATURE.postWasNamedSince, lastNaming !== undefined && (!own || lastNaming.index > own.index));
  mark(traits, FEATURE.postAsks, post.asks);
  mark(traits, FEATURE.postGreets, post.greets);
  mark(traits, FEATURE.postAcknowledges, post.acknowledges);
  mark(traits, FEATURE.postSaysYou, post.saysYou);
  mark(traits, FEATURE.postGoesOn, post.goesOn);
  mark(traits, FEATURE.postIsShort, post.length <= SHORT);
  add(traits, FEATURE.postLength, scaleCount(post.length));
  mark(traits, FEATURE.postIsEmpty, post.length === 0);
  mark(traits, FEATURE.postIsBot, post.isBot);
  const { pace, people, naming, youth } = talk.room;
  add(traits, FEATURE.silence, previous ? scaleMinutes(post.minutes - previous.minutes) : 1);
  add(traits, FEATURE.pace, scaleMinutes(pace));
  add(traits, FEATURE.crowd, scaleCount(people));
  add(traits, FEATURE.namingHabit, naming);
  add(traits, FEATURE.isYoung, youth);
}

/** What holds of a post whoever answers it. */
export function describeCandidate(traits: Traits, candidate: ForestPost): void {
  mark(traits, FEATURE.names, candidate.named.length > 0);
  mark(traits, FEATURE.addresses, candidate.isAddressed);
  mark(traits, FEATURE.asks, candidate.asks);
  mark(traits, FEATURE.greets, candidate.greets);
  mark(traits, FEATURE.acknowledges, candidate.acknowledges);
  mark(traits, FEATURE.saysYou, candidate.saysYou);
  mark(traits, FEATURE.isShort, candidate.length <= SHORT);
  add(traits, FEATURE.length, scaleCount(candidate.length));
  mark(traits, FEATURE.isEmpty, candidate.length === 0);
  mark(traits, FEATURE.isBot, candidate.isBot);
}

/** What holds of a post and one that it may answer. */
export function describePair(traits: Traits, turn: ForestTurn, candidate: ForestPost): void {
  describeDistance(traits, turn, candidate);
  describeNaming(traits, turn, candidate);
  describeStrand(traits, turn, candidate);
  describePeople(traits, turn, candidate);
}

function describeDistance(traits: Traits, { talk, post }: ForestTurn, candidate: ForestPost): void {
  const distance = distanceTo(talk, candidate);
  const gap = post.minutes - candidate.minutes;
  mark(traits, FEATURE.isPrevious, distance === 1);
  mark(traits, FEATURE.isLastButOne, distance === 2);
  add(traits, FEATURE.distance, scaleCount(distance - 1));
  add(traits, FEATURE.gap, scaleMinutes(gap));
  mark(traits, FEATURE.isSoon, gap <= SOON);
  mark(traits, FEATURE.isLate, gap > LATE);
  mark(traits, FEATURE.isVeryLate, gap > VERY_LATE);
  mark(traits, FEATURE.questionThenNone, candidate.asks && !post.asks);
}

function describeNaming(traits: Traits, { post }: ForestTurn, candidate: ForestPost): void {
  if (post.named.length > 0) {
    const isNamed = post.named.includes(candidate.author);
    mark(traits, FEATURE.isNamed, isNamed);
    mark(traits, FEATURE.isNotNamed, !isNamed);
    mark(traits, FEATURE.isAddressed, post.isAddressed && post.named[0] === candidate.author);
  }
  if (candidate.named.length === 0) return;
  const namesMe = candidate.named.includes(post.author);
  mark(traits, FEATURE.namesMe, namesMe);
  mark(traits, FEATURE.namesOnlyOthers, !namesMe);
  if (post.named.length === 0) return;
  const namesTheSame = post.named.some((one) => candidate.named.includes(one));
  mark(traits, FEATURE.namesTheSame, namesTheSame);
  mark(traits, FEATURE.sameAuthorOtherNamed, !namesTheSame && post.author === candidate.author);
}

/** What is known of the thread that the candidate is in. */
function describeStrand(traits: Traits, { talk, post, shared, own }: ForestTurn, candidate: ForestPost): void {
  const place = candidate.index;
  const answers = talk.answers[place] ?? 0;
  mark(traits, FEATURE.isUnanswered, answers === 0);
  mark(traits, FEATURE.isAnsweredOften, answers > 1);
  const strand = talk.strands[place];
  if (!strand) return;
  add(traits, FEATURE.strandSize, scaleCount(strand.size));
  const words = shared.strands[strand.number] ?? 0;
  if (words > 0) {
    add(traits, FEATURE.strandWords, scaleWords(words));
    add(traits, FEATURE.sharedWords, scaleWords(shared.sums[place] ?? 0));
    add(traits, FEATURE.rarestShared, shared.most[place] ?? 0);
  }
  mark(traits, FEATURE.startedStrand, talk.targets[place] === -1);
  mark(traits, FEATURE.isLatestOfStrand, strand.latest === place);
  if (own) {
    mark(traits, FEATURE.isOwnStrand, strand === talk.strands[own.index]);
    mark(traits, FEATURE.amInStrand, strand.people.has(post.author));
  }
  for (const one of post.named)
    if (strand.people.has(one)) {
      mark(traits, FEATURE.namedIsInStrand, true);
      break;
    }
}

/** What the authors of both have had to do with each other. */
function describePeople(traits: Traits, { talk, post, me, own, previous }: ForestTurn, candidate: ForestPost): void {
  const spokeSince = own !== null && own.index > candidate.index;
  mark(traits, FEATURE.spokeSince, spokeSince);
  if (post.author === candidate.author) {
    mark(traits, FEATURE.sameAuthor, true);
    mark(traits, FEATURE.sameRun, candidate === previous);
    mark(traits, FEATURE.isOwnLatest, candidate === own);
    return;
  }
  const them = personOf(talk, candidate.author);
  const theirs = them.latest ?? candidate;
  mark(traits, FEATURE.isTheirLatest, candidate === theirs);
  mark(traits, FEATURE.namesMeUnanswered, !spokeSince && names(candidate, post.author));
  mark(traits, FEATURE.haveNamedThem, me.named.size > 0 && me.named.has(candidate.author));
  mark(traits, FEATURE.haveNamedMe, them.named.size > 0 && them.named.has(post.author));
  mark(traits, FEATURE.lastNamedThem, me.lastNamed === candidate.author);
  mark(traits, FEATURE.lastNamedMe, them.lastNamed === post.author);
  mark(traits, FEATURE.nameThemNext, names(talk.nexts[post.index], candidate.author));
  mark(traits, FEATURE.nameMeNext, names(talk.nexts[theirs.index], post.author));
  const target = talk.targets[candidate.index] ?? -1;
  mark(traits, FEATURE.answersMe, target >= 0 && talk.posts[target]?.author === post.author);
  mark(traits, FEATURE.isPartner, me.partner === candidate.author);
  mark(traits, FEATURE.amPartner, them.partner === post.author);
}

function names(post: ForestPost | undefined, person: number): boolean {
  return post !== undefined && post.named.length > 0 && post.named.includes(person);
}

/** 1 for a hundred; fine for little and coarse for much. */
function scaleCount(count: number): number {
  return Math.min(1.2, count < LOGARITHMS.length ? (LOGARITHMS[count] ?? 0) : Math.log1p(count) * PER_HUNDRED);
}

/** 1 for eight rare words. */
function scaleWords(sum: number): number {
  return Math.min(1.2, sum / 8);
}

/** 1 for a day. */
function scaleMinutes(minutes: number): number {
  return minutes <= 0 ? 0 : Math.min(1.2, Math.log1p(minutes) * PER_DAY);
}

const PER_HUNDRED = 1 / Math.log1p(100);
const PER_DAY = 1 / Math.log1p(24 * 60);
/** Asked for all the time. */
const LOGARITHMS = Float64Array.from({ length: 128 }, (_, count) => Math.log1p(count) * PER_HUNDRED);
