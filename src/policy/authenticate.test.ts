import { describe, expect, it } from "vitest";
import { createAuthenticator, hashToken } from "./authenticate.ts";
import { OPERATOR_GRANT } from "./grant.ts";

describe("createAuthenticator", () => {
  const entry = (name: string, token: string) => ({ name, tokenSha256: hashToken(token), grant: OPERATOR_GRANT });
  const authenticate = createAuthenticator([entry("a", "token-a"), entry("b", "token-b")]);

  it("recognises each client by its token and rejects every other token", () => {
    expect(authenticate("token-a")?.name).toBe("a");
    expect(authenticate("token-b")?.name).toBe("b");
    for (const wrong of ["", "token", "token-a ", hashToken("token-a")]) expect(authenticate(wrong)).toBeNull();
  });

  it("compares the SHA-256 of a token in hexadecimal, and returns the client's name and grant", () => {
    expect(hashToken("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect(authenticate("token-a")).toEqual({ name: "a", grant: OPERATOR_GRANT });
  });

  it("rejects the token of an entry whose hash is truncated", () => {
    const short = { ...entry("c", "token-c"), tokenSha256: hashToken("token-c").slice(0, 32) };
    expect(createAuthenticator([short])("token-c")).toBeNull();
  });

  it("rejects everybody when no client is configured", () => {
    expect(createAuthenticator([])("")).toBeNull();
  });
});
