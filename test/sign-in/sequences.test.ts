import { copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it, onTestFinished, vi } from "vitest";
import { ALLOWANCES, ALLOWED_SCOPES, type Allowance, signInSettingsSchema } from "../../src/policy/sign-in-settings.ts";
import { IS_ON_POSTGRES } from "../support/test-database.ts";
import { createWorld, openRoutes, PEOPLE, ROLE, temporaryFolder } from "./open-routes.ts";
import { REDIRECT, type Tokens } from "./open-sign-in.ts";

type Routes = Awaited<ReturnType<typeof openRoutes>>;
type Step = (typeof STEPS)[number];
type Name = "sarah" | "mark";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const STEPS = [
  ...["sign_in", "sign_in", "sign_in", "cancel", "refresh", "refresh", "reuse", "revoke", "end", "end_all"],
  ...[
    "restart",
    "kill",
    "leave",
    "join",
    "take_role",
    "give_role",
    "ask_role",
    "narrow",
    "widen",
    "wait",
    "wait",
    "back",
  ],
] as const;

/** As a person would remember what they allowed. */
interface Allowed {
  readonly person: Name;
  readonly program: string;
  readonly what: readonly Allowance[];
  readonly until: number;
  isOver: boolean;
}

interface Issued {
  readonly of: Allowed;
  readonly access: string;
  readonly refresh: string;
  readonly scope: readonly Allowance[];
  readonly until: number;
  isSpent: boolean;
}

const choice = fc.record({
  step: fc.constantFrom(...STEPS),
  person: fc.constantFrom<Name>("sarah", "mark"),
  program: fc.nat({ max: 1 }),
  which: fc.nat({ max: 50 }),
  ticked: fc.subarray([...ALLOWANCES], { minLength: 1 }),
  days: fc.constantFrom(1, 30, null),
  minutes: fc.constantFrom(1, 14, 16, 24 * 60 + 1, 31 * 24 * 60),
});
type Choice = ReturnType<typeof choice.generate>["value"];

/** What people allowed and what became of it, beside the real thing; it shares no code with it but the names of what can be allowed. */
class Play {
  readonly #world = createWorld();
  readonly #folder = temporaryFolder();
  readonly #allowed: Allowed[] = [];
  readonly #issued: Issued[] = [];
  readonly #programs: string[] = [];
  readonly #members = new Set<Name>(["sarah", "mark"]);
  readonly #holders = new Set<Name>();
  #needsRole = false;
  #most: readonly Allowance[] = ALLOWANCES;
  #files = 0;
  /** Once the clock was put back, what has expired by then may be gone, and may also come back. */
  #isBack = false;
  #routes: Routes | null = null;
  calls = 0;

  async start(): Promise<void> {
    this.#routes = await openRoutes(this.#world, this.#file());
    for (const name of ["one", "two"]) this.#programs.push(await this.#routes.register({ client_name: name }));
  }

  async play(asked: Choice): Promise<void> {
    await this.#steps[asked.step](asked);
    await this.#check();
  }

  #file(): string {
    return join(this.#folder, `${this.#files}.db`);
  }

  get #now(): Routes {
    if (!this.#routes) throw new Error("not started");
    return this.#routes;
  }

