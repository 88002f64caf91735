export const yard = `
## sailing 13d16h ago
bjorn: Beginners' sail on Sunday, four seats, nobody needs to know anything
wren: 🙋
sam: does "nothing" include left and right
bjorn > sam: those have other names anyway
sara: port has four letters, left has four letters. done
diego: and starboard?
sara: is the other one
jurgen: Wind on Sunday 3 to 4, sun. You'll get spoiled
## sailing 11d14h ago
wren: I STEERED. for like forty minutes
bjorn: She steered. Straight, even
sam: I was the ballast and I was good at it
oskar: I pulled a sheet (rope with employment)
  react ⛵ theo rosa wren sam
diego: I was seasick with style
ines: he was. with so much style
## sailing 8d16h ago
sara: race on the 17th against the yacht club. They've carbon. we have Plan— we have the old lugger
jonah: you almost said it
bjorn: we also have the tide, if we start at ten to
sara: explain
bjorn: the eddy behind the breakwater turns 20 minutes before the table says. They don't know that
mei > bjorn: …is that in the tideboard data?
bjorn: it's in my grandfather's notebook
mei: can I photograph the notebook
bjorn: after the race
## sailing 5d23h ago
sara: WE WON THE EDDY. I mean the race. because of the eddy
  react 🏆 bjorn ines tomasz mark wren rosa jurgen
tomasz: carbon boats went backwards for ten minutes. it was like ballet
ines: uno de ellos nos saludó, muy triste
bjorn: Now you may photograph the notebook, Mei
mei: bringing gloves and a lamp
rosa: your grandfather would have told everyone
bjorn: he told nobody. He moved a lighthouse and told everyone THAT
## sailing 4d16h ago
bjorn: Since five people asked me about the eddy I write it down once, and then nobody asks again.
  | The flood comes in along the north shore and hits the breakwater from behind. Most of it goes around the head and into the harbour, everybody knows that part. But about a fifth of it is turned back along the inside of the wall, so for a while there's a river running out, three boat lengths wide, while everywhere else still runs in. It's weak at first. You see it by the foam: the foam goes the wrong way.
  | It begins roughly twenty minutes before the table says slack, a bit sooner at springs, and it dies ten minutes after. With wind from the west it's closer to the wall. With wind from the east I stay at home. To use it you have to go much nearer to the stones than is comfortable, say fifteen metres, with the board half up, and you need somebody on the bow who says what they see and not what they hope.
  | Don't try it at night, don't try it at low springs, don't try it because I wrote it here. Come with me twice and then try it.
  pinned
  react 🙏 sara ines oskar wren, 📝 mei sam
mei: this is better than the notebook
oskar: "what they see and not what they hope" ok I'm putting that on the wall
bjorn: it's the notebook, translated

## sailing 3d8h ago
oskar: what does "heave to" mean? I read it in a book and everybody did it
sara: parking, for sailboats. you set the sails against each other and go make tea
oskar: with which kettle
pat: too soon
## sailing 2h35m ago
bjorn: Tonight: south-west 3, falling. High water 19:10. Out through the north gap, once around the outer mark, home with the last light
sam: what should I bring except the jumper
bjorn: hat. And something for Rosa's nerves, she'll be watching from the pontoon
rosa: I'll be watching the varnish
sara: I'm jealous, I've got the pool until eight
oskar: do we see the turtle?
bjorn > oskar: if we are slow and quiet. You can be slow, let's see about quiet

## weather 13d19h ago
bjorn: High water 06:40 and 19:02, 4.1 m. Wind west 3 to 4. Nothing to report, which I hereby report
nadia: thank you bjørn, I can't start my day without it
mark: he's the weather app that disagrees with you
## weather 12d19h ago
bjorn: Fog until ten. If you can't see the breakwater it's because of the fog
jonah: or somebody moved it
bjorn: eleven metres, at most
## weather 10d19h ago
bjorn: 16.2 degrees in the water. That's two too warm for the time of year. Explains the turtle
sarah: I get 15.9 at the fuel dock, the old thermometer
bjorn > sarah: mine's in the sun
sarah: is anyone keeping a series? I've written it down each morning at six since january
anjali: SARAH. that's gold, can I have it
sarah > anjali: it's in a paper notebook with coffee on it
anjali: that's what makes it gold
fatima: the museum has the harbour master's logs from 1904 on, with temperature!
mei: oh no. oh no I can feel a project
## weather 7d19h ago
bjorn: Springs this week. 4.7 on thursday. Move your things up from the lower rack
theo: define things
bjorn: everything you'd be sad about
hugo: so all of it
## weather 4d18h ago
bjorn: Quiet. Barometer 1024. I don't trust it
sara: you never trust it
bjorn: It has the face of my uncle
## weather 2d3h ago
bjorn: Low coming in from the west. Wind from tomorrow afternoon, 25 knots by night. Lash everything
tomasz: lashing
omar: shed doors?
bjorn: shed doors, bins, opinions
mark: I don't own the bin, I just know it
## weather 1d1h ago
bjorn: It'll be from three o'clock on. I say it once here so that I needn't say it in general
sara: you'll say it in general
## weather 16h ago
bjorn: 31 in gusts on the outer mark, barometer 996, falling slower. Peak around two in the night
anjali: sensor on pile 3 sees 40 cm of surge, the median eats it nicely
mei: beautiful data
bjorn: I'm glad one of us is enjoying it
## weather 8h30m ago
bjorn: All done. 1003 and rising. South-west 3 by the evening
nadia: the sky looks washed
sarah: 11.8 in the water at six, the storm stirred it up. It was 14.1 two days ago
bjorn > sarah: that is a big drop. Cold from below
yuki: is it ok for the turtle?
sarah: the stranding network says fine above 10. Below that we should tell them
anjali: I could set an alarm on pile 3 for 10.5
sarah > anjali: please do!
## weather 50m ago
bjorn: High water 19:10, 3.9. Sunset 19:50. You may go outside

## sail-loft 12d22h ago
ana: the big Singer is back from the repair and she PURRS
lena: can I do a tent on her?
ana > lena: you can do a circus on her
oskar: what's the needle size for the heavy cotton
ana: 110, and slow. she's strong enough to sew your sleeve to the table
oskar: I can tell you've seen it
ana: I was the sleeve
## sail-loft 8d14h ago
ana: mainsail for seven: tan cloth arrived, 14 m², smells like a bookshop
rosa: bolt rope on the port side
ana: always the port side?
rosa: so that you know in the dark which side you hold
  react 🤯 ana oskar lena wren
## sail-loft 4d4h ago
oskar: my first patch. herringbone
  image patch.png 1000x1000: A square patch on brown sailcloth with an uneven herringbone stitch
ana: that'll hold longer than the sail
oskar: that's the plan
lena: frame it, it's better than my curtains
## sail-loft 1d23h ago
ana: reef points in, cringles in, one swear word sewn into the tabling where nobody will ever find it
void: what was it
ana: you'll have to unpick the boat
## sail-loft 3h50m ago
ana: sail's finished. I'm lying under it
  sticker Proud otter
  react 🎉 rosa lena oskar wren kofi
rosa: I come and see
ana: 👀 she's coming
+12 ana: she touched the leech and nodded. I'm going to live forever

## woodwork 11d13h ago
hugo: is there any joint more satisfying than a dovetail
theo: a half-blind dovetail
rosa: one that's not needed
chloe: a mitred one that closes when you least expect it
hugo: so a trap
chloe: yes
## woodwork 9d7h ago
lena: what do you do with larch that keeps bleeding resin
omar: heat gun, alcohol, shellac, prayer
jurgen: In that order
lena: at which step are you
omar: prayer
## woodwork 6d16h ago
theo: PSA the new planer takes 3 mm max, it says 5 on the front, it lies
kofi: I've taped over the 5
dex: what if I need five
kofi: Then you do it twice, Dex
dex: right, yes
## woodwork 4d9h ago
sam: my second shelf is level!!!! I checked with three levels
rosa: do the levels agree
sam: two of them
  react 📐 theo hugo wren lena bjorn
theo: a democratic shelf
## woodwork 2d15h ago
chloe: looking for a piece of pear for a mallet, 8 x 8 x 14
jurgen: I have pear. From the old tree at my mother's. For a mallet, yes. For a shelf, no
chloe > jurgen: I'd be honoured
jurgen: It must rest two more weeks
chloe: I can wait for a pear
## woodwork 4h20m ago
theo: ash tip: if the shaving comes off in one ribbon, longer than you, you may make a wish
wren: mine was 40 cm
theo: a small wish
hugo: I wish for a boat
chloe: hugo do NOT
## woodwork 1h35m ago
rosa: who sharpened the number 5 plane
omar: me, why
rosa: no reason. it is sharp. somebody should do the others too, they are a disgrace
omar: I'll… see what can be done
kofi: we have a tool inspection soon anyway

## tool-library 12d9h ago
pat: Overdue: two sash clamps (mark), block plane (hugo), heat gun (lena), label maker (anjali), dignity (all)
mark: clamps today!
hugo: the block plane and I need a bit more time
anjali: the label maker is labelled, it can't get lost
lena: heat gun's in the west shed. next to nothing else, certainly no waffle iron
## tool-library 7d13h ago
wren: can I borrow the spokeshave for the weekend, at home?
pat: yes, signed out: wren, spokeshave, until monday, may it return
wren: it'll return sharper
pat > wren: that's how one becomes my favourite
## tool-library 3d22h ago
theo: torque wrench is missing from the wall
tomasz: I have it, winch
theo: the shadow on the wall looked so lonely
tomasz: bringing it home at four
## tool-library 22h ago
pat: everything is back. Everything. I've walked along the wall twice. I don't know what to do with my hands
hugo: even the block plane 😔
pat: even the block plane
  react 🥹 theo kofi wren hugo
## tool-library 3h ago
chloe: can I take the small router till tomorrow
pat: signed out. The wall was full for 19 hours, it was a good time
sarah: and me the heat gun for half an hour, cable sleeves
pat > sarah: it's in your name, bring it back warm or cold

## electronics 12d6h ago
anjali: free to a good home: 12 V fans, a box of them, loud
void: how loud
anjali: you'd not hear the question
ana: two for the loft!
## electronics 9d9h ago
minjun: e-ink or LCD for a second, small board at the gate?
yuki: e-ink! no glare, no power
mark: e-ink in the rain?
minjun > mark: behind glass. it's slow but tides are slow
quinn: 16 second refresh vs 12 hour tide, I think we'll manage
ivy: go study
## electronics 5d14h ago
void: made a lamp that glows with the tide. low = blue, high = white. it's on my desk and I've become calmer
  image tide-lamp.png 900x1200: A small paper lamp glowing pale blue on a cluttered desk
  react 💙 sarah yuki mei anjali fatima nadia
fatima: the museum shop. void. the museum SHOP
void: I'm not a shop person
fatima: I AM the shop person
priya: pcb layout on the share? I'd love one
void: it's three wires and a library from 2019, but ok
## electronics 2d16h ago
sarah: heat shrink, which size for the 6 mm sensor cable?
anjali: 9.5, 3:1, with the glue inside
sarah: do we have it
anjali: drawer 12, next to the drawer of shame
sarah: what's in the drawer of shame
anjali: rechargeable batteries from before I was born
## electronics 3h15m ago
sarah: sleeved, glued, heat gunned. Spare sensor cable is done, 4 m
anjali: continuity?
sarah > anjali: all four wires, 0.3 ohm
anjali: chef's kiss
mark: did someone say kitchen
minjun: kettle telemetry: I've drawn something. only drawn
priya > minjun: I can see you
void: does it glow
minjun: it could glow
## electronics 16m ago
void: second tide lamp done, this one's for the code loft. it's going up right now (the tide, not the lamp)
anjali: 💙
`;
