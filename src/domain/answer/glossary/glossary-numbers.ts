/** Numbers, amounts, months, directions and who owns what. English | German | Spanish | French | Portuguese | Japanese | Korean. */
export const glossaryOfNumbers = `
two|zwei|dos|deux|dois duas|二つ|둘
three|drei|tres|trois|três|三つ|셋
four|vier|cuatro|quatre|quatro|四つ|넷
five|fünf|cinco|cinq|cinco|五つ|다섯
six|sechs|seis|six|seis|六つ|여섯
seven|sieben|siete|sept|sete|七つ|일곱
eight|acht|ocho|huit|oito|八つ|여덟
nine|neun|nueve|neuf|nove|九つ|아홉
ten|zehn|diez|dix|dez|十|열
hundred|hundert|cien ciento|cent|cem|百|백
thousand|tausend|mil|mille|mil|千|천
half|halb hälfte|mitad medio|moitié demi|metade meio|半分|절반
first|erste erster zuerst|primero primera primer|premier première|primeiro primeira|最初 初めて 一番|처음 첫
last|letzte letzter zuletzt|último última|dernier dernière|último última|最後|마지막
next|nächste nächster|próximo próxima siguiente|prochain prochaine|próximo próxima|次|다음
enough|genug|suficiente bastante|assez|suficiente bastante|十分|충분
january|januar|enero|janvier|janeiro|一月|일월
february|februar|febrero|février|fevereiro|二月|이월
march|märz|marzo|mars|março|三月|삼월
april|april|abril|avril|abril|四月|사월
may|mai|mayo|mai|maio|五月|오월
june|juni|junio|juin|junho|六月|유월
july|juli|julio|juillet|julho|七月|칠월
august|august|agosto|août|agosto|八月|팔월
september|september|septiembre|septembre|setembro|九月|구월
october|oktober|octubre|octobre|outubro|十月|시월
november|november|noviembre|novembre|novembro|十一月|십일월
december|dezember|diciembre|décembre|dezembro|十二月|십이월
north|norden nord nördlich|norte|nord|norte|北|북쪽 북
south|süden süd südlich|sur|sud|sul|南|남쪽 남
east|osten ost östlich|este|est|leste|東|동쪽 동
west|westen west westlich|oeste|ouest|oeste|西|서쪽 서
top|oben oberste|arriba superior|haut dessus|cima|上|위
bottom|unten unterste|abajo inferior|bas dessous|baixo|下|아래
middle|mitte|medio centro|milieu|meio centro|真ん中|가운데
store warehouse|lager lagerraum|almacén depósito|entrepôt réserve|armazém depósito|倉庫|창고
belong own owner mine|gehört gehören besitzer|pertenece dueño|appartient propriétaire|pertence dono|持ち主|주인
foot feet|fuß füße|pie pies|pied|pé|足|발
leg|bein|pierna|jambe|perna|脚|다리가
eye|auge|ojo|œil yeux|olho|目|눈이
turnip|rübe steckrübe|nabo|navet|nabo|かぶ|순무
onion|zwiebel|cebolla|oignon|cebola|玉ねぎ|양파
garlic|knoblauch|ajo|ail|alho|にんにく|마늘
pickled|eingelegt|encurtido|mariné|conserva picles|漬物|절인
smoked|geräuchert|ahumado|fumé|defumado|燻製|훈제
spicy hot|scharf|picante|épicé piquant|picante apimentado|辛|매운
sweet|süß|dulce|sucré doux|doce|甘|달콤 단
needle thread|nadel faden garn|aguja hilo|aiguille fil|agulha linha|針 糸|바늘 실
cloth fabric|stoff tuch|tela|tissu toile|tecido pano|布|천
tent marquee|zelt|carpa tienda|tente chapiteau|tenda barraca|テント|텐트
bunting decoration|wimpelkette girlande deko|banderines decoración|guirlande décoration|bandeirinhas decoração|飾り|장식
candle|kerze|vela|bougie|vela|ろうそく|양초
clock watch|wanduhr armbanduhr|reloj|horloge montre|relógio|時計|시계
glass|glas|vidrio vaso|verre|vidro copo|ガラス|유리
stone rock|stein fels|piedra roca|pierre rocher|pedra rocha|石 岩|돌 바위
sand dust|sand staub|arena polvo|sable poussière|areia poeira|砂 埃|모래 먼지
hole|loch|agujero hoyo|trou|buraco|穴|구멍
oil|öl|aceite|huile|óleo|油|기름
fuel petrol|treibstoff benzin tank|combustible gasolina|carburant essence|combustível gasolina|燃料 ガソリン|연료 휘발유
leak drip|leck undicht tropft|fuga gotea gotera|fuite|vazamento goteira|漏れ|새는 누수
bucket|eimer|cubo balde|seau|balde|バケツ|양동이
sink shower drain|abfluss waschbecken|desagüe lavabo|évier lavabo|ralo pia|排水|배수
electrician|elektriker|electricista|électricien|eletricista|電気屋|전기기사
captain|kapitän|capitán|capitaine|capitão|船長|선장
harbour master|hafenmeister|capitán-de-puerto|capitaine-du-port|capitão-do-porto|港長|항만장
treasurer|schatzmeister kassenwart|tesorero|trésorier|tesoureiro|会計|회계
apprentice|lehrling azubi|aprendiz|apprenti|aprendiz|見習い|견습생
volunteer|freiwillige freiwilliger|voluntario|bénévole volontaire|voluntário|ボランティア|자원봉사
`;
