/** A clock that only the test moves; ms since 1970. */
export interface HandClock {
  now(): number;
  advance(ms: number): void;
}

export function handClock(): HandClock {
  let time = Date.UTC(2026, 0, 5, 9);
  return {
    now: () => time,
    advance(ms) {
      time += ms;
    },
  };
}
