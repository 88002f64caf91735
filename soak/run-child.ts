import { spawn } from "node:child_process";
import { once } from "node:events";

/** Runs a program on the same terminal; resolves to its exit code. An interrupt is left to the program, which may have something to print first. */
export async function runChild(file: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<number> {
  const child = spawn(process.execPath, [file, ...args], { stdio: "inherit", env: { ...process.env, ...env } });
  const pass = () => void child.kill("SIGINT");
  process.on("SIGINT", pass);
  const [code] = (await once(child, "exit")) as [number | null];
  process.off("SIGINT", pass);
  return code ?? 130;
}
