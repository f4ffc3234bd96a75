/** Random numbers from 0 to 1, the same for the same seed. */
export type Dice = () => number;

export function createDice(seed: number): Dice {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A number from `least` to `most`. */
export function between(dice: Dice, least: number, most: number): number {
  return least + dice() * (most - least);
}
