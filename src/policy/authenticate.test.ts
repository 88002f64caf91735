import { describe, expect, it } from "vitest";
import { createAuthenticator, hashToken } from "./authenticate.ts";
import { OPERATOR_GRANT } from "./grant.ts";

describe("createAuthenticator", () => {
  const entry = (name: string, token: string) => ({ name, tokenSha256: hashToken(token), grant: OPERATOR_GRANT });
  const authenticate = createAuthenticator([entry("a", "token-a"), entry("b", "token-b")]);

  it("knows each client by its token, and nobody else", () => {
    expect(authenticate("token-a")?.name).toBe("a");
    expect(authenticate("token-b")?.name).toBe("b");
    for (const wrong of ["", "token", "token-a ", hashToken("token-a")]) expect(authenticate(wrong)).toBeNull();
  });

  it("lets nobody in where no client is configured", () => {
    expect(createAuthenticator([])("")).toBeNull();
  });
});
