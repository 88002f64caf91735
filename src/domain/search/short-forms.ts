/** Abbreviations and their full forms: `short=full`, several full forms separated by `|`. A full form has one or two words. */
const PAIRS = `
  abs=absolute acc=account acct=account ad=advertisement addr=address admin=administrator advert=advertisement ai=artificial intelligence
  alg=algorithm algo=algorithm alt=alternative amt=amount anim=animation anon=anonymous apk=android package api=programming interface
  app=application approx=approximately appt=appointment apt=apartment arch=architecture arg=argument args=arguments asap=soon asm=assembly
  assoc=association async=asynchronous attr=attribute auth=authentication|authorization|authenticate auto=automatic av=antivirus avg=average
  bat=battery bbq=barbecue bc=because bday=birthday bg=background bf=boyfriend bin=binary bio=biography bike=bicycle
  ble=bluetooth|low energy bt=bluetooth blvd=boulevard bool=boolean bot=robot bros=brothers btn=button bud=buddy biz=business calc=calculator|calculation cam=camera
  cap=capacity capt=captain cert=certificate cfg=config|configuration champ=champion char=character chem=chemistry ci=continuous integration
  cli=command line cls=class cmd=command cnt=count co=company coeff=coefficient collab=collaboration|collaborate col=column combo=combination comm=communication
  comms=communications comp=competition|computer compat=compatible|compatibility con=convention conf=conference|config config=configuration
  congrats=congratulations conn=connection const=constant cont=continued conv=conversation coop=cooperative coord=coordinate coords=coordinates
  corp=corporation cos=because cpp=c++ cpu=processor cred=credential creds=credentials crypto=cryptocurrency|cryptography ctrl=control
  ctx=context cust=customer cv=resume cz=because db=database dbg=debug dec=decimal def=definitely|definition deg=degree del=delete
  demo=demonstration dep=dependency deps=dependencies dept=department desc=description dest=destination dev=developer|development devs=developers
  diff=difference dim=dimension dino=dinosaur dir=directory|direction dirs=directories disc=discord dist=distance|distribution distro=distribution
  dj=disc jockey dl=download dlc=downloadable content dm=direct message dms=direct messages dns=domain name doc=document|doctor docs=documentation|documents
  dob=date birth dorm=dormitory dup=duplicate dupe=duplicate econ=economics edu=education ed=edition elec=electricity em=email emb=embed
  emo=emotional emu=emulator eng=english|engineering engr=engineer env=environment eq=equation err=error esp=especially est=estimate
  eta=arrival time eval=evaluation|evaluate evo=evolution ex=example exam=examination exec=execute|executive exe=executable exp=experience|experiment
  ext=extension|external fab=fabulous fam=family faq=frequently asked fav=favorite|favourite fave=favorite|favourite fax=facsimile fb=facebook fba=feedback
  fed=federal fest=festival fig=figure flu=influenza fn=function fps=frames second freq=frequency frag=fragment fri=friday fridge=refrigerator
  func=function fw=firmware|firewall fwd=forward fyi=information gas=gasoline gb=gigabyte gen=generation|general gf=girlfriend gg=good game
  gh=github gif=animation gov=government govt=government gps=satellite navigation gpu=graphics card grad=graduate gui=graphical interface gym=gymnasium
  hd=high definition hdd=hard drive hex=hexadecimal hist=history hol=holiday hols=holidays hosp=hospital hq=headquarters hr=human resources|hour
  hrs=hours hw=hardware|homework hyp=hypothesis id=identifier|identity ident=identity idx=index ie=internet explorer ig=instagram illus=illustration
  img=image imgs=images impl=implementation|implement inc=include incl=including|include ind=independent info=information init=initialize|initial
  ins=insurance inst=instance|institute int=integer intel=intelligence intl=international intro=introduction inv=inventory|invite invite=invitation ios=iphone
  ip=internet protocol irl=real life iso=disk image iter=iteration jan=january js=javascript jr=junior kb=keyboard|kilobyte km=kilometer|kilometre
  lab=laboratory lan=local network lang=language lat=latitude lb=pound lbs=pounds len=length lib=library libs=libraries lic=license lim=limit
  limo=limousine lit=literature llm=language model llms=language models loc=location lon=longitude lng=longitude ltd=limited lvl=level
  mac=macintosh mag=magazine maint=maintenance math=mathematics maths=mathematics max=maximum mb=megabyte mech=mechanical med=medical|medicine mem=memory
  memo=memorandum merch=merchandise mfg=manufacturing mgmt=management mgr=manager mic=microphone micro=microcontroller min=minimum|minute mins=minutes
  misc=miscellaneous ml=machine learning mobo=motherboard mod=moderator|modification mods=moderators|modifications mon=monday mic=microphone moto=motorcycle
  mph=miles hour msg=message msgs=messages mtg=meeting mvp=minimum viable|valuable player nav=navigation neg=negative nn=neural network neuro=neurology
  nlp=language processing num=number nums=numbers nvm=nevermind obj=object objs=objects oc=original character op=operation|operator ops=operations
  opt=option|optional opts=options orch=orchestra org=organization|organisation orig=original os=operating system oss=open source ota=over air oz=ounce
  param=parameter params=parameters pass=password pc=computer pcb=circuit board perf=performance perm=permission|permanent perms=permissions pfp=profile picture
  pg=postgres|page pgs=pages phd=doctorate photo=photograph photos=photographs phys=physics pic=picture pics=pictures pkg=package pkgs=packages pm=private message
  pod=podcast poly=polygon pop=population pos=position|positive poss=possible pr=pull request pref=preference prefs=preferences prep=preparation|prepare
  prev=previous prez=president prio=priority priv=private|privilege prob=problem|probably probs=problems|probably proc=process|procedure prod=production|product
  prof=professor|professional prog=program|programming promo=promotion prop=property|proposal props=properties proto=prototype|protocol ps=playstation|powershell
  psych=psychology psu=power supply pt=part|point pts=points ptr=pointer pub=public pw=password pwd=password py=python q=question qa=quality assurance
  qty=quantity quad=quadrant qs=questions rand=random rasp=raspberry rdp=remote desktop rec=recommendation|recommend|record recs=recommendations ref=reference
  refs=references reg=register|registration regex=regular expression rehab=rehabilitation rel=release|relative rep=reputation|representative repo=repository repos=repositories
  repro=reproduce|reproduction req=request|requirement|require reqs=requirements res=resolution|response|resource resp=response rest=restaurant rev=revision
  rf=radio frequency rng=random number rpi=raspberry pi rpg=role playing rss=feed rt=retweet sat=saturday|satellite sched=schedule sci=science scifi=science fiction
  sec=security|second secs=seconds sem=semester sep=september sept=september seq=sequence ser=serial sess=session sig=signature|signal sim=simulation|simulator
  sims=simulations sln=solution soc=society|social spec=specification specs=specifications sql=database query sr=senior src=source srv=server ssd=solid state
  stat=statistic stats=statistics std=standard str=string|strength struct=structure stu=student sub=subscription|subscriber|substitute subs=subscriptions|subscribers|subtitles
  sum=summary sus=suspicious sw=software|switch sync=synchronize|synchronization sys=system tbd=determined tech=technology|technical tel=telephone temp=temperature|temporary
  temps=temperatures tho=though thru=through thurs=thursday tix=tickets tmp=temporary tmrw=tomorrow tbh=honest tues=tuesday tut=tutorial tuts=tutorials tv=television
  txt=text tx=transmit|transaction typo=misprint ui=user interface ult=ultimate uni=university univ=university upd=update ups=power supply url=link|address
  usr=user ux=user experience util=utility utils=utilities val=value vals=values var=variable vars=variables vax=vaccine vc=voice chat vet=veterinarian|veteran vid=video
  vids=videos vip=important person vm=virtual machine vms=virtual machines vocab=vocabulary vol=volume|volunteer vpn=private network vps=virtual server vr=virtual reality
  vs=versus wed=wednesday wiki=wikipedia win=windows wifi=wireless wknd=weekend wk=week wks=weeks ww=world war xfer=transfer xmas=christmas xp=experience
  yr=year yrs=years yt=youtube`;

const { full, short } = toTables();

/** The full forms of an abbreviation, of one or two words each. Empty for other words. */
export function toFullForms(word: string): readonly (readonly string[])[] {
  return full.get(word) ?? [];
}

/** The abbreviations of a word, or of two words. */
export function toShortForms(words: string): readonly string[] {
  return short.get(words) ?? [];
}

function toTables() {
  const full = new Map<string, string[][]>();
  const short = new Map<string, string[]>();
  for (const [, written = "", forms = ""] of PAIRS.matchAll(/(\S+)=([^=]+?)(?=\s+\S+=|\s*$)/g))
    for (const form of forms.split("|")) {
      const words = form.trim().split(/\s+/);
      full.set(written, [...(full.get(written) ?? []), words]);
      short.set(words.join(" "), [...(short.get(words.join(" ")) ?? []), written]);
    }
  return { full, short };
}
