/** Whole numbers of 64 bits have at most this many digits, sign apart. Up to 15 digits are exact as numbers. */
const LONG_INTEGER = /^-?\d{16,20}$/;

/**
 * As `JSON.parse`, but whole numbers beyond the safe range become strings of the same digits: clients in other languages send ids as numbers, and as
 * a JavaScript number an id would lose its last digits. Throws a `SyntaxError` or, when nested too deeply, a `RangeError`.
 */
export function parseExactJson(text: string): unknown {
  return JSON.parse(text, (_, value: unknown, context?: { readonly source?: string }) => {
    if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
    const source = context?.source ?? "";
    return LONG_INTEGER.test(source) ? source : value;
  });
}
