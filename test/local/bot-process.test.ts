import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createBotProcess } from '../../local/bot-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'bot-process-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('without room for its log, the bot still runs and its facts are read', async () => {
  const { promise: said, resolve: onLog } = Promise.withResolvers<string>();
  const bot = createBotProcess({
    // The bot only says what is missing.
    env: { PATH: process.env.PATH ?? '', SLACK_BOT_TOKEN: 'xoxb-1' },
    cwd: folder,
    logFile: join(folder, 'none/bot.log'),
    port: 1,
    onLog,
    onCrash() {},
  });
  bot.start();
  expect(await said).toContain('SLACK_SIGNING_SECRET');
  await bot.stop();
});
