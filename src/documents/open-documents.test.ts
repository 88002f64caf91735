import { execFileSync } from "node:child_process";
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { GuildId } from "../domain/ids.ts";
import type { Kept } from "../domain/source.ts";
import { type FolderSetting, HeldFolder } from "./document-folder.ts";
import { type OpenDocuments, openDocuments } from "./open-documents.ts";
import { MAX_FILE_BYTES } from "./read-text-file.ts";

const opened: OpenDocuments[] = [];
const made: string[] = [];

afterEach(async () => {
  for (const documents of opened.splice(0)) await documents.close();
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function makeFolder(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "documents-"));
  made.push(folder);
  for (const [path, text] of Object.entries(files)) put(folder, path, text);
  return folder;
}

function put(folder: string, path: string, text: string | Uint8Array): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

const setting = (folder: string, name = "handbook"): FolderSetting => ({
  ...{ folder, name },
  audience: { kind: "guild", id: "1" as GuildId },
});

async function open(...settings: FolderSetting[]) {
  const documents = await openDocuments(settings, { lookAgainMs: 20 });
  opened.push(documents);
  const refs = documents.folders().map(({ ref }) => ref);
  const search = (words: string, folders = refs) => documents.search(words, folders, 10);
  return {
    ...{ documents, refs, search },
    find: async (words: string) => (await search(words)).map(({ path, firstLine }) => `${path}:${firstLine}`),
    skipped: () => documents.report().flatMap(({ skipped }) => skipped.map(({ path, reason }) => `${path} ${reason}`)),
  };
}

const sourceOf = (ref: string, version: string | null): Kept<"passage"> => ({
  ...{ kind: "passage", ref, version, subjectId: null, guildId: null, audiences: [] },
  ...{ readAt: 0, countsFrom: 0 },
});

describe("folders of documents", () => {
  it("are found by words of text, headings and file names, with the lines where they stand", async () => {
    const folder = makeFolder({
      "rooms/workshop.md": "# Workshop\n\nBooked at the desk.\n\n## Lathe\nOnly after a lesson.",
      "tides.TXT": "High water is in the almanac.",
    });
    const { search, find } = await open(setting(folder));
    expect(await search("lathe")).toMatchObject([
      {
        ...{ name: "handbook", path: "rooms/workshop.md", headings: ["Workshop", "Lathe"] },
        ...{ firstLine: 6, lastLine: 6, text: "Only after a lesson." },
      },
    ]);
    expect(await find("How do I book the workshop?")).toEqual(["rooms/workshop.md:3", "rooms/workshop.md:6"]);
    expect(await find("almanack")).toEqual(["tides.TXT:1"]);
    expect(await find("zebra")).toEqual([]);
  });

  it("never hold files of a folder with its own entry, also where that is made while they are looked at, by another path", async () => {
    const root = realpathSync(makeFolder({ "pub/open.md": "The tide tables are open." }));
    symlinkSync(root, join(root, "link"));
    const pub = new HeldFolder(setting(join(root, "pub")));
    const office = new HeldFolder(setting(join(root, "link", "pub", "staff", "office"), "office"));
    const apart = new Set(await office.marks());
    put(root, "pub/staff/office/keys.md", "The tide tables are in the drawer.");
    await pub.look(apart);
    expect(pub.indexes.flatMap(({ passages }) => passages.map(({ path }) => path))).toEqual(["open.md"]);
    await pub.look(new Set(await office.marks()));
    expect(pub.counts.files).toBe(1);
  });

  it("leave out dotfiles, other types, what is not text, and what is too large or too deep", async () => {
    const deep = `${"d/".repeat(13)}deep.md`;
    const folder = makeFolder({
      ...{ ".hidden.md": "boat", ".git/x.md": "boat", "picture.png": "boat", [deep]: "boat" },
      ...{ "nul.txt": "boat\0", "latin.txt": new Uint8Array([98, 111, 97, 116, 32, 0xe9]) },
      ...{ "large.md": "boat ".repeat(MAX_FILE_BYTES / 5 + 1), "good.md": "boat" },
    });
    const { find, skipped, documents } = await open(setting(folder));
    expect(await find("boat")).toEqual(["good.md:1"]);
    expect(skipped().sort()).toEqual([
      `${"d/".repeat(13).slice(0, -1)} too_deep`,
      "large.md too_large",
      "latin.txt not_text",
      "nul.txt not_text",
      "picture.png other_type",
    ]);
    expect(documents.stats()).toMatchObject({ files: 1, passages: 1, skipped: { not_text: 2 } });
  });

  it("follow no link, whether to a file or a folder, inside or outside, hard or soft", async () => {
    const outside = makeFolder({ "secret.md": "boat", "inner/secret.md": "boat" });
    const folder = makeFolder({ "good.md": "boat", "sub/good.md": "boat" });
    symlinkSync(join(outside, "secret.md"), join(folder, "file.md"));
    symlinkSync(join(outside, "inner"), join(folder, "folder"));
    symlinkSync("..", join(folder, "sub", "loop"));
    symlinkSync("/proc/self/environ", join(folder, "environ.txt"));
    linkSync(join(outside, "secret.md"), join(folder, "hard.md"));
    const { find, skipped } = await open(setting(folder));
    expect(await find("boat")).toEqual(["good.md:1", "sub/good.md:1"]);
    expect(skipped().sort()).toEqual([
      "environ.txt link",
      "file.md link",
      "folder link",
      "hard.md hard_link",
      "sub/loop link",
    ]);
  });

  it("do not wait for pipes and sockets that have the name of a text", async () => {
    const folder = makeFolder({ "good.md": "boat" });
    execFileSync("mkfifo", [join(folder, "pipe.md")]);
    const server = createServer().listen(join(folder, "socket.txt"));
    const { find, skipped } = await open(setting(folder));
    expect(await find("boat")).toEqual(["good.md:1"]);
    expect(skipped().sort()).toEqual(["pipe.md special_file", "socket.txt special_file"]);
    server.close();
  });

  it("leave out a folder within them that has an audience of its own", async () => {
    const folder = makeFolder({ "all.md": "boat", "staff/some.md": "boat" });
    const { search, refs } = await open(setting(folder), setting(join(folder, "staff"), "staff"));
    const paths = async (ref: string | undefined) => (await search("boat", [ref ?? ""])).map(({ path }) => path);
    expect([await paths(refs[0]), await paths(refs[1])]).toEqual([["all.md"], ["some.md"]]);
  });

  it("do not take over a folder within them whose own path leads nowhere for a while, or that was renamed", async () => {
    const folder = makeFolder({ "all.md": "boat", "staff/some.md": "boat" });
    const link = join(makeFolder(), "link");
    symlinkSync(join(folder, "staff"), link);
    const { documents, find } = await open(setting(folder), setting(link, "staff"));
    expect(await find("boat")).toEqual(["all.md:1", "some.md:1"]);
    rmSync(link);
    await expect.poll(() => documents.stats().unreadable).toBe(1);
    renameSync(join(folder, "staff"), join(folder, "former"));
    put(folder, "later.md", "boat");
    await expect.poll(() => find("boat")).toEqual(["all.md:1", "later.md:1"]);
  });

  it("read nothing of a folder that two of them lead to: nobody can say which audience is meant", async () => {
    const folder = makeFolder({ "a.md": "boat" });
    const link = join(makeFolder(), "link");
    symlinkSync(folder, link);
    const { documents, find } = await open(setting(folder), setting(link, "other"));
    expect([await find("boat"), documents.stats().unreadable]).toEqual([[], 2]);
    rmSync(link);
    symlinkSync(makeFolder({ "b.md": "boat" }), link);
    await expect.poll(() => find("boat")).toEqual(["a.md:1", "b.md:1"]);
  });

  it("rank by the words of the folders that are searched and no others", async () => {
    const one = makeFolder({ "a.md": "boat rope", "b.md": "boat", "c.md": "rope rope mast" });
    const other = makeFolder(Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`${at}.md`, "rope mast bost"])));
    const alone = await open(setting(one));
    const both = await open(setting(one), setting(other, "other"));
    for (const words of ["boat rope", "rope mast", "bost", "mast boat rope"])
      expect(await both.search(words, both.refs.slice(0, 1))).toEqual(await alone.search(words));
  });
});

