import { describe, expect, it } from 'vitest';
import { withoutBrowser } from '../../../packages/slack-playground/test/helpers/browser.ts';
import {
  ADMIN,
  ANA,
  AT,
  botSays,
  GUEST,
  personSays,
  SALES,
  withMessages,
} from '../../../packages/slack-playground/test/helpers/page-fixture-states.ts';
import { type Visit, visitsOfTests } from '../../../packages/slack-playground/test/helpers/page-visit.ts';
import { draftMessage } from '../../../src/slack/ui/texts/draft.ts';
import { receiptMessage } from '../../../src/slack/ui/texts/receipt.ts';
import { NO_BUDGETS } from '../../slack/ui/samples.ts';
import { PANELS } from '../helpers/panels-folder.ts';
import { aText, LINKED } from '../helpers/product-samples.ts';
import { screens, withDone } from '../helpers/product-screens.ts';

const draft = () => draftMessage({ view: aText(), linked: LINKED, budgets: NO_BUDGETS });
const receipt = () =>
  receiptMessage(
    aText({
      state: 'finished',
      outcome: 'sent',
      decidedBy: ADMIN,
      decidedAt: AT,
      result: { cause: 'accepted', messageId: 4711, creditsUsed: 1, creditsRemaining: 999 },
    }),
  );

