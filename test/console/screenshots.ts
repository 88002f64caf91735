import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { chromium, type Page } from "playwright-core";

/**
 * Pictures of the console on the sample community, made as somebody new would see it. Without an argument those of the documents; with a folder, every page in
 * both themes and three widths, to be looked through.
 */
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PICTURES = join(ROOT, "docs", "pictures");
const PERSON = "Grace";

const PAGES: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  async community(page) {
    await page.getByLabel("You are").selectOption({ label: PERSON });
    await page.getByRole("button", { name: "2. Ask in #harbour-office" }).click();
    await page.getByRole("article").filter({ hasText: "no model" }).last().waitFor();
  },
  async search(page) {
    await page.getByLabel("You are").selectOption({ label: PERSON });
    await page.getByRole("searchbox").fill("how much is the fuss budget?");
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await page.getByRole("button", { name: "Ask the agent" }).click();
    await page.getByRole("heading", { name: "Answer" }).waitFor();
  },
  memory: chooseAndRead,
  programs: chooseAndRead,
  live: (page) => page.getByText("Messages held").first().waitFor(),
  settings: (page) => page.getByRole("heading", { name: "Sessions" }).waitFor(),
};

async function chooseAndRead(page: Page): Promise<void> {
  await page.getByLabel("You are").selectOption({ label: PERSON });
  await page.getByRole("heading", { level: 2 }).first().waitFor();
}

interface Look {
  readonly width: number;
  readonly theme: "light" | "dark";
  readonly names: readonly string[];
  file(name: string): string;
}

const [folder] = process.argv.slice(2);
const themes = ["light", "dark"] as const;
const looks: Look[] = folder
  ? themes.flatMap((theme) =>
      [360, 1_280, 2_560].map((width) => ({
        ...{ width, theme, names: Object.keys(PAGES) },
        file: (name) => join(folder, `${name}-${width}-${theme}.png`),
      })),
    )
  : [{ width: 1_280, theme: "light", names: ["community", "search"], file: (name) => join(PICTURES, `${name}.png`) }];

const data = await mkdtemp(join(tmpdir(), "earshot-pictures-"));
const env = {
  ...process.env,
  ...{ EARSHOT_DATA_DIR: data, EARSHOT_PORT: "7981", EARSHOT_SANDBOX_PORT: "7982", EARSHOT_SANDBOX_TALK_SECONDS: "0" },
};
const program = spawn(process.execPath, [join(ROOT, "bin/earshot.js"), "start"], {
  env,
  stdio: ["ignore", "pipe", "inherit"],
});
await until(program.stdout, /Stop with Ctrl-C/);
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
try {
  await mkdir(folder ?? PICTURES, { recursive: true });
  for (const { width, theme, names, file } of looks) {
    const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme: theme });
    await page.goto(await mintLink());
    for (const name of names) {
      await page
        .getByRole("navigation")
        .getByRole("link", { name: new RegExp(name, "i") })
        .click();
      await PAGES[name]?.(page);
      await page.screenshot({ path: file(name) });
      process.stdout.write(`${file(name)}\n`);
    }
    await page.close();
  }
} finally {
  await browser.close();
  program.kill("SIGTERM");
  await new Promise((resolve) => program.once("close", resolve));
  await rm(data, { recursive: true });
}

async function mintLink(): Promise<string> {
  const asking = spawn(process.execPath, [join(ROOT, "bin/earshot.js"), "console"], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  return until(asking.stdout, /http:\S+#open=\S+/);
}

/** What fits the pattern, once it was printed. */
async function until(output: Readable, pattern: RegExp): Promise<string> {
  let printed = "";
  for await (const chunk of output.iterator({ destroyOnReturn: false })) {
    printed += String(chunk);
    const [found] = pattern.exec(printed) ?? [];
    if (found !== undefined) return found;
  }
  throw new Error(`"${pattern.source}" was never printed`);
}
