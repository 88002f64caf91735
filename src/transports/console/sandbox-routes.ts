import { Hono, type MiddlewareHandler } from "hono";
import { getCookie } from "hono/cookie";
import { z } from "zod";
import { EarshotError } from "../../domain/errors.ts";
import type { ChannelId, UserId } from "../../domain/ids.ts";
import type { Repeat } from "../kit/repeat.ts";
import { accept, actorOf, type ConsoleEnv, viewSession } from "./console-kit.ts";
import type { ConsoleSessions } from "./console-sessions.ts";
import { type SandboxCommunity, seenAction, seenFileAddress, seenId } from "./sandbox-community.ts";
import { streamCommunity } from "./stream-community.ts";
import type { AnswerTrace } from "./trace-answer.ts";

export interface SandboxRouteDeps {
  /** Null if Earshot is connected to Discord itself. */
  readonly community: SandboxCommunity | null;
  readonly sessions: ConsoleSessions;
  /** Differs from that of another Earshot on this machine, because browsers send a cookie to every port of a host. */
  readonly cookieName: string;
  readonly version: string;
  /** How the agent answered the person's last question in a channel; null without one. */
  traceAnswer(asked: { readonly actor: UserId; readonly channelId: ChannelId }): Promise<AnswerTrace | null>;
  readonly repeat: Repeat;
}

type SandboxEnv = { Variables: ConsoleEnv["Variables"] & { community: SandboxCommunity } };

/** On an Earshot with its own sandbox, the operator chooses which of its people to be. Each person gets a separate session, with the
 * same cookie. */
export function createSandboxRoutes(deps: SandboxRouteDeps) {
  const { community, sessions, cookieName } = deps;
  const requireCommunity: MiddlewareHandler<SandboxEnv> = async (c, next) => {
    if (!community) throw new EarshotError("not_found", "Earshot is connected to Discord itself, not to a sandbox.");
    c.set("community", community);
    await next();
  };
  return new Hono<SandboxEnv>()
    .use("/console/sandbox/*", requireCommunity)
    .use("/console/community/*", requireCommunity)
    .post("/console/sandbox/people", (c) => c.json({ people: c.var.community.people() }))
    .post("/console/sandbox/become", accept(z.object({ id: z.string().max(100) })), (c) => {
      const wanted = c.req.valid("json").id;
      const person = c.var.community.people().find(({ id }) => id === wanted);
      if (!person) throw new EarshotError("not_found", "The sandbox has no such person.");
      const { session, secrets } = sessions.open(person.id, getCookie(c, cookieName), {
        ...{ from: c.var.session, name: person.name },
      });
      // Signing out also ends the sessions of people opened from here.
      c.var.session.signal.addEventListener("abort", () => sessions.end(session.id), { signal: session.signal });
      return c.json({ key: secrets.key, session: viewSession(session, deps) });
    })
    .post("/console/community/live", (c) => {
      const signal = AbortSignal.any([c.var.session.signal, c.req.raw.signal]);
      return streamCommunity(actorOf(c.var.session), signal, { community: c.var.community, repeat: deps.repeat });
    })
    .post("/console/community/messages", accept(z.object({ channelId: seenId, before: seenId.optional() })), (c) => {
      const { channelId, before } = c.req.valid("json");
      return c.json(c.var.community.messages(actorOf(c.var.session), channelId, before));
    })
    .post("/console/community/commands", accept(z.object({ channelId: seenId })), (c) =>
      c.json({ commands: c.var.community.commands(actorOf(c.var.session), c.req.valid("json").channelId) }),
    )
    .post("/console/community/last-answer", accept(z.object({ channelId: seenId })), async (c) => {
      const channelId = c.req.valid("json").channelId as ChannelId;
      return c.json({ trace: await deps.traceAnswer({ actor: actorOf(c.var.session), channelId }) });
    })
    .post("/console/community/file", accept(seenFileAddress), (c) => {
      const bytes = c.var.community.file(actorOf(c.var.session), c.req.valid("json"));
      return c.body(new Uint8Array(bytes), 200, { "content-type": "application/octet-stream" });
    })
    .post("/console/community/act", accept(seenAction), async (c) =>
      c.json(await c.var.community.act(actorOf(c.var.session), c.req.valid("json"))),
    );
}
