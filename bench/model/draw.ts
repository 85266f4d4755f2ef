/** Draws how long something takes that takes so long on average. */
export type Draw = (mean: number) => number;

/** From half of it to one and a half times, all as likely. */
export const uniform =
  (random: () => number): Draw =>
  (mean) =>
    mean * (0.5 + random());
