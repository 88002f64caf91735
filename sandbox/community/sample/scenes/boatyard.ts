export const boatyard = `
## boatyard 13d22h ago
tomasz: transom is glued and clamped. 22 clamps. do not breathe near it
omar: not breathing
rosa: was the end grain sealed first
tomasz > rosa: twice
rosa: good
wren: which boards do I scarf next? the pile is unlabelled
rosa: the label is the grain, wren. look at the grain
wren: I looked at the grain. it's… wavy?
rosa: come down, I show you
theo: every apprentice conversation with Rosa ends with "come down, I show you"
bjorn: and three hours later you know something
kofi: Steam box is at temperature from two o'clock. Ribs 14 to 17 today. Leather gloves, not the blue rubber ones
dex: what happens with the rubber ones
kofi > dex: they become your hands
dex: leather it is

## boatyard 13d17h ago
theo: rib 14 in
theo: rib 15 in
theo: rib 16 made a noise
omar: what noise
theo: the expensive one
rosa: short grain. I said the third one had short grain
theo > rosa: you did say that
jurgen: We have two spares. Next one ten minutes longer in the steam
tomasz: rib 16 (second of his name) is in
sarah: ribs 14–17 done!! she looks like a whale
  image ribs.png 1600x1200: The frame of a wooden boat from the stern, four pale new ribs among darker ones
  react 🐋 theo wren omar tomasz kofi

## boatyard 12d20h ago
wren: I scarfed my first plank 🥹
rosa: she did. and only two times wrong
bjorn: only two!
wren: 8 to 1, rosa made me measure it until I dreamt of eights
hugo: what's the ratio for
omar > hugo: length of the slope to thickness. longer slope, more glue, more happiness
hugo: 8 units of happiness. ok
jurgen: For the sheer strake we do 12 to 1
wren: TWELVE

## boatyard 11d19h ago
kofi: Paint discussion. Topsides. We have till thursday to order. Candidates so far: bottle green, buoy orange, plain white
dex: black with flames
kofi > dex: candidates so far: bottle green, buoy orange, plain white
bjorn: orange. If you're in the water at night you want orange
lena: green!! with cream. please. I beg
omar: white is cheap and cool in the sun
rosa: green
tomasz: well that's the vote then
sarah: what about orange on the inside? like a secret
  react 🧡 lena bjorn wren theo mei
bjorn: …if she's upside down one sees the inside. I accept
jurgen: If she is upside down I will not look at the colour
kofi: Bottle green outside, orange inside. Any objection? Going once
theo: flames on the rudder
kofi: sold.

## boatyard 10d22h ago
omar: caulking started, port garboard. the sound of the mallet today was lovely
rosa: when it rings it's right, when it thuds you are in the next seam
omar: it rang for four metres
theo: and then?
omar: it thudded once. I apologised to it
jurgen: How many strands of cotton
omar > jurgen: two, three at the stern where the seam opens
jurgen: gut
dex: can I try?
rosa: tomorrow. on the practice board
dex: I've done the practice board
rosa: then you will do it very well tomorrow

## boatyard 9d15h ago
sara: what's the plan for ballast? asking because I have to get her down the slip
bjorn: inside, lead pigs, 180 kg, we have 140
tomasz: I've got 30 in old diving weights
theo: I have ten kilos of fishing lead from my grandfather
bjorn: then we have 180
sara: that was the fastest logistics in the history of the yard
kofi: weigh them again please. Last time "30 kilos" was 21 and a brick
tomasz > kofi: the brick was heavy
+15 theo: the centreboard case, do we bed it in red lead or the modern stuff
rosa: red lead
jurgen: the modern stuff. Red lead is poison
rosa: everything in a boat is poison, that is why it lasts
kofi: The modern stuff, because of the insurance
rosa: the insurance never rowed a boat in its life
  react 🔥 theo bjorn omar wren sara

## boatyard 8d19h ago
wren: I think I've put a hole in the wrong place
rosa: how wrong
wren: one rib wrong
rosa: drill the right one. plug the wrong one. tell nobody
wren: I've told the whole channel
rosa: then tell nobody else
theo: there are nine of mine in that hull. you'll never find them
rosa: I know where all nine are
theo: …
jurgen: Eleven
theo: JÜRGEN

## boatyard 7d22h ago
tomasz: bilge pump test. it pumped! then it pumped backwards
omar: how does it pump backwards
tomasz: enthusiasm
anjali: polarity. red isn't plus on that brand, they use brown
tomasz: the bilge is now fuller than before the test
  react 💦 omar theo sara mark anjali
mark: everything that gets wet, I'm your man
tomasz > mark: bring the wet vac
anjali: I'll label it. Again: brown plus, blue minus, red is "signal"
rosa: on my boat red is port

## boatyard 6d22h ago
bjorn: mast step: oak or iroko? we've an offcut of each
rosa: oak if you can keep it wet or dry. iroko if it's both
bjorn: it's both
rosa: you have answered it
hugo: is that the general rule? like for everything?
rosa > hugo: it's a good rule for shoes as well
jurgen: Step is cut. 120 x 80 mortise, depth 45. I made a drawing so that nobody must ask me again
  file mast-step.txt text/plain
  | MAST STEP, hull 7
  | timber: iroko, 420 x 140 x 90
  | mortise: 120 x 80, depth 45, drain hole 12 mm aft
  | bolts: 4 x M10 bronze, washers under the heads
  | coin: under the heel, year of launch (Pat has it)
  thread mast-step: Mast step, questions to Jürgen
  archived
wren: what's the coin
pat > wren: for luck, one puts a coin under the mast. I've got one put aside. It's in the accounts as "mast, financial"
ines: every boat?
rosa: every boat that came back

## boatyard 5d20h ago
kofi: Primer on. Please stay out of the paint shed with sanding dust on you. That means you, that means me, that means Kevin
sara: kevin got in??
kofi: Kevin got as far as the door. There's one footprint
  image heron-footprint.png 900x600: A single large bird footprint in grey primer on a plank
  react 🐾 sara mark wren yuki ines nadia
lena: keep it!!! please don't sand it off
rosa: it is on the inside of the locker. it may stay
omar: signed by the artist

## boatyard 4d19h ago
dex: so I did the seam on the starboard side, the practice board paid off
rosa: I looked. it rings
dex: IT RINGS
rosa: from the third plank on. the first two you do again
dex: still. it rings
  react 🔔 theo wren omar kofi
jurgen: Gut gemacht

## boatyard 3d19h ago
lena: first green coat!! it looks like a wine bottle the size of a bus
  image green-coat.png 1600x1067: The hull in fresh bottle green, wet and reflecting the shed lamps
  react 💚 rosa sarah wren omar theo fatima ines kofi
bjorn: I take it back. Green was right
lena: say it again
bjorn: no
theo: runs under the turn of the bilge on port? or is it the light
lena > theo: it's a run. It was the light until you said it
rosa: let it dry, 400 wet, second coat covers it
sarah: she's real now isn't she
rosa: she was real when the keel was laid. now she is dressed

## boatyard 2d18h ago
kofi: Work on the lower slip starts again, the seal family has left. Thank you all for the patience
tomasz: rails greased. The cradle rolls with two fingers
sara: with two of YOUR fingers
tomasz > sara: ok with four
bjorn: when's she going in then? asked for the tide table, not from curiosity
kofi > bjorn: end of the month, perhaps. Grace will announce when it is fixed
bjorn: springs are 28th to the 31st so it'd have to be there
kofi: Grace will announce it, Bjørn
bjorn: I'm only reading a table out loud
hugo: wink
kofi: there was no wink

## boatyard 1d21h ago
theo: oars: two pairs in ash, I start them tomorrow, need the planer for the day
kofi: booked from eleven
rosa: leathers go on last. I have the hide
wren: can I do the leathers? I've watched you twice
rosa: you can do one and I do one, and then we see who cries
omar: rosa will cry, from pride
rosa: from the stitching
+22 jurgen: Rudder is hung. It turns both ways, which is already better than the last one

## boatyard 20h ago
omar: second coat is on, Lena sanded the run out, one cannot see it
lena: one can see it if one knows
omar: then let's not know
theo: know what
  react 👌 lena omar wren
bjorn: it's blowing, is the shed door wedged
tomasz: wedged, chained and I leaned a bench against it
kofi: I'll look in at ten anyway

## boatyard 5h20m ago
kofi: Shed survived. One pane cracked on the north side, nothing on the boat
rosa: I looked at her at seven. dry as a biscuit
theo: planing ash from eleven, earplugs please
wren: is it ok if I sweep under the hull before lunch
kofi: yes, mind the props, don't move them even a little
wren: I'd never
jurgen: She moved one on friday
wren: ONE. by a hair. I put it back
rosa: I put it back

## boatyard 2h15m ago
theo: four blanks for the oars are on the long bench. They're 2.7 m, rosa wants 2.6, I left her something to cut
rosa: a wise man
sarah: can I get two offcuts of the ash for the sensor box? 20 cm
theo > sarah: there's a bucket of them under the bench, take the ones with a green dot
sarah: 💚
omar: name boards: Lena, when do you want to letter?
lena: tomorrow morning if the paint's hard. fingernail test at nine
omar: I'll bring my fingernails

## boatyard 25m ago
jurgen: Third tyre of the trailer is patched. It was a bronze ring nail
hugo: …how many bronze ring nails does one buy before one loses one
jurgen: Thirty, it seems
hugo: I'm so sorry Jürgen
jurgen: You owe me a cake. Lemon
hugo: on it 🍋
`;
