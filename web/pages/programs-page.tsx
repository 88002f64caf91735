import type { InferResponseType } from "hono/client";
import { useEffect, useMemo } from "preact/hooks";
import { Confirm } from "../kit/confirm.tsx";
import { createRequest, type PersonApi, PersonPage } from "../kit/person-page.tsx";
import { type Session, signInAddress } from "../kit/session.ts";
import { texts } from "../kit/texts.ts";
import { Time } from "../kit/time.tsx";

type Listed = InferResponseType<PersonApi["programs"]["list"]["$post"]>;

const words = texts.programs;

export function ProgramsPage({ session }: { readonly session: Session }) {
  return (
    <PersonPage session={session} title={words.title} about={words.about}>
      {(me) => <OwnPrograms me={me} />}
    </PersonPage>
  );
}

function OwnPrograms({ me }: { readonly me: PersonApi }) {
  const listed = useMemo(() => createRequest<Listed>(), []);
  const end = (json: { id?: string }) =>
    void listed.run(async (init) => (await me.programs.end.$post({ json }, init)).json());
  useEffect(() => {
    void listed.run(async (init) => (await me.programs.list.$post({}, init)).json());
    return () => listed.stop();
  }, []);
  const programs = listed.answer.value?.programs;
  return (
    <>
      <div role="alert">{listed.problem.value && <p class="banner">{listed.problem.value}</p>}</div>
      {!programs && listed.isRunning.value && <p>{texts.loading}</p>}
      <ul class="hits">
        {programs?.map((one) => (
          <OneProgram key={one.id} program={one} isBusy={listed.isRunning.value} onEnd={() => end({ id: one.id })} />
        ))}
      </ul>
      {programs && programs.length > 1 && (
        <Confirm
          label={words.endAll}
          question={words.endAllSure}
          isDisabled={listed.isRunning.value}
          onConfirm={() => end({})}
        />
      )}
      {programs && (
        <section class="card" aria-labelledby="add">
          <h2 id="add">{words.add}</h2>
          <p>
            {programs.length === 0 && words.none} {words.addAbout}
          </p>
          <pre>
            <code>{new URL("/mcp", signInAddress).href}</code>
          </pre>
        </section>
      )}
    </>
  );
}

interface ProgramProps {
  readonly program: Listed["programs"][number];
  readonly isBusy: boolean;
  onEnd(): void;
}

function OneProgram({ program, isBusy, onEnd }: ProgramProps) {
  const { name, redirectHost, allowed, createdAt, usedAt, expiresAt } = program;
  // An address such as cursor: leads to any program on the computer that claims it.
  const isOnComputer = redirectHost === "loopback" || redirectHost.endsWith(":");
  return (
    <li class="card fact">
      <h2>
        “<bdi>{name}</bdi>”
      </h2>
      <p>{isOnComputer ? words.onComputer : words.at(redirectHost)}</p>
      <p>
        {words.may} {allowed.map((one) => words.allowed[one as keyof typeof words.allowed] ?? one).join(", ")}.
      </p>
      <p class="muted">
        {words.since} <Time at={createdAt} />, {words.used} <Time at={usedAt} />,{" "}
        {expiresAt === null ? (
          words.untilEnded
        ) : (
          <>
            {words.until} <Time at={expiresAt} />
          </>
        )}
      </p>
      <div class="row">
        <Confirm
          label={words.end}
          name={words.endOf(name)}
          question={words.endSure}
          isDisabled={isBusy}
          onConfirm={onEnd}
        />
      </div>
    </li>
  );
}
