/** Food, homes, animals, plants and the body. English | German | Spanish | French | Portuguese | Japanese | Korean. */
export const glossaryOfHome = `
food lunch meal|essen speise mahlzeit|comida|repas nourriture bouffe|comida refeição|食事 食べ物 ご飯|음식 식사 밥
lunch|mittagessen mittag|almuerzo|déjeuner|almoço|昼食 ランチ 昼ご飯|점심
dinner supper|abendessen|cena|dîner|jantar|夕食 晩ご飯|저녁
breakfast|frühstück|desayuno|petit-déjeuner|café-da-manhã|朝食 朝ご飯|아침식사
cake|kuchen torte|pastel tarta bizcocho|gâteau|bolo|ケーキ|케이크
bread|brot|pan|pain|pão|パン|빵
soup|suppe|sopa|soupe|sopa|スープ|수프 국
rice|reis|arroz|riz|arroz|米 ご飯|쌀
salad|salat|ensalada|salade|salada|サラダ|샐러드
potato|kartoffel|patata papa|patate pomme-de-terre|batata|じゃがいも|감자
fish|fisch|pescado pez|poisson|peixe|魚|생선 물고기
meat|fleisch|carne|viande|carne|肉|고기
egg|ei eier|huevo|œuf oeuf|ovo|卵|계란 달걀
milk|milch|leche|lait|leite|牛乳 ミルク|우유
cheese|käse|queso|fromage|queijo|チーズ|치즈
butter|butter|mantequilla|beurre|manteiga|バター|버터
flour|mehl|harina|farine|farinha|小麦粉 粉|밀가루
sugar|zucker|azúcar|sucre|açúcar|砂糖|설탕
salt|salz|sal|sel|sal|塩|소금
sauce|soße sauce|salsa|sauce|molho|ソース|소스
fruit|obst frucht|fruta|fruit|fruta|果物|과일
apple|apfel|manzana|pomme|maçã|りんご|사과
lemon|zitrone|limón|citron|limão|レモン|레몬
vegetable|gemüse|verdura|légume|legume verdura|野菜|채소 야채
pancake|pfannkuchen|panqueque tortita crepe|crêpe|panqueca|パンケーキ|팬케이크
waffle|waffel|gofre waffle|gaufre|waffle|ワッフル|와플
biscuit cookie|keks plätzchen|galleta|biscuit gâteau-sec|biscoito bolacha|クッキー ビスケット|쿠키 과자
pizza|pizza|pizza|pizza|pizza|ピザ|피자
coffee|kaffee|café|café|café|コーヒー|커피
tea|tee|té|thé|chá|お茶 紅茶|차
beer|bier|cerveza|bière|cerveja|ビール|맥주
wine|wein|vino|vin|vinho|ワイン|와인
whisky|whisky|whisky|whisky|uísque|ウイスキー|위스키
drink|trinken getränk getrunken|beber bebida|boire boisson bu|beber bebida|飲み物 飲む 飲ん|음료 마시 마셨
eat ate|isst aß gegessen fressen frisst|comer come comió comido|manger mange mangé|comer come comeu|食べ|먹
recipe|rezept|receta|recette|receita|レシピ|레시피 조리법
kettle|kessel wasserkocher|tetera hervidor pava|bouilloire|chaleira|やかん ケトル|주전자 케틀
oven stove|ofen herd|horno estufa|four|forno fogão|オーブン|오븐
fridge|kühlschrank|nevera frigorífico heladera|frigo réfrigérateur|geladeira frigorífico|冷蔵庫|냉장고
kitchen galley|küche kombüse|cocina|cuisine|cozinha|台所 キッチン|부엌 주방
plate|teller|plato|assiette|prato|皿|접시
cup mug|tasse becher|taza|tasse|xícara caneca|カップ|컵
bottle|flasche|botella|bouteille|garrafa|瓶 ボトル|병
pan pot|pfanne topf|sartén olla|poêle casserole|panela frigideira|鍋 フライパン|냄비 프라이팬
room|zimmer raum|habitación cuarto sala|chambre salle pièce|quarto sala|部屋|방
house home|haus|casa|maison|casa|家|집
flat apartment|wohnung|piso apartamento departamento|appartement|apartamento|アパート|아파트
attic|dachboden dachzimmer|ático desván buhardilla|grenier|sótão|屋根裏|다락방
roof|dach|tejado techo|toit|telhado teto|屋根|지붕
wall|wand mauer|pared muro|mur|parede muro|壁|벽
floor|boden fußboden|suelo piso|sol plancher|chão piso|床|바닥
door|tür türe|puerta|porte|porta|ドア 扉|문
gate|tor|puerta portón verja|portail porte|portão|門 ゲート|정문 게이트
window|fenster|ventana|fenêtre|janela|窓|창문
stairs|treppe|escalera|escalier|escada|階段|계단
shed|schuppen|cobertizo galpón|hangar remise cabane|galpão barracão|小屋|창고 헛간
garden|garten|jardín|jardin|jardim|庭|정원
shower|dusche|ducha|douche|chuveiro|シャワー|샤워
toilet|toilette klo|baño|toilettes|banheiro|トイレ|화장실
bed|bett|cama|lit|cama|ベッド|침대
table|tisch|mesa|table|mesa|テーブル 机|테이블 탁자
chair|stuhl|silla|chaise|cadeira|椅子|의자
lamp light|lampe licht|lámpara luz|lampe lumière|lâmpada luz|ランプ 電気 明かり|램프 전등
drawer|schublade|cajón|tiroir|gaveta|引き出し|서랍
shelf|regal|estante estantería|étagère|prateleira|棚|선반
box|kiste schachtel karton|caja|boîte carton|caixa|箱|상자
bin rubbish|mülltonne müll abfall|basura cubo|poubelle ordures déchets|lixo lixeira|ゴミ|쓰레기
key|schlüssel|llave|clé clef|chave|鍵|열쇠
rent landlord|miete vermieter|alquiler casero|loyer propriétaire|aluguel|家賃 大家|월세 집주인
dog|hund|perro|chien|cachorro cão|犬|강아지 개가 개는 개의 개를 개
cat|katze|gato|chat|gato|猫|고양이
bird|vogel|pájaro ave|oiseau|pássaro ave|鳥|새들 새가 새를
swan|schwan|cisne|cygne|cisne|白鳥|백조
heron|reiher|garza|héron|garça|サギ|왜가리
gull seagull|möwe|gaviota|mouette|gaivota|カモメ|갈매기
turtle|schildkröte|tortuga|tortue|tartaruga|亀 カメ|거북이 거북
seal|robbe seehund|foca|phoque|foca|アザラシ|물개 바다표범
dolphin|delfin|delfín|dauphin|golfinho|イルカ|돌고래
snail|schnecke|caracol|escargot|caracol|カタツムリ|달팽이
budgie parrot|wellensittich papagei|periquito loro|perruche perroquet|periquito papagaio|インコ|앵무새
horse|pferd|caballo|cheval|cavalo|馬|말
animal pet|tier haustier|animal mascota|animal|animal|動物 ペット|동물
tree|baum|árbol|arbre|árvore|木|나무
flower|blume|flor|fleur|flor|花|꽃
cactus|kaktus|cactus|cactus|cacto|サボテン|선인장
hand|hand|mano|main|mão|手|손
head|kopf|cabeza|tête|cabeça|頭 ヘッド|머리
ear ears|ohr|oreja oído|oreille|orelha ouvido|耳|귀
tooth teeth dentist|zahn|diente|dent|dente|歯|이빨 치아
dentist|zahnarzt zahnärztin|dentista|dentiste|dentista|歯医者 歯科|치과
doctor|arzt ärztin|médico doctor|médecin docteur|médico|医者|의사
vet|tierarzt tierärztin|veterinario|vétérinaire|veterinário|獣医|수의사
ill sick|krank|enfermo|malade|doente|病気|아프 아픈
sock|socke|calcetín media|chaussette|meia|靴下|양말
shoe|schuh|zapato|chaussure|sapato|靴|신발
glove|handschuh|guante|gant|luva|手袋|장갑
hat|hut mütze|sombrero gorro|chapeau bonnet|chapéu gorro|帽子|모자
jumper sweater|pullover pulli|jersey suéter|pull|blusa suéter|セーター|스웨터
bag suitcase|tasche koffer|bolsa maleta|sac valise|bolsa mala|袋 かばん|가방
wheelbarrow|schubkarre|carretilla|brouette|carrinho-de-mão|手押し車|손수레
`;
