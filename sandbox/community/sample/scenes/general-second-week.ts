export const generalSecondWeek = `
## general 7d2h ago
grace: Monthly meeting notes are in the announcements channel. Short version: we can afford the new planer, we cannot afford the roof, the roof knows
pat: the roof and I have an understanding until autumn
hugo: what's the understanding
pat > hugo: it drips, I cry
theo: can we do a fundraiser? open day, rides in the dinghy, cake, the usual crimes
grace: yes please. Who wants to hold the pen?
fatima: me, I like lists
theo: and me, I like crimes
kofi: open day needs the insurance form, six weeks ahead, I'll start it
wren: I can do face painting
bjorn: I can do fish smoking
nadia: I can do fortune telling, badly
jonah: I can stay at home
grace: that's also a contribution
rosa: I will let children hammer one nail each. ONE
sarah: the museum has marquees that they lend out, ask them?
fatima > sarah: asking today!

## general 6d20h ago
mei: somebody is singing in the paint shed and it's really good?
yuki: that's Omar
omar: it is not Omar
ana: it's definitely omar, he does the one with the long note
omar: I deny everything
diego: 🎶 encore 🎶
omar: the paint fumes were singing
kofi: ventilate the shed, please
minjun: 노래 진짜 좋아요
omar > minjun: 감사합니다 (I looked that up)

## general 6d19h54m ago
ivy: my keyboard's E key died. nvr mind
quinn: trribl
ivy: i hat this
void: borrow on from th loft
ivy > void: thank you void, th hro w dsrv
mei: stop
anjali: there's a box of keyboards under the code loft stairs, take any, they're all from the school
ivy: got one. EEEEEEE
  react 🎉 quinn void mei anjali
priya: can we get back to being readable

## general 6d2h ago
mark: right who's on for the pub quiz thursday, we need somebody who knows (1) flags (2) opera (3) anything after 2010
chloe: flags!
nadia: opera, obviously
sam: I know things after 2010, I think that's all I know
sara: I'm in. Name?
mark: last time we were "Quizteama Aguilera" and we came ninth
jonah: "Let's get quizzical", "Quiz on my deck", "The Usual Sextants"
bjorn: The Usual Sextants.
mark: The Usual Sextants. seven o'clock at the Anchor
nadia > mark: which Anchor, there are three Anchors
mark: the one with the dog
theo: two of them have a dog
mark: the one with the dog that has a chair

## general 5d19h ago
oskar: I tied a bowline first try, behind my back, in the dark (closed my eyes)
theo: 👏👏
rosa: now on a moving pontoon
oskar: one thing at a time Rosa
rosa: the sea does not do one thing at a time
jonah: knot bad
oskar: I walked right into that
+15 fatima: the museum lends us two marquees!! free, if we bring them back dry
pat: define dry
fatima: "as dry as we got them", and they got them in october
pat: excellent terms

## general 5d18h54m ago
diego: is there a problem with the showers? water is brown
kofi: They flushed the main this morning. Let it run two minutes
diego: ok it's tea now, improving
diego: weak tea
diego: water!
lena: thank you for the live coverage
  react 📺 kofi hugo sara

## general 4d22h ago
crumb: hi just joined, what is this place exactly
wren: a boatyard with a coding problem
mei: a coding group with a boat problem
rosa: a boatyard.
crumb: cool. do you guys have like an AI bot here
sarah > crumb: a few! {@earshot} answers questions in {#ask-earshot}, and the other three philosophise in {#bots-corner}
crumb: nice nice
+6 bjorn: and what do you build, crumb?
crumb: mostly I look at things
bjorn: …fair

## general 4d21h55m ago
hugo: gate code for tonight is 7719#, for whoever's helping with the marquee
  deleted
hugo: never mind, ask me directly
grace > hugo: thank you for taking that down. Office will change it anyway
hugo: sorry sorry, long day
grace: happens. once
fatima: marquee pickup is at five from the museum yard, we need four people who can carry awkward things
theo: I AM an awkward thing
mark: five's good
sara: here
tomasz: będę, I mean I'll be there
fatima: that's four, thank you!! the poles are 3 m so please bring the long trailer
mark: the long trailer has a flat
tomasz > mark: it has two flats. I have a pump
mark: it's a great trailer

## general 4d8h ago
fatima: Rosa said I may share this part. It's about the last coal ferry, I've only cut the places where the bandsaw ran
  | "My father had the Margit, she was a coal ferry, flat as a tray. Forty tons of coal in and four crew, and one of the four was me, because my brother was sick that winter and I was eleven and could count. That was the job: counting. Every basket that went over the rail I made a stroke with chalk on the deckhouse, and at the end the merchant counted his strokes and I counted mine, and if they were not the same there was shouting."
  | "On the last trip there was ice on the river, not thick, the kind that sings. You heard it before you saw it. My father stopped the engine, in the middle, and we drifted, and he said: listen, you won't hear this again from a coal boat. And he was right. In spring they had the pipeline. He sold the Margit for the price of her engine. The man who bought her used the hull as a pigsty."
  | "So when they ask me why I build in wood and so slowly, I say: because I have counted how fast a thing can go away. Two hundred and twelve baskets, the last trip. I still have the board with the strokes. No, you can't have it for the museum. You can look at it."
  key coal-ferry
  react ❤️ sarah wren nadia lena ines omar theo, 🥹 bjorn hugo chloe
wren: I'm sitting on the floor of the paint shed
bjorn: the ice that sings. Yes
sarah: two hundred and twelve 😭 thank you both for this
rosa: it is too long
fatima > rosa: it's exactly as long as it has to be
pat: the chalk strokes. that's accounting as it should be

## general 4d3h ago
nadia: we came THIRD. third!! The Usual Sextants!!
chloe: I got all ten flags
sam: I knew who won the song contest in three different years, I've never been this useful
mark: tie-break was "how long is the Suez canal" and Bjørn said 193 without blinking
bjorn: 193.3
sara: the prize is a voucher for the Anchor
theo: which Anchor
mark: the one WITHOUT the dog. it's a tragedy
jonah: you can't have it all in one basket
nadia > jonah: that's not a pun, that's just wrong
jonah: I'm resting

## general 3d21h ago
ana: does anyone have a spare usb-c cable that actually does data. I've six and they're all liars
anjali: blue one on my desk, it's labelled TRUTH
ana > anjali: you labelled it
anjali: after three hours of debugging a cable you'd label it too
yuki: データが通るケーブルは宝物
void: a data cable is a treasure, yes. may it never meet the other six

## general 3d9h ago
pat: If you borrowed from the petty cash tin: it has a book. The book has a pen. The pen has ink. I'm 22 short
dex: 12 of that is me, for screws, receipt is in my other trousers
pat > dex: thank you. Trousers by friday
pat: ten left. anyone? no judgement, some judgement
kofi: Ten was me for the bulbs. Sorry Pat. Writing it down now
pat: and the tin is whole again
  react 🫙 kofi dex grace

## general 2d22h ago
sarah: I dreamed that the tide board was live and it only showed the word "soon"
priya: that's not a dream, that's the staging build
mei > priya: 😭
anjali: in fairness "soon" is technically correct for all tides
minjun: I could ship it today
sarah: don't you dare
+21 mark: whose is the red kayak that's tied to the fuel dock with what looks like a phone charger
lena: mine, it's temporary
mark > lena: it's a PHONE CHARGER
lena: it's a good one

## general 2d13h ago
wren: there's a seal pup on the slip!!! small, round, furious
bjorn: keep 50 m away, it's waiting for its mother. Put the cones out
kofi: Cones out. No work on the lower slip until it's gone, sorry hull seven people
rosa: the hull can wait. she's wood
yuki: なんてかわいい… photos from far away please?
ines: with my long lens, in {#photos} in a minute
dex: does it need—
theo: NO SANDWICHES
dex: I was going to say a blanket
bjorn > dex: also no
+55 wren: mother came!! they've swum off. I cried a bit
nadia: we all cried a bit
  react 🦭 wren yuki ines bjorn rosa kofi sara

## general 2d1h ago
quinn: exam one done. it was fine. I answered a question about deadlocks with a drawing of two boats in a lock
ivy: a dead lock
quinn: they can't fail art
jonah: canal I say, well done
quinn: thank you jonah, that was almost affectionate

## general 1d20h ago
chloe: settled in! attic is lovely. cat sits in the round window and judges the dry dock
wren: I held the cat for four seconds
chloe: she did. it's a record
mark: and the pancakes were exceptional. I had, and I counted, eleven
theo: I've had nine and I was carrying things, so mine were structural
hugo: the chisels have settled in nicely with me too
chloe > hugo: the chisels are coming home tomorrow
hugo: they may not want to

## general 1d9h ago
kofi: The gate for the car park is stuck open again, the office knows, park as usual
kofi:
  forward gate-note
omar: thanks kofi. "do not push it", who pushed it
kofi > omar: someone with shoulders
theo: …
kofi: I have said nothing, Theo

## general 1d8h58m ago
ula: has anybody a recommendation for a dentist, asking for my face
lena: Dr. Adeyemi on Rope Street, gentle, talks about football
ula: I don't know football
lena: you can't talk anyway, it's perfect
fatima: seconding, and they have a fish tank with an actual seahorse
ula > fatima: sold on the seahorse
nadia: I go for the seahorse and stay for the fillings
`;
