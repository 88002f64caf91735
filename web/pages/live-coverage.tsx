import { useEffect, useMemo } from "preact/hooks";
import type { HeldOverview } from "../../src/transports/console/list-coverage.ts";
import { api } from "../kit/api.ts";
import { createRequest } from "../kit/person-page.tsx";
import { texts } from "../kit/texts.ts";

type Server = HeldOverview["servers"][number];
type Channel = Server["channels"][number];

const words = texts.live.coverage;
const REFRESH_MS = 30_000;
const MAX_CHANNELS = 100;
const format = (value: number) => value.toLocaleString();
const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });

/** How far back each channel is held, and how many facts each server shares. */
export function LiveCoverage() {
  const asked = useMemo(createRequest<HeldOverview>, []);
  useEffect(() => {
    const ask = () => void asked.run(async (init) => (await api.operator.coverage.$post({}, init)).json());
    ask();
    const timer = setInterval(ask, REFRESH_MS);
    return () => {
      clearInterval(timer);
      asked.stop();
    };
  }, []);
  const coverage = asked.answer.value;
  if (!coverage) return null;
  const { servers, unnamed } = coverage;
  return (
    <section aria-labelledby="coverage">
      <h2 id="coverage">{words.title}</h2>
      <p class="muted">{words.about}</p>
      {servers.map((server) => (
        <ServerCoverage key={server.name} server={server} />
      ))}
      {unnamed.channels > 0 && <p>{words.unnamed(format(unnamed.channels), format(unnamed.messages))}</p>}
    </section>
  );
}

function ServerCoverage({ server: { name, channels, sharedFacts } }: { readonly server: Server }) {
  const now = Date.now();
  const from = Math.min(now, ...channels.flatMap(({ intervals }) => intervals.map((each) => each.from)));
  const shown = channels.slice(0, MAX_CHANNELS);
  const more = channels.length - shown.length;
  return (
    <div class="card">
      <h3 dir="auto">{name}</h3>
      <p class="muted">
        {words.facts(format(sharedFacts))} {channels.length > 0 && words.span(day.format(from))}
      </p>
      <ul class="coverage">
        {shown.map((channel) => (
          <li key={channel.id}>
            <bdi>#{channel.name}</bdi>
            <Bar channel={channel} span={{ from, to: now }} />
            <span class="muted">{words.messages(format(channel.messages))}</span>
          </li>
        ))}
      </ul>
      {more > 0 && <p class="muted">{words.more(format(more))}</p>}
    </div>
  );
}

interface BarProps {
  readonly channel: Channel;
  readonly span: { readonly from: number; readonly to: number };
}

/** Intervals on a line from the oldest message of the server until now. */
function Bar({ channel: { name, intervals }, span }: BarProps) {
  const toPercent = (time: number) => (100 * (time - span.from)) / Math.max(1, span.to - span.from);
  const [first] = intervals;
  const label = first ? words.since(name, day.format(first.from), format(intervals.length)) : words.nothing(name);
  return (
    <svg role="img" aria-label={label} height="10">
      <title>{label}</title>
      {intervals.map(({ from, to }) => {
        const start = toPercent(from);
        // As much as can be seen, however short it is.
        const width = Math.max(0.5, toPercent(to ?? span.to) - start);
        return <rect key={from} x={`${Math.min(start, 99.5)}%`} width={`${width}%`} height="10" />;
      })}
    </svg>
  );
}
