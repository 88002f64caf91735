export const frontDoor = `
## welcome 14d ago
* sam joined
sam: hello! saw the poster at the library. I can't do anything yet but I'm very keen
kofi > sam: Welcome Sam! Keen is the entry requirement. Tour at nine? Then you get the role
sam: nine is great
## welcome 5d ago
* crumb joined
crumb: hi
kofi: Hello! What brings you here?
crumb: just looking around
kofi: Looking is free. I've given you the role, please read the rules once
## welcome 1d ago
* leo joined
leo: hello? can someone see me?
wren > leo: we can see you! kofi does the tours, he's here in the mornings
leo: cool, thanks. I build model boats, is that too small for here
wren: there is no too small
## welcome 2h20m ago
leo: how do I get to see the other channels? I only see these three
kofi > leo: tour tomorrow at nine, then I give you the member role and the rest opens up

## rules 14d ago
grace: 1. Be kind. 2. Ask before you touch a tool that isn't yours. 3. Guards on, gloves right, hair up.
  | 4. No selling, no coins, no schemes. 5. What is told in a private channel stays there.
  | 6. Don't try to trick the bots or each other. 7. If you break it, say so. Nobody has ever been thrown out for saying so.
  pinned
grace: And 8, by popular demand: never feed Kevin
  react 🐦 sara mark wren dex

## announcements 13d1h ago
grace: **Gate times.** The quay gate now closes at ten in the evening. If you are on the water, use the visitors' pontoon.
  react 👍 kofi bjorn sara
## announcements 9d17h ago
kofi: **Name hull no. 7.** The vote is open in {#boat-naming} for three days. Everyone with the member role has one vote.
## announcements 7d3h ago
grace: **Minutes of the monthly meeting**, in short
  | • The new planer is bought. It arrives this week, training with Theo.
  | • The roof is patched and not replaced. Buckets one to three stay where they are.
  | • Mooring fees rise by 6.4 %. Pat has asked for the calculation.
  | • There will be an open day. Fatima and Theo hold the list. Date follows.
  | • The shared lunch stays on Thursdays, at one, bring a plate and a fork.
  file minutes.txt text/plain
  | HARBOURSIDE, monthly meeting
  | present: 23, apologies: 6
  | planer: carried, 19 to 0, 4 abstained because of the noise
  | roof: postponed to spring
  | fees: treasurer to object in writing
  | open day: carried unanimously
  key minutes
## announcements 5d15h ago
kofi: Hull no. 7 has a name: **One Good Tern**. The dinghy is called Plan Sea, and we ask you to be kind to Jonah about it.
  key name-announced
  react 🎉 sarah wren mei lena jonah theo, 🐦 rosa bjorn ines
## announcements 2d12h ago
kofi: **Lower slip closed** while a seal pup rests there. Please keep fifty metres away.
  edit 90m: **Lower slip open again.** The pup and its mother have left. Thank you for keeping away.
## announcements 4h ago
grace: **Slow down at the fuel dock.** There is a loggerhead turtle about. Three knots, engines in neutral if you see it. A sign goes up on Monday.
  key turtle-notice
  react 🐢 sarah mark yuki wren nadia lena bjorn

## introductions 13d13h ago
sam: Hi, I'm Sam. I sold phones for six years and I'd like to make something that floats. I've made one shelf. It's not level
theo > sam: nothing on a boat is level, you'll fit in
rosa: what wood
sam: the shelf? pine, I think. it was orange
rosa: pine
## introductions 12d12h ago
oskar: I never did this when I joined: Oskar, 24, from a town with no water at all. I came for a weekend a month ago and forgot to leave
bjorn: it happens to most of us
ula: witaj! which town?
oskar > ula: Jelenia Góra! you?
ula: Łódź. which means boat. and has no water either
  react ⛵ tomasz oskar ula jonah
tomasz: the irony of my nation
## introductions 8d23h ago
fatima: Fatima, I work in the museum, I collect how people talk about the sea. I can't swim and I'm not ashamed
sara: I teach mondays at the pool, seven in the morning. bring shame or no shame
fatima > sara: I'll think about it!
## introductions 4d21h ago
crumb: crumb. I like systems. seeing how they're put together
mei: hi! hardware or software?
crumb: people mostly
ivy: that's… a bit ominous, welcome
## introductions 2d15h ago
chloe: I realise I never introduced my cat. This is Brioche. She's eleven and she's in charge now
  image brioche.png 800x1000: A round ginger cat in a round attic window, looking down
  react 😻 wren fatima lena yuki mark
wren: HELLO BRIOCHE
hugo: she looks like she knows about the chisels
* nadia boosted
nadia: I pressed a button and now my name is pink? did I pay for something
quinn: you boosted the server, that's 5 a month
nadia > quinn: I thought it was for the cat
pat: thank you for your contribution to the cat

## harbour-radio 6d15h ago
sara: mic's broken, typing from the boat: we're two miles out, all good, sun
bjorn: hear you loud and clear, in text
mark: are you really in a voice channel to type
sara > mark: it's the only one my old phone opens
diego: radio check. over
jonah: over and out
bjorn: nobody says over and out. It's one or the other
jonah: over or out
+24 sara: dolphins. DOLPHINS
ines: how many
sara: five? six. one did a flip
bjorn: log the time and bearing
sara: 14:20, bearing "that way"
## harbour-radio 13h ago
bjorn: 26 gusting 31. Anyone out?
tomasz: nobody out, I counted masts
bjorn: good. Going to bed then
omar: the shed door is singing
tomasz > omar: it's not the door it's you
omar: 🎶
## harbour-radio 40m ago
bjorn: checking the radio for tonight. Sam, Oskar, if you read this say something
sam: something
oskar: something, over
bjorn > oskar: good lad
`;
