import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openBulkForm, openSendForm } from '../../../src/slack/forms/open-sending-form.ts';
import type { SlackDeps } from '../../../src/slack/workspaces/deps.ts';

test.each([
  ['a text', openSendForm],
  ['a list', openBulkForm],
])('words for the form of %s that fail before the form needs them end no process', async (_form, open) => {
  const unhandled = vi.fn();
  process.on('unhandledRejection', unhandled);
  onTestFinished(() => void process.off('unhandledRejection', unhandled));
  const failure = new Error('the store is out of reach');
  const request = {
    to: { channel: 'C1' },
    open: async () => {
      await setImmediate();
      throw failure;
    },
  };
  const opened = open({} as SlackDeps, request as never, () => Promise.reject(failure));
  await expect(opened).rejects.toBe(failure);
  expect(unhandled).not.toHaveBeenCalled();
});
