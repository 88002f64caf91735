import { LanguageFileError } from "../language/language-file.ts";

const FILE_ERRORS: Readonly<Record<string, string>> = {
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk is full",
  ENOENT: "it was moved or deleted",
  ENOTDIR: "it is not a folder",
  EACCES: "Earshot's account may not use it",
  EPERM: "Earshot's account may not use it",
};

/** One sentence about a file or folder, in Earshot's words instead of the system's. */
export function describeFileProblem(path: string, code: string): string {
  return `${path} cannot be used: ${FILE_ERRORS[code] ?? `the system says ${code}`}. Put that right, then try again.`;
}

/**
 * One sentence about an error of the file system or an unusable language file; null for any other error. `where` replaces the path in
 * errors without one.
 */
export function describeFileError(error: unknown, where?: string): string | null {
  if (error instanceof LanguageFileError) return error.message;
  const { path = where, code } = error as { readonly path?: unknown; readonly code?: unknown };
  if (!(error instanceof Error) || typeof path !== "string" || typeof code !== "string") return null;
  return describeFileProblem(path, code);
}
