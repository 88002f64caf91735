import { useSignal } from "@preact/signals";
import type { InferResponseType } from "hono/client";
import { useEffect } from "preact/hooks";
import { api, RequestError } from "../kit/api.ts";
import { lose, signOut } from "../kit/session.ts";
import { NotFresh } from "../kit/sign-in.tsx";
import { texts } from "../kit/texts.ts";
import { Time } from "../kit/time.tsx";

type Answer = InferResponseType<typeof api.operator.settings.$post>;
type Setting = Answer["settings"][number];

const words = texts.settings;

export function SettingsPage({ version }: { readonly version: string }) {
  const answer = useSignal<Answer | null>(null);
  const load = async () => {
    try {
      answer.value = await (await api.operator.settings.$post()).json();
    } catch (error) {
      lose(error);
    }
  };
  useEffect(() => void load(), []);
  const current = answer.value;
  return (
    <>
      <h1>{words.title}</h1>
      <p class="muted">{words.version(version)}</p>
      {current ? (
        <>
          <div class="cards">
            <Reload isFresh={current.isFresh} onDone={load} />
            <Programs programs={current.programs} />
            <Sessions sessions={current.sessions} isFresh={current.isFresh} onDone={load} />
          </div>
          <Configuration settings={current.settings} />
        </>
      ) : (
        <p>{texts.loading}</p>
      )}
    </>
  );
}

function Configuration({ settings }: { readonly settings: readonly Setting[] }) {
  const isOnlyChanged = useSignal(false);
  const shown = isOnlyChanged.value ? settings.filter(({ isChanged }) => isChanged) : settings;
  return (
    <section class="card" aria-labelledby="configuration">
      <h2 id="configuration">{words.configuration}</h2>
      <p class="muted">{words.about}</p>
      <label class="check">
        <input
          type="checkbox"
          checked={isOnlyChanged.value}
          onChange={(event) => {
            isOnlyChanged.value = event.currentTarget.checked;
          }}
        />
        {words.onlyChanged}
      </label>
      {shown.length === 0 && <p>{words.none}</p>}
      <ul class="rows">
        {shown.map((setting) => (
          <li key={setting.name}>
            <code>{setting.name}</code>
            <Value setting={setting} />
            <span class="muted">
              {describeOrigin(setting)} {setting.isChanged && <span class="badge">{words.changed}</span>}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Value({ setting: { isSet, isSecret, value } }: { readonly setting: Setting }) {
  if (!isSet) return <span class="muted">{words.notSet}</span>;
  return isSecret ? <span>{words.secretSet}</span> : <code>{value}</code>;
}

function describeOrigin({ from, variable }: Setting): string {
  return from === "environment" ? words.from.environment(variable ?? "") : words.from[from];
}

function Reload({ isFresh, onDone }: { readonly isFresh: boolean; onDone(): Promise<void> }) {
  const outcome = useSignal("");
  const reload = async () => {
    try {
      const { changed } = await (await api.operator.reload.$post()).json();
      outcome.value = changed.length === 0 ? words.nothingChanged : words.applied(changed.join(", "));
      await onDone();
    } catch (error) {
      if (error instanceof RequestError && ["misconfigured", "forbidden"].includes(error.code))
        outcome.value = error.message;
      else lose(error);
    }
  };
  return (
    <section class="card" aria-labelledby="reload">
      <h2 id="reload">{words.reload}</h2>
      {isFresh ? (
        <>
          <p class="muted">{words.reloadAbout}</p>
          <button type="button" onClick={reload}>
            {words.reload}
          </button>
        </>
      ) : (
        <NotFresh />
      )}
      <p class="outcome" role="status">
        {outcome.value}
      </p>
    </section>
  );
}

function Programs({ programs }: { readonly programs: Answer["programs"] }) {
  return (
    <section class="card" aria-labelledby="programs">
      <h2 id="programs">{words.programs}</h2>
      {programs.length === 0 && <p>{words.noPrograms}</p>}
      <ul class="rows">
        {programs.map(({ name, rpc, mcp }) => (
          <li key={name}>
            <code>{name}</code>
            <span>{words.connections(rpc.toLocaleString(), mcp.toLocaleString())}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface SessionsProps {
  readonly sessions: Answer["sessions"];
  readonly isFresh: boolean;
  onDone(): Promise<void>;
}

function Sessions({ sessions, isFresh, onDone }: SessionsProps) {
  const end = async (id: string) => {
    try {
      await api.operator["end-session"].$post({ json: { id } });
    } catch (error) {
      // One that has ended already is what was wanted.
      if (!(error instanceof RequestError && error.code === "not_found")) return lose(error);
    }
    await onDone();
  };
  return (
    <section class="card" aria-labelledby="sessions">
      <h2 id="sessions">{words.sessions}</h2>
      <ul class="rows">
        {sessions.map(({ id, openedAt, expiresAt, isOperator, isThis }) => (
          <li key={id}>
            <span>
              <code>{id}</code> {isOperator ? words.operator : words.person}{" "}
              {isThis && <span class="badge">{words.thisSession}</span>}
            </span>
            <span class="muted">
              {words.opened} <Time at={openedAt} />, {words.ends} <Time at={expiresAt} />
            </span>
            {(isThis || isFresh) && (
              <button
                type="button"
                class="quiet"
                aria-label={words.endLabel(id)}
                onClick={() => (isThis ? signOut() : end(id))}
              >
                {words.end}
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
