import type { InferResponseType } from "hono/client";
import { useEffect, useMemo } from "preact/hooks";
import { Confirm } from "../kit/confirm.tsx";
import { Marked } from "../kit/marked.tsx";
import { createRequest, type PersonApi, PersonPage } from "../kit/person-page.tsx";
import type { Session } from "../kit/session.ts";
import { NotFresh } from "../kit/sign-in.tsx";
import { texts } from "../kit/texts.ts";
import { Time } from "../kit/time.tsx";

type MemoryApi = PersonApi["memory"];
type Listed = InferResponseType<MemoryApi["list"]["$post"]>;
type Fact = Listed["facts"][number];

const words = texts.memory;

export function MemoryPage({ session }: { readonly session: Session }) {
  return (
    <PersonPage session={session} title={words.title} about={words.about}>
      {(me) => <OwnMemory me={me} />}
    </PersonPage>
  );
}

type Done = { readonly text: string };

function OwnMemory({ me }: { readonly me: PersonApi }) {
  const [listed, done] = useMemo(() => [createRequest<Listed>(), createRequest<Done>()] as const, []);
  const load = () => listed.run(async (init) => (await me.memory.list.$post({}, init)).json());
  useEffect(() => {
    void load();
    return () => {
      listed.stop();
      done.stop();
    };
  }, []);
  const act = (send: Parameters<typeof done.run>[0]) =>
    void done.run(async (init) => {
      const receipt = await send(init);
      await load();
      return receipt;
    });
  const problem = listed.problem.value || done.problem.value;
  const current = listed.answer.value;
  return (
    <>
      <p>{words.widens}</p>
      <div role="alert">{problem && <p class="banner">{problem}</p>}</div>
      <div role="status">
        {done.answer.value && (
          <section class="card receipt" aria-labelledby="receipt">
            <h2 id="receipt">{words.receipt}</h2>
            <Marked text={done.answer.value.text} />
          </section>
        )}
      </div>
      {current ? (
        <>
          <Facts facts={current.facts} memory={me.memory} isBusy={done.isRunning.value} act={act} />
          <div class="cards">
            <OwnMessages privacy={current.privacy} me={me} isBusy={done.isRunning.value} act={act} />
            <Export isFresh={current.isFresh} memory={me.memory} />
            <Erase isFresh={current.isFresh} memory={me.memory} act={act} />
          </div>
        </>
      ) : (
        listed.isRunning.value && <p>{texts.loading}</p>
      )}
    </>
  );
}

interface ActProps {
  readonly isBusy: boolean;
  act(send: (init: { init: RequestInit }) => Promise<Done>): void;
}

function Facts({ facts, ...rest }: ActProps & { readonly facts: readonly Fact[]; readonly memory: MemoryApi }) {
  return (
    <section aria-labelledby="facts">
      <h2 id="facts">{words.facts}</h2>
      {facts.length === 0 && <p class="card">{words.none}</p>}
      <ul class="hits">
        {facts.map((fact) => (
          <OneFact key={fact.id} fact={fact} {...rest} />
        ))}
      </ul>
    </section>
  );
}

function OneFact({ fact, memory, isBusy, act }: ActProps & { readonly fact: Fact; readonly memory: MemoryApi }) {
  const why = useMemo(createRequest<Done>, []);
  const json = { fact_id: fact.id };
  return (
    <li class="card fact">
      <h3 dir="auto">{fact.key}</h3>
      <p class="said" dir="auto">
        {fact.readable ? toText(fact.value) : words.hidden}
      </p>
      <p>{fact.heard_by_text ?? fact.dormant_text}</p>
      <p class="muted">
        {fact.used_text} {words.since} <Time at={Date.parse(fact.created_at)} />
        {fact.expires_at !== null && (
          <>
            , {words.until} <Time at={Date.parse(fact.expires_at)} />
          </>
        )}
      </p>
      <div class="row">
        <button
          type="button"
          class="quiet"
          aria-label={words.whyOf(fact.key)}
          aria-expanded={why.answer.value !== null}
          onClick={() => {
            if (why.answer.value) why.answer.value = null;
            else void why.run(async (init) => (await memory.why.$post({ json }, init)).json());
          }}
        >
          {words.why}
        </button>
        <Confirm
          label={words.forget}
          name={words.forgetOf(fact.key)}
          question={words.forgetSure}
          isDisabled={isBusy}
          onConfirm={() => act(async (init) => (await memory.forget.$post({ json }, init)).json())}
        />
      </div>
      {why.problem.value && <p class="banner">{why.problem.value}</p>}
      {why.answer.value && <p class="said">{why.answer.value.text}</p>}
    </li>
  );
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

function OwnMessages({ privacy, me, isBusy, act }: ActProps & Pick<Listed, "privacy"> & { readonly me: PersonApi }) {
  return (
    <section class="card" aria-labelledby="messages">
      <h2 id="messages">{words.messages}</h2>
      <Marked text={privacy.text} />
      {privacy.state === "included" && (
        <Confirm
          label={words.leaveOut}
          question={words.leaveSure}
          isDisabled={isBusy}
          onConfirm={() => act(async (init) => (await me["leave-out"].$post({}, init)).json())}
        />
      )}
    </section>
  );
}

interface FreshProps {
  readonly isFresh: boolean;
  readonly memory: MemoryApi;
}

function Export({ isFresh, memory }: FreshProps) {
  const exported = useMemo(createRequest<true>, []);
  const download = () =>
    exported.run(async (init) => {
      const all = await (await memory.export.$post({}, init)).json();
      const address = URL.createObjectURL(new Blob([JSON.stringify(all, null, 2)], { type: "application/json" }));
      Object.assign(document.createElement("a"), { href: address, download: "earshot-memory.json" }).click();
      URL.revokeObjectURL(address);
      return true;
    });
  return (
    <section class="card" aria-labelledby="export">
      <h2 id="export">{words.export}</h2>
      <p>{words.exportAbout}</p>
      {isFresh ? (
        <button type="button" class="quiet" disabled={exported.isRunning.value} onClick={download}>
          {words.download}
        </button>
      ) : (
        <NotFresh />
      )}
      <p class="outcome" role="status">
        {exported.problem.value || (exported.answer.value && words.downloaded)}
      </p>
    </section>
  );
}

function Erase({ isFresh, memory, act }: FreshProps & Pick<ActProps, "act">) {
  const preview = useMemo(createRequest<Done>, []);
  const erase = async (confirm: boolean, init: { init: RequestInit }) =>
    (await memory.erase.$post({ json: { confirm } }, init)).json();
  const shown = preview.answer.value;
  return (
    <section class="card" aria-labelledby="erase">
      <h2 id="erase">{words.erase}</h2>
      {shown ? <Marked text={shown.text} /> : <p>{words.eraseAbout}</p>}
      {!isFresh && <NotFresh />}
      {isFresh && !shown && (
        <button
          type="button"
          class="quiet"
          disabled={preview.isRunning.value}
          onClick={() => void preview.run((init) => erase(false, init))}
        >
          {words.preview}
        </button>
      )}
      {isFresh && shown && (
        <div class="row">
          <button
            type="button"
            class="quiet"
            onClick={() => {
              preview.answer.value = null;
            }}
          >
            {words.cancel}
          </button>
          <button
            type="button"
            onClick={() => {
              preview.answer.value = null;
              act((init) => erase(true, init));
            }}
          >
            {words.eraseNow}
          </button>
        </div>
      )}
      <p class="outcome" role="status">
        {preview.problem.value}
      </p>
    </section>
  );
}