describe("a document that changes", () => {
  it("is found by its new words, and what was read of it no longer stands", async () => {
    const folder = makeFolder({ "a.md": "# One\nboat\n# Two\nmast" });
    const { documents, search, find } = await open(setting(folder));
    const [boat] = await search("boat");
    const [mast] = await search("mast");
    if (!boat || !mast) throw new Error("nothing found");
    const state = ({ ref, version } = boat) => documents.stateOf(sourceOf(ref, version));
    expect([state(), await documents.versionOf(boat.ref)]).toEqual(["standing", boat.version]);
    put(folder, "a.md", "# One\nrope\n# Two\nmast");
    // Noticed at once, before the folder is read again.
    expect(state()).toBe("uncertain");
    expect(await find("rope")).toEqual(["a.md:2"]);
    expect([state(), state(mast)]).toEqual(["changed", "standing"]);
    rmSync(join(folder, "a.md"));
    await expect.poll(() => [state(), state(mast)]).toEqual(["deleted", "deleted"]);
    expect(await documents.versionOf(boat.ref)).toBeNull();
    put(folder, "new.md", "boat");
    await expect.poll(() => find("boat")).toEqual(["new.md:1"]);
  });

  it("is gone while its folder cannot be read, which is said, and comes back with it", async () => {
    const folder = makeFolder({ "a.md": "boat" });
    const { documents, search, find, refs } = await open(setting(folder));
    const [passage] = await search("boat");
    const state = () => documents.stateOf(sourceOf(passage?.ref ?? "", passage?.version ?? ""));
    renameSync(folder, `${folder}-moved`);
    await expect.poll(() => documents.folders()[0]?.isReadable).toBe(false);
    expect([await find("boat"), state(), documents.stats().unreadable]).toEqual([[], "uncertain", 1]);
    await expect(documents.versionOf(passage?.ref ?? "")).rejects.toMatchObject({ code: "unavailable" });
    expect(documents.stateOf(sourceOf(refs[0] ?? "", null))).toBe("standing");
    renameSync(`${folder}-moved`, folder);
    await expect.poll(() => find("boat")).toEqual(["a.md:1"]);
    expect(state()).toBe("standing");
    expect(documents.stateOf(sourceOf("unknown", null))).toBe("deleted");
  });
});
