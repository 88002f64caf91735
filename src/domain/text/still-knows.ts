/** In every preview of a program that its actor let start over. */
export const STILL_KNOWS =
  "You started over, and the program still knows what it read before. Make sure that this tells nothing of it.";
