import { defineConfig } from 'vitest/config';

// The long form of test/faults: one file after another, since they time out less and measure better alone.
export default defineConfig({
  test: {
    include: ['test/faults/*.test.ts'],
    env: { FAULTS: 'long' },
    hookTimeout: 60_000,
    expect: { poll: { timeout: 40_000 } },
    globalSetup: 'test/helpers/files-in-memory.ts',
    fileParallelism: false,
  },
});
