import { defineConfig } from 'vitest/config';

/** Tests that run in this process and leave nothing behind in it, so that its files share a worker. */
const SHARED = [
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
    projects: [
      {
        extends: true,
        test: { name: 'alone', include: ['test/**/*.test.ts', ...PICTURES], exclude: SHARED },
      },
      // A worker's start and its imports take longer than most of these files.
      { extends: true, test: { name: 'shared', include: SHARED, isolate: false } },
    ],
  },
});
