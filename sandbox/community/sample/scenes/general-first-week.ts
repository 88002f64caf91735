export const generalFirstWeek = `
## general 14d ago
kofi: morning all. Workshop is open, the dust extractor is not. Masks on please
jonah: dust if you do, dust if you don't
kofi > jonah: it is eight in the morning
jonah: never too early
sarah: is the extractor the same fault as in spring or a new exciting one
kofi > sarah: new. It hums in B flat and does nothing
mei: B flat is the resonance of disappointment
hugo: anyone driving past the chandlery before noon? need 30 bronze ring nails, will pay in cake
ines > hugo: what cake
hugo: lemon
ines: I'm driving past the chandlery before noon
hugo: 🍋🙏
+12 rosa: bronze, Hugo? not copper? what are they for
hugo > rosa: the rubbing strake on the little dinghy
rosa: then bronze is right. carry on
bjorn: Rosa approving a fastening on the first try, mark the date
+25 wren: quick one, are visitors allowed on the slipway at low water? my mum is coming and she wants to see "the skeleton"
kofi > wren: yes, with boots, and not under the hull
wren: she'll be under the hull within a minute but I will say it
theo: my mum asked if we needed a permission slip to play with boats
lena: my mother still thinks I work in a shop
chloe: you do kind of work in a shop
lena > chloe: a BOAT shop, chloé. a boat shop

## general 13d20h ago
mark: does somebody know why the heron is standing on my van
sara: that's Kevin
mark: I know it's Kevin. I asked why
sara > mark: he likes the warm roof
yuki: Kevin is paying parking today
  react 😂 mark sara mei jonah
mark: he's been there forty minutes and I have somewhere to be
fatima: just start the engine gently?
mark: I did. he looked at me like I'd interrupted a meeting
dex: honk
mark > dex: you do not honk at Kevin
+9 mark: update: Kevin left. on his own terms
ula: as is right

## general 13d19h54m ago
void: does the wifi in the sail loft drop for anyone else every ~20 min
anjali > void: yes! exactly when the kiln fires
void: the kiln. of course. the kiln is on the same ring
pat: the kiln is on the same ring as EVERYTHING, this is on the list for the electrician, item 14
quinn: what's item 1
pat > quinn: the kettle
quinn: priorities correct
minjun: I measured it, the 2.4 GHz channel 6 goes to nothing for 40 seconds
ivy: microwave energy from a kiln? doubt
minjun > ivy: not the kiln itself, the relay next to the access point
ivy: ohhh ok that I believe
void: can we move the access point one metre
pat: you may move the access point one metre
void: 🫡
+40 void: moved it one metre and also fixed my life
sam: hi, is this where I ask about the induction? I got the member role today
kofi > sam: welcome in! Induction for the machines is Tuesdays at six, ask for me or Theo
sam: thank you!! a bit nervous about the bandsaw
theo: good, be nervous about the bandsaw forever
rosa: forty nine years and I am still nervous about the bandsaw. that is why I have ten fingers

## general 13d8h ago
grace: reminder that the quay gate closes at ten now, not at eleven. The harbour master means it this time
jonah: gate expectations
grace: Jonah
jonah: sorry
oskar: does the code change as well?
grace > oskar: ask at the office, please never post the code here
oskar: ok!
diego: so if I'm on the water at ten am I just… a pirate
bjorn > diego: you tie up at the visitors' pontoon and walk round. It's 20 minutes
diego: pirates don't walk 20 minutes
ines: this one does, he forgot his keys last winter and walked it twice

## general 12d23h ago
sarah: did anyone else get the letter about the mooring fees
mark: 6 % up?
sarah > mark: 6.4
pat: I have asked for the calculation. They round up at every step, it's almost beautiful
bjorn: I'd pay 6.4 for a harbour wall that isn't held together by mussels
nadia: the mussels are load-bearing, please respect them
tomasz: mussel memory
jonah > tomasz: hey that's MY job
tomasz: too slow
mei: I have worked out that our share of it is 3 teas per person per month
sarah: that's less than what the kettle costs us in kettles
pat: item 1.

## general 12d22h50m ago
lena: I'm looking for a lift to the timber yard on saturday, have cash, snacks, silence or conversation as preferred
jurgen: Ich fahre um neun. Silence or conversation, both ok
lena > jurgen: perfekt, danke! I bring pretzels
jurgen: conversation then
omar: could you look whether they still have the larch boards? 4 m, not the knotty ones
jurgen > omar: sure. how many
omar: six if the price is kind, four if not
jurgen: and if the price is cruel?
omar: then photograph them for me so that I can be sad
+33 chloe: does anyone have a spare room or know of one from next month? my landlord is selling
  react 🫂 lena wren fatima
fatima: oh no! I'll ask my aunt, she lets the attic sometimes
wren: there's a board at the library with handwritten notes, old-school but it works
chloe: thank you both. I have one suitcase, one cat and too many chisels
hugo: the chisels get a room in my place whenever
chloe > hugo: suspiciously generous

## general 12d4h ago
quinn: exam season starts for me so if you see me posting in here between 9 and 5 please be rude to me
ivy: gladly
quinn: thanks
ivy: go away
quinn: perfect
+70 quinn: ok lunch break though
ivy: it's 10:40
quinn: goodbye

## general 11d22h ago
kofi: Extractor fixed. It was a sock
sara: a WHAT
kofi: a sock. one sock, grey, wool, size 44 or so
theo: …does it have a small anchor on it
kofi > theo: it has a small anchor on it
theo: I've been looking for that since march
mei: the machine was hungry
jonah: that sucks
grace > jonah: this one I'll allow
anjali: how does a sock get into a dust extractor
theo: I would love to tell you that I know
void: socktopus
ana: 💀
ana: ok who's got the sock now
kofi: it's on the wall with a label. "Exhibit A"
  image exhibit-a.png 1024x768: A grey wool sock with a small anchor on it, pinned to a board and labelled Exhibit A
  react 😂 mei sara wren ana void jonah
sarah: put it next to the kettle graveyard

## general 11d21h52m ago
fatima: I'm recording stories about the harbour for the museum (old ferries, the flood, the strike). If your family is from here I'd love an hour of your time
rosa: my father was on the last coal ferry
fatima > rosa: ROSA. can I come by with a recorder
rosa: you can come with a recorder and a cake
fatima: deal
bjorn: my grandfather claimed he moved the lighthouse. I'm not sure you want that one
fatima > bjorn: I ESPECIALLY want that one
bjorn: by eleven metres
hugo: how do you move a lighthouse eleven metres
bjorn: "slowly", he said
nadia: I'm not from here, but I can tell you how the bakery queue worked in the nineties, it had a parliament

## general 11d2h ago
mark: who's got the big clamps
mark: hello? big clamps? orange ones?
tomasz: they're on the transom of seven, glue's curing until tomorrow noon
mark > tomasz: ALL of them?
tomasz: it's a lot of transom
mark: ok I'll go and be productive in some other way
sara: narrator: he went home
mark > sara: I went home

## general 10d20h ago
sarah: turtle!! there is a turtle off the outer pontoon right now
  react 🐢 mark sara mei yuki wren ines
mark: WHAT kind
sarah > mark: big?
sara: that's not a kind
sarah: brown?? with a head??
bjorn: loggerhead, they drift up here in warm years. Keep well away and don't feed it
wren: running
yuki: 亀！！ also running
dex: I have half a sandwich if it's hungry
bjorn > dex: do. not. feed. it.
+8 sarah: gone. It looked at me for a good ten seconds. I feel assessed
nadia: did you pass
sarah: unclear
mei: I'll report it to the stranding network so they know, they keep a list of sightings
ines: mi madre dice que las tortugas traen suerte
  | (my mother says turtles bring luck)
diego: my mother says everything brings luck except me
jonah: turtley awesome
grace: no
ivy: no
priya: no
jonah: 😔

## general 10d19h52m ago
oskar: stupid question, what's the difference between a sheet and a rope
theo: a rope becomes a sheet when it has a job
oskar: so it's a rope with employment
rosa: and a line when it is between jobs
oskar: this is the best explanation anybody ever gave me
bjorn > oskar: there are about four ropes on a boat that are called rope. the bell rope, the bolt rope, the foot rope… I always forget one
rosa: the bucket rope
bjorn: the bucket rope!
sam: writing all this down

## general 9d8h4m ago
ana: power's out in the west shed
pat: item 14
ana: the kiln?
pat: the kiln and two heat guns and somebody's waffle iron
lena: …
hugo: LENA
lena: it was a quick waffle
kofi: Fuse is back. Waffle iron moves to the galley please
lena: waffles in the galley in ten minutes as an apology
  react 🧇 hugo ana kofi sara theo minjun
minjun: on my way. 와플!
priya: can somebody bring one up to the code loft, we're in a call with the sensor people and it's not going well
mei > priya: one diplomatic waffle coming up

## general 9d8h ago
chloe: I found a room!! Fatima's aunt's attic. view of the dry dock. cat approved
fatima: she loves the cat more than me already
chloe: moving on the weekend, if anyone has a van and a weakness for pancakes…
mark: van, yes. weakness, yes
theo: no van but two arms
wren: I can hold the cat
chloe > wren: nobody can hold the cat
wren: I'd like to try
+18 hugo: the chisels are welcome to stay with me during the turmoil
chloe: HUGO

## general 8d21h ago
vik: guys seriously look at this coin, it's backed by actual boats, 40x by summer http://boatcoin.example/join
vik: first 100 people get double, I'm not even joking, dm me
ivy: oh no
vik > ivy: do your own research, it's literally on the harbour chain
mei: "the harbour chain" is what holds the buoys
  react 😂 ivy sara bjorn kofi
kofi: {@vik} this is the third time. Rule 4. You're muted for two weeks, come and talk to me in person if you want
bjorn: backed by actual boats. which boats. I want to see the boats
jonah: a liquidity pool
grace: honestly, fair
sarah: poor Vik, he means well, he lost quite some on the last one
pat > sarah: I know. Kofi is going to have a tea with him

## general 8d20h54m ago
tomasz: czy ktoś widział mój termos? zielony
ula: na ławce przy tokarce!
tomasz > ula: dzięki!! (found my flask, thanks for coming to my ted talk)
omar: is the lathe bench now the lost and found? there's also a glove and a very sad sandwich
dex: the sandwich is mine
omar: it has been there since tuesday
dex: the sandwich was mine

## general 8d3h ago
sara: unpopular opinion: instant coffee is fine on a boat
ines: 🚨
diego: someone take her radio licence
sara: it's WET out there. I'm not doing a pour-over in a swell
bjorn: she's right. Coffee on a boat is a temperature, not a drink
nadia: my grandmother made coffee on a kerosene stove on a trawler in force 7
ines > nadia: and it was better than instant
nadia: it was awful. but it had dignity
mark: I've only now noticed that Sara and Sarah are two different people
sara: mark we've known each other for eight months
mark: I thought you just typed your own name badly sometimes
  react 💀 sara sarah ana mei ivy jonah, 😂 wren theo
sarah: I'm in the same ROOM as you
sara: we are both in the same room as you
mark: I'm going home
`;
