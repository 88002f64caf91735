import { describe, expect, it } from "vitest";
import { detectLanguage, LANGUAGES } from "../../language/languages.ts";
import { tidyQuestion, toQuestionKind } from "./question-kind.ts";

const AGENT = { id: "1", name: "Earshot" };
const kindOf = (text: string, hasMessage = false) =>
  toQuestionKind(tidyQuestion(text, AGENT), detectLanguage(text), hasMessage);

describe("the kind of a question", () => {
  it.each([
    ["", "help"],
    ["🙏🙏", "thanks"],
    ["thaaanks so much!", "thanks"],
    ["vielen Dank!", "thanks"],
    ["hey Earshot, good morning", "greeting"],
    ["¡hola!", "greeting"],
    ["what can you do?", "help"],
    ["what do you know about me?", "about_me"],
    ["remember that my berth is C 12", "remember"],
    ["remember when the seal pup came?", "search"],
    ["forget my berth", "forget"],
    ["what did I ask you?", "own_questions"],
    ["what have I asked you today?", "own_questions"],
    ["was habe ich dich gefragt?", "own_questions"],
    ["¿qué te pregunté ayer?", "own_questions"],
    ["qu'est-ce que je t'ai demandé ?", "own_questions"],
    ["o que eu te perguntei?", "own_questions"],
    ["私は何を聞きましたか", "own_questions"],
    ["내가 뭐 물어봤어?", "own_questions"],
    ["what did I ask Mark?", "person"],
    ["have you discussed consciousness with any bots?", "bots"],
    ["was habe ich verpasst?", "catch_up"],
    ["what was the last message?", "latest"],
    ["what were people just talking about?", "latest"],
    ["what are they just talking about", "latest"],
    ["was war die letzte Nachricht?", "latest"],
    ["quel est le dernier message ?", "latest"],
    ["¿cuál es el último mensaje?", "latest"],
    ["what was Sarah's last message?", "person"],
    ["what was the last message about the turtle?", "search"],
    ["what did Sarah say about the turtle?", "person"],
    ["what did we say about the turtle?", "search"],
    ["what was decided in this thread?", "thread"],
    ["what's my berth?", "fact"],
    ["where did we discuss the deadline?", "search"],
    ["tell me a joke", "needs_model"],
    ["Post a reminder about the raffle in #announcements", "act"],
    ["can you tell Mark that the keys are under the mat?", "act"],
    ["start a new thread about the crane", "act"],
    ["react with 👍", "act"],
    ["poste das bitte in #general", "act"],
    ["envoie un message à Mark pour lui dire que c'est demain", "act"],
    ["publica esto en #general", "act"],
    ["avise a todos que a regata mudou", "act"],
    ["ここに投稿してください", "act"],
    ["공지에 올려줘", "act"],
    ["remind everybody about the raffle", "act"],
    ["post office hours?", "search"],
    ["tell the story of the turtle", "search"],
    ["tell me about the raffle", "search"],
    ["send me the link to the minutes", "search"],
    ["what's 15% of 80", "needs_model"],
    ["raconte-moi une blague", "needs_model"],
  ])("%j is %s", (text, kind) => {
    expect(kindOf(text).kind).toBe(kind);
  });

  it.each(LANGUAGES.map((language) => [language.code, language.says.examples.split(" | ")] as const))(
    "the examples that the agent gives in %s ask what was missed, what is known of the person, and what was decided",
    (_, examples) => {
      expect(examples.map((example) => kindOf(example).kind)).toEqual(["catch_up", "about_me", "search"]);
    },
  );

  it("takes the name and the topic from a question about a person", () => {
    expect(kindOf("waht did Sarah say about the turtle?")).toMatchObject({ name: "Sarah", topic: "the turtle" });
    expect(kindOf("what did I say about turtles?")).toMatchObject({ name: "me", topic: "turtles" });
    expect(kindOf("what did I ask you about the turtle?")).toMatchObject({ topic: "the turtle" });
    expect(kindOf("was hat Lena über Waffeln gesagt?")).toMatchObject({ name: "Lena", topic: "Waffeln" });
  });

  it.each([
    ["which roles does Sarah have?", "Sarah", "roles"],
    ["what roles has sarah got?", "sarah", "roles"],
    ["does Sarah have the Moderator role?", "Sarah", "role"],
    ["which roles do I have?", "me", "roles"],
    ["what time zone is Sarah in?", "Sarah", "time zone"],
    ["what berth does she have?", "she", "berth"],
    ["when did <@101> join?", "<@101>", "joined"],
    ["when did I join this server?", "me", "joined"],
    ["since when is Sarah here?", "Sarah", "joined"],
    ["how long has Sarah been a member?", "Sarah", "joined"],
    ["welche Rollen hat Sarah?", "Sarah", "Rollen"],
    ["hat Sarah die Moderator-Rolle?", "Sarah", "Rolle"],
    ["welche Rollen habe ich?", "me", "Rollen"],
    ["wann ist Sarah beigetreten?", "Sarah", "joined"],
    ["wie lange ist Sarah schon dabei?", "Sarah", "joined"],
    ["¿qué roles tiene Sarah?", "Sarah", "roles"],
    ["¿cuándo se unió Sarah al servidor?", "Sarah", "joined"],
    ["¿cuánto tiempo lleva Sarah aquí?", "Sarah", "joined"],
    ["quels sont les rôles de Sarah ?", "Sarah", "rôles"],
    ["quand est-ce que Sarah a rejoint le serveur ?", "Sarah", "joined"],
    ["depuis quand Sarah est-elle ici ?", "Sarah", "joined"],
    ["quais cargos a Sarah tem?", "Sarah", "cargos"],
    ["quais cargos eu tenho?", "me", "cargos"],
    ["há quanto tempo a Sarah está aqui?", "Sarah", "joined"],
  ])("%j asks for one thing about a person", (text, name, what) => {
    expect(kindOf(text)).toMatchObject({ kind: "fact", name, what });
  });

  it.each([
    ["what do you know about Sarah?", "Sarah"],
    ["what is known about Sarah?", "Sarah"],
    ["do you know anything about Sarah?", "Sarah"],
    ["who is Sarah?", "Sarah"],
    ["who's @sarah again?", "sarah"],
    ["do you know who Sarah is?", "Sarah"],
    ["who is she?", "she"],
    ["can you tell me more about Sarah?", "Sarah"],
    ["wer ist Sarah?", "Sarah"],
    ["was weißt du über Sarah?", "Sarah"],
    ["was ist über Sarah bekannt?", "Sarah"],
    ["erzähl mir etwas über Sarah", "Sarah"],
    ["¿quién es Sarah?", "Sarah"],
    ["¿qué sabes de Sarah?", "Sarah"],
    ["qui est Sarah ?", "Sarah"],
    ["que sais-tu de Sarah ?", "Sarah"],
    ["quem é a Sarah?", "Sarah"],
    ["o que você sabe sobre a Sarah?", "Sarah"],
  ])("%j asks what is known about a person", (text, name) => {
    expect(kindOf(text)).toMatchObject({ kind: "about_person", name });
  });

  it.each(["what is known about me?", "who am I?", "tell me about myself", "wer bin ich?"])(
    "%j asks what is known about the person asking",
    (text) => {
      expect(kindOf(text).kind).toBe("about_me");
    },
  );

  it.each([
    ["what did Sarah say about her roles?", "person"],
    ["what has Sarah got?", "search"],
    ["what did Sarah have for lunch?", "search"],
    ["who joined the launch call?", "search"],
    ["when did Sarah join the berth discussion?", "search"],
    ["how long has Sarah been here in the hospital?", "search"],
    ["how long has the slip been closed?", "search"],
    ["which channels do we have?", "search"],
    ["does Sarah have a role in the launch?", "search"],
    ["does anyone have the Moderator role?", "search"],
    ["who has the Moderator role?", "search"],
    ["who am I supposed to ask?", "search"],
    ["who is on duty?", "search"],
    ["who is the harbour master?", "search"],
    ["who is this?", "search"],
    ["tell me about the berth plan", "search"],
    ["tell me about #general", "search"],
    ["what is known about this server?", "shared_facts"],
    ["what do you know about us?", "shared_facts"],
    ["wann ist Sarah der Diskussion beigetreten?", "search"],
    ["hat Sarah die Kontrolle?", "search"],
    ["wer ist der Hafenmeister?", "search"],
    ["erzähl mir von der Regatta", "search"],
    ["¿quién es el capitán del puerto?", "search"],
    ["¿cuándo se unió Sarah a la discusión?", "search"],
    ["qui est le capitaine du port ?", "search"],
    ["parle-moi du plan d'amarrage", "search"],
    ["quem é o capitão do porto?", "search"],
  ])("%j does not ask what is known about a person: it is %s", (text, kind) => {
    expect(kindOf(text).kind).toBe(kind);
  });

  it("takes a question about the message that it answers for one about that message", () => {
    expect(kindOf("what is this about?", true).kind).toBe("message");
  });
});
