/** For use in "That looks like {kind}. It is not remembered." */
export type SecretKind =
  | "a password"
  | "an access token"
  | "a private key"
  | "a payment card number"
  | "a bank account number"
  | "a one-time code";
