import { openAgent } from "../agent/open-agent.ts";
import type { Config } from "../config/config.ts";
import type { UserId } from "../domain/ids.ts";
import { createCore } from "../gate/create-core.ts";
import { hashToken } from "../policy/authenticate.ts";
import { CONFIRMER_GRANT, OPERATOR, OPERATOR_GRANT } from "../policy/grant.ts";
import { LiveClients } from "../policy/live-clients.ts";
import { isOlderDatabase } from "../ports/restore-store.ts";
import { createAnswerStore } from "../stores/answer-store.ts";
import { urgently } from "../stores/database.ts";
import { tools } from "../tools/index.ts";
import { createReuseNotices } from "../transports/discord/reuse-notices.ts";
import { Reviews } from "../transports/discord/reviews.ts";
import { createMetrics } from "../transports/http/metrics.ts";
import { codeOf } from "../transports/kit/explain.ts";
import { Privacy } from "../transports/kit/privacy.ts";
import type { KeptFacts } from "../transports/kit/privacy-text.ts";
import type { RpcTransport } from "../transports/rpc/rpc-transport.ts";
import type { Ground, Program } from "./open-ground.ts";
import { openAnswerer, openModel } from "./open-models.ts";
import { openSignIns } from "./open-sign-ins.ts";
import type { Sources } from "./open-sources.ts";
import { rememberSample } from "./sample-facts.ts";

export type CoreParts = Awaited<ReturnType<typeof openCoreParts>>;

/** Clients and their rights, the gate, and the agent. `rpc`: the transport, once there is one. */
export async function openCoreParts(program: Program, ground: Ground, sources: Sources, rpc: () => RpcTransport) {
  const { config, clock, log, mintId, closers } = program;
  const { database, kept, audit, spending, tokens } = ground;
  const { sandbox, discord, live, memory, profiles, talks } = sources;
  const { timeZone } = config;
  const { consent } = kept;
  const ownClients = [
    { name: OPERATOR, tokenSha256: hashToken(tokens.operator), grant: OPERATOR_GRANT },
    { name: "confirmer", tokenSha256: hashToken(tokens.confirmer), grant: CONFIRMER_GRANT },
  ];
  const clients = new LiveClients([...config.clients, ...ownClients]);
  const endClients = (names: readonly string[]) => {
    core.operations.endOf(names);
    rpc().disconnect(names);
  };
  const people = await openSignIns(config, {
    ...{ rules: live.rules, database, discord, sandbox, audit, log, onEnd: endClients },
    onReuse: (signIn) => void tellOfReuse(signIn),
    url: ground.http.url,
  });
  const metrics = createMetrics({ ...ground, ...sources, rpc: () => rpc().stats() });
  const reviews = new Reviews({ discord, core: () => core, log });
  closers.push(() => reviews.close());
  const created = createCore({
    ...sources,
    ...{ tools, consent, audit, clock, mintId, timeZone },
    confined: ground.confined,
    rules: live.rules,
    policy: live,
    profiles: profiles.sources,
    episodes: talks.episodes,
    bots: config.agent.bots,
    model: await openModel(config),
    ...(spending && { spending }),
    onCall: metrics.noteCall,
    onConfirmation: (confirmation) => reviews.ask(confirmation),
    followed: () => agent.clientAnswers,
  });
  const core = { ...created, erasePerson: (person: UserId) => urgently(() => created.erasePerson(person)) };
  const tellOfReuse = createReuseNotices({ ...core, clock, log });
  if (sandbox && core.ownMemory) {
    const telling = rememberSample({ sandbox, ownMemory: core.ownMemory, memory, clock }).catch((error: unknown) =>
      log.warn({ code: codeOf(error) }, "the facts of the sample community could not be remembered"),
    );
    closers.push(() => telling);
  }
  const answerer = await openAnswerer(config, log);
  const agent = openAgent({
    ...core,
    ...{ discord, answerer, audit, timeZone, clock, log },
    store: createAnswerStore(database),
    ...(spending && { spending }),
    restoredAt: kept.restores.filter(isOlderDatabase).at(-1)?.restored_at,
    mayAnswerBot: (message) => talks.botAskers.mayAnswer(message),
    settings: ground.agentSettings,
    policy: live,
  });
  closers.push(() => agent.close());
  core.erasers.add(agent.eraser);
  if (people) core.erasers.add({ name: "sign-ins", erase: (person) => people.signIns.erase(person) });
  const privacy = new Privacy({ ...core, consent, kept: keptFacts(config, kept.restores), clock });
  /** Replaces the clients of the configuration; those of the program stay. */
  const replaceClients = (configured: Config["clients"]) => clients.replace([...configured, ...ownClients]);
  return {
    ...{ core, agent, answerer, metrics, reviews, privacy, people, endClients, replaceClients },
    authenticate: clients.authenticate.bind(clients),
  };
}

function keptFacts(config: Config, restores: NonNullable<KeptFacts["restores"]>): KeptFacts {
  const { timeline, audit, episodes, model, profiles } = config;
  const { messagesPerChannel, maxAgeDays, diskChannels, retentionDays } = timeline;
  const diskDays = diskChannels.length > 0 ? retentionDays : null;
  const [auditDays, talkDays] = [audit.retentionDays, episodes.retentionDays];
  const asksProfiles = profiles.url !== undefined;
  const countsTokens = (model.name ?? model.cheapName) !== undefined;
  return { messagesPerChannel, maxAgeDays, diskDays, auditDays, talkDays, countsTokens, asksProfiles, restores };
}
