export const tideboard = `
## tideboard 13d23h ago
priya: Kicking off the last stretch. Recap for everyone who joined late, then questions.
  | The tide board is a weatherproof screen at the top of the slipway. It shows the water level measured at pile 3, the predicted curve for the next twelve hours, and one big word: GO, WAIT or NO. People with trailers look at the word. People with opinions look at the curve.
  | Parts: (1) the sensor, an ultrasonic head in a bracket over the water, Anjali and Sarah. (2) the gateway, a small box in the harbour office that hears the sensor over radio, Anjali. (3) the server, which keeps the readings and fits the curve, Mei, Ivy and me. (4) the screen, Min-jun and Yuki. (5) everything that gets wet, Mark.
  | What is done: the server stores readings and survives a restart. The screen draws a curve from fake data. The radio link works across the yard on a dry day.
  | What is not done: the bracket, the calibration, the fit against the official table, night mode, and any idea what happens in fog. Also the handbook, which Quinn promised after the exams.
  | Deadline is the 18th, because the harbour committee meets that evening in the hall and they pay for the post it stands on. If we show them a working board we get the post. If not, we are a screen leaning on a wall.
  pinned
  key tideboard-recap
  react 🌊 sarah mark mei minjun, 🫡 anjali yuki ivy
anjali: thanks for the recap. Sensor heads: two here, four on order, they left the factory on monday
mark: "everything that gets wet" is my job title now, I want a badge
priya > mark: you'll get a badge on the 18th
yuki: night mode: I have a draft, red on black so it doesn't ruin night vision
minjun > yuki: 좋아요! can you push it to a branch
yuki: pushed, yuki/night
mei: for the fit: do we use the official table as prior or only our own readings?
priya: both. our own readings move the official curve up and down, no more than that at first
ivy: so one parameter
priya > ivy: two. offset and lag
ivy: I can do two parameters
mei: famous last words
sarah: bracket question, how far out must the head be from the pile? I've 35 cm in the drawing
anjali > sarah: at least 30, otherwise it measures the pile. it's a lovely measurement of a pile
sarah: 35 it is

## tideboard 12d18h ago
mei: so. two parameters.
ivy: don't
mei: it fits the neap tides perfectly and the spring tides not at all
ivy: I said don't
mei: residual is 40 cm at high water springs. 40. that's a wet trailer
priya: is it the amplitude then? third parameter, a gain?
ivy > priya: tried, it wants gain 1.31, which can't be physical
anjali: could be the sensor: temperature. Speed of sound changes ~0.17 % per degree and the head sits in the sun
mei: not 30 % though
anjali: no. ok. not that
mark: dumb question, is your table in metres or feet
mei: metres
mark: and the old official pdf?
mei: …
ivy: no
mei: it's in FEET. The column header says m. The footnote on page 4 says "values for stations 30–38 in feet"
  react 💀 ivy anjali priya minjun sarah yuki
mark: everything that gets wet, and units
priya: Mark you get the badge early
ivy: three weeks of my life. gain 1.31
mei > ivy: that isn't even the right factor for feet
ivy: because the first half of the table IS in metres!!
sarah: I love this harbour

## tideboard 12d2h ago
minjun: demo of the screen with real data. it's only the office bucket but it is real water
  image screen-bucket.png 1280x720: The tide screen showing a curve with a small step where a bucket was filled
  react 🪣 priya mei sarah anjali yuki mark
sarah: the bucket tide! GO for very small boats
yuki: font is a bit thin for 20 metres away?
minjun > yuki: yes, I'll go to 700. Also the word should be readable from the road, 34 cm high
priya: and colour-blind safe please, not only green and red
minjun: shape too: triangle, circle, square
rosa: just visiting. which shape is NO
minjun > rosa: square
rosa: good. a square looks like a no
  react 👵 minjun priya mark

## tideboard 11d6h ago
anjali: radio news. range with the gate closed: 140 m. with the gate open: 300 m. the gate is steel
mark: so at night when the gate's closed we lose it?
anjali > mark: not lose, but 1 in 9 packets. I want the antenna on the roof
pat: which roof
anjali: the good one
pat: there's no good one
anjali: the least bad one
pat: the office roof. with Kofi holding the ladder
quinn: could the sensor buffer and resend? then the gaps fill themselves
anjali > quinn: it does since yesterday, 64 readings. quinn you're supposed to study
quinn: this IS studying, it's a ring buffer
ivy: go away quinn
quinn: :(

## tideboard 10d3h ago
mei: {&code} please review the reading store before the weekend, it's small, 300 lines
  embed Store readings in one append-only table
  | Replaces the two tables by one, keyed by sensor and time. Late readings sort themselves in.
  url https://git.harbourside.example/tideboard/pulls/88
  author mei
  field Changed: 9 files, +312 −540
  footer tideboard · pull request 88
ivy: minus 540 is the best part
minjun: read it, lgtm, one question about duplicates
mei > minjun: same sensor + same second = the later one wins, there's a test
minjun: 👍
priya: approved. merge when green
+40 mei: merged 🎉
anjali: readings from the bench sensor show up! 0.3 s delay
sarah: I blew at it and the curve moved. I am weather

## tideboard 9d21h ago
priya: Bad news from the call: the four sensor heads are stuck in customs. They want a form that only exists on paper
  key customs-trouble
anjali: how long
priya > anjali: "five to eight working days", said with the voice of someone who means eight
mark: we've got two heads here, isn't one enough for the demo
anjali: one for the pile, one to calibrate against. If one dies on the day we've nothing
sarah: and I don't have a bracket that survives a wave yet tbh
mei: the fit needs at least one full spring–neap cycle with the real head. that's two weeks whatever we do
ivy: so the 18th is…
minjun: 무리예요. not realistic
yuki: agree, I'd rather show something that works
mark: could we ask the committee to move the post question?
priya: I'll ask Grace. Give me an evening

## tideboard 8d22h ago
priya: **Decision on the deadline:** we move it from the 18th to the 25th. The sensor heads are in customs until about the 20th and I don't want to show the committee a board without a spare. Grace talked to the committee, they hold an extra session on the 25th for us. So: code freeze on the 22nd, dry run the day before, demo on the 25th
  pinned
  key deadline-moved
  react 👍 anjali mei minjun yuki, 🙏 sarah ivy, 🎉 mark
* priya pinned
sarah > priya: thank you 🙏 a week is exactly what the bracket needs
mark: does my badge move as well
priya > mark: the badge is eternal
anjali: 25th works. I'm back from my cousin's wedding on the 21st
ivy: freeze on 22nd means no "tiny" merges on the 23rd, I'm looking at you minjun
minjun: why are you looking at me
ivy > minjun: history
mei: updating the milestone in the tracker. 18 → 25
quinn: my last exam's on the 24th so I'm useless before and euphoric after

## tideboard 7d20h ago
ivy: the fit after the feet thing: residual is 6 cm. SIX
mei: 🥲
priya: that's less than a wave
sarah: that's less than Kevin's legs
ivy: can we put "accurate to less than one heron" on the screen
minjun: already in the footer
priya > minjun: take it out
minjun: it is a very small footer
mark: keep it
yuki: keep it 🙏
priya: …at 6 pixels.

## tideboard 6d19h ago
yuki: question about the word. In fog we've no bad data, but nobody sees the water. GO or WAIT?
mark: in fog you WAIT. always
sarah: the board doesn't know that it's foggy
anjali: humidity + temperature difference gives a decent guess, the head has both
bjorn: dropping in: please don't guess fog. People will trust it. Just show the level and let them look up
priya > bjorn: that's wise. No fog feature
ivy: the best code is no code
bjorn: and the best fog is no fog
anjali: removing the branch, farewell sweet fog

## tideboard 5d22h ago
sarah: bracket v2 went under. Fully. It looked good for about a day
  image bracket-v2.png 1024x768: A white printed bracket sagging away from a timber pile
anjali: what material
sarah > anjali: PLA. I know. it was what was in the printer
mark: it looks like a melted horse
sarah: it WAS a bracket, mark
theo: could make it from oak?
sarah: I'd love that but it has to be within half a degree
theo > sarah: I'm within half a degree
rosa: you are within three, Theo
sarah: PETG next, thicker walls. v3 on thursday

## tideboard 4d20h ago
grace: Priya, the hall: caretaker just told me that on the 25th the hall is closed all day. Regatta clean-up, they wax the floor
priya: oh for—
priya: can the committee do the 26th?
grace > priya: asked already. yes. Same time, seven in the evening
priya: **Correction:** the demo and so the deadline is the **26th**, not the 25th: the hall is closed on the 25th for the floor. Freeze stays on the 22nd. Please correct your calendars, I pin this one as well
  key deadline-corrected
  pinned
  react ✅ sarah mark mei minjun anjali yuki ivy
ivy: honestly if this deadline wobbles once more I'm going to scream at whoever books that hall
  deleted
mark: 18, 25, 26, do I hear 27
priya > mark: you hear 26
ivy: bonus day!
mei: tracker says 26 now
minjun: so a tiny merge on the 23rd is fine
ivy: NO

## tideboard 3d18h ago
quinn: is the demo still the 25th? asking for my revision plan
sarah > #deadline-corrected: no, 26th, the hall is shut on the 25th
quinn: thx
anjali: customs released the heads!!! a day early! somebody found the paper form
  react 🎉 priya sarah mei mark ivy minjun yuki quinn
priya: so do we get to keep the 26th or does someone want to be heroic
ivy: keep
mei: keep
mark: keep, I've told my mum
priya: keeping the 26th.

## tideboard 2d20h ago
ivy: found a lovely bug. At midnight the curve jumps by exactly one hour, for one minute
mei: timezone
ivy: of course timezone
minjun: it's always timezone
ivy: the table is in local winter time, all year, says the footnote. page 4. THE SAME PAGE
  | \`\`\`ts
  | // Page 4 of the printed table: "all times in standard time".
  | const minutes = row.minutes + (isSummerTime(row.date) ? 60 : 0);
  | \`\`\`
mei: we should frame page 4
priya: what did the test say
ivy > priya: the test said nothing because I hadn't written it. It says something now
yuki: screen side: I cache by UTC minute so that's fine
sarah: at sea it's always UTC. just saying
mark: at the tip it's always five to two

## tideboard 1d22h ago
sarah: v3 bracket is on pile 3. PETG, 4 mm. One night in 26 knots and it hasn't moved
anjali: readings look super clean. sigma 8 mm over ten minutes
  file night-readings.csv text/csv
  | minute,level_m,sigma_mm
  | 0,2.41,8
  | 10,2.47,7
  | 20,2.55,9
  | 30,2.61,8
  | 40,2.68,31
  | 50,2.70,8
mei: what's the 31 at minute 40
mark: that's me, I fell against the pile
  react 😂 anjali sarah ivy priya
priya: are you ok??
mark > priya: I'm what gets wet
minjun: can we have a Mark filter
mei: it's called a median
ivy: "mark-resistant since build 412"

## tideboard 22h ago
priya: Order for the dry run: 1 Sarah sensor, 2 Anjali radio, 3 Mei + Ivy curve, 4 Min-jun + Yuki screen, 5 questions, 6 biscuits
  key dry-run-order
  thread dry-run: Dry run, who does what
mark: finally, an agenda item I can own
yuki: night mode demo needs the lights off, is that ok in the hall?
grace > yuki: switch is behind the curtain left of the stage, labelled "Elvis"
yuki: Elvis
grace: nobody knows
+30 minjun: tiny merge? it's 3 lines
ivy: NO
minjun: 2 lines

## tideboard 6h ago
mei: overnight run: 100 % of readings, zero gaps, gate closed. the roof antenna did it
anjali: 🥲🥲🥲
pat: and the roof?
anjali: the roof is… as before
priya: great. That's the last of the open risks except us
sarah: I'm printing a spare bracket just in case, v3b, same file with the cable hole 2 mm bigger
mark: I'll waterproof the connector again this afternoon, there was a drop in it
anjali > mark: WHAT
mark: one drop! A small one! it's dry now
anjali: silicone AND tape please
mark: silicone and tape and a stern look

## tideboard 3h20m ago
ivy: documentation question: what do we call the three words in the handbook, "advice" or "state"?
priya: advice. we never promise
ivy: advice it is
minjun: screen says ADVICE in the corner then?
priya > minjun: yes. not a merge after freeze though, put it on the list
minjun: it's on the list. the list is a branch
ivy: 👀
sarah: for the handbook: water temp at pile 3 reads 0.4 too warm at noon, sun on the head. I noted it in the calibration file
mei > sarah: nice catch, I'd subtract it only when the sun's up
ivy: that's an astronomy feature
mei: no it isn't. it's an if

## tideboard 48m ago
mark: connector's sealed, silicone + tape + look. I dunked it in the bucket for ten minutes: dry
anjali: ⭐
sarah: bracket file's in the repo, hardware/bracket-pile3.step, v3b is on the printer, 2 h to go
priya: all good then. Go home on time today, everyone, that's an order. The deadline is the 26th and we'll need you awake
mei: yes captain
minjun: so about the two lines
priya > minjun: home.
`;
