/** Work, money, tools, software, people and arts. English | German | Spanish | French | Portuguese | Japanese | Korean. */
export const glossaryOfWork = `
meeting|treffen besprechung sitzung versammlung|reunión junta|réunion assemblée|reunião|会議 ミーティング|회의 모임
minutes notes|protokoll notizen|acta notas|compte-rendu notes|ata notas|議事録|회의록
committee|ausschuss komitee vorstand|comité|comité|comitê comissão|委員会|위원회
vote poll|abstimmung wahl abstimmen gestimmt|votación voto votar|vote voter scrutin|votação voto votar|投票|투표
votes vote|stimmen|votos|voix|votos|票|표
result|ergebnis|resultado|résultat|resultado|結果|결과
rule|regel|regla norma|règle|regra|ルール 規則|규칙
name called|name namen|nombre|nom|nome|名前|이름
list|liste|lista|liste|lista|リスト 一覧|목록
plan|plan|plan|plan projet|plano|計画|계획
project|projekt|proyecto|projet|projeto|プロジェクト|프로젝트
job work|arbeit job stelle|trabajo empleo|travail emploi boulot|trabalho emprego|仕事|일자리 직장
boss|chef chefin|jefe jefa|patron chef|chefe|上司|상사
exam test|prüfung klausur|examen|examen|exame prova|試験 テスト|시험
homework|hausaufgabe|deberes tarea|devoirs|lição-de-casa|宿題|숙제
course training induction|kurs schulung einweisung|curso formación|cours formation|curso formação|講習 研修|교육 강습
book|buch|libro|livre|livro|本|책
notebook|notizbuch heft|cuaderno libreta|cahier carnet|caderno|ノート|공책 노트
letter|brief|carta|lettre|carta|手紙|편지
form|formular|formulario|formulaire|formulário|用紙 書類|양식 서류
price cost|preis kosten kostet gekostet|precio costo cuesta costó|prix coût coûte coûté|preço custo custa custou|値段 価格|가격 값
fee fees|gebühr beitrag|cuota tarifa|frais tarif cotisation|taxa|料金|요금 비용
money cash|geld bargeld|dinero efectivo|argent|dinheiro|お金 現金|돈 현금
bill invoice receipt|rechnung quittung|factura recibo|facture reçu|fatura recibo conta|請求書 領収書|영수증 청구서
insurance|versicherung|seguro|assurance|seguro|保険|보험
tax customs|steuer zoll|impuesto aduana|impôt douane|imposto alfândega|税金 税関|세금 세관
prize|preis gewinn|premio|prix|prêmio|賞 賞品|상품
gift present|geschenk|regalo|cadeau|presente|プレゼント|선물
voucher|gutschein|vale cupón|bon|vale|商品券|상품권
delivery parcel|lieferung paket|entrega paquete|livraison colis|entrega pacote encomenda|配達 荷物|배달 택배
warranty|garantie|garantía|garantie|garantia|保証|보증
tool|werkzeug|herramienta|outil|ferramenta|道具 工具|도구 공구
clamp|zwinge schraubzwinge klemme|abrazadera sargento|serre-joint|grampo|クランプ|클램프
chisel|meißel stemmeisen stechbeitel beitel|formón cincel|ciseau|formão|のみ 鑿|끌
saw bandsaw|säge bandsäge|sierra|scie|serra|のこぎり 鋸|톱
planer plane|hobel hobelmaschine|cepillo cepilladora|rabot raboteuse|plaina|かんな|대패
hammer|hammer|martillo|marteau|martelo|ハンマー|망치
nail|nagel|clavo|clou|prego|釘|못
screw|schraube|tornillo|vis|parafuso|ねじ|나사
glue|kleber leim geklebt|pegamento cola|colle|cola|接着剤 のり|접착제 풀
paint|farbe lack streichen malen gemalt malt gestrichen|pintura pintar pinta pintó|peinture peindre peint|tinta pintar pinta pintou|ペンキ 塗装 塗|페인트 칠
colour color|farbe|color|couleur|cor|色|색깔 색
wood|holz|madera|bois|madeira|木材|목재
oak|eiche|roble|chêne|carvalho|オーク 樫|참나무
metal steel|metall stahl|metal acero|métal acier|metal aço|金属 鉄|금속 철
machine|maschine|máquina|machine|máquina|機械|기계
pump|pumpe|bomba|pompe|bomba|ポンプ|펌프
engine motor|motor|motor|moteur|motor|エンジン|엔진
ladder|leiter|escalera-de-mano|échelle|escada-de-mão|はしご|사다리
cable wire|kabel draht|cable|câble fil|cabo fio|ケーブル|케이블 전선
plug socket|stecker steckdose|enchufe|prise|tomada|コンセント|콘센트
power electricity|strom|luz corriente electricidad|courant électricité|luz energia eletricidade|電気 停電|전기 정전
battery|batterie akku|batería pila|batterie pile|bateria pilha|電池 バッテリー|배터리
fuse|sicherung|fusible|fusible|fusível|ヒューズ|퓨즈
kiln|brennofen|horno|four|forno|窯|가마
fan|ventilator lüfter|ventilador|ventilateur|ventilador|扇風機|선풍기
sensor|sensor|sensor|capteur|sensor|センサー|센서
bracket|halterung halter|soporte|support|suporte|ブラケット 取り付け金具|브래킷 받침대
antenna|antenne|antena|antenne|antena|アンテナ|안테나
radio|funk funkgerät radio|radio|radio|rádio|無線 ラジオ|무전기 라디오
screen display|bildschirm anzeige|pantalla|écran|tela ecrã|画面 スクリーン|화면
computer laptop|rechner computer laptop|ordenador computadora portátil|ordinateur portable|computador portátil|パソコン コンピューター|컴퓨터 노트북
keyboard|tastatur|teclado|clavier|teclado|キーボード|키보드
phone|handy telefon|teléfono móvil celular|téléphone portable|telefone celular|電話 携帯|전화 휴대폰
printer print|drucker gedruckt druckt|impresora imprimir|imprimante imprimer|impressora imprimir|プリンター 印刷|프린터 인쇄
wifi internet network|wlan netz internet|wifi internet red|wifi internet réseau|wifi internet rede|ワイファイ インターネット|와이파이 인터넷
password code|passwort kennwort code|contraseña código clave|mot-de-passe code|senha código|パスワード 暗証|비밀번호 암호
server|server|servidor|serveur|servidor|サーバー|서버
data|daten|datos|données|dados|データ|데이터
file|datei|archivo fichero|fichier|arquivo ficheiro|ファイル|파일
folder|ordner|carpeta|dossier|pasta|フォルダ|폴더
program software|programm|programa|programme logiciel|programa|プログラム ソフト|프로그램
bug error|fehler|error fallo|erreur bogue|erro|バグ エラー 不具合|오류 버그
version|version|versión|version|versão|バージョン|버전
update|aktualisierung|actualización|mise-à-jour|atualização|更新|업데이트
query table|abfrage tabelle|consulta tabla|requête tableau|consulta tabela|クエリ テーブル|쿼리
link|verweis link|enlace|lien|link|リンク|링크
page|seite|página|page|página|ページ|페이지
picture photo image|bild foto|foto imagen|photo image|foto imagem|写真 画像|사진 이미지
video film|film video|película vídeo|film vidéo|filme vídeo|映画 動画|영화 동영상
song music|lied musik|canción música|chanson musique|canção música|歌 曲 音楽|노래 음악
choir|chor|coro|chorale chœur|coral coro|合唱 コーラス 聖歌隊|합창단 합창
sing singing|singt singen gesungen sang|cantar canta cantó|chanter chante chanté|cantar canta cantou|歌う 歌っ|노래하 부르
guitar|gitarre|guitarra|guitare|violão guitarra|ギター|기타
rehearsal practice dry run|probe generalprobe üben|ensayo ensayar ensaya|répétition répéter|ensaio ensaiar|リハーサル 練習|리허설 연습
demo|vorführung demo|demostración demo|démo démonstration|demonstração demo|デモ 発表|데모 시연
game|spiel|juego partido|jeu|jogo|ゲーム 試合|게임 경기
quiz|quiz rätsel|concurso quiz|quiz concours|quiz|クイズ|퀴즈
team|mannschaft team|equipo|équipe|equipe time|チーム|팀
winner won|sieger gewinner gewonnen gewinnt gewann|ganador ganó ganar|gagnant vainqueur gagné gagner|vencedor ganhou ganhar venceu|優勝 勝者 勝っ 勝ち|우승 이겼 이긴
joke pun|witz|chiste broma|blague|piada|冗談 ジョーク|농담
story|geschichte|historia cuento|histoire|história|物語 話|이야기
dream|traum geträumt|sueño soñó|rêve rêvé|sonho sonhou|夢|꿈
language|sprache|idioma lengua|langue|língua idioma|言語|언어
mother mum|mutter mama|madre mamá|mère maman|mãe|母 お母さん|어머니 엄마
father dad|vater papa|padre papá|père papa|pai|父 お父さん|아버지 아빠
grandfather grandmother|großvater opa großmutter oma|abuelo abuela|grand-père grand-mère|avô avó|祖父 祖母|할아버지 할머니
brother sister|bruder schwester|hermano hermana|frère sœur soeur|irmão irmã|兄弟 姉妹|형제 자매
aunt uncle|tante onkel|tía tío|tante oncle|tia tio|叔母 叔父|이모 삼촌
wife husband|frau ehemann ehefrau|esposa marido esposo|femme mari|esposa marido|妻 夫|아내 남편
child children|kind kinder|niño niños hijo|enfant|criança filho|子供|아이 어린이
friend|freund freundin|amigo amiga|ami amie|amigo amiga|友達|친구
role|rolle|rol|rôle|cargo|ロール|역할
member|mitglied|miembro socio|membre|membro sócio|メンバー 会員|회원
neighbour|nachbar|vecino|voisin|vizinho|隣人|이웃
teacher|lehrer lehrerin|profesor maestro|professeur prof|professor|先生|선생님
visitor guest|besucher gast|visitante invitado|visiteur invité|visitante convidado|客 訪問者|손님 방문객
news|nachrichten neuigkeiten neues|noticias novedades|nouvelles actualités|notícias novidades|ニュース お知らせ|소식 뉴스
reason why|grund|razón motivo|raison|razão motivo|理由|이유
problem|problem|problema|problème souci|problema|問題|문제
answer|antwort|respuesta|réponse|resposta|答え|답
question|frage|pregunta|question|pergunta|質問|질문
idea|idee|idea|idée|ideia|アイデア|아이디어
opinion|meinung|opinión|avis|opinião|意見|의견
help|hilfe helfen hilft|ayuda ayudar|aide aider|ajuda ajudar|助け 手伝|도움 도와
`;
