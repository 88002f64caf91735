/** Sea, weather, places, journeys and time. English | German | Spanish | French | Portuguese | Japanese | Korean. */
export const glossaryOfWorld = `
boat hull|boot|barco bote|bateau|barco bote|船 ボート|보트 배가 배는 배의 배를 배
ship|schiff|buque nave|navire|navio|船|선박
hull|rumpf|casco|coque|casco|船体|선체
dinghy|beiboot jolle dingi|bote chinchorro auxiliar|annexe canot|bote botinho|ディンギー 小舟|딩기
kayak|kajak|kayak piragua|kayak|caiaque|カヤック|카약
yacht|yacht jacht|yate|yacht|iate|ヨット|요트
ferry|fähre|ferry transbordador|ferry bac|balsa|フェリー|페리
sail|segel segeln segelt gesegelt|vela navegar navega|voile naviguer|vela velejar navegar|帆 セーリング|돛 항해
loft|segelmacherei werkstatt loft|taller velería|voilerie|loja velaria|ロフト|로프트
mast|mast|mástil palo|mât|mastro|マスト|돛대
oar|ruder riemen|remo|rame aviron|remo|オール|노
keel|kiel|quilla|quille|quilha|竜骨 キール|용골
anchor|anker|ancla|ancre|âncora|錨 アンカー|닻
rope line|seil leine tau|cuerda cabo soga|corde cordage|corda cabo|ロープ|밧줄 로프
harbour port|hafen|puerto|port|porto|港|항구
quay dock|kai kaje|muelle|quai|cais doca|岸壁 埠頭|부두
pontoon jetty|steg ponton schwimmsteg|pontón embarcadero|ponton|pontão|桟橋|부잔교
slipway slip|slipanlage rampe|rampa grada|cale|rampa carreira|スリップ 船台|선대
breakwater|wellenbrecher|rompeolas espigón|brise-lames digue|quebra-mar|防波堤|방파제
lighthouse|leuchtturm|faro|phare|farol|灯台|등대
mooring berth|liegeplatz anleger|amarre|amarrage mouillage|amarração vaga|係留|계류
sea|meer|mar|mer|mar|海|바다
river|fluss|río|rivière fleuve|rio|川|강
tide|gezeit flut ebbe tide|marea|marée|maré|潮 潮汐|조수 밀물 썰물
wave|welle|ola onda|vague|onda|波|파도
water|wasser|agua|eau|água|水|물
temperature degrees|temperatur grad|temperatura grados|température degrés|temperatura graus|温度 気温 水温|온도 기온 수온
wind|wind|viento|vent|vento|風|바람
storm|sturm gewitter|tormenta temporal|tempête orage|tempestade|嵐|폭풍
weather|wetter|tiempo clima|météo|clima|天気|날씨
rain|regen regnet|lluvia llueve llover|pluie pleut|chuva chove|雨|비
snow|schnee|nieve|neige|neve|雪|눈
fog|nebel|niebla|brouillard brume|nevoeiro neblina|霧|안개
sun|sonne|sol|soleil|sol|太陽|태양 햇빛
ice|eis|hielo|glace|gelo|氷|얼음
fire|feuer|fuego incendio|feu|fogo|火 火事|불
island|insel|isla|île|ilha|島|섬
beach|strand|playa|plage|praia|浜 海岸|해변
mountain|berg|montaña|montagne|montanha|山|산
city town|stadt|ciudad pueblo|ville|cidade|町 都市 街|도시 마을
street road|straße|calle carretera|rue route|rua estrada|道 通り|길 거리
bridge|brücke|puente|pont|ponte|橋|다리
place|ort platz stelle|lugar sitio|lieu endroit place|lugar|場所|장소
museum|museum|museo|musée|museu|博物館|박물관
library|bibliothek bücherei|biblioteca|bibliothèque|biblioteca|図書館|도서관
school|schule|escuela colegio|école|escola|学校|학교
university|universität uni|universidad|université fac|universidade faculdade|大学|대학
office|büro|oficina|bureau|escritório|事務所 オフィス|사무실
hall|halle saal|sala salón|salle|salão|ホール|홀 강당
workshop|werkstatt|taller|atelier|oficina|工房 作業場|작업장
shop store|laden geschäft|tienda|magasin boutique|loja|店|가게
pub bar|kneipe bar|bar pub|bar pub|bar|パブ バー|술집
bakery|bäckerei|panadería|boulangerie|padaria|パン屋|빵집
pool swim|schwimmbad schwimmen schwimmt|piscina nadar|piscine nager|piscina nadar|プール 泳|수영
car park parking|parkplatz parken|aparcamiento estacionamiento|parking stationnement|estacionamento|駐車|주차
car|auto wagen|coche auto carro|voiture|carro|車|자동차 차
van|transporter lieferwagen bus|furgoneta camioneta|camionnette fourgon|van furgão|バン|밴
bus|bus|autobús bus|bus autobus|ônibus autocarro|バス|버스
train|zug bahn|tren|train|trem comboio|電車 列車|기차
plane flight airport|flugzeug flug flughafen|avión vuelo aeropuerto|avion vol aéroport|avião voo aeroporto|飛行機 空港|비행기 공항
bike|fahrrad rad|bicicleta bici|vélo|bicicleta|自転車|자전거
trailer|anhänger hänger|remolque tráiler|remorque|reboque|トレーラー|트레일러
tyre tire flat|reifen platten|neumático llanta|pneu|pneu|タイヤ|타이어
lift ride|mitfahrgelegenheit mitnehmen|aventón llevar|covoiturage|carona boleia|乗せ|태워
trip journey|reise ausflug fahrt|viaje excursión|voyage sortie|viagem passeio|旅行|여행
tour|rundgang führung|recorrido visita|visite|visita passeio|見学 ツアー|견학 투어
race regatta|rennen regatta|carrera regata|course régate|corrida regata|レース 競走|경주 레이스
club|verein club|club|club|clube|クラブ|클럽
flag|flagge fahne|bandera|drapeau|bandeira|旗|깃발
sign|schild|cartel letrero señal|panneau pancarte|placa sinal|看板 標識|표지판
map|karte|mapa|carte|mapa|地図|지도
holiday vacation|urlaub ferien feiertag|vacaciones feriado|vacances congé|férias feriado|休暇 休み|휴가
birthday|geburtstag|cumpleaños|anniversaire|aniversário|誕生日|생일
wedding anniversary|hochzeit hochzeitstag|boda aniversario|mariage noces|casamento|結婚式 結婚|결혼식 결혼
party|feier fest party|fiesta|fête|festa|パーティー|파티
open day|tag-der-offenen-tür|jornada-de-puertas-abiertas|portes-ouvertes|dia-aberto portas-abertas|オープンデー|오픈데이
market|markt flohmarkt|mercado mercadillo|marché|mercado feira|市場|시장
monday|montag|lunes|lundi|segunda-feira|月曜|월요일
tuesday|dienstag|martes|mardi|terça-feira|火曜|화요일
wednesday|mittwoch|miércoles|mercredi|quarta-feira|水曜|수요일
thursday|donnerstag|jueves|jeudi|quinta-feira|木曜|목요일
friday|freitag|viernes|vendredi|sexta-feira|金曜|금요일
saturday|samstag sonnabend|sábado|samedi|sábado|土曜|토요일
sunday|sonntag|domingo|dimanche|domingo|日曜|일요일
weekend|wochenende|fin-de-semana finde|week-end|fim-de-semana|週末|주말
spring|frühling frühjahr|primavera|printemps|primavera|春|봄
summer|sommer|verano|été|verão|夏|여름
autumn fall|herbst|otoño|automne|outono|秋|가을
winter|winter|invierno|hiver|inverno|冬|겨울
tonight evening|abend abends|noche|soir soirée|noite|今夜 今晩|밤 오늘밤
deadline|frist abgabetermin abgabe deadline|plazo fecha-límite entrega|échéance délai date-limite|prazo data-limite entrega|締め切り 締切 期限|마감일 마감 기한
date appointment|termin datum|fecha cita|date rendez-vous|data compromisso|日付 予定|날짜 약속
`;
