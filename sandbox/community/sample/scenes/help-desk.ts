export const helpDesk = `
## help 12d5h ago
hugo: My clear coat has a greasy haze the morning after, it beads like candle wax. Room was about 14 degrees, resin is the slow one. Is it ruined?
  thread amine-blush: Waxy film on cured epoxy
  tags epoxy, solved
## amine-blush 12d4h ago
kofi: That's blush. Not ruined at all. Cold and damp make it
hugo: can I just sand it away?
kofi > hugo: No! sanding smears it into the paper and the surface. Wash first: warm water, a drop of soap, white scouring pad, rinse, dry. THEN sand
jurgen: And the next time heat the room one hour before, not one hour after
hugo: does it wash off with acetone too?
bjorn: acetone just moves it around. Water. It's water soluble, that's the joke
hugo: washed, sanded, second coat, glass. thank you all 🙏
  react ✅ kofi jurgen
kofi: Marking solved

## help 10d23h ago
sam: How do I read the numbers on the bandsaw blades? There are five hanging there, one says 3/8 6 and I'm scared to guess
  thread bandsaw-blades: What do the bandsaw blade numbers mean?
  tags wood, solved
## bandsaw-blades 10d22h ago
theo: first is the width, 3/8 of an inch. second is teeth per inch. So 3/8 6 is a medium one, for most things
sam: and for tight curves?
theo > sam: narrow: 1/4 6. For resawing thick boards: the wide one, 3/4 3
rosa: and if you change the blade you set the guides. every time. not "next time"
sam: is there somebody who can show me
rosa: thursday after lunch
sam: I'll be there with all my fingers

## help 9d4h ago
ivy: A query over the readings table takes 4 s for one day and 4 s for one year as well. Why would it not care?
  | \`\`\`sql
  | select date(at), avg(level) from readings
  | where date(at) between '2031-05-01' and '2031-05-02'
  | group by date(at);
  | \`\`\`
  thread slow-query: Query takes the same four seconds whatever I ask
  tags code, solved
## slow-query 9d3h ago
mei: because of date(at) in the where. The index is on at, not on date(at), so it reads everything and converts each row
ivy: oh for heaven's sake
mei > ivy: use a range on the bare column
  | \`\`\`sql
  | where at >= '2031-05-01' and at < '2031-05-03'
  | \`\`\`
ivy: 9 ms.
quinn: 9!!
ivy: nobody speak of the four seconds
void: screenshotted
ivy > void: void no

## help 7d9h ago
lena: I want to letter on two-part paint and keep the edges sharp. Masking tape bleeds under. What do sign painters do?
  thread sharp-letters: Sharp edges for hand lettering
  tags wood
## sharp-letters 7d8h ago
rosa: they do not mask. they learn to pull a line
lena: and those of us who've three weeks?
wren: seal the tape edge with the BASE colour first, so what bleeds is green on green, then cream over it
lena > wren: that's so clever??
wren: my uncle paints buses
nadia: chalk the back of a drawing, rub it through, and then pull the brush towards you, never sideways
lena: trying both on a scrap tonight
+300 lena: wren's way for straight edges, nadia's for the curves. Thank you!!

## help 6d7h ago
anjali: ESP board resets each time the pump relay switches. Separate supply already. What am I missing?
  thread relay-reset: Board resets whenever the relay clicks
  tags electronics, solved
## relay-reset 6d6h ago
minjun: flyback diode on the coil?
anjali: there's one on the module, supposedly
void: scope the reset pin. I'd bet on the long wire to the button acting as an antenna
anjali > void: the button wire is 2 metres long…
void: 100 nF from reset to ground, right at the board
anjali: 100 nF and a 10k pull-up: zero resets in 200 clicks
  react 🧠 minjun ivy mark
void: antennas. antennas everywhere
pat: does this explain the kettle
anjali > pat: nothing explains the kettle

## help 5d5h ago
oskar: Which thread for a sail repair, the white or the brown one? One smells
  thread sail-thread: White or brown thread?
  tags sails, solved
## sail-thread 5d4h ago
ana: the smelly one is waxed, tarred even, it's for hand sewing and whippings. The white polyester is for the machine
oskar: it's a small tear, 5 cm, in the old cotton jib
ana > oskar: by hand then, brown, flat stitch, and put a patch behind it, round corners
rosa: herringbone if it gapes
oskar: herringbone?? like the fish?
ana: like the fish. come to the loft on friday, I'll show you on the jib
oskar: it's done and it held in bjørn's test (he jumped on it)

## help 3d6h ago
chloe: Chisel edge crumbles after ten minutes in oak. Sharpened at 25 degrees, nice burr, mirror back. What now?
  thread chisel-crumbles: Fresh edge crumbles in oak
  tags wood, solved
## chisel-crumbles 3d5h ago
theo: 30 for oak. 25 is for pine and poetry
hugo: or a tiny secondary bevel, two strokes at 32. I may have done a few of yours already
chloe > hugo: which ones did you do
hugo: the… all of them?
chloe: that explains why only the one I kept at home crumbles
theo: solved by theft
  react 😂 hugo wren rosa
chloe: marking as solved by theft

## help 1d3h ago
fatima: How do I get two hours of interview audio into text without sending it to some company? It's Rosa, she'd hate that
  thread local-transcripts: Transcribing interviews on our own machines
  tags code
## local-transcripts 1d2h ago
mei: there's a speech model that runs on the old graphics box in the loft. An hour of talk takes about ten minutes
fatima: even with the bandsaw behind her?
mei > fatima: it'll write [bandsaw] sometimes, it's quite poetic
quinn: after my last exam I make you a folder: drop wav in, get text out
fatima: quinn you're a hero. until then I type
rosa: two hours is too long. I repeat myself
fatima > rosa: you've not repeated yourself once, I've checked

## amine-blush 8h20m ago
theo: adding for whoever finds this: same haze on my oar varnish test today, soap and water did it again
`;
