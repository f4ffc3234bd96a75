import type { WebClient } from '@slack/web-api';
import { type Playground, textOf } from 'slack-playground';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  startHttpBot,
  startPlayground,
  webClientOf,
} from '../../../packages/slack-playground/test/helpers/slack-bot.ts';
import { replaceView } from '../../../src/slack/forms/open-modal.ts';
import { loadingView, noticeView } from '../../../src/slack/ui/views.ts';
import type { SlackDeps } from '../../../src/slack/workspaces/deps.ts';

const TITLE = 'Link this channel';

let slack: Playground;
let web: WebClient;
let bot: Awaited<ReturnType<typeof startHttpBot>>;

beforeEach(async () => {
  slack = await startPlayground();
  web = webClientOf(slack);
  bot = await startHttpBot(slack, (app) => {
    app.command(/.*/, async ({ ack, body }) => {
      await ack();
      await web.views.open({ trigger_id: body.trigger_id, view: loadingView(TITLE) });
    });
  });
});
afterEach(async () => {
  await bot.stop();
  await slack.close();
});

/** Opens a waiting view, and begins to replace it. */
async function replaceWaiting() {
  const { member } = slack.people;
  const command = await slack.command({ user: member, channel: slack.channels.sales, text: 'link' });
  const { id, hash } = (await command.view()).view;
  const shows = () => textOf(slack.view(id) ?? []);
  return {
    id,
    shows,
    done: replaceView({ web } as SlackDeps, { id, hash }, noticeView(TITLE, 'The old answer')),
  };
}

test('a view that Slack shows without an answer does not come again over a newer one', async () => {
  slack.fault({ method: 'views.update', fault: { kind: 'lost_answer' } });
  const { id, shows, done } = await replaceWaiting();
  await slack.waitFor(() => shows().includes('The old answer'));
  await web.views.update({ view_id: id, view: noticeView(TITLE, 'The new answer') });
  await done;
  expect(shows()).toContain('The new answer');
});

test.each([{ kind: 'server_error' }, { kind: 'rate_limited', retryAfter: 1 }] as const)(
  'a view that Slack does not take at first ($kind) comes a moment later',
  async (fault) => {
    slack.fault({ method: 'views.update', fault });
    const { shows, done } = await replaceWaiting();
    expect(shows()).not.toContain('The old answer');
    await done;
    expect(shows()).toContain('The old answer');
  },
);
