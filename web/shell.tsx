import { Notice } from "./kit/notice.tsx";
import { PAGE_NAMES, type PageName, route } from "./kit/route.ts";
import { enter, type Session, sessionState, signInAddress, signOut } from "./kit/session.ts";
import { LinkCommand, SignIn } from "./kit/sign-in.tsx";
import { texts } from "./kit/texts.ts";
import { CommunityPage } from "./pages/community-page.tsx";
import { LivePage } from "./pages/live-page.tsx";
import { MemoryPage } from "./pages/memory-page.tsx";
import { ProgramsPage } from "./pages/programs-page.tsx";
import { SearchPage } from "./pages/search-page.tsx";
import { SettingsPage } from "./pages/settings-page.tsx";

/** The command that prints a link is for whoever sits at the machine. */
const isHere = location.protocol === "http:";

/** Everything that is on the screen. */
export function Shell() {
  const state = sessionState.value;
  switch (state.kind) {
    case "loading":
      return <Notice title={texts.loading} />;
    case "none":
      return (
        <Notice {...(signInAddress ? texts.signIn : texts.noSession)}>
          {signInAddress && <SignIn />}
          {signInAddress && isHere && <p class="muted">{texts.signIn.orLink}</p>}
          {isHere && <LinkCommand />}
        </Notice>
      );
    case "refused":
      return (
        <Notice title={texts.signIn.refused} body={state.message}>
          <SignIn label={texts.signIn.again} />
        </Notice>
      );
    case "link-refused":
      return (
        <Notice {...texts.linkRefused}>
          <LinkCommand />
        </Notice>
      );
    case "signed-out":
      return <Notice {...texts.signedOut}>{signInAddress && <SignIn label={texts.signIn.again} />}</Notice>;
    case "disconnected":
      return (
        <Notice {...texts.disconnected}>
          <button type="button" onClick={enter}>
            {texts.disconnected.retry}
          </button>
        </Notice>
      );
    case "failed":
      return (
        <Notice title={texts.failed.title} body={state.message}>
          <button type="button" onClick={enter}>
            {texts.failed.retry}
          </button>
        </Notice>
      );
    case "open":
      return (
        <>
          <button type="button" class="skip" onClick={() => document.getElementById("content")?.focus()}>
            {texts.skip}
          </button>
          <header class="bar">
            <span class="brand">
              {texts.product} <span class="muted">{texts.console}</span>
            </span>
            <nav aria-label={texts.pages}>
              {PAGE_NAMES.filter((name) => isThere(name, state.session)).map((name) => (
                <a key={name} href={`#/${name}`} aria-current={pageOf(state.session) === name ? "page" : undefined}>
                  {texts.pageNames[name]}
                </a>
              ))}
            </nav>
            <div class="end">
              {state.session.name && <bdi class="muted">{state.session.name}</bdi>}
              <button type="button" class="quiet" onClick={signOut}>
                {texts.signOut}
              </button>
            </div>
          </header>
          <main id="content" tabIndex={-1}>
            <Page session={state.session} />
          </main>
        </>
      );
  }
}

/** Pages about the sandbox are only there with one, those of a person for a person or whom one can choose to be, and the rest for the operator. */
function isThere(name: PageName, { hasSandbox, isOperator, isPerson }: Session): boolean {
  if (name === "community") return hasSandbox && isOperator;
  if (name === "live" || name === "settings") return isOperator;
  return (hasSandbox || isPerson) && (name !== "programs" || signInAddress !== "");
}
function pageOf(session: Session): PageName {
  if (isThere(route.value, session)) return route.value;
  return session.isOperator ? "live" : "search";
}

function Page({ session }: { readonly session: Session }) {
  switch (pageOf(session)) {
    case "community":
      return <CommunityPage />;
    case "search":
      return <SearchPage session={session} />;
    case "memory":
      return <MemoryPage session={session} />;
    case "programs":
      return <ProgramsPage session={session} />;
    case "live":
      return <LivePage />;
    case "settings":
      return <SettingsPage version={session.version} />;
  }
}
