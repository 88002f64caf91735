import { throwIfCancelled } from "../domain/errors.ts";
import type { GuildId } from "../domain/ids.ts";
import { lazy } from "../domain/lazy.ts";
import { OPERATOR } from "../policy/grant.ts";
import type { Tool } from "../tools/define-tool.ts";
import type { PaceView, PageView, RequestView } from "../tools/view.ts";
import { Access } from "./call/access.ts";
import { CallRecord } from "./call/call-record.ts";
import { EffectAccess } from "./call/effect-access.ts";
import { refreshSources } from "./call/fresh-reads.ts";
import type { OpenCall, ToolCall } from "./call/tool-call.ts";
import type { CallDeps } from "./call-deps.ts";
import { DocumentReads } from "./document-reads.ts";
import type { EffectCall } from "./effects/effect-call.ts";
import { Effects } from "./effects/effects.ts";
import { ChannelList } from "./find/channel-list.ts";
import { Finder } from "./find/finder.ts";
import { MemberList } from "./find/member-list.ts";
import { MessageFinder } from "./find/message-finder.ts";
import { TypedTimes } from "./find/typed-times.ts";
import { FactProposals } from "./memory/fact-proposals.ts";
import { FactReads } from "./memory/fact-reads.ts";
import { ProfileReads } from "./memory/profile-reads.ts";
import { namesFor } from "./present.ts";
import { TalkReads } from "./talks/talk-reads.ts";

export type CallParts = ReturnType<typeof openParts>;

/** The parts of one call, with those of its view. Most calls need few of them: each is opened on first use. */
export function openParts(tool: Tool, call: ToolCall & Partial<OpenCall>, deps: CallDeps) {
  const { operation, signal, forId = null, lend = (part) => part } = call;
  const ids = lazy(() => deps.idsOf(operation));
  const record = new CallRecord({ operation, tool: tool.name }, { audit: deps.audit, clock: deps.clock, ids });
  const access = new Access({ operation, tool, forId, record }, deps);
  const effectAccess = lazy(() => new EffectAccess({ operation, tool, forId: null, record }, deps));
  const refresh = () => refreshSources(operation.label, deps, signal);
  const effectCall = (): EffectCall => {
    return { operation, tool: tool.name, access: effectAccess(), record, signal, refresh };
  };
  const reads = { access, record };
  const names = (guildId: GuildId | null) =>
    namesFor(guildId, { directory: deps.discord.directory, access, people: deps.people });
  const page: PageView = {
    nonce: operation.nonce,
    get now() {
      return deps.clock.now();
    },
    get displayNames() {
      return ids().displayNames;
    },
    handle: (message) => ids().handle(message),
    factHandle: (factId) => ids().factHandle(factId),
    names: (guildId) => lend(names(guildId)),
  };
  const pace: PaceView = {
    run(work) {
      const own = deps.openPace(() => throwIfCancelled(signal));
      return own.run(work(own));
    },
  };
  const { locale } = operation;
  const times = lazy(() => new TypedTimes({ locale, guildId: access.here.guildId }, deps));
  const finder = lazy(() => new Finder(call, reads, deps));
  const channels = lazy(() => new ChannelList(call, { ...reads, ids, finder, names, lend }, deps));
  const profiles = lazy(() => new ProfileReads({ ...reads, operation, signal }, deps));
  const facts = lazy(() => new FactReads({ ...reads, operation, signal, finder, profiles }, deps));
  const view = {
    ...{ times, channels, facts },
    request: lazy(() => describeRequest(call, access, deps)),
    page: () => page,
    pace: () => pace,
    messages: lazy(() => new MessageFinder(call, { ...reads, ids, finder, times, channels }, deps)),
    people: lazy(() => new MemberList(call, { ...reads, finder }, deps)),
    proposals: lazy(() => new FactProposals({ ...effectCall(), facts }, deps)),
    documents: lazy(() => new DocumentReads({ ...reads, operation }, deps)),
    talks: lazy(() => new TalkReads({ ...call, ...reads, channels: () => finder().listToSearch() }, deps)),
    effects: lazy(() => new Effects(effectCall(), deps)),
  };
  return { access, record, ids, effectAccess, effectCall, finder, view };
}

function describeRequest({ operation }: ToolCall, access: Access, { discord }: CallDeps): RequestView {
  const { name, grant } = operation.client;
  return {
    actor: operation.actor,
    agent: { id: discord.botId, name: discord.botName },
    here: access.hasHere ? access.here.channelId : null,
    guildId: access.here.guildId,
    messageId: operation.origin.messageId,
    get isPrivate() {
      return access.isPrivate;
    },
    isIsolated: operation.isIsolated,
    isOperator: name === OPERATOR && !grant.scopes.includes("memory:read_self"),
    mayReadShared: grant.scopes.includes("memory:read_project"),
  };
}
