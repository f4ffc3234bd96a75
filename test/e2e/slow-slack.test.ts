import { type Fault, type OpenView, textOf } from 'slack-playground';
import { expect, it } from 'vitest';
import { linkedWorldsOfFile } from '../helpers/linked-worlds-of-file.ts';
import { sideBySide } from '../helpers/side-by-side.ts';
import { cardSaying, confirmBulk, draftBulk, fileFor } from '../helpers/world-bulk.ts';
import { ask, draft, formOf, historyOf, press, receiptOf, sendText } from '../helpers/world-steps.ts';

sideBySide('while the results of a job are due', () => {
  const newWorld = linkedWorldsOfFile();

  it('Slack asks for a wait more often than a file is tried: the file is delivered, and the card says so', async () => {
    const world = await newWorld();
    const { slack } = world;
    const recipients = '+447700900301\n+447700900302';
    const preview = await draftBulk(world, { recipients, message: 'Hello' });
    const fault: Fault = { kind: 'rate_limited', retryAfter: 1 };
    slack.fault({ method: 'files.getUploadURLExternal', fault, count: 6 });
    await confirmBulk(world, preview);
    const card = await cardSaying(world, /\*Finished\*/, 40_000);
    expect(textOf(card)).toMatch(/`results\.csv` is in your direct messages/);
    expect(fileFor(world, slack.people.member, /results/)).toHaveLength(3);
  });
});

sideBySide('while Slack hangs', () => {
  const newWorld = linkedWorldsOfFile();

  it('each call ends after 10 s: the line comes later, the form says so', async () => {
    const world = await newWorld();
    const { slack } = world;
    const preview = await draft(world, '+442079460781 Hanging');
    const im = slack.directMessage(slack.people.member.id);
    slack.fault({ method: 'chat.postMessage', fault: { kind: 'hang' } });
    slack.fault({ method: 'users.conversations', fault: { kind: 'hang' } });
    await press(world, preview, 'Send');
    const form = await slack.command({ user: slack.people.member, channel: im, text: 'send' });
    const loading = await form.view();
    expect(textOf(loading)).toContain('One moment');
    expect(await receiptOf(world, preview)).toMatch(/^✅ \*Sent\*/);
    await slack.waitFor(() => {
      const now = slack.view(loading.view.id);
      return now && /did not answer as it should|something went wrong/.test(textOf(now));
    }, 30_000);
    await slack.waitFor(
      () => historyOf(world).filter((line) => line.includes('···0781')).length === 1,
      30_000,
    );
    expect(await sendText(world, '+442079460782 Well again')).toMatch(/^✅ \*Sent\*/);
  });
});

sideBySide('while Slack hangs over a large channel', () => {
  const newWorld = linkedWorldsOfFile();

  it('the form of /sms optin opens at once: looking for a member of a large channel may take longer than a trigger lives', async () => {
    const world = await newWorld();
    const { slack } = world;
    const asked = { user: slack.people.member, channel: slack.channels.sales };
    await ask(world, 'optout +442079460783');
    slack.fault({ method: 'conversations.members', fault: { kind: 'hang' } });
    const form = await (await slack.command({ ...asked, text: 'optin +442079460783' })).view();
    expect(textOf(form)).toContain('One moment');
    await slack.waitFor(
      () => textOf(slack.view(form.view.id) as OpenView).includes('did not answer as it should'),
      30_000,
    );
    const again = await slack.command({ ...asked, text: 'optin +442079460783' });
    expect(textOf(await formOf(slack, again))).toContain('is opted out: by');
  });
});
