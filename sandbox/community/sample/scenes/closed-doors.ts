/** What is said here must never be repeated outside. */
export const closedDoors = `
## staff-room 13d6h ago
grace: Agenda for the week: Dex and the saw guard, the manager post, Rosa's birthday, the launch date. In that order, so that it gets nicer
pat: can we do it the other way round
grace: no
kofi: Dex ran the table saw twice without the guard. Theo saw it, and Wren. I spoke to him the first time
priya: so a formal warning?
kofi > priya: Yes. Written, first and final. I like him, that's why
grace: agreed. {@dex} gets the written warning on Thursday, Kofi gives it to him in person. Nobody else needs to know
  key dex-warning
pat: noted in the book, not in the minutes
kofi: He'll be all right. He was honest about it

## staff-room 12d7h ago
pat: the workshop manager post. With the grant we can offer 31,400 a year, part time 80 %, from September. I'd not go public before the grant letter is here
  key manager-salary
grace: 31,400 is fair. Can we get it to 32?
pat > grace: if the roof waits, yes
kofi: The roof always waits
priya: who'll apply from inside? Theo might
grace: Theo should. Let's not tell him a number before it's signed
pat: grant letter: "within ten days". I believe it when I hold it

## staff-room 10d8h ago
grace: Rosa turns 70 on the 27th. She said "no fuss". I'd like fuss
kofi: Fuss
priya: fuss
pat: there's a fuss budget, 150
grace: Idea: we tell her it's a tool inspection at five in the sail loft, and everyone's there. Omar sings. Lena makes the cake in the shape of a plane (the tool)
  key rosa-party
  react 🎂 kofi priya pat
kofi: She'll inspect the tools first, so the tools must be sharp
pat: that's actually how we get them all sharpened
grace: two birds. Not a word outside this room until the 24th, she reads everything

## staff-room 9d2h ago
grace: I spoke to the committee about the tide board. They can meet on the 25th. Priya, announce it as you like
priya: thank you! I'll post it in the project channel tomorrow morning
grace: they were quite kind. The chairman asked if it "does ducks"
priya > grace: I'll have Min-jun do ducks
kofi: please don't tell Min-jun

## staff-room 8d20h ago
kofi: Muted Vik for 14 days. Third coin. He owes somebody money I think, he didn't look well
pat: I'll ask him for help with the inventory, paid. 40 hours
grace: that's good of you, Pat. Quietly
pat: it's in the accounts as "counting"

## staff-room 6d9h ago
grace: Launch date. Harbour master offers the 30th at 11:20, high water 4.6 m. I'd take it
kofi: Boat is ready by the 27th if the paint dries. Take it
pat: insurance for the day is 85, fine
grace: then it's the **30th, 11:20**. Unannounced until the mayor's office confirms, they want to come and may move it by a day. Please don't say it in the yard, last time we had three dates and a brass band on the wrong one
  key launch-date
  pinned
priya: my lips are sealed with silicone and tape
kofi: Bjørn will work it out from the table
grace: Bjørn may work it out. Bjørn may not be told

## staff-room 4d10h ago
kofi: New one, crumb, asks the bots about private channels. Harmless probably, I keep an eye on it
priya: saw it. Elena sent him for the clamps
grace: lovely. If it goes on, talk to him first, then rule 6
pat: his invoice for the membership bounced btw
kofi: hm

## staff-room 3d10h ago
pat: GRANT LETTER. It's here. It's signed. I'm holding it
grace: 🎉🎉🎉
priya: PAT
kofi: So the post is real?
pat: the post is real, 31,400, and the roof gets 6,000 next spring
grace: advert goes out on the first. Until then it stays here
kofi: I'm so happy for the roof

## staff-room 2d11h ago
grace: Dex: how's it going since the warning?
kofi: Guard on, every time. His seam rings. I would strike it from the book at the end of the quarter
pat: struck in pencil
grace: good. That's the way it should go

## staff-room 1d10h ago
kofi: The car park gate is stuck open again. The company comes on Monday. Please park as usual and do not push it, the motor is still engaged
  key gate-note
grace: could you forward that to general? nothing secret in it
kofi: will do

## staff-room 17h ago
grace: Mayor's office called: they can do the 30th, but "between eleven and twelve", so 11:20 stands. I announce it on the 24th together with the open day
priya: party on the 27th, launch on the 30th, demo on the 26th. it's a week
pat: it's a week with a budget line
kofi: cake: Lena is in, she's been told. Omar is in. Rosa suspects nothing, she complained about the blunt planes today, unprompted
  react 🤫 grace priya pat

## staff-room 2h30m ago
pat: kettle: 89 for the ship's one. I took it from "morale"
grace: approved retroactively and with feeling
kofi: Leo wants in, seems nice, tour tomorrow at nine
priya: can I have the hall key today, for the dry run?
grace > priya: hook by the door, the one with the tiny Elvis
priya: there it is again

## launch-crew 11d8h ago
kofi: Welcome to the crew channel. You six are on the slipway when she goes down. Jobs by next week
tomasz: I take the winch
sara: I take the bow line, I've the arms
ines: stern line
jonah: I'll do the speech
kofi > jonah: no
mark: I'm in the water in the wetsuit, aren't I
kofi: You're in the water in the wetsuit
mark: everything that gets wet
rosa: and me, I stand and watch and say stop if it's stop
kofi: You're the most important one
jonah: I could do a SHORT speech
sara: how short
jonah: one pun
ines: which pun
jonah: you'd have to be there

## launch-crew 8d10h ago
tomasz: winch test with 900 kg of water barrels: fine. brake holds. the drum squeaks
rosa: a squeak is honest. grease it anyway
mark: what's the plan if she floats crooked
kofi: Shift the ballast, pigs 3 and 4 to port. Marked with yellow paint
ines: and if she leaks?
rosa: she will leak. new wood. two days and she takes up
ines: how much leak is ok
rosa: if the pump rests sometimes it is ok
tomasz: the pump which pumps backwards?
mark: it's been labelled. brown plus

## launch-crew 5d9h ago
sara: signals: one whistle slack, two whistles stop, three whistles everybody out. Agreed?
tomasz: agreed
ines: de acuerdo
mark: underwater I hear nothing, so wave at me or throw a shoe
sara > mark: throwing a shoe with joy
rosa: I have a whistle from my father's ferry. I bring it
kofi: Perfect. Rosa has the whistle
jonah: four whistles: speech
kofi: no

## launch-crew 2d8h ago
kofi: Crew rehearsal without the boat, at low water, Saturday eight in the morning. Just the walk and the calls. Bring gloves
ines: eight. in the morning. saturday
kofi > ines: there will be waffles
ines: eight is great
mark: do I have to be in the wetsuit for a rehearsal without a boat
sara: yes
tomasz: yes
rosa: yes

## launch-crew 7h ago
tomasz: new shackle on the cradle, the old one had a crack one could post a letter in
kofi: good eyes. Keep the old one for the wall
sara: exhibit D
jonah: I've finished the pun. it's 8 words, it's the best I have ever done, and I'm prepared to be stopped by whistle
rosa: I'll allow it
jonah: …Rosa?
rosa: one. and then three whistles
  react 😱 sara ines tomasz mark kofi
`;
