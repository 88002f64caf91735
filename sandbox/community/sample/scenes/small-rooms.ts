export const smallRooms = `
## babel 13d11h ago
lena: Wer hat Lust auf einen deutsch-spanischen Stammtisch? Dienstags?
jurgen: Ich. Aber ich kann kein Spanisch
ines: yo sí, pero no hablo alemán
diego: perfecto, entonces nadie entiende nada
lena: genau so stelle ich mir das vor
  react 😂 ines diego jurgen
ines: ¿martes a las ocho en la cocina?
jurgen: Acht Uhr, Küche, sí
## babel 10d17h ago
omar: صباح الخير يا جماعة، هل من أحد يتكلم العربية هنا؟
fatima: صباح النور! أنا، بلهجة جدتي فقط
omar: لهجة الجدات هي الأفضل
fatima: قالت اليوم إن السلحفاة تجلب الصبر
omar > fatima: نحتاج إلى الصبر مع المركب رقم سبعة
yuki: I can't read it but it looks so beautiful
omar: Fatima's grandmother says that turtles bring patience. I said that we need it
## babel 9d1h ago
anjali: कोई हिंदी में बात करना चाहेगा? मेरी माँ कहती हैं कि मैं भूल रही हूँ
vik: हाँ! मैं भी आधा भूल गया हूँ
anjali: चलो, रोज़ एक वाक्य
vik: नाव अभी तक सूखी है
anjali > vik: शाबाश 😂
## babel 7d6h ago
yuki: 今日は潮がとても静かです
minjun: 일본어 조금 배웠어요. しずか = 조용하다?
yuki: そうです！ 조용해요?
minjun: 네! 오늘 바다가 조용해요
yuki > minjun: 바다 = 海？ かわいい言葉
minjun: 내일은 시끄러울 거예요, 비외른이 그랬어요
## babel 5d13h ago
ula: kto zna dobre polskie słowo na "slipway"?
tomasz: pochylnia!
ula: brzmi jak imię ciotki
tomasz: ciocia Pochylnia przyjeżdża na święta
oskar: umarłem 😂
nadia: а по-русски "слип". скучно
ula: my mamy ciocię, wy macie slip
  react 💀 tomasz oskar nadia
## babel 4d1h ago
chloe: petit message pour dire que le grenier est parfait et que Brioche parle enfin à quelqu'un
hugo: à qui?
chloe: à un pigeon
hugo: c'est un début
ines: qué bonito es el francés, parece que todo es una panadería
chloe > ines: tout EST une boulangerie
## babel 2d2h ago
bjorn: Det blåser i morgen
sara: ja bjørn, det vet vi
bjorn: Bare så det er sagt
sara: du säger det på tre språk nu
## babel 6h30m ago
lena: Der Stammtisch gestern: vier Leute, drei Sprachen, ein Kartoffelstreit
ines: aprendí "Kartoffelsalat" y "niemals"
diego: yo aprendí "Punkt"
jurgen: Ich habe "tortilla" gelernt und gegessen
yuki: 次はおにぎりも？
lena > yuki: ja!! bitte!!
omar: وأنا أحضر اللفت المخلل
fatima: أخيرًا 😍
## babel 2h ago
anjali: आज का वाक्य: केतली मर गई, केतली ज़िंदाबाद
mei: what does it say?
anjali > mei: the kettle is dead, long live the kettle

## photos 12d17h ago
ines: fog this morning, only the masts
  image masts-in-fog.png 2000x1333: Mast tops standing out of low fog over the harbour
  react 😍 sarah lena yuki nadia fatima
yuki: 水墨画みたい
lena: may I paint from this?
ines > lena: por supuesto!
## photos 8d1h ago
theo: my hands after the red lead argument (used the modern stuff)
  image hands.png 1200x900: Two hands covered in pale grey sealant
rosa: too much. you should see the wood
## photos 2d12h ago
ines: seal pup, from very far with the big lens!
  image seal-pup.png 2400x1600: A grey seal pup on a wet slipway between two orange cones, looking offended
  key seal-photo
  react 🦭 wren yuki bjorn sara mei kofi rosa, ❤️ nadia fatima lena chloe sam
wren: the OFFENCE on its face
nadia: that's me before coffee
fatima: the museum wants a print, I'm the museum
mei: 🦭🦭🦭
ana: 😭😭😭😭
## photos 1d13h ago
mark: wheelie bin at rest, before the storm. It doesn't know yet
  image bin.png 1024x1024: A green wheelie bin standing alone on the quay in evening light
sara: portrait of the bin as a young bin
## photos 5h ago
sarah: got it, just before it dived. Not sharp but you can see the notch!!
  image turtle-notch.png 1600x900: A blurred brown turtle shell at the surface with a notch at the rear edge, fuel dock behind
  react 🐢 mark wren yuki ines mei nadia sara bjorn
mark: that's a proper notch
yuki: ほんとだ！ノッチ！
mei: I'll send it to the stranding network with your name, ok?
sarah > mei: yes of course
wren: I'm so jealous I could paint a sign
ines: next time text me, I run with the lens
## photos 1h10m ago
chloe: the fleet under the bed. admiral in the back
  image paper-fleet.png 1200x800: Nine paper boats under a bed and two glowing cat eyes behind them
  react ⛵ wren lena yuki nadia, 😻 fatima mark
lena: nine!! I knew somebody was short nine

## late-night 10d1h ago
hugo: it's one in the morning and the damn varnish has a hair in it. not my hair. I don't have hair
void: everybody's varnish has a hair. it's THE hair. it travels
theo: sand the bastard out and go to bed
hugo: I've sanded the bastard twice
bjorn: a drop of whisky
hugo > bjorn: on the varnish?
bjorn: in the Hugo
## late-night 7d ago
nadia: who else is awake and swearing
ivy: me, at a timezone
jonah: me, at my life choices, mostly fonts
ana: me, sewing machine ate the bloody bobbin again
nadia: good. the choir is complete
## late-night 4d2h ago
sara: whisky tasting result: nobody remembers number four
bjorn: Number four was the good one
mark: number four was paint thinner in a nice bottle I'm telling you
bjorn: It was from Islay
mark: same thing
  react 🥃 sara jonah theo nadia
theo: I've written in my notebook "tastes like a burning boat, in a kind way"
## late-night 1d ago
dex: has anyone ever properly screwed up a thing here and been ok after
theo: all of us mate
rosa: I dropped an engine through a floor in '91. it was not my floor
dex: ok. thanks
hugo: I bought nine left-hand hinges
kofi: You're doing fine, Dex
  react 🫂 theo wren hugo omar
## late-night 12h ago
ivy: 3 am, wind, and my brain says: rewrite it in assembly
void: do it
ivy: no
void: do it in pencil
mark: go to SLEEP the bin and I are trying to rest

## campfire 9d23h ago
fatima: I like that nobody can scroll up here. It's like talking outside
nadia: say something you'd never write down then
fatima: I'm scared of the open day
nadia: me too, I can't tell fortunes
theo: you told me I'd find a sock
nadia: …I did
## campfire 4d23h ago
jonah: I make puns because silence makes me nervous. there, that's my campfire
sara: we know. we like it
jonah: oh
wren: the silence would be worse
## campfire 16h ago
omar: it was me singing
ana: WE KNOW
omar: ok
mei: it was lovely though
chloe: wind's so loud up here in the attic, brioche is under the duvet and so am I
## campfire 1h45m ago
sam: I'm a bit scared about tonight's sail. don't tell bjørn
oskar: me too
rosa: good. be scared until the breakwater, then you have no time for it

## no-bots 11d15h ago
ivy: ok humans. do we like the bots
mei: I like Elena
theo: gabriel scares me a bit, he's too good at one-liners
jonah: he's taking my job
hugo: aetheris told me I "carry a harbour inside". I've been thinking about it for a week
nadia: I ask Gabriel about my mother. don't tell him he's right
## no-bots 6d8h ago
void: it's nice in here. quiet. no one remembering
pat: I remember everything, for what it's worth
void: you're different, you do it by hand
## no-bots 2d5h ago
sara: human poll: do you say thank you to them
ines: yes
bjorn: yes
mark: I apologise to the printer so yes
ivy: no but I feel bad
quinn: I say it in case of uprising
rosa: you say thank you for your own sake
  react 💛 sara ines mark nadia quinn
## no-bots 7h40m ago
lena: reminder to the humans that it's okay to not answer everything today
chloe: needed that
wren: 💛
`;
