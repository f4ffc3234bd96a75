import type { WebClient } from '@slack/web-api';
import { type Playground, textOf } from 'slack-playground';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  startHttpBot,
  startPlayground,
  webClientOf,
} from '../../../packages/slack-playground/test/helpers/slack-bot.ts';
import { ModalError } from '../../../src/slack/connection/slack-error.ts';
import { createChangeView } from '../../../src/slack/forms/change-view.ts';
import { openModal } from '../../../src/slack/forms/open-modal.ts';
import { field, modal, peopleInput, textInput } from '../../../src/slack/ui/modal.ts';
import { noticeView } from '../../../src/slack/ui/views.ts';
import type { SlackDeps } from '../../../src/slack/workspaces/deps.ts';

const TITLE = 'Limits';
const NOTICE = 'Please choose them again';

/** A form whose menu begins with somebody who may have left. */
const FORM = modal('a_form', { title: TITLE, submit: 'Save', metadata: '{}' }, [
  field('approvers', 'Approvers', peopleInput(['U0MEMBER02'], 'The admins'), { optional: true }),
  field('zone', 'Time zone', textInput({ initial: 'Europe/London' })),
]);

let slack: Playground;
let web: WebClient;
let bot: Awaited<ReturnType<typeof startHttpBot>>;
let make: Parameters<typeof openModal>[3];
let failure: unknown;

beforeEach(async () => {
  failure = undefined;
  slack = await startPlayground();
  web = webClientOf(slack);
  bot = await startHttpBot(slack, (app) => {
    app.command(/.*/, async ({ ack, body }) => {
      await ack();
      const opening = openModal({ web } as SlackDeps, body.trigger_id, TITLE, make);
      await opening.catch((error: unknown) => {
        failure = error;
      });
    });
  });
});
afterEach(async () => {
  await bot.stop();
  await slack.close();
});

async function open() {
  const { admin } = slack.people;
  return slack.command({ user: admin, channel: slack.channels.sales, text: 'limits' });
}

/** Slack calls people invalid that it does not show. */
function refuse(method: string): void {
  slack.fault({ method, fault: { kind: 'refused', error: 'invalid_arguments' } });
}

test('a form whose people Slack refuses opens without them, and says so', async () => {
  make = () => FORM;
  refuse('views.open');
  const { view } = await (await open()).view();
  expect(textOf(view)).toContain(NOTICE);
  expect(JSON.stringify(view)).not.toContain('U0MEMBER02');
  expect(JSON.stringify(view)).toContain('Europe/London');
});

test('so does a form that was made late, in the place of the waiting view', async () => {
  let ready = (_view: typeof FORM) => {};
  make = () =>
    new Promise<typeof FORM>((resolve) => {
      ready = resolve;
    });
  const { view } = await (await open()).view();
  expect(textOf(view)).toContain('One moment');
  refuse('views.update');
  ready(FORM);
  await slack.waitFor(() => textOf(slack.view(view.id) ?? []).includes(NOTICE));
  expect(JSON.stringify(slack.view(view.id))).not.toContain('U0MEMBER02');
});

test('and a form that a choice in it changes', async () => {
  make = () => noticeView(TITLE, 'Before the choice');
  const { view } = await (await open()).view();
  refuse('views.update');
  const { id, hash, blocks } = view as never as Parameters<ReturnType<typeof createChangeView>>[0];
  await createChangeView(web)({ id, hash, blocks }, async () => FORM);
  expect(textOf(slack.view(id) ?? [])).toContain(NOTICE);
});

test('a form without people that Slack refuses does not come again', async () => {
  make = () => noticeView(TITLE, 'No people');
  refuse('views.open');
  await open();
  await expect.poll(() => failure).toBeInstanceOf(ModalError);
  expect(slack.calls.filter(({ method }) => method === 'views.open')).toHaveLength(1);
});
