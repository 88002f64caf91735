/** Repeats an action until it is stopped. Does not keep the process alive. */
export type Repeat = (action: () => void, milliseconds: number) => () => void;

export const repeatByTimer: Repeat = (action, milliseconds) => {
  const timer = setInterval(action, milliseconds);
  timer.unref();
  return () => clearInterval(timer);
};
