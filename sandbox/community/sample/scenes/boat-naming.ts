export const boatNaming = `
## boat-naming 13d10h ago
kofi: Hull no. 7 gets a name. Nominations until the weekend, one per person, then a vote. Rules: fits on the transom (16 letters), can be shouted on the radio, Rosa doesn't leave the room
  pinned
  react ⛵ wren sarah theo bjorn jonah
jonah: oh I've been waiting for this my whole life
rosa: I am already near the door
jonah: Plan Sea
rosa: …
wren: honestly? not terrible
sarah: One Good Tern
  key tern-nominated
  react 🐦 mei wren ines fatima hugo
bjorn: Periwinkle. Short, clear, nobody laughs
mei: Seas the Day 🙃
theo: Bailing Wire
hugo: The Lemon
ines: La Golondrina
tomasz: Bocian. it means stork
void: Null Pointer
ivy: Boaty— no ok
kofi > ivy: good
dex: Fast
lena: just "Fast"?
dex: so people know
omar: Nawras. It's seagull, نورس
yuki: カモメ! seagull as well. the seagulls have two votes
nadia: Moderate Expectations
pat: The Unpaid Invoice
grace > pat: fits on the transom, just about
sara: Knot Today
jonah > sara: I respect you so much
chloe: does the dinghy have a name? could be a pair
kofi: the dinghy is called "dinghy"
minjun: Segmentation Fault
priya: 18 letters, sorry
minjun: Segfault
jurgen: Ilse. Nach meiner Frau
rosa: that is a proper name for a boat
jurgen: She says no. I asked now

## boat-naming 11d4h ago
wren: can I ask what a tern even is
bjorn: like a gull that went to ballet school
  react 🩰 wren sarah ines nadia
sarah: they nest on the breakwater! the ones that scream at you
wren: THOSE are terns? they pooped on my lunch
sarah > wren: one good one, though
fatima: "one good turn deserves another", it's also kind of what the co-op is. people doing each other a favour
rosa: hm
kofi: was that a good hm
rosa: it was a hm
jonah: I'd like to point out that Plan Sea is ALSO what the co-op is
pat: and I'd like to point out my invoice

## boat-naming 9d18h ago
kofi: Five names got three or more nods. Here we go
kofi:
  poll 72h: What shall hull no. 7 be called?
  | Plan Sea
  | One Good Tern
  | Periwinkle
  | Knot Today
  | Nawras
  key naming-poll
theo: where's Bailing Wire
kofi > theo: one nod. yours
theo: it was a passionate nod
void: rip Null Pointer
omar: Nawras on a ballot! my mother will be told
sara: voting against myself, Knot Today's a bad omen
bjorn: everyone who votes Periwinkle gets a smoked mackerel
kofi > bjorn: no bribery
bjorn: everyone gets a smoked mackerel, then. Unrelated to this vote
diego: I vote for mackerel
+90 jonah: Plan Sea is LEADING
rosa: I am putting my coat on
ines: plan sea 11, tern 9, periwinkle 7. it's not over

## boat-naming 6d17h ago
kofi: Result: Plan Sea 13, One Good Tern 13, Periwinkle 8, Nawras 5, Knot Today 1
sara: who voted knot today
sara: who
jonah: A TIE
hugo: tie the knot today. there, it got in after all
kofi: Run-off between the first two, 24 hours, show of hands: ⛵ for Plan Sea, 🐦 for One Good Tern
  key run-off
  react ⛵ jonah dex diego theo void ana ivy, 🐦 sarah wren mei ines fatima hugo bjorn omar rosa
bjorn: with Periwinkle gone I go with the bird
omar: bird. my gull would want it
jonah > omar: betrayal
omar: it's family
mark: can't choose. abstaining loudly
nadia: I went with the bird because I can shout it in a gale. Try "Plan Sea" on channel 16: "plan C?" "what's plan A?" "WHO IS THIS"
  react 😂 bjorn sara kofi jonah mei
jonah: ok that's… that's a real argument
bjorn: it IS a real argument. Radio names matter

## boat-naming 5d16h ago
kofi: Run-off is closed: One Good Tern 17, Plan Sea 14. Hull no. 7 is **One Good Tern**. Thank you all, thank you Sarah for the name
  key name-decided
  pinned
  react 🐦 sarah wren mei ines fatima hugo bjorn omar nadia yuki, 🎉 kofi theo lena, 😭 jonah
sarah: 😭😭 I didn't think it would actually win
rosa: it is a good name
wren: ROSA SAID IT'S A GOOD NAME
jonah: a gracious loser speaks: I'm happy. I'm fine. I'd like Plan Sea for the dinghy
kofi > jonah: …dinghy committee?
pat: seconded
bjorn: seconded, it can't call anyone on the radio
kofi: The dinghy is Plan Sea
jonah: I have to go and lie down
  react 🛶 sara mark diego theo ana

## boat-naming 5d3h ago
lena: lettering: I'd do it by hand, cream on the green, 11 cm. Two sketches
  image lettering-a.png 1200x400: Sketch of the words One Good Tern in rounded cream letters on bottle green
  image lettering-b.png 1200x400: Sketch of the words One Good Tern in narrow serif letters with a small bird over the T
ines: B!! the bird on the T!!
sarah: B. oh my god the bird
rosa: B. but the bird looks left, she should look forward
lena > rosa: which way is forward on a transom?
rosa: hm. out. toward whoever we are leaving behind
fatima: I'm putting that in the museum
lena: bird looks out. got it

## boat-naming 1d6h ago
oskar: wait so was it Plan Sea in the end? I told my dad Plan Sea
wren > oskar: no!! One Good Tern. Plan Sea is the dinghy
oskar: ok I'll call him back
theo: call him on 16
`;
