import { toEventGrantKey } from "../../policy/grant-key.ts";
import type { Client } from "../../policy/operation.ts";
import { DELIVERY_COST, type DeliveryDeps, type DeliveryJob, DeliveryRun } from "./delivery-run.ts";
import type { EventLog } from "./event-log.ts";
import { FeedGroup, type GroupMember } from "./feed-group.ts";

export interface FanOutDeps extends DeliveryDeps {
  readonly events: EventLog;
}

/** About 250 deliveries: then everything else that waits is served. */
const MAX_COST_PER_TURN = 250 * DELIVERY_COST;
/** After this many deliveries a job lets the others go first. */
const MAX_COST_PER_JOB = 50 * DELIVERY_COST;

/**
 * Brings events to all connections. Clients that are up to date and whose grants are equal stand in one group, which passes over what
 * concerns none of them in one step; a connection that is behind goes on alone. The work of one turn of the event loop is bounded over all of them.
 */
export class FanOut {
  readonly #deps: FanOutDeps;
  readonly #groups = new Map<string, FeedGroup>();
  /** In the order in which they are served. */
  readonly #queue = new Set<DeliveryJob>();
  #costLeft = MAX_COST_PER_TURN;
  #nextTurn: NodeJS.Immediate | null = null;
  #isRunning = false;

  constructor(deps: FanOutDeps) {
    this.#deps = deps;
  }

  /** Something was added to the event log. */
  announce(): void {
    for (const [key, group] of this.#groups) {
      if (group.isEmpty) this.#groups.delete(key);
      else this.#queue.add(group);
    }
    this.#run();
  }

  /** Serves a job as soon as its turn comes, often at once. Safe to repeat. */
  serve(job: DeliveryJob): void {
    this.#queue.add(job);
    this.#run();
  }

  cancel(job: DeliveryJob): void {
    this.#queue.delete(job);
  }

  /** Takes in a member that has heard everything up to now. */
  join(member: GroupMember, { grant }: Client): FeedGroup {
    const key = toEventGrantKey(grant);
    let group = this.#groups.get(key);
    if (!group) {
      group = new FeedGroup(grant, this.#deps.events);
      this.#groups.set(key, group);
    }
    group.add(member);
    return group;
  }

  close(): void {
    this.#queue.clear();
    if (this.#nextTurn) clearImmediate(this.#nextTurn);
  }

  /** For what is told out of turn, without a pause in between. */
  openRun(): DeliveryRun {
    return new DeliveryRun(this.#deps);
  }

  #run(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      this.#serveQueue(this.openRun());
    } finally {
      this.#isRunning = false;
      this.#nextTurn ??= setImmediate(() => this.#continue());
    }
  }

  #serveQueue(run: DeliveryRun): void {
    for (const job of this.#queue) {
      if (this.#costLeft <= 0) break;
      this.#queue.delete(job);
      const allowance = Math.min(MAX_COST_PER_JOB, this.#costLeft);
      const cost = job.advance(run, allowance);
      this.#costLeft -= cost;
      // Put at the end of the queue, this loop comes to it again.
      if (cost >= allowance) this.#queue.add(job);
    }
  }

  #continue(): void {
    this.#nextTurn = null;
    this.#costLeft = MAX_COST_PER_TURN;
    if (this.#queue.size > 0) this.#run();
  }
}
