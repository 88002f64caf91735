import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { Marked } from "../kit/marked.tsx";
import { createRequest, type PersonApi, PersonPage } from "../kit/person-page.tsx";
import type { Session } from "../kit/session.ts";
import { texts } from "../kit/texts.ts";
import { Behind } from "./search-behind.tsx";
import type { Answered, Found, Places, Timed } from "./search-data.ts";
import { type Filters, NO_FILTERS, SearchFilters } from "./search-filters.tsx";
import { CouldTell, Hit, MessageLine } from "./search-hit.tsx";

const words = texts.search;
const NO_PLACES: Places = { me: "" as Places["me"], channels: [], people: [], hasSandbox: false };

export function SearchPage({ session }: { readonly session: Session }) {
  return (
    <PersonPage session={session} title={words.title} about={words.about}>
      {(me) => <SearchAndAsk me={me} />}
    </PersonPage>
  );
}

async function time<Answer>(response: Promise<{ json(): Promise<Answer> }>): Promise<Timed<Answer>> {
  const start = performance.now();
  const answer = await (await response).json();
  return { ...answer, milliseconds: Math.round(performance.now() - start) };
}

function SearchAndAsk({ me }: { readonly me: PersonApi }) {
  const query = useSignal("");
  const filters = useSignal<Filters>(NO_FILTERS);
  const isStopped = useSignal(false);
  const isBehind = useSignal(false);
  const [places, found, answered] = useMemo(
    () => [createRequest<Places>(), createRequest<Timed<Found>>(), createRequest<Timed<Answered>>()] as const,
    [],
  );
  useEffect(() => {
    void places.run(async (init) => (await me.places.$post({}, init)).json());
    return () => {
      for (const request of [places, found, answered]) request.stop();
    };
  }, []);
  const known = places.answer.value ?? NO_PLACES;

  const search = (cursor?: string) =>
    found.run(async (init) => {
      const { since, ...rest } = filters.value;
      const from = since === undefined ? {} : { since: new Date(Date.now() - since).toISOString() };
      const json = { query: query.value.trim(), ...rest, ...from, ...(cursor && { cursor }) };
      const page = await time(me.search.$post({ json }, init));
      const before = cursor ? (found.answer.value?.result.hits ?? []) : [];
      return { ...page, result: { ...page.result, hits: [...before, ...page.result.hits] } };
    });
  const ask = () => {
    isStopped.value = false;
    answered.answer.value = null;
    void answered.run((init) => time(me.ask.$post({ json: { question: query.value.trim() } }, init)));
  };
  const isEmpty = query.value.trim() === "";
  return (
    <>
      <search>
        <form
          class="asking"
          onSubmit={(event) => {
            event.preventDefault();
            if (!isEmpty) void search();
          }}
        >
          <input
            type="search"
            aria-label={words.box}
            placeholder={words.box}
            maxLength={400}
            value={query.value}
            onInput={(event) => {
              query.value = event.currentTarget.value;
            }}
          />
          <button type="submit" disabled={isEmpty}>
            {words.search}
          </button>
          <button type="button" class="quiet" disabled={isEmpty || answered.isRunning.value} onClick={ask}>
            {words.ask}
          </button>
        </form>
        <SearchFilters
          places={known}
          filters={filters.value}
          onChange={(next) => {
            filters.value = next;
            if (!isEmpty && found.answer.value) void search();
          }}
        />
      </search>
      <div role="alert">
        {[places, found, answered].map(({ problem }, index) =>
          problem.value === "" ? null : (
            <p class="banner" key={index}>
              {problem.value}
            </p>
          ),
        )}
      </div>
      <div aria-live="polite">
        {answered.isRunning.value && (
          <p class="card">
            {words.asking}{" "}
            <button
              type="button"
              class="quiet"
              onClick={() => {
                answered.stop();
                isStopped.value = true;
              }}
            >
              {words.stop}
            </button>
          </p>
        )}
        {isStopped.value && <p class="muted">{words.stopped}</p>}
        {answered.answer.value && <Answer answer={answered.answer.value} me={me} places={known} />}
      </div>
      <Results
        found={found.answer.value}
        isRunning={found.isRunning.value}
        isStart={!answered.answer.value && !answered.isRunning.value}
        {...{ me, places: known }}
        onMore={(cursor) => void search(cursor)}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={isBehind.value}
          onChange={(event) => {
            isBehind.value = event.currentTarget.checked;
          }}
        />
        {words.behind}
      </label>
      {isBehind.value && <Behind me={me} places={known} found={found.answer.value} answered={answered.answer.value} />}
    </>
  );
}

interface ResultsProps {
  readonly found: Timed<Found> | null;
  readonly isRunning: boolean;
  readonly isStart: boolean;
  readonly me: PersonApi;
  readonly places: Places;
  onMore(cursor: string): void;
}

function Results({ found, isRunning, isStart, me, places, onMore }: ResultsProps) {
  if (!found)
    return (
      <p class="muted" role="status">
        {isRunning ? words.searching : isStart ? words.start : ""}
      </p>
    );
  const { hits, empty, examined, note, has_more, cursor } = found.result;
  return (
    <section aria-labelledby="hits" aria-busy={isRunning}>
      <h2 id="hits" aria-live="polite">
        {isRunning ? words.searching : words.hits(hits.length.toLocaleString())}
      </h2>
      {empty !== null && <p>{empty}</p>}
      <ol class="hits">
        {hits.map((hit) => (
          <Hit key={hit.message.message_id} hit={hit} me={me} places={places} />
        ))}
      </ol>
      {[examined, note].map(
        (sentence) =>
          sentence && (
            <p class="muted" key={sentence}>
              {sentence}
            </p>
          ),
      )}
      {has_more && cursor !== null && (
        <button type="button" class="quiet" disabled={isRunning} onClick={() => onMore(cursor)}>
          {words.more}
        </button>
      )}
    </section>
  );
}

interface AnswerProps {
  readonly answer: Answered;
  readonly me: PersonApi;
  readonly places: Places;
}

function Answer({ answer: { text, sources }, me, places }: AnswerProps) {
  const show = (number: number) => document.getElementById(`source-${number}`)?.focus();
  const cite = (number: number) =>
    number >= 1 && number <= sources.length ? (
      <button type="button" class="cite" aria-label={`${words.sources} ${number}`} onClick={() => show(number)}>
        {number}
      </button>
    ) : null;
  return (
    <section class="card answer" aria-labelledby="answer">
      <h2 id="answer">{words.answer}</h2>
      <Marked text={text} cite={cite} />
      {sources.length > 0 && (
        <>
          <h3>{words.sources}</h3>
          <ol class="sources">
            {sources.map(({ message, role }, index) => (
              <li key={message.message_id} id={`source-${index + 1}`} tabIndex={-1} class={role}>
                <MessageLine message={message} places={places} isShort />
              </li>
            ))}
          </ol>
          <CouldTell messages={sources.map(({ message }) => message)} me={me} places={places} />
        </>
      )}
    </section>
  );
}
