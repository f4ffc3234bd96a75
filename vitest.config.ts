import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Most of a test's time is waiting for processes, pages and windows: two at once, also where there are two cores.
    maxWorkers: 2,
  },
});
