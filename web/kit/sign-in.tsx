import { sessionState, signInAddress } from "./session.ts";
import { texts } from "./texts.ts";

/** Leads to Discord, and back to the page that is shown now. */
export function SignIn({ label = texts.signIn.start }: { readonly label?: string }) {
  return (
    <a class="button" href={signInAddress} onClick={() => sessionStorage.setItem("earshot-page", location.hash)}>
      {label}
    </a>
  );
}

export function LinkCommand() {
  return (
    <pre>
      <code>{texts.noSession.command}</code>
    </pre>
  );
}

/** In place of an action that needs a session which was opened just now. */
export function NotFresh() {
  const state = sessionState.value;
  const hasSignedIn = state.kind === "open" && state.session.isPerson;
  return (
    <>
      <p class="muted">{hasSignedIn ? texts.signIn.stale : texts.settings.stale}</p>
      {hasSignedIn ? <SignIn label={texts.signIn.again} /> : <LinkCommand />}
    </>
  );
}
