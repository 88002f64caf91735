export const generalToday = `
## general 23h ago
sara: good morning from the pontoon, 9 degrees and flat as a plate
ines: buenos días, plate
bjorn: Won't last. Wind by three
sara > bjorn: let me have this
theo: I'm having a bacon roll in the sun and I won't hear about wind
jonah: sounds like a bad case of denile
grace: that is a river jonah
jonah: it's all water grace
hugo: returned the chisels. I'm not well
chloe > hugo: they're home. they smell of linseed. did you OIL them
hugo: I oiled them and I sharpened them and I said goodbye to each
chloe: hugo that's honestly the nicest thing
  react 🥹 hugo wren lena fatima

## general 21h ago
pat: the kettle is dead
mei: which one
pat: the new one
mark: the NEW new one?
pat > mark: the new new one. eleven days
omar: rest in pieces
void: press F
ana: F
sam: F
sarah: F. was it the element again?
pat: there's a tea bag IN the element. inside. how
kofi: Exhibit B
  react 🫖 pat sarah mei omar ana, 😂 theo jonah
anjali: at this point I'd like to design one. open hardware kettle
minjun: with telemetry
priya: no. no telemetry in the kettle. we have a deadline
anjali > priya: after the deadline
priya: after the deadline you may instrument the kettle
+14 pat: I've ordered a steel one from a ship's supplier. It has a warranty card with a picture of a storm on it

## general 20h52m ago
wren: does anyone know the person who leaves tiny paper boats on the bollards
lena: no but I have eleven of them
yuki: I have three. one is made from a tide table
nadia: mine was from a love letter. I felt bad reading it but only after reading it
fatima: WHAT did it say
nadia: "bring milk", mostly
theo: that's love
diego: maybe it's Kevin
sara: the heron does origami now
diego > sara: cranes do. he's adjacent
  react 👏 yuki jonah sara

## general 14h ago
bjorn: told you about the wind
sara: yes bjørn
bjorn: 26 knots on the outer mark
sara: YES bjørn
mark: the wheelie bin has passed my window twice. In both directions
tomasz: sails on seven's trailer are lashed, I checked
omar: thank you Tomek, I was about to put my shoes on
ivy: the loft roof is making a noise like a whale with opinions
pat: the roof and I are talking. stay away from bucket three
+20 mark: bin's third pass. it has a friend now

## general 9h ago
oskar: who's up? couldn't sleep with the wind so I came in early and swept
rosa: I'm up. I'm always up. Is the stove lit
oskar: it is now
rosa: good lad
sam: on the first bus in, do you need anything
rosa > sam: milk. real one
sam: on it
  react 🥛 rosa oskar

## general 5h50m ago
sarah: morning! You won't believe it: the loggerhead is back. By the fuel dock at six, barnacles all over the left front flipper, same turtle as last time I'm sure
  key turtle-is-back
  thread turtle-log: Turtle log
  react 🐢 mark yuki sara wren mei ines nadia
mark > sarah: no way. how do you know it's the same one
sarah > mark: the notch! there's a notch in the shell above the tail, like someone took a bite out of a biscuit
wren: I missed it AGAIN
yuki: カメさん…
mei: I'll update the sighting list. Sarah could you write down how long it stayed
sarah > mei: about four minutes, then it went off towards the breakwater, diving every twenty seconds or so
kofi: unrelated: planer is free until eleven, then it's booked by Theo
theo: it's me and forty metres of ash, say goodbye
mark: turtle fact of the day, I read that some turtles breathe through their backside in winter and I'm never going to un-know it
  react 🍑 sara jonah dex ana
  key turtle-fact
jonah > mark: cloacal respiration. I'm not even going to make a joke
grace: are you ill
jonah: it's perfect as it is
sara: nature is done, it can't be topped
bjorn: freshwater ones. Not the loggerhead
mark > bjorn: let me have this
bjorn: no
dex: planer's booked at eleven but could I have ten minutes before, it's two short boards
kofi > dex: yes, with Theo next to you. and the guard ON
dex: guard on, yes yes
sarah: anyway, I'd vote we put a "slow, turtle" sign on the fuel dock. Five knots is too fast in there
  key turtle-sign
ines > sarah: voto sí
lena: +1, I'll paint it
nadia: can it have the notch
lena: it will have the notch
hugo: who do we ask, harbour master?
grace > hugo: I'll ask. He likes turtles more than people so it should be quick

## general 5h38m ago
ivy: anyone else's build red or is it just me
minjun: just you
ivy: thank you for your support
minjun > ivy: rebase, we moved the tide table parser yesterday
ivy: ah. ok. green
fatima: has somebody got a key for the west store? need the bunting
sarah > fatima: top drawer in the office, the one with the dolphin on it
fatima: thanks!!
omar: which colour is the bunting
fatima: all of them and also brown
omar: brown?
fatima: it was red in 1987
quinn: two exams down. one to go. be rude to me
ivy: go away
quinn: thanks
sarah: good luck quinn!!
quinn > sarah: that's not rude but I accept it
+8 ana: is it me or does the new planer smell like toast
theo: it's the ash. ash smells like toast, oak smells like a pub, cedar smells like being rich
rosa: and larch smells like work
theo: amen to the larch

## general 4h5m ago
mark: van's going to the tip at two, anyone have rubbish, small only, not emotional
chloe: two broken crates
pat: one kettle
mark > pat: I'm honoured
void: a monitor from 2004
mark: small only void
void: small in spirit
hugo: could you drop the old sail bags at the school on the way? they want them for the play
mark > hugo: sure. What's the play
hugo: the tempest. obviously
diego: 🌊🎭
sarah: Mark could you take the paint tins too? three, they're empty and dry
mark > sarah: dry dry or museum dry
sarah: dry dry
mark: ok then yes
jurgen: ist der Hänger frei? ich brauche ihn um vier
mark > jurgen: ja, back by half past three. Two flats though
jurgen: drei, seit heute
mark: THREE?
tomasz: I have the pump, I have always the pump

## general 3h50m ago
sara: lunch table by the window is free and the sun's out, come down
sarah: two minutes, I'm finishing the slipway sensor bracket
anjali: how's the bracket
sarah > anjali: third print is holding, I went to 4 mm walls and PETG. the PLA one went soft in the sun like cheese
anjali: PETG is right. Send me the file? I'd put it into the repo
sarah: will do after lunch
wren: is that the bracket for the tide sensor on pile 3
sarah > wren: yes, pile 3. Pile 2 has too many mussels
nadia: they're load-bearing
sarah: they're load-bearing 🤝
bjorn: barometer's going up, if anyone wants a sail this evening there's a seat in mine. Two actually
oskar: me!! please
sam: could I? never been out past the breakwater
bjorn > sam: that's what the seat is for. six sharp, warm jumper
sam: 😭 thank you
rosa: take a hat Sam
  react 🧢 bjorn sam oskar

## general 2h30m ago
lena: sign's done, paint's drying. SLOW, TURTLE. with the notch
  image slow-turtle-sign.png 1280x960: A hand-painted wooden sign reading SLOW, TURTLE with a green turtle that has a notch in its shell
  react 🐢 sarah mark wren ines yuki kofi nadia, ❤️ sara fatima chloe
sarah > lena: LENA. it's perfect. the little face
mark: I'd slow down for that turtle
ines: preciosa!!
grace: and the harbour master says yes, he'll even screw it on himself on Monday. His words: "finally somebody with sense"
jonah: I'm shell-shocked
grace: there it is
jonah: I've held it in since six o'clock
dex: how big's a loggerhead anyway, like a dog?
bjorn > dex: like a coffee table. a metre, 100 kg or more
dex: ok so not in the bathtub
bjorn: what were you planning
dex: nothing!!
mei: for the record: sightings this season are now 3, and two of them are Sarah's
sarah: I'm just always at the fuel dock at six, it's my only quiet hour
ula: what do you do there at six?
sarah > ula: coffee, log the water temperature (11.8 today), stare
ula: I want that life

## general 2h20m ago
priya: reminder for the tideboard people that the dry run is tomorrow at ten in the hall. Bring your own laptop and no surprises
anjali: 👍
minjun: no surprises is difficult for me
priya > minjun: I know
sarah: I'll bring the bracket and the spare sensor
mark: I'll bring biscuits and low expectations
priya > mark: only one of them please
+5 theo: forty metres of ash: planed. arms: gone
rosa: let me see it
theo: it's on the long bench
+4 rosa: this is good work
theo: somebody print that and frame it
  react 🏆 kofi wren omar hugo
kofi: framing it. exhibit C

## general 1h25m ago
chloe: the cat has discovered the paper boats. there's a fleet under my bed
wren: PLEASE photograph the fleet
chloe: she guards it
yuki: 猫提督
nadia > yuki: "admiral cat"?
yuki: yes 🫡
diego: who's bringing what on thursday? I can do rice, a lot of rice
ines: tortilla, two
omar: hummus and that pickled turnip nobody admits to liking
fatima: I admit it freely
mark: back from the tip. the man there asked if the kettle was "the kettle". We're famous
  react 😂 pat sarah mei kofi anjali
pat: the new one arrives tomorrow. nobody look at it
sarah > mark: did you get the paint tins in?
mark > sarah: yes, and I found a perfectly good wheelbarrow, so net rubbish is zero
sara: he always comes back with more
mark: it's a GOOD wheelbarrow
jurgen: und mein Hänger?
mark > jurgen: steht am Tor, all four tyres pumped, Tomek is a saint
tomasz: I'm a saint with a pump
anjali: {@sarah} bracket file? 👀
sarah > anjali: oops, yes, pushing now
sarah: pushed, it's hardware/bracket-pile3.step. Don't look at the filename of the old one
anjali: "cheese_final_FINAL"
sarah: I SAID don't look

## general 1h2m ago
hugo: I might have accidentally bought a boat
chloe: hugo.
hugo: a small one
rosa: how small
hugo: 19 feet
rosa: that's not small, that's a mistake with a mast
  react 💀 chloe bjorn theo sara mark
bjorn: what make
hugo: "unknown", it says. And "some work needed"
kofi: oh hugo
hugo: it was 200 and it came with a stove
pat: so you bought a stove
ivy: and a boat fell off it
sarah: where are you going to put it??
hugo > sarah: I was hoping that would become clear
grace: rack nine is free until march. ONE boat, Hugo
hugo: 🥹
mark: does it float
hugo > mark: it's been described as "mostly"
mark: you can have the wheelbarrow
jonah: any port in a scorm
nadia: scorm
jonah: STORM. I had it. I had it and I fumbled it
  edit 2m: STORM. I had it and I fumbled it. leave me here

## general 24m ago
fatima: open day list is at 31 things, please look at it, pinned in the galley channel
wren: I've signed up for face painting, turtle only
fatima > wren: turtle only is a strong brand
sarah: put me down for the sensor demo, half an hour, kids can drown a float and see the board go up
fatima: ❤️ done
mark: and me for parking, I've got the wheelbarrow
omar: what does the wheelbarrow do for parking
mark: presence
bjorn: sam, oskar: quarter to six now, tide's a bit earlier than I had in my head
sam > bjorn: 👍👍
oskar: hat packed
sarah: if you see the turtle out there, time it please! and look for the notch

## general 3m ago
mark: kettle question: are we allowed to look at the new one through the box
+1 pat > mark: no
`;