describe.skipIf(withoutBrowser)('the page', () => {
  const visits = visitsOfTests(screens, PANELS);

  describe('Try this', () => {
    async function linked({ fixture, page }: Visit) {
      fixture.change(withDone('link'));
      await page.locator('.step.done').waitFor();
    }

    it('is at the top of #sales, with the sandbox key', async () => {
      const { page, complaints } = await visits.visit();
      await page.getByRole('heading', { name: 'sales', exact: true }).waitFor();
      await page.getByRole('heading', { name: 'Try this' }).waitFor();
      expect(await page.locator('.step-name').allTextContents()).toEqual([
        'Step 1: Link',
        'Step 2: Send',
        'Step 3: Lose an answer',
        'Step 4: Run low',
        'Step 5: Act as a guest',
        'Step 6: Text a list',
      ]);
      expect(await page.locator('.try .key').textContent()).toBe('sandbox-key-acme-0001');
      expect(await page.title()).toBe('#sales · Playground');
      expect(complaints).toEqual([]);
    });

    it('each step to do keeps its explanation when another is done', async () => {
      const { page, fixture } = await visits.visit();
      expect(await page.locator('.step-text:visible').count()).toBe(6);
      fixture.change(withDone('link'));
      await page.locator('.try.compact').waitFor();
      expect(await page.locator('.step-text:visible').allTextContents()).toEqual([
        'Text a phone. You see the cost first.',
        'The text goes out, but no answer comes back.',
        'Few credits are left: the bot warns the channel once.',
        'A guest tries to text a phone.',
        'Text several people at once, each by name.',
      ]);
    });

    it('before a channel is linked, the other steps say so and do nothing', async () => {
      const { page, fixture } = await visits.visit();
      for (const name of ['Send', 'Lose an answer', 'Run low', 'Act as a guest', 'Text a list']) {
        await page.locator('.step button', { hasText: name }).click();
        await page.locator('#composer-problem', { hasText: 'Do step 1 first: #sales has no' }).waitFor();
      }
      expect(await page.locator('#composer-text').inputValue()).toBe('');
      expect(fixture.posts).toEqual([]);
      fixture.change(withDone('link'));
      await expect.poll(() => page.locator('#composer-problem').textContent()).toBe('');
      await page.locator('.step button', { hasText: 'Link' }).click();
      await fixture.until((posts) => posts.length > 0);
      expect(fixture.posts).toEqual([{ path: '/act/step', body: { id: 'link' } }]);
    });

    it('copies the key', async () => {
      const { page, fixture } = await visits.visit();
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: fixture.url });
      await page.getByRole('button', { name: 'Copy the key Acme' }).first().click();
      await page.getByText('Copied', { exact: true }).waitFor();
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe('sandbox-key-acme-0001');
    });

    it.each([
      ['Link', '/sms link'],
      ['Send', '/sms send +44 20 7946 0958 Hello from Switchboard'],
    ])('%s fills the composer, and Enter sends it', async (step, text) => {
      const visit = await visits.visit();
      const { page, fixture } = visit;
      if (step !== 'Link') await linked(visit);
      await page.locator('.step button', { hasText: step }).first().click();
      expect(await page.locator('#composer-text').inputValue()).toBe(text);
      expect(fixture.postsTo('/act/command')).toEqual([]);
      await page.keyboard.press('Enter');
      await fixture.until(() => fixture.postsTo('/act/command').length > 0);
      expect(fixture.postsTo('/act/command')).toEqual([{ as: ADMIN, channel: SALES, text }]);
    });

    it('the server prepares Lose an answer and Run low', async () => {
      const visit = await visits.visit();
      const { page, fixture } = visit;
      await linked(visit);
      await page.locator('.step button', { hasText: 'Lose an answer' }).click();
      await fixture.until((posts) => posts.length === 1);
      await page.locator('.step button', { hasText: 'Run low' }).click();
      await fixture.until((posts) => posts.length === 2);
      expect(fixture.posts).toEqual([
        { path: '/act/step', body: { id: 'lose_answer' } },
        { path: '/act/step', body: { id: 'run_low' } },
      ]);
    });

    it('Act as a guest changes to the guest', async () => {
      const visit = await visits.visit();
      const { page, fixture } = visit;
      await linked(visit);
      await page.locator('.step button', { hasText: 'Act as a guest' }).click();
      await page.locator('.composer-who', { hasText: 'gus' }).waitFor();
      await page.keyboard.press('Enter');
      await fixture.until(() => fixture.postsTo('/act/command').length > 0);
      expect(fixture.postsTo('/act/command')[0]).toMatchObject({
        as: GUEST,
        text: expect.stringMatching(/^\/sms send \+44/),
      });
    });

    it('Link changes to an admin first', async () => {
      const { page, fixture } = await visits.visit();
      await page.getByRole('radio', { name: 'ana' }).check();
      await page.locator('.composer-who', { hasText: 'ana' }).waitFor();
      await page.locator('.step button', { hasText: 'Link' }).first().click();
      await page.locator('.composer-who', { hasText: 'adam' }).waitFor();
      await page.keyboard.press('Enter');
      await fixture.until(() => fixture.postsTo('/act/command').length > 0);
      expect(fixture.postsTo('/act/command')).toEqual([{ as: ADMIN, channel: SALES, text: '/sms link' }]);
    });

    it('steps tick themselves off', async () => {
      const { page, fixture } = await visits.visit();
      fixture.change(withDone('link', 'send'));
      await expect
        .poll(() => page.locator('.step.done .step-name').allTextContents())
        .toEqual(['Step 1: Link (done)', 'Step 2: Send (done)']);
      await page.locator('#announcer', { hasText: 'Done: Link. Done: Send.' }).waitFor({ state: 'attached' });
    });
  });

  describe('messages', () => {
    it('a draft becomes a receipt in its place; its button is busy until then', async () => {
      const { page, fixture } = await visits.visit(
        screens({ messages: [botSays(draft(), { ts: '1.000001', to: ADMIN })] }),
      );
      await page.getByText('Only visible to you').waitFor();
      const send = page.getByRole('button', { name: 'Send', exact: true });
      await send.click();
      await send.click({ force: true });
      expect(await send.getAttribute('aria-busy')).toBe('true');
      expect(fixture.postsTo('/act/click')).toEqual([
        {
          as: ADMIN,
          channel: SALES,
          ts: '1.000001',
          action_id: 'confirm_send',
          block_id: expect.any(String),
        },
      ]);
      fixture.change(withMessages([botSays(receipt(), { ts: '1.000001', to: ADMIN })]));
      await page.getByText('1 credit used · 999 left').waitFor();
      expect(await page.locator('.message').count()).toBe(1);
      expect(await page.evaluate('document.activeElement.dataset.ts')).toBe('1.000001');
    });

    it('focus stays on a button whose message changes around it', async () => {
      const shown = draft();
      const say = (text: string) =>
        botSays(
          {
            text,
            blocks: [
              { type: 'section', text: { type: 'mrkdwn', text } },
              { ...shown.blocks.find(({ type }) => type === 'actions'), block_id: 'b' },
            ] as never,
          },
          { ts: '1.000001' },
        );
      const { page, fixture } = await visits.visit(screens({ messages: [say('before')] }));
      await page.getByRole('button', { name: 'Edit', exact: true }).focus();
      fixture.change(withMessages([say('after')]));
      await page.getByText('after').waitFor();
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Edit');
    });

    it('a new message elsewhere marks its place', async () => {
      const { page, fixture } = await visits.visit();
      fixture.change((state) => ({
        ...state,
        channels: state.channels.map((channel) =>
          channel.kind === 'im'
            ? { ...channel, messages: [botSays(receipt(), { channel: channel.id })] }
            : channel,
        ),
      }));
      const direct = page.getByRole('button', { name: 'Switchboard new messages' });
      await direct.click();
      await page.getByText('1 credit used').waitFor();
      expect(await page.locator('.place.unread').count()).toBe(0);
      await page.getByText('adam (admin) can read here, but not write.').waitFor();
    });
  });

  it('the composer offers the commands of the product, and says how to use one', async () => {
    const { page } = await visits.visit();
    const field = page.locator('#composer-text');
    await field.pressSequentially('/sms s');
    expect(await page.getByRole('listbox').getByRole('option').allTextContents()).toEqual([
      expect.stringMatching(/^\/sms send <number> <text>[A-Z]/),
      expect.stringMatching(/^\/sms status[A-Z]/),
      expect.stringMatching(/^\/sms statement[A-Z]/),
      expect.stringMatching(/^\/sms settings[A-Z]/),
    ]);
    await page.keyboard.press('Tab');
    expect(await field.inputValue()).toBe('/sms send ');
    await page.locator('.is-usage', { hasText: '/sms send <number> <text>' }).waitFor();
  });

  describe('acting as somebody', () => {
    it('people without commands see no hint of them', async () => {
      const states = Object.fromEntries(
        Object.entries(screens()).map(([as, state]) =>
          as === ADMIN ? [as, state] : [as, { ...state, commands: [] }],
        ),
      );
      const { page } = await visits.visit(states);
      await page.locator('.composer-hint', { hasText: '/ for commands' }).waitFor();
      await page.getByRole('radio', { name: 'ana' }).check();
      await page.locator('.composer-who', { hasText: 'ana' }).waitFor();
      expect(await page.locator('.composer-hint').textContent()).toBe(
        'Enter sends · Shift + Enter: a new line',
      );
      expect(await page.locator('#panel-channel .scroller > .quiet').textContent()).toBe(
        'Nothing has been said here yet.',
      );
    });

    it('shows that person’s screen and says so', async () => {
      const { page } = await visits.visit(
        screens({ messages: [botSays(draft(), { to: ADMIN }), personSays(ANA, 'Hi all')] }),
      );
      await page.getByText('Only visible to you').waitFor();
      await page.getByRole('radio', { name: 'ana' }).check();
      await page.locator('.composer-who', { hasText: 'You are anamember' }).waitFor();
      expect(await page.getByText('Only visible to you').count()).toBe(0);
      await page
        .locator('#announcer', { hasText: 'You are ana now, member.' })
        .waitFor({ state: 'attached' });
      await page.reload();
      await page.locator('.composer-who', { hasText: 'ana' }).waitFor();
    });
  });
});
