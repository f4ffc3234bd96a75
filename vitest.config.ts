import { defineConfig } from 'vitest/config';

/** Tests that change this process: its variables, its clock, or that count its time. */
const ALONE = ['test/config.test.ts', 'test/log.test.ts', 'test/faults/clock.test.ts'];

/** Tests that for the most part take milliseconds. */
const SHORT = [
  'packages/*/test/**/*.test.ts',
  ...['core', 'slack', 'sms', 'local/page'].map((folder) => `test/${folder}/**/*.test.ts`),
];

/** With PICTURES=1 the documents' pictures are taken again. */
const PICTURES = process.env.PICTURES === '1' ? ['test/**/*.pictures.ts'] : [];

export default defineConfig({
  test: {
    testTimeout: 120_000,
    hookTimeout: 120_000,
    globalSetup: 'test/helpers/files-in-memory.ts',
    // A good part of a test's time is waiting for processes, pages and windows: three at once keep two cores busy.
    maxWorkers: 3,
    // They run in the order of their names, so that no long file is left for the end. Files share a worker where they
    // leave nothing behind in it: a new one for each takes seconds to start and to import the same again.
    projects: [
      { extends: true, test: { name: 'alone', include: [...ALONE, ...PICTURES] } },
      {
        extends: true,
        test: {
          name: 'long',
          include: ['test/**/*.test.ts'],
          exclude: [...ALONE, ...SHORT],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'short', include: SHORT, isolate: false } },
    ],
  },
});
