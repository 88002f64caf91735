import { render } from "preact";
import { enter } from "./kit/session.ts";
import { Shell } from "./shell.tsx";

render(<Shell />, document.body);
void enter();
// A link that is opened in a tab that shows the console already changes nothing but the fragment.
addEventListener("hashchange", () => {
  if (location.hash.startsWith("#open=")) void enter();
});
