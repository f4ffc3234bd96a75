import { defineConfig } from 'vitest/config';

/** Tests that change this process, as its variables, its modules or how it makes requests, or that count its time. */
const ALONE = [
  'test/config.test.ts',
  'test/data/move.test.ts',
  'test/log.test.ts',
  'test/faults/clock.test.ts',
  'test/sms/contract.test.ts',
];

/** With PICTURES=1 the documents' pictures are taken again. */
const PICTURES = process.env.PICTURES === '1' ? ['test/**/*.pictures.ts'] : [];

export default defineConfig({
  test: {
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // What soon becomes true may take long on a busy machine.
    expect: { poll: { timeout: 40_000 } },
    globalSetup: [
      'test/helpers/bundle-bot.ts',
      'test/helpers/fill-compile-cache.ts',
      'test/helpers/files-in-memory.ts',
    ],
    // A good part of a test's time is waiting for processes, pages and windows: four at once keep two cores busy.
    maxWorkers: 4,
    projects: [
      { extends: true, test: { name: 'alone', include: [...ALONE, ...PICTURES] } },
      // These leave nothing behind, so that they share workers: a new one for each file takes seconds to start and to
      // import the same again. Those that wait and those that compute are mixed, which keeps the cores busy.
      {
        extends: true,
        test: {
          name: 'together',
          include: ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts'],
          exclude: ALONE,
          isolate: false,
        },
      },
    ],
  },
});
