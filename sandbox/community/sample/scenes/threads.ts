export const threads = `
## turtle-log 5h30m ago
mei: Let's keep the sightings together here. No. 1: ten days ago, outer pontoon, Sarah, ten seconds of eye contact
sarah: No. 3: today, 06:05 to 06:09, fuel dock, dived towards the breakwater, notch above the tail, barnacles left front flipper
bjorn: No. 2 was mine, on thursday, north gap, 200 m off, only the head
mei > bjorn: time?
bjorn: 17:40, slack water
yuki: all three near slack water? coincidence?
sarah: ooh. 06:05 was 35 minutes after low, so nearly
mei: three points, no statistics, but I'm writing it down
mark: put me down for no. 4, I'm feeling lucky
+110 mei: the network answered: likely the same adult female seen down the coast in march, they call her "Notch"
sarah: NOTCH 😭
mark: she has a NAME
nadia: does she know about the sign
## mast-step 6d20h ago
theo: the drain hole, 12 mm aft: centred or to port?
jurgen: Centred
theo: and the coin on top or under?
jurgen > theo: Under. On top it is a washer
pat: and I'd never see it again
omar: which year do we write if it slips past new year
jurgen: It does not slip
## dry-run 21h ago
mei: I need a projector cable with the small plug
yuki: I've got one 👍
anjali: I bring the gateway and its antenna. Who carries the ladder?
mark: I carry the ladder. And the biscuits. Not at once
ivy: order of slides: curve first, then the residuals, then the heron joke
priya: no heron joke
ivy: then the residuals twice
minjun: ducks?
priya > minjun: who told you about ducks
minjun: nobody. I just had a feeling
## dry-run 1h ago
sarah: bracket v3b comes off the printer around half past, I bring both
priya: and a towel, please, in case Mark demonstrates
mark: rude and correct
## galley 2d20h ago
ines: Jürgen and Ilse have their 40th anniversary next week, let's plan something here, without him
  private thread ruby: Ruby wedding, shh
  with ines sarah mark lena earshot
## ruby 2d19h ago
lena: forty years is ruby. Red lettering on something?
sarah: a name board! "ILSE", for the old rowing boat. He nominated her name and she said no to seven, but the rowing boat has none
  react ❤️ ines mark lena
mark: that's… really good, Sarah
ines: he'll cry
lena: he'll say "gut gemacht" and look at the wall
mark: which is crying
ines: hidden in the paint shed behind the primer until then. 60 each? no, 15 each, sorry
sarah: 15 is fine. I'll get a piece of oak from the offcuts, I wanted to ask rosa anyway
## ruby 23h30m ago
lena: ILSE is lettered. deep red, cream edge
  image ilse.png 1200x400: A short oak name board with the word ILSE in deep red letters with a cream edge
mark: 🥹
sarah: perfect. He was right next to it yesterday, looking for masking tape, I nearly died
ines: what did you do
sarah: I asked him about mayonnaise
  react 😂 ines lena mark
## general 12h30m ago
lena:
  forward seal-photo
lena: for everyone who needs it on a night like this
fatima: I needed it
## boatyard 5d15h ago
wren:
  forward name-announced
wren: just putting it where the boat is
rosa: she knows
## sailing 3h45m ago
sara:
  forward turtle-notice
sara: three knots at the fuel dock, folks, we won't lose any eddies in there
`;
