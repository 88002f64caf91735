import { useSignal } from "@preact/signals";
import { texts } from "../kit/texts.ts";
import { openDm } from "./community-channels.tsx";
import type { Walk } from "./community-walk.ts";

const words = texts.community.tour;

/** The same question in three places. Each click asks once. */
export function CommunityTour({ walk }: { readonly walk: Walk }) {
  const step = useSignal(0);
  const community = walk.community.value;
  const bot = community?.people.find(({ isBot, name }) => isBot && name === texts.product);
  const named = (name: string) => community?.channels.find((channel) => channel.name === name)?.id;
  const places = [named("general"), named("harbour-office")];
  if (!community || !bot) return null;
  const ask = async (index: number) => {
    const channelId = places[index] ?? (await openDm(walk, bot.id));
    if (channelId === null) return;
    step.value = index + 1;
    if (index < 2) await walk.open(channelId);
    await walk.act({ kind: "say", channelId, text: `${index < 2 ? `<@${bot.id}> ` : ""}${words.question}` });
  };
  return (
    <section class="tour card" aria-label={words.title}>
      <div class="row">
        <span>
          <strong>{words.title}</strong> {words.about}
        </span>
        {words.steps.map((label, index) => (
          <button
            key={label}
            type="button"
            class={step.value === index ? "" : "quiet"}
            disabled={index < 2 && !places[index]}
            onClick={() => void ask(index)}
          >
            {index + 1}. {label}
          </button>
        ))}
      </div>
      <p class="outcome" role="status">
        {places.includes(undefined) ? words.unseen : step.value > 0 && words.outcomes[step.value - 1]}
      </p>
    </section>
  );
}
