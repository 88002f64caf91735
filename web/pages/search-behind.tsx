import { useSignal } from "@preact/signals";
import type { InferResponseType } from "hono/client";
import { useEffect, useMemo } from "preact/hooks";
import { createRequest, type PersonApi } from "../kit/person-page.tsx";
import { texts } from "../kit/texts.ts";
import type { Answered, Found, Places, Timed } from "./search-data.ts";

const words = texts.search;
const VIEWS = ["people", "model", "programs"] as const;
const format = (value: number) => value.toLocaleString();

interface BehindProps {
  readonly me: PersonApi;
  readonly places: Places;
  readonly found: Timed<Found> | null;
  readonly answered: Timed<Answered> | null;
}

/** How a search and an answer come about: what others see of them, what they took, and how a program asks for the same. */
export function Behind({ me, places, found, answered }: BehindProps) {
  const view = useSignal<(typeof VIEWS)[number]>("people");
  const { me: id } = places;
  const [channel = ""] = places.channels.filter(({ isThread }) => !isThread).map(({ channel_id }) => channel_id);
  return (
    <section class="behind" aria-label={words.behind}>
      {found && (
        <div class="card">
          <fieldset class="choice">
            <legend>{words.view}</legend>
            {VIEWS.map((each) => (
              <label key={each}>
                <input
                  type="radio"
                  name="view"
                  checked={view.value === each}
                  onChange={() => {
                    view.value = each;
                  }}
                />
                {words.views[each]}
              </label>
            ))}
          </fieldset>
          {view.value !== "people" && (
            <pre>
              <code>{view.value === "model" ? found.text : JSON.stringify(found.result, null, 2)}</code>
            </pre>
          )}
        </div>
      )}
      {[found, answered].map((one) => one && <Took key={one.call.name} one={one} ids={{ id, channel }} />)}
      {places.hasSandbox && <Withheld me={me} />}
    </section>
  );
}

interface TookProps {
  readonly one: Timed<Found> | Timed<Answered>;
  readonly ids: { readonly id: string; readonly channel: string };
}

function Took({ one, ids: { id, channel } }: TookProps) {
  const { call, cost, milliseconds } = one;
  const who = `--as ${id} --in ${channel} --private`;
  const args = Object.entries(call.args).map(([name, value]) => `${name}=${quote(value)}`);
  const command =
    "question" in call.args
      ? `npx earshot ask ${who} ${quote(call.args.question)}`
      : `npx earshot call ${call.name} ${who} ${args.join(" ")}`;
  const code =
    "question" in call.args
      ? `const { operation_id: operationId } = await client.call("operation.open", { actor: "${id}", private: true });\nawait client.call("agent.ask", ${JSON.stringify(call.args)}, { operationId });`
      : `await earshot.as("${id}", "private").call("${call.name}", ${JSON.stringify(call.args)});`;
  return (
    <div class="card">
      <h2>{"question" in call.args ? words.answer : words.search}</h2>
      <dl class="figures">
        <div>
          <dt>{words.read}</dt>
          <dd>{words.counts(format(cost.read.message), format(cost.read.channel))}</dd>
        </div>
        {"result" in one && (
          <div>
            <dt>{words.looked}</dt>
            <dd>{format(one.result.coverage.scanned)}</dd>
          </div>
        )}
        <div>
          <dt>{words.tokens}</dt>
          <dd>{format(cost.tokens)}</dd>
        </div>
        <div>
          <dt>{words.milliseconds}</dt>
          <dd>{format(milliseconds)}</dd>
        </div>
      </dl>
      <h3>{words.command}</h3>
      <pre>
        <code>{command}</code>
      </pre>
      <h3>{words.code}</h3>
      <pre>
        <code>{code}</code>
      </pre>
    </div>
  );
}

/** For a shell, whatever is in it. */
function quote(value: unknown): string {
  return typeof value === "string" ? `'${value.replaceAll("'", `'\\''`)}'` : String(value);
}

function Withheld({ me }: { readonly me: PersonApi }) {
  const asked = useMemo(createRequest<InferResponseType<PersonApi["withheld"]["$post"]>>, []);
  useEffect(() => void asked.run(async (init) => (await me.withheld.$post({}, init)).json()), []);
  const channels = asked.answer.value?.channels;
  return (
    <div class="card">
      <h2>{words.withheld}</h2>
      <p class="muted">{words.withheldAbout}</p>
      {asked.problem.value && <p class="banner">{asked.problem.value}</p>}
      {channels?.length === 0 && <p>{words.nothingWithheld}</p>}
      <ul class="rows">
        {channels?.map(({ channel_id, name, reason }) => (
          <li key={channel_id}>
            <span>#{name}</span>
            <span class="muted">
              {words.reasons[reason]} <code>{reason}</code>
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
