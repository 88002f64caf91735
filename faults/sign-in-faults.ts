import type { Fault } from "./faults.ts";

const ATTACKS = ["test/sign-in/attacks.test.ts"];
const DOCUMENTS = ["test/sign-in/documents.test.ts"];
const FETCH = ["src/transports/sign-in/fetch-document.test.ts"];
const RIGHTS = ["test/sign-in/rights.test.ts"];
const SEQUENCES = ["test/sign-in/sequences.test.ts"];
const CONNECTIONS = ["test/sign-in/connections.test.ts"];
const LIMITS = ["test/sign-in/limits.test.ts"];
const BROWSER = ["test/sign-in/browser.test.ts"];

const PROVIDER = "src/transports/sign-in/open-provider.ts";
const ROUTES = "src/transports/sign-in/sign-in-routes.ts";
const ADAPTER = "src/transports/sign-in/sign-in-adapter.ts";
const PAGE = "src/transports/sign-in/consent-page.ts";
const METADATA = "src/transports/sign-in/program-metadata.ts";
const FETCHING = "src/transports/sign-in/fetch-document.ts";
const SIGN_INS = "src/policy/sign-ins.ts";
const STORE = "src/stores/sign-in-store.ts";

/** What would let a program, or a page, act for a person who did not allow it. */
export const signInFaults: readonly Fault[] = [
  {
    name: "sign-in/addresses-of-web-clients",
    file: METADATA,
    text: 'application_type: "native", ',
    replacement: 'application_type: "web", ',
    tests: ATTACKS,
  },
  {
    name: "sign-in/programs-with-secrets",
    file: METADATA,
    text: ".filter(([name]) => USED.includes(name))",
    replacement: "",
    tests: ["test/sign-in/programs.test.ts"],
  },
  {
    name: "sign-in/codes-without-a-verifier",
    file: PROVIDER,
    text: "pkce: { required: () => true },",
    replacement: "pkce: { required: () => false },",
    tests: ATTACKS,
  },
  {
    name: "sign-in/tokens-for-any-resource",
    file: PROVIDER,
    text: "if (asked !== resource) throw new errors.InvalidTarget();",
    replacement: "",
    tests: ATTACKS,
  },
  {
    name: "sign-in/tokens-are-revoked-by-anybody",
    file: PROVIDER,
    text: "return client.clientId === token.clientId;",
    replacement: "return client.clientId !== undefined || token.clientId !== undefined;",
    tests: ATTACKS,
  },
  {
    name: "sign-in/a-code-counts-twice",
    file: ADAPTER,
    text: "if (found && found.payload.consumed === undefined)\n        found.payload = { ...found.payload, consumed: Math.floor(clock.now() / 1_000) };",
    replacement: "if (found) found.payload = { ...found.payload };",
    tests: ATTACKS,
  },
  {
    name: "sign-in/registrations-without-end",
    file: STORE,
    text: "if ((counted?.count ?? 0) >= max) return false;",
    replacement: "",
    tests: DOCUMENTS,
  },
  {
    name: "sign-in/registrations-as-often-as-one-likes",
    file: "src/transports/kit/limit-begun.ts",
    text: "    begun.note(address);\n",
    replacement: "",
    tests: ATTACKS,
  },
  {
    name: "sign-in/an-address-is-believed-from-anywhere",
    file: "src/transports/kit/client-address.ts",
    text: 'isListed(trusted, hops.at(-1) ?? "") && ',
    replacement: "",
    tests: ATTACKS,
  },
  {
    name: "sign-in/the-host-is-believed",
    file: ROUTES,
    text: '  headers.host = host;\n  headers["x-forwarded-host"] = host;\n  headers["x-forwarded-proto"] = protocol.slice(0, -1);\n',
    replacement: "  if (host === protocol) headers.host = host;\n",
    tests: ATTACKS,
  },
  {
    name: "sign-in/any-page-answers",
    file: ROUTES,
    text: '(c.req.header("origin") ?? issuer) === issuer && ',
    replacement: "",
    tests: ATTACKS,
  },
  {
    name: "sign-in/an-answer-without-the-key",
    file: ROUTES,
    text: ' && form["key"] === begun?.key;',
    replacement: ";",
    tests: ATTACKS,
  },
  {
    name: "sign-in/a-page-of-another-browser",
    file: ROUTES,
    text: "if (!interaction || !begun || !isOwnPage) return",
    replacement: "if (!interaction) return RESPONSE_ALREADY_SENT.clone();\n    if (!begun || !isOwnPage) return",
    tests: ATTACKS,
  },
  {
    name: "sign-in/a-way-back-that-began-elsewhere",
    file: ROUTES,
    text: '|| c.req.query("state") !== attempt.state',
    replacement: "",
    tests: ATTACKS,
  },
  {
    name: "sign-in/an-answer-from-another-issuer",
    file: "src/identity/discord-identity.ts",
    text: "throw error instanceof oauth.AuthorizationResponseError ? error : forged();",
    replacement:
      'if (error instanceof oauth.AuthorizationResponseError) throw error;\n      returned.searchParams.delete("iss");\n      parameters = oauth.validateAuthResponse(this.#server, client, returned, attempt.state);',
    tests: ATTACKS,
  },
  {
    name: "sign-in/in-a-frame",
    file: PAGE,
    text: '"x-frame-options": "DENY",',
    replacement: "",
    tests: ATTACKS,
  },
  {
    name: "sign-in/the-page-keeps-the-browser",
    file: PAGE,
    text: "const next = redirect ? ",
    replacement: 'const next = redirect && redirect.href === "" ? ',
    tests: BROWSER,
  },
  {
    name: "sign-in/names-with-hidden-characters",
    file: "src/transports/kit/show-name.ts",
    text: "spellOutHidden(singleLine(name.slice(0, 4 * MAX_NAME_LENGTH)))",
    replacement: "{ text: name }",
    tests: ATTACKS,
  },
  {
    name: "sign-in/documents-of-private-addresses",
    file: FETCHING,
    text: "  if (isIP(literal) !== 0) mustBePublic(literal);\n",
    replacement: "",
    tests: FETCH,
  },
  {
    name: "sign-in/documents-of-names-of-private-addresses",
    file: FETCHING,
    text: "for (const each of found) mustBePublic(each.address);",
    replacement: "",
    tests: FETCH,
  },
  {
    name: "sign-in/documents-of-any-size",
    file: FETCHING,
    text: "if (size <= MAX_BYTES) return void parts.push(part);",
    replacement: "if (size <= 2 ** 30) return void parts.push(part);",
    tests: FETCH,
  },
  {
    name: "sign-in/documents-take-any-time",
    file: FETCHING,
    text: "signal: signal ? AbortSignal.any([signal, deadline]) : deadline,",
    replacement: "...(signal && { signal: AbortSignal.any([signal, deadline]) }),",
    tests: FETCH,
  },
  {
    name: "sign-in/tokens-of-another-address",
    file: SIGN_INS,
    text: "if (!signIn || aud !== this.#deps.resource) return;",
    replacement: "if (!signIn || aud === undefined) return;",
    tests: ATTACKS,
  },
  {
    name: "sign-in/tokens-do-not-expire",
    file: SIGN_INS,
    text: "found.expiresAt <= this.#deps.clock.now() || ",
    replacement: "",
    tests: [...ATTACKS, ...SEQUENCES],
  },
  {
    name: "sign-in/does-not-expire",
    file: SIGN_INS,
    text: "Math.min(expiresAt ?? Number.POSITIVE_INFINITY, createdAt",
    replacement: "Math.min(expiresAt === 0 ? 0 : Number.POSITIVE_INFINITY, createdAt",
    tests: ATTACKS,
  },
  {
    name: "sign-in/of-a-person-who-has-left",
    file: SIGN_INS,
    text: 'this.#membership(signIn.personId) === "member"',
    replacement: "signIn.personId.length > 0",
    tests: [...ATTACKS, ...SEQUENCES],
  },
  {
    name: "sign-in/comes-back-with-the-person",
    file: SIGN_INS,
    text: '    await this.end(signIn.id, "not_a_member");\n',
    replacement: "",
    tests: [...ATTACKS, ...SEQUENCES],
  },
  {
    name: "sign-in/more-than-was-ticked",
    file: ROUTES,
    text: "offered.filter((one) => ticked.includes(one))",
    replacement: "offered.filter((one) => ticked.length > 0 || one)",
    tests: SEQUENCES,
  },
  {
    name: "sign-in/more-than-the-token-says",
    file: SIGN_INS,
    text: "readAllowances(scope).filter((one) => allowed.includes(one) && allow.includes(one))",
    replacement: 'readAllowances(allowed.join(" ")).filter((one) => scope !== "" && allow.includes(one))',
    tests: SEQUENCES,
  },
  {
    name: "sign-in/more-than-the-operator-allows",
    file: SIGN_INS,
    text: "allowed.includes(one) && allow.includes(one)",
    replacement: "allowed.includes(one) && allow !== undefined",
    tests: SEQUENCES,
  },
  {
    name: "sign-in/ended-until-the-next-start",
    file: STORE,
    text: '  await change.run("DELETE FROM sign_ins WHERE id = ANY(:ids)", { ids });\n',
    replacement: "",
    tests: ["src/stores/fact-store.test.ts"],
  },
  {
    name: "sign-in/a-refresh-token-counts-twice",
    file: STORE,
    text: "WHERE hash = :hash AND consumed_at IS NULL RETURNING hash",
    replacement: "WHERE hash = :hash AND consumed_at IS NULL AND :at < 0 RETURNING hash",
    tests: SEQUENCES,
  },
  {
    name: "sign-in/the-stolen-one-goes-on",
    file: PROVIDER,
    text: 'if (route === "token" && id !== undefined) await signIns.end(id, "token_reused");',
    replacement: 'if (route === id) await signIns.end(id, "token_reused");\n      return false;',
    tests: SEQUENCES,
  },
  {
    name: "sign-in/changes-privacy",
    file: "src/transports/kit/privacy.ts",
    text: "  if (grant.signedIn)\n    throw",
    replacement: "  if (grant.confined)\n    throw",
    tests: RIGHTS,
  },
  {
    name: "sign-in/is-shown-methods-of-the-own-hand",
    file: "src/transports/rpc/methods.ts",
    text: "soleActor(grant) !== null && !grant.signedIn",
    replacement: "soleActor(grant) !== null",
    tests: RIGHTS,
  },
  {
    name: "sign-in/posts-without-asking",
    file: "src/policy/operations.ts",
    text: "(request.asksFirst ?? false) || client.grant.signedIn === true",
    replacement: "false",
    tests: RIGHTS,
  },
  {
    name: "sign-in/a-connection-outlives-its-token",
    file: "src/transports/rpc/upgrade.ts",
    text: "!signedIn || authenticate(token) === client",
    replacement: "!signedIn || authenticate(token) !== undefined",
    tests: CONNECTIONS,
  },
  {
    name: "sign-in/comes-back-with-a-backup",
    file: "src/storage/restore-folder.ts",
    text: "  await createSignInStore(durable).endAll();\n",
    replacement: "",
    tests: ["test/backup/restore.test.ts"],
  },
  {
    name: "sign-in/nobody-is-told-of-a-stolen-token",
    file: SIGN_INS,
    text: 'if (why === "token_reused") this.#deps.onReuse(signIn);',
    replacement: "",
    tests: ["test/sign-in/sign-in.test.ts"],
  },
  {
    name: "sign-in/any-program",
    file: ROUTES,
    text: "isListed(rules.signIn.programs, [host])",
    replacement: "host.length > 0",
    tests: LIMITS,
  },
  {
    name: "sign-in/for-longer-than-the-operator-allows",
    file: ROUTES,
    text: "const days = listDurations(rules.signIn.longestDays);\n    const chosen",
    replacement: "const days = listDurations();\n    const chosen",
    tests: LIMITS,
  },
  {
    name: "sign-in/a-code-for-another-machine",
    file: PAGE,
    text: "|web\\+.*):$/",
    replacement: "):$/",
    tests: ATTACKS,
  },
  {
    name: "sign-in/a-code-that-a-browser-passes-on",
    file: PAGE,
    text: "return PASSED_ON.test(href) ? null : protocol;",
    replacement: "return protocol;",
    tests: ATTACKS,
  },
  {
    name: "sign-in/a-name-that-ends-its-quotation",
    file: PAGE,
    text: `.replace(QUOTATION_MARKS, "'")`,
    replacement: "",
    tests: ATTACKS,
  },
  {
    name: "sign-in/a-network-full-of-addresses",
    file: "src/transports/kit/limit-begun.ts",
    text: "if (isIP(address) !== 6) return address;",
    replacement: "if (isIP(address) !== 0) return address;",
    tests: LIMITS,
  },
  {
    name: "sign-in/a-program-that-is-allowed-no-longer",
    file: SIGN_INS,
    text: "isListed(programs, [redirectHost]) ? ",
    replacement: "isListed(programs, [redirectHost]) || scope !== redirectHost ? ",
    tests: LIMITS,
  },
  {
    name: "sign-in/the-longest-time-of-the-day-it-began",
    file: SIGN_INS,
    text: "createdAt + longestDays * DAY_MS",
    replacement: "longestDays === createdAt ? 0 : Number.POSITIVE_INFINITY",
    tests: LIMITS,
  },
  {
    name: "sign-in/expired-until-the-clock-is-put-back",
    file: SIGN_INS,
    text: 'this.#endAll([signIn], "expired").catch(() => undefined);',
    replacement: "this.#drop(signIn);",
    tests: LIMITS,
  },
  {
    name: "sign-in/in-the-session-of-a-wider-token",
    file: "src/transports/mcp/sessions.ts",
    text: "session?.actorSession.client === caller.client",
    replacement: "session?.actorSession.client.name === caller.client.name",
    tests: ["test/sign-in/sign-in.test.ts"],
  },
  {
    name: "sign-in/as-many-programs-as-one-likes",
    file: SIGN_INS,
    text: "const MAX_PER_PERSON = 10;",
    replacement: "const MAX_PER_PERSON = 1_000;",
    tests: LIMITS,
  },
];
