/** What people and things do, and how they are. English | German | Spanish | French | Portuguese | Japanese | Korean. */
export const glossaryOfVerbs = `
decide decision|entscheiden entschieden beschlossen entscheidung beschluss|decidir decidió decidido decisión|décider décidé décision|decidir decidiu decidido decisão|決め 決ま 決定|결정 정했 정해
choose chosen|wählen gewählt ausgesucht|elegir eligió elegido escoger escogido|choisir choisi|escolher escolheu escolhido|選ば 選ん 選択|선택 골랐 고른
move moved|verschoben verschieben umziehen umgezogen|mover mudar mudó aplazar aplazó|déplacer déplacé reporter reporté déménager|mudar mudou adiar adiou|移動 延期 引っ越|옮기 옮겼 연기
change changed|ändern geändert|cambiar cambió|changer changé|mudar alterar|変更 変わ|바뀌 바꾸 변경
begin start|beginnen beginnt anfangen fängt startet|empezar empieza comenzar comienza|commencer commence démarre|começar começa|始ま 始め 開始|시작
end finish finished|enden endet fertig beendet|terminar termina terminado acabar|finir finit terminé|terminar termina acabar|終わ 完成 終了|끝나 끝났 완성
open opens|offen öffnet öffnen geöffnet auf|abrir abre abierto|ouvrir ouvre ouvert|abrir abre aberto|開|열리 열려 열었
close closed|geschlossen schließt schließen zu|cerrar cierra cerrado|fermer ferme fermé|fechar fecha fechado|閉ま 閉じ 閉め|닫
arrive come|ankommen kommt angekommen kommen|llegar llega llegó venir viene|arriver arrive arrivé venir vient|chegar chega chegou vir vem|届 到着 着|도착 오나요 와요
leave go|abfahren losfahren fährt abfahrt ablegen los gehen|salir sale partir irse|partir part quitter départ|sair sai partir parte|出発 出る 出ます|출발 떠나
return back|zurück zurückgegeben zurückgebracht|volver devolver devolvió vuelta|revenir rendre rendu retour|voltar devolver devolveu|戻 返 帰|돌아 돌려 반납
bring|bringen bringt mitbringen gebracht mit|traer trae trajo llevar|apporter apporte amener|trazer traz trouxe levar|持って 持ってく|가져
take took|nehmen nimmt genommen|tomar tomó coger llevarse|prendre prend pris|pegar tomar levou|取 取っ|가져갔 가져간
give gave|geben gibt gegeben|dar dio da|donner donne donné|dar deu|あげ くれ|주었 줬
get|bekommen bekommt kriegen kriegt erhalten|recibir recibió obtener|recevoir reçoit obtenir|receber recebeu obter|もらっ 受け取|받
buy bought|kaufen gekauft kauft kaufte|comprar compró compra comprado|acheter acheté achète|comprar comprou|買|샀 사는 구입
sell sold|verkaufen verkauft|vender vendió vende|vendre vendu|vender vendeu|売|팔
order ordered|bestellt bestellen bestellung|pedir pidió pedido encargó|commander commandé commande|pedir pediu encomendou|注文|주문
pay|bezahlen bezahlt zahlen zahlt|pagar pagó paga|payer payé paie|pagar pagou|払|지불 냈
borrow lend|leihen geliehen ausgeliehen leiht|prestar prestó prestado|emprunter emprunté prêter prêté|emprestar emprestou emprestado|借 貸|빌리 빌려 빌린
find found|finden gefunden findet|encontrar encontró encontrado hallar|trouver trouvé trouve|encontrar encontrou achou achar|見つか 見つけ|찾 발견
lose lost|verlieren verloren verliert|perder perdió perdido|perdre perdu|perder perdeu perdido|失く なくし|잃어 잃
search look|sucht suchen gesucht|buscar busca|chercher cherche|procurar procura|探|찾고
see saw seen|sehen gesehen sah sieht|ver vio visto ve|voir vu voit|ver viu visto|見た 見ました 目撃|봤 보았
sighting|sichtung|avistamiento|observation|avistamento|目撃|목격
build built|bauen gebaut baut|construir construyó construye|construire construit|construir construiu|建て 作り|짓 지었 만들
make made|machen gemacht macht|hacer hizo hace hecho|faire fait|fazer fez feito|作っ 作る|만들 만든
break broke broken|kaputt gebrochen zerbrochen geht|romper rompió roto estropeó|casser cassé panne tombe|quebrar quebrou quebrado estragou|壊|고장 부서
fix fixed repair|reparieren repariert repariere|arreglar arregló reparar reparó|réparer réparé|consertar consertou reparar arrumou|直 修理|고쳤 고치 수리
die dead died|gestorben tot starb|morir murió muerto|mourir mort|morrer morreu morto|死|죽
melt|geschmolzen schmelzen|derretir derritió|fondre fondu|derreter derreteu|溶け|녹
drop fall fell|gefallen fallen fällt|caer cayó caerse|tomber tombé|cair caiu|落ち 落と|떨어
float|schwimmt schwimmen|flotar flota|flotter flotte|flutuar flutua|浮|뜨
sink|gesunken sinken|hundir hundió|couler coulé|afundar afundou|沈|가라앉
clean|sauber putzen geputzt|limpiar limpió limpio|nettoyer nettoyé propre|limpar limpou limpo|掃除 きれい|청소 깨끗
wash|waschen gewaschen abwaschen|lavar lavó|laver lavé|lavar lavou|洗|씻
cook bake|kochen kocht gekocht backen backt gebacken|cocinar cocinó hornear|cuisiner cuit cuire|cozinhar cozinhou assar|料理 焼|요리 구워
write wrote|schreiben geschrieben schreibt|escribir escribió|écrire écrit|escrever escreveu|書|쓰 썼
read|lesen gelesen liest|leer leyó|lire lu|ler leu|読|읽
draw drawn paint|zeichnen gezeichnet|dibujar dibujó|dessiner dessiné|desenhar desenhou|描|그렸 그린 그리
learn study|lernen gelernt studieren|aprender aprendió estudiar|apprendre appris étudier|aprender aprendeu estudar|学 勉強|배우 배웠 공부
teach|unterrichten lehrt unterrichtet|enseñar enseña|enseigner enseigne|ensinar ensina|教え|가르
know|kennen kennt weiß|saber sabe conocer|savoir sait connaître|saber sabe conhecer|知|알
think|denken denkt meint|pensar piensa cree|penser pense|pensar pensa acha|思|생각
recommend|empfehlen empfohlen empfiehlt|recomendar recomendó recomienda|recommander recommandé conseille|recomendar recomendou|おすすめ 推薦|추천
promise|versprochen versprechen|prometer prometió|promettre promis|prometer prometeu|約束|약속
name called|heißt heißen hieß nennt genannt|llama llaman llamar|appelle s'appelle|chama chamam chamar|呼ばれ|불리 불러
agree allowed|einverstanden erlaubt zugestimmt darf dürfen|acuerdo permitido aceptar|accord permis accepté|acordo permitido aceitar|許可 同意|허락 허용 동의
forbid|verboten|prohibido|interdit|proibido|禁止|금지
announce|angekündigt ankündigung bekannt|anunciar anunció anuncio|annoncer annoncé annonce|anunciar anunciou anúncio|発表 告知|발표 공지
vote|gestimmt|votó|voté|votou|投票し|투표했
play|spielen spielt gespielt|jugar juega tocar|jouer joue joué|jogar joga tocar|遊 演奏|놀 연주
run|laufen läuft rennt|correr corre|courir court|correr corre|走|달리
sleep|schlafen schläft|dormir duerme|dormir dort|dormir dorme|眠 寝|잠 자는
live|wohnen wohnt leben lebt|vivir vive|habiter habite vivre|morar mora viver|住|사는 살
stay stand|bleiben bleibt steht stehen|quedarse queda estar|rester reste|ficar fica|残 立っ|머물 서
wear|tragen trägt anziehen|llevar ponerse usar|porter mettre|usar vestir|着る 履|입
feed|füttern gefüttert|alimentar dar-de-comer|nourrir|alimentar|餌|먹이
meet met|treffen getroffen|encontrarse reunirse quedar|rencontrer retrouver|encontrar-se reunir|会|만나
ask|fragen fragt gefragt|preguntar preguntó|demander demandé|perguntar perguntou|聞|물어
measure|messen gemessen misst|medir midió mide|mesurer mesuré|medir mediu|測|측정 재
weigh weight heavy kg kilo|wiegen wiegt gewicht schwer|pesar pesa peso|peser pèse poids|pesar pesa peso|重さ 重|무게 무거
long length|lang länge|largo longitud|long longueur|comprido comprimento|長さ 長|길이 길
high tall height|hoch höhe|alto altura|haut hauteur|alto altura|高さ|높이
big large size|groß größe|grande tamaño|grand taille|grande tamanho|大きさ 大き|크기 큰
small|klein|pequeño|petit|pequeno|小さ|작은
old age|alt alter|viejo edad años|vieux âge ans|velho idade anos|古 歳|나이 오래
new|neu|nuevo|nouveau nouvelle neuf|novo nova|新|새로운 새
good|gut|bueno buen|bon bonne bien|bom boa|良|좋은
bad|schlecht|malo mal|mauvais mal|mau ruim|悪|나쁜
warm hot|warm heiß|caliente calor|chaud|quente calor|暑 熱 暖|더운 뜨거
cold|kalt|frío|froid|frio|寒 冷|추운 차가
wet dry|nass trocken|mojado seco|mouillé sec|molhado seco|濡 乾|젖 마른
fast slow|schnell langsam|rápido lento despacio|vite rapide lent lentement|rápido lento devagar|速 遅|빠 느리
loud noise|laut lärm geräusch|ruido ruidoso|bruit bruyant|barulho|うるさ 音|시끄 소리
free|frei kostenlos|libre gratis|libre gratuit|livre grátis|無料 空い|무료
full empty|voll leer|lleno vacío|plein vide|cheio vazio|満 空|가득 빈
stuck|stecken klemmt hängt feststecken|atascado atrapado|bloqué coincé|preso|引っかか|걸려
safe dangerous|sicher gefährlich|seguro peligroso|sûr dangereux|seguro perigoso|安全 危険|안전 위험
afraid scared|angst|miedo|peur|medo|怖|무서
happy|glücklich froh|feliz contento|heureux content|feliz contente|嬉|행복 기쁜
outside|außen draußen|fuera exterior|dehors extérieur|fora exterior|外|바깥 밖
inside|innen drinnen|dentro interior|dedans intérieur|dentro interior|中 内側|안쪽
left|links|izquierda|gauche|esquerda|左|왼쪽
right|rechts|derecha|droite|direita|右|오른쪽
front|vorne|delante|devant|frente|前|앞
back behind|hinten hinter|detrás|derrière|atrás|後ろ|뒤
green|grün|verde|vert|verde|緑|초록
red|rot|rojo|rouge|vermelho|赤|빨간
blue|blau|azul|bleu|azul|青|파란
white|weiß|blanco|blanc|branco|白|하얀
black|schwarz|negro|noir|preto|黒|검은
yellow|gelb|amarillo|jaune|amarelo|黄|노란
orange|orange|naranja|orange|laranja|オレンジ|주황
brown|braun|marrón|marron brun|marrom castanho|茶色|갈색
grey gray|grau|gris|gris|cinza|灰色|회색
`;
