import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { LiveSample } from "../../src/transports/console/live-samples.ts";
import { Plot } from "../kit/plot.tsx";
import { texts } from "../kit/texts.ts";
import { Time } from "../kit/time.tsx";
import { LiveCoverage } from "./live-coverage.tsx";
import { followLive, isStale, type LiveStatus, liveHistory, liveStatus, toLatencies, toRates } from "./live-data.ts";

const MINUTE_MS = 60_000;
const SPAN_MS = { hour: 60 * MINUTE_MS, day: 24 * 60 * MINUTE_MS };
const MEGABYTE = 1_000_000;
const words = texts.live;
const format = (value: number) => value.toLocaleString();

export function LivePage() {
  useEffect(() => {
    const controller = new AbortController();
    void followLive(controller.signal);
    return () => controller.abort();
  }, []);
  const span = useSignal<"hour" | "day">("hour");
  const status = liveStatus.value;
  const samples = liveHistory.value[span.value];
  return (
    <>
      <h1>{words.title}</h1>
      <p class="muted">{words.about}</p>
      <div aria-live="polite">{isStale.value && <p class="banner">{words.stale}</p>}</div>
      {status ? (
        <>
          <Problems status={status} />
          <Now status={status} />
        </>
      ) : (
        <p>{words.collecting}</p>
      )}
      <fieldset class="choice">
        <legend>{words.span}</legend>
        {(["hour", "day"] as const).map((each) => (
          <label key={each}>
            <input
              type="radio"
              name="span"
              checked={span.value === each}
              onChange={() => {
                span.value = each;
              }}
            />
            {words[each]}
          </label>
        ))}
      </fieldset>
      {samples.length > 1 ? (
        <Plots samples={samples} spanMs={SPAN_MS[span.value]} hasModel={status?.model !== null} />
      ) : (
        <p>{words.collecting}</p>
      )}
      <LiveCoverage />
    </>
  );
}

function Problems({ status: { storage, model, discord } }: { readonly status: LiveStatus }) {
  const failure = model?.last_failure;
  const problems = [
    ...storage.map(({ store, reason }) => words.storageFails(store, reason)),
    ...discord.missing_commands.map(({ name, reason }) => words.missing(name, reason)),
    ...(failure ? [`${words.modelFailed} ${failure.reason}`] : []),
  ];
  if (problems.length === 0) return null;
  return (
    <section class="banner" aria-labelledby="problems">
      <h2 id="problems">{words.problems}</h2>
      <ul>
        {problems.map((problem) => (
          <li key={problem}>{problem}</li>
        ))}
      </ul>
    </section>
  );
}

function Now({ status }: { readonly status: LiveStatus }) {
  const { discord, messages, clients, calls, memory, model, storage } = status;
  const pausedUntil = messages.reading_paused_until;
  return (
    <section aria-labelledby="now">
      <h2 id="now">{words.now}</h2>
      <dl class="figures">
        <Figure name={words.discord} value={words.states[discord.state]} isBad={discord.state !== "ready"} />
        <Figure name={words.servers} value={format(discord.servers)} />
        <Figure name={words.held} value={format(messages.held)} />
        <Figure name={words.channels} value={format(messages.channels)} />
        <Figure name={words.unread} value={format(messages.channels_unread)} />
        <Figure name={words.unlisted} value={format(messages.archives_unlisted)} />
        <Figure name={words.unconfirmed} value={format(messages.unconfirmed)} />
        {pausedUntil !== null && <Figure name={words.paused} value={<Time at={Date.parse(pausedUntil)} />} isBad />}
        <Figure name={words.gaps} value={format(discord.gaps)} />
        <Figure name={words.waits} value={format(discord.rate_limit_waits)} />
        <Figure
          name={words.clients}
          value={format(clients.rpc + clients.mcp)}
          note={words.clientKinds(format(clients.rpc), format(clients.mcp))}
        />
        <Figure name={words.calls} value={format(calls.total)} note={words.failed(format(calls.failed))} />
        <Figure name={words.memory} value={`${format(Math.round(memory.resident_bytes / MEGABYTE))} MB`} />
        <Figure
          name={words.tokens}
          value={model ? format(model.today.input_tokens + model.today.output_tokens) : words.noModel}
        />
        {model && model.today.cost !== null && <Figure name={words.cost} value={model.today.cost.toLocaleString()} />}
        <Figure
          name={words.storage}
          value={storage.length === 0 ? words.storageFine : format(storage.length)}
          isBad={storage.length > 0}
        />
        <Figure name={words.uptime} value={<Time at={Date.now() - status.uptime_seconds * 1_000} />} />
      </dl>
    </section>
  );
}

interface FigureProps {
  readonly name: string;
  readonly value: ComponentChildren;
  readonly note?: string;
  readonly isBad?: boolean;
}

function Figure({ name, value, note, isBad = false }: FigureProps) {
  return (
    <div class={isBad ? "bad" : ""}>
      <dt>{name}</dt>
      <dd>
        <strong>{value}</strong>
        {note && <span class="muted">{note}</span>}
      </dd>
    </div>
  );
}

interface PlotsProps {
  readonly samples: readonly LiveSample[];
  readonly spanMs: number;
  readonly hasModel: boolean;
}

function Plots({ samples, spanMs, hasModel }: PlotsProps) {
  const plots = useMemo(() => toPlots(samples, hasModel), [samples, hasModel]);
  const times = useMemo(() => samples.map(({ at }) => at), [samples]);
  return (
    <div class="plots">
      {plots.map(([name, values]) => (
        <Plot key={name} title={words.plots[name]} spanMs={spanMs} times={times} values={values} />
      ))}
    </div>
  );
}

type PlotName = keyof typeof words.plots;

function toPlots(samples: readonly LiveSample[], hasModel: boolean): [PlotName, (number | null)[]][] {
  const plots: [PlotName, (number | null)[]][] = [
    ["events", toRates(samples, "events", 1_000)],
    ["requests", toRates(samples, "requests", MINUTE_MS)],
    ["waited", toRates(samples, "waited", MINUTE_MS)],
    ["calls", toRates(samples, "calls", MINUTE_MS)],
    ["latency", toLatencies(samples)],
    ["clients", samples.map(({ clients }) => clients)],
    ["held", samples.map(({ held }) => held)],
    ["unread", samples.map(({ unread }) => unread)],
    ["memory", samples.map(({ memory }) => memory / MEGABYTE)],
  ];
  return hasModel ? [...plots, ["tokens", toRates(samples, "tokens", MINUTE_MS)]] : plots;
}