  readonly #steps: Readonly<Record<Step, (asked: Choice) => Promise<void> | void>> = {
    sign_in: (asked) => this.#signIn(asked),
    cancel: async ({ person, program }) => {
      const { begin, reachPage, answerPage } = this.#now;
      const page = await reachPage(begin(this.#programs[program] ?? "").url, person);
      expect((await answerPage(page, { decision: "cancel" })).url.searchParams.get("code")).toBeNull();
    },
    refresh: async ({ which, ticked, minutes }) => {
      const fresh = this.#issued.filter(({ isSpent }) => !isSpent);
      const one = fresh[which % fresh.length];
      if (!one) return;
      const narrower = ticked.filter((name) => one.of.what.includes(name));
      const isNarrower = minutes === 14 && narrower.length > 0;
      const { status, body } = await this.#now.token({
        ...{ grant_type: "refresh_token", client_id: one.of.program, refresh_token: one.refresh },
        ...(isNarrower && { scope: narrower.join(" ") }),
      });
      if (!this.#isBack) expect(status === 200).toBe(!one.of.isOver && Date.now() < one.of.until);
      if (status !== 200) return;
      one.isSpent = true;
      this.#note(one.of, body, isNarrower ? narrower : one.of.what);
    },
    reuse: async ({ which }) => {
      const spent = this.#issued.filter(({ isSpent }) => isSpent);
      const one = spent[which % spent.length];
      if (!one) return;
      expect((await this.#now.refresh(one.of.program, one.refresh)).status).toBe(400);
      one.of.isOver = true;
    },
    revoke: async ({ which, program }) => {
      const one = this.#issued[which % this.#issued.length];
      if (!one) return;
      const isAccess = program === 0;
      const isKnown = isAccess ? Date.now() < one.until : !one.isSpent || !one.of.isOver;
      const body = new URLSearchParams({ client_id: one.of.program, token: isAccess ? one.access : one.refresh });
      await fetch(this.#now.at("/oauth/revoke"), { method: "POST", body });
      // A token that has expired ends nothing; whether one does that is known to nobody is not told.
      if (isKnown) one.of.isOver = true;
    },
    end: async ({ person, which }) => {
      const own = this.#now.signIns.list(PEOPLE[person] as never);
      const one = own[which % own.length];
      if (!one) return;
      await this.#now.signIns.end(one.id, "by_person", PEOPLE[person] as never);
      const found = this.#allowed.filter(
        (allowed) => allowed.person === person && allowed.program === one.clientId && this.#ids.get(allowed) === one.id,
      );
      for (const allowed of found) allowed.isOver = true;
    },
    end_all: async ({ person }) => {
      await this.#now.signIns.endOf(PEOPLE[person] as never, "by_person");
      for (const allowed of this.#allowed) if (allowed.person === person) allowed.isOver = true;
    },
    restart: async () => {
      await this.#now.close();
      this.#routes = await openRoutes(this.#world, this.#file());
    },
    // The files as they are at this moment: the process that has them open says no more. PostgreSQL has no files of ours.
    kill: async (asked) => {
      if (IS_ON_POSTGRES) return this.#steps.restart(asked);
      const before = this.#file();
      const killed = this.#now;
      this.#files += 1;
      for (const suffix of ["", "-wal"])
        if (existsSync(before + suffix)) copyFileSync(before + suffix, this.#file() + suffix);
      this.#routes = await openRoutes(this.#world, this.#file());
      await killed.close();
    },
    leave: ({ person }) => {
      this.#members.delete(person);
      this.#world.members.delete(PEOPLE[person] as never);
      this.#holders.delete(person);
    },
    join: ({ person }) => {
      if (this.#members.has(person)) return;
      this.#members.add(person);
      this.#world.members.set(PEOPLE[person] as never, new Set());
    },
    give_role: ({ person }) => {
      if (!this.#members.has(person)) return;
      this.#holders.add(person);
      this.#world.members.set(PEOPLE[person] as never, new Set([ROLE]));
    },
    take_role: ({ person }) => {
      if (!this.#members.has(person)) return;
      this.#holders.delete(person);
      this.#world.members.set(PEOPLE[person] as never, new Set());
    },
    ask_role: ({ program }) => {
      this.#needsRole = program === 0;
      this.#applyRules();
    },
    narrow: ({ ticked }) => {
      this.#most = ticked;
      this.#applyRules();
    },
    widen: () => {
      this.#most = ALLOWANCES;
      this.#applyRules();
    },
    wait: ({ minutes }) => void vi.setSystemTime(Date.now() + minutes * MINUTE_MS),
    back: ({ minutes }) => {
      this.#isBack = true;
      vi.setSystemTime(Date.now() - minutes * MINUTE_MS);
    },
  };

  readonly #ids = new Map<Allowed, string>();

  #applyRules(): void {
    this.#world.signIn = signInSettingsSchema.parse({ roles: this.#needsRole ? [ROLE] : [], allow: this.#most });
    this.#now.signIns.applyRules();
  }

  #mayBeHere(person: Name): boolean {
    return this.#members.has(person) && (!this.#needsRole || this.#holders.has(person));
  }

  async #signIn({ person, program, ticked, days }: Choice): Promise<void> {
    const { begin, reachPage, answerPage, exchange, signIns } = this.#now;
    const clientId = this.#programs[program] ?? "";
    const what = ticked.filter((name) => this.#most.includes(name));
    const had = new Set(signIns.list(PEOPLE[person] as never).map(({ id }) => id));
    const { url, verifier } = begin(clientId);
    const page = await reachPage(url, person);
    const back = await answerPage(page, { allow: ticked, days: String(days ?? "") });
    const code = back.url.searchParams.get("code");
    if (!this.#mayBeHere(person) || what.length === 0 || had.size >= 10) return expect(code).toBeNull();
    // The registration of a program that nobody uses is gone after a day.
    if (code === null) return;
    const until = days === null ? Number.POSITIVE_INFINITY : Date.now() + days * DAY_MS;
    const allowed: Allowed = { person, program: clientId, what, until, isOver: false };
    this.#allowed.push(allowed);
    const [added] = signIns.list(PEOPLE[person] as never).filter(({ id }) => !had.has(id));
    this.#ids.set(allowed, added?.id ?? "");
    const { status, body } = await exchange(clientId, code, verifier, REDIRECT);
    expect(status).toBe(200);
    this.#note(allowed, body, what);
  }

  #note(of: Allowed, { access_token: access, refresh_token: refresh }: Tokens, scope: readonly Allowance[]): void {
    this.#issued.push({ of, access, refresh, scope, until: Date.now() + 15 * MINUTE_MS, isSpent: false });
  }

  /** Tries a call with every token there ever was, those of refreshes included. */
  async #check(): Promise<void> {
    for (const { of, access, refresh, scope, until } of this.#issued) {
      const isCurrent = !of.isOver && Date.now() < of.until && Date.now() < until;
      const expected =
        isCurrent && this.#mayBeHere(of.person) ? scope.filter((name) => this.#most.includes(name)) : null;
      const made = await this.#tryCall(access);
      if (made) {
        this.calls += 1;
        const scopes = (expected ?? []).flatMap((name) => ALLOWED_SCOPES[name]);
        expect([made.actors, expected !== null]).toEqual([[PEOPLE[of.person]], true]);
        expect(made.scopes.toSorted()).toEqual(scopes.toSorted());
        expect(made.directMessages).toBe(expected?.includes("direct_messages"));
      } else if (!this.#isBack) expect(expected).toBeNull();
      // Whoever is found to have left has ended what they allowed.
      if (isCurrent && !this.#mayBeHere(of.person)) of.isOver = true;
      expect(await this.#tryCall(refresh)).toBeNull();
    }
  }

  async #tryCall(token: string) {
    const client = this.#now.signIns.authenticate(token);
    if (!client) return null;
    try {
      await client.admit?.();
    } catch {
      return null;
    }
    return { ...client.grant, actors: client.grant.actors };
  }
}

it("no call is made for a person who did not allow that program that scope at that time, whatever happens in between", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  onTestFinished(() => void vi.useRealTimers());
  let calls = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(choice, { minLength: 5, maxLength: 25 }), async (choices) => {
      const play = new Play();
      await play.start();
      for (const asked of choices) await play.play(asked);
      calls += play.calls;
    }),
    { numRuns: 40 },
  );
  expect(calls).toBeGreaterThan(100);
});
